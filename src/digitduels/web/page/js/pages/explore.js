// Explore any position: the value of every move, stepping forward and back, setting up a position, and the score map.

import { gameCard, get, getComputed } from "../api.js";
import { scoresOf } from "../board.js";
import { share } from "../dialog.js";
import { button, fill, h, pause, set } from "../dom.js";
import { field, group, optionFields, radios, readOptions, readText, trouble } from "../form.js";
import { getFirstPosition, messageOf } from "../game-page.js";
import { showHead } from "../head.js";
import { levelOptions } from "../levels.js";
import { LinePage } from "../line-page.js";
import { continuation, other, pathOf, queryOf, readLink, withScores } from "../link.js";
import { go, setTitle } from "../router.js";
import { ScoreMap } from "../score-map.js";
import { tellAll } from "../sentence.js";
import { say, WAIT } from "../status.js";
import { StockChooser } from "../stock-chooser.js";
import { chooseGame } from "../study.js";
import { loadStyle } from "../style.js";
import { chip, verdictList } from "../verdict.js";

const CHOOSING = 150; // debounce in milliseconds
const MANY = 40; // more losing moves than this are collapsed
const BEST = 6; // the maximum number of best moves listed
const NOTHING = "With these operations left, only one pair of scores is possible. Lower a count.";
const PAST = "After the end there is nothing to decide. Step back to see the map.";
const ABOUT =
  "Every position of every game is solved. Choose a game, then play moves forward and back, " +
  "or set up any position.";

/** @type {[Value, string][]} */
const KINDS = [
  ["win", "Winning moves"],
  ["draw", "Drawing moves"],
  ["loss", "Losing moves"],
];

/** @param {Place} place */
export async function show(place) {
  const { main, parts, query, signal } = place;
  await loadStyle("study");
  if (!parts[0]) return chooseGame(place, "explore", "Explore", ABOUT, "Explore it");
  const link = { ...readLink(parts[0], query), vs: null };
  const [view, card] = await Promise.all([getFirstPosition(link, signal), gameCard(link.game)]);
  if (signal.aborted) return;
  setTitle(`Explore ${view.title}`);
  showHead("Explore", view, link.options);
  const page = new Explore(link, view, card, signal);
  fill(main, page.element);
  page.draw();
  void page.evaluate();
}

class Explore extends LinePage {
  /**
   * @param {Link} link
   * @param {PositionView} view
   * @param {GameCard | null} card
   * @param {AbortSignal} signal
   */
  constructor(link, view, card, signal) {
    super(link, view, signal);
    this.card = card;
    const waiting = [h("h2", "Who is winning?"), h("p.soft", WAIT)];
    this.standing = h("section.card.standing", { "aria-label": "Who is winning" }, waiting);
    this.list = h("section.card", { hidden: true, "aria-label": "Every move" });
    this.map = new ScoreMap((mine, theirs) => void this.jump(mine, theirs));
    this.chooser = new StockChooser(() => void this.#remap());
    this.choosing = new AbortController();
    /** The position of the current map. */
    this.mapPosition = view.placed;
    this.nothing = h("p.soft", NOTHING);
    this.mapped = h(
      "section.card.mapped",
      { hidden: true, "aria-label": "Who wins at which scores" },
      h("h2", "Who wins where"),
      this.chooser.element,
      this.nothing,
      this.map.element,
      h("p.soft.past", PAST),
    );
    // On a phone, the map can take the place of the board.
    this.flip = button("Map", () => {
      const map = this.element.classList.toggle("show-map");
      this.flip.setAttribute("aria-pressed", String(map));
    });
    this.flip.classList.add("flip");
    this.flip.hidden = true;
    this.flip.setAttribute("aria-pressed", "false");
    this.stepper.element.append(this.flip);
    this.editor = new PositionEditor((position) => this.setUp(position));
    this.onward = this.#onward();
    this.element = h(
      "article.game.study-page.explore",
      h("div.column", this.stepper.element, this.notice, this.standing, this.table.element),
      // Shown with the values and the map, so that nothing below them moves.
      (this.side = h(
        "div.side",
        { hidden: true },
        this.mapped,
        this.onward,
        this.editor.element,
        card && rulesForm(card, view, link, signal),
        h("details.card.fold", h("summary", "Moves so far"), this.record),
        h(
          "p.row",
          button("Share this position", () => void share(location.href, view.title)),
        ),
        // Last, because its height changes with every position.
        this.list,
      )),
    );
  }

  get path() {
    return pathOf(this.link, "explore");
  }

  get position() {
    return /** @type {PositionView} */ (this.view);
  }

  draw() {
    super.draw();
    this.editor.update(this.position);
    this.chooser.update(this.position);
    // The place of the map and of the way on stays, so that nothing moves.
    this.onward.inert = this.over;
    this.mapped.classList.toggle("over", this.over);
    if (!this.over) return;
    fill(this.standing, h("h2", "The game is over"), h("p", tellAll(this.view.ending)));
    this.list.hidden = true;
  }

  /**
   * @param {Link} link
   * @param {import("../game-page.js").Step} [step]
   */
  async goTo(link, step) {
    await super.goTo(link, step);
    await this.evaluate();
  }

  /** Shows the value of every move, and the score map. */
  async evaluate() {
    this.choosing.abort();
    if (!this.over) await this.#ask();
    this.side.hidden = false;
  }

  async #ask() {
    await this.safely(async () => {
      const before = this.choosing;
      const { placed } = this.position;
      const map = this.ask("map");
      map.catch(() => {}); // reported below, unless the values fail first
      this.#showValues(await this.ask("solve"));
      this.sayStatus();
      const shown = await map;
      // Do not overwrite a map that the reader has chosen meanwhile.
      if (before === this.choosing) this.#showMap(shown, placed);
    });
  }

  /**
   * @param {unknown} error
   * @param {() => Promise<void>} act
   */
  fail(error, act) {
    super.fail(error, act);
    for (const section of [this.list, this.mapped]) section.hidden = true;
    fill(this.standing);
  }

  /** @param {Solved} solved */
  #showValues(solved) {
    this.table.picker.judge(solved.each);
    const best = solved.each.filter(({ move }) => solved.best.includes(move)).map(({ shown }) => shown);
    const more = best.length > BEST ? " and more" : "";
    this.standing.className = `card standing ${solved.value ?? "draw"}`;
    fill(
      this.standing,
      h("h2", tellAll(solved.standing)),
      h("p.soft", `Best: ${best.slice(0, BEST).join(", ")}${more}.`),
    );
    this.list.hidden = false;
    fill(
      this.list,
      KINDS.map(([kind, title]) => this.#kind(kind, title, solved.each)),
    );
  }

  /**
   * @param {Value} kind
   * @param {string} title
   * @param {JudgedMove[]} moves
   */
  #kind(kind, title, moves) {
    const some = moves.filter(({ value }) => value === kind);
    if (!some.length) return null;
    const heading = h("h2", chip(kind, `${title}: ${some.length}`));
    const open = kind !== "loss" || some.length <= MANY;
    const list = verdictList(some, null, (move) => void this.play(move));
    return h("details", { class: `kind ${kind}`, open }, h("summary", heading), list);
  }

  /** Shows the score map for the chosen stocks. Only the last choice counts. */
  async #remap() {
    this.choosing.abort();
    const { signal } = (this.choosing = new AbortController());
    await pause(CHOOSING);
    if (signal.aborted) return;
    set(this.map.element, "aria-busy", "true");
    try {
      const link = this.#placed(this.chooser.position);
      const either = AbortSignal.any([signal, this.signal]);
      const map = await getComputed(`/api/map/${link.game}`, queryOf(link), either);
      const [mine, theirs] = this.#scores();
      if (!either.aborted) this.#showMap(map && { ...map, mine, theirs }, link.position);
    } catch (error) {
      if (!signal.aborted && !this.signal.aborted) say(messageOf(error), "turn");
    }
  }

  /** The scores of the player to move and of the opponent. */
  #scores() {
    const [one, two] = scoresOf(this.view).map(Number);
    return /** @type {[number, number]} */ (this.view.player === 2 ? [two, one] : [one, two]);
  }

  /**
   * @param {Scores | null} map
   * @param {string | null} placed the position of the map
   */
  #showMap(map, placed) {
    this.mapPosition = placed ?? "";
    set(this.map.element, "aria-busy", null);
    this.flip.hidden = this.mapped.hidden = map === null && this.chooser.element.hidden;
    this.nothing.hidden = map !== null;
    this.map.element.hidden = map === null;
    const mover = this.view.player ?? 1;
    const [one, two] = this.view.names;
    if (map) this.map.update(map, mover === 1 ? one : two, mover === 1 ? two : one);
  }

  /**
   * Sets both scores.
   * @param {number} mine
   * @param {number} theirs
   */
  async jump(mine, theirs) {
    const position = withScores(this.mapPosition, mine, theirs);
    await this.safely(() => this.goTo(this.#placed(position)));
  }

  /**
   * Shows a position that the reader set up; throws if it is impossible.
   * @param {string} position
   */
  async setUp(position) {
    await this.goTo(this.#placed(position));
    this.standing.scrollIntoView({ block: "nearest" });
  }

  /**
   * @param {string} position
   * @returns {Link}
   */
  #placed(position) {
    return { ...this.link, position, moves: [], opening: 0, conceded: null, first: 1 };
  }

  #onward() {
    const card = this.card ?? { levels: [1], beginner: 1, characters: {} };
    const level = h("select", levelOptions(card));
    level.value = String(card.beginner);
    /** @type {[string, string][]} */
    const sides = [
      ["move", "The player to move"],
      ["wait", "The other player"],
    ];
    const seat = radios("seat", sides, "move");
    const start = () => {
      const mover = this.view.player ?? 1;
      const waits = seat.querySelector("input:checked")?.getAttribute("value") === "wait";
      void go(pathOf(continuation(this.link, level.value, waits ? other(mover) : mover)));
    };
    return h(
      "details.card.fold",
      h("summary", "Play on from here"),
      field("Against", level),
      group("You are", seat),
      h("p.row", button("Play on", start, "main")),
    );
  }
}

/** The form for setting up a position, with a field for each number. */
class PositionEditor {
  /** @param {(position: string) => Promise<void>} setUp */
  constructor(setUp) {
    this.setUp = setUp;
    this.fields = h("div.hands");
    this.trouble = trouble();
    const row = h("p.row", h("button.main", "Set up"));
    const form = h("form", this.fields, this.trouble, row);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#submit(new FormData(form));
    });
    this.element = h("details.card.fold", h("summary", "Set up a position"), form);
  }

  /** @param {PositionView} view */
  update({ names: [one, two], board, placed }) {
    /** @type {[string, Side][]} */
    const sides = [
      [one, board.hands[0]],
      [two, board.hands[1]],
      ["On the table", board.table],
    ];
    /** @type {[string, string][]} */
    const players = [
      ["1", one],
      ["2", two],
    ];
    this.trouble.textContent = "";
    fill(
      this.fields,
      group("Whose turn it is", radios("player", players, placed.slice(0, 1))),
      sides.map(([legend, side], index) => {
        const numbers = numberInputs(`part-${index}`, side, board.goal);
        return numbers.length > 0 && group(legend, h("div.numbers", numbers));
      }),
    );
  }

  /** @param {FormData} data */
  async #submit(data) {
    const side = (/** @type {number} */ index) => data.getAll(`part-${index}`).map((text) => String(text).trim());
    const position = [readText(data, "player"), ...[0, 1, 2].map((index) => side(index).join(","))].join(";");
    try {
      await this.setUp(position);
    } catch (error) {
      this.trouble.textContent = messageOf(error);
    }
  }
}

/**
 * @param {string} name
 * @param {Side} side
 * @param {Integer | null} goal
 */
function numberInputs(name, side, goal) {
  const score = side.score === null ? [] : [numberInput(name, "Score", side.score, side.lowest, goal)];
  return [...score, ...side.stocks.map((stock) => numberInput(name, stock.label, stock.left, 0, stock.of))];
}

/**
 * @param {string} name
 * @param {string} label
 * @param {Integer} value
 * @param {number} low
 * @param {Integer | null} high
 */
function numberInput(name, label, value, low, high) {
  const range = high === null ? null : `${label}, from ${low} to ${high}`;
  const inputmode = low < 0 ? "text" : "numeric";
  const props = { name, value, inputmode, autocomplete: "off", required: true, "aria-label": range };
  return h("label.number", h("span", label), h("input", props));
}

/**
 * Creates the form for exploring the game with other rules.
 * @param {GameCard} card
 * @param {View} view
 * @param {Link} link
 * @param {AbortSignal} signal
 */
function rulesForm(card, view, link, signal) {
  const wrong = trouble();
  const fields = h("div.fields", optionFields(card.options, link.options));
  const row = h("p.row", h("button.main", "Explore these rules"));
  const form = h("form", fields, wrong, row);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const options = readOptions(card.options, new FormData(form));
    const next = { ...link, options, position: null, moves: [], opening: 0, conceded: null };
    get(`/api/position/${link.game}`, queryOf(next), signal).then(
      () => void go(pathOf(next, "explore")),
      (error) => {
        if (!signal.aborted) wrong.textContent = error.message;
      },
    );
  });
  const summary = view.house_rules ? `House rules: ${view.house_rules}` : "Rules: as in the book";
  return h("details.card.fold", h("summary", summary), form);
}
