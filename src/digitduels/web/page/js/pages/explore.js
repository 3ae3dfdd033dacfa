// Any position of a game: what every move is worth, forward and back, set up by hand, and a map of who wins where.

import { Failure, get } from "../api.js";
import { asked, path, read } from "../address.js";
import { share } from "../dialog.js";
import { button, fill, h } from "../dom.js";
import { card, choose, dress, head, onward, seats, Stepper, work } from "../lesson.js";
import { ScoreMap } from "../map.js";
import { entitle, go, note } from "../router.js";
import { beginner, group, LEVELS, radios, ruled } from "../setup.js";
import { say } from "../status.js";
import { moves, Table, told } from "../table.js";
import { chip, pretty, prose, verdicts } from "../verdict.js";

const FEW = 10;
const MANY = 40; // losing moves that are shown without being asked for

/** @type {[Value, string][]} */
const KINDS = [["win", "Winning moves"], ["draw", "Drawing moves"], ["loss", "Losing moves"]];

/** @param {Place} place */
export async function show(place) {
  const { main, parts, query, signal } = place;
  await dress();
  if (!parts[0]) return choose(place, "explore", "Explore", "Every position of every game is solved. Choose a game, then play moves forward and back, or set up whatever you like.");
  const address = { ...read(parts[0], query), vs: null };
  const [view, shown] = await Promise.all([get(`/api/position/${address.game}`, asked(address), signal), card(address.game)]);
  if (signal.aborted) return;
  entitle(`Explore ${view.title}`);
  const explorer = new Explorer(address, view, shown, signal);
  fill(main, explorer.element);
  await explorer.draw();
}

class Explorer {
  /**
   * @param {Address} address
   * @param {View} view
   * @param {GameCard | null} shown
   * @param {AbortSignal} signal
   */
  constructor(address, view, shown, signal) {
    this.address = address;
    this.view = view;
    this.card = shown;
    this.signal = signal;
    /** Moves that were stepped back over, to go forward again. */
    this.line = address.moves;
    this.table = new Table({ view, signal, query: () => asked(this.address), play: (move) => void this.play(move) });
    this.stepper = new Stepper((at) => void this.stand({ ...this.address, moves: this.line.slice(0, at) }), signal);
    this.standing = h("section", { class: "card standing", "aria-label": "How it stands" });
    this.list = h("section", { class: "card", "aria-label": "Every move" });
    this.map = new ScoreMap((mine, theirs) => void this.jump(mine, theirs));
    this.mapped = h("section", { class: "card", hidden: true, "aria-label": "Who wins at which scores" }, h("h2", null, "Who wins where"), this.map.element);
    this.record = h("div");
    this.trouble = h("p", { class: "trouble", role: "alert" });
    this.hands = h("div", { class: "hands" });
    this.level = h("select", null, (shown?.levels ?? [1]).map((level) => h("option", { value: String(level) }, `Level ${level}: ${LEVELS[level] ?? ""}`)));
    this.level.value = shown ? beginner(shown) : "1";
    this.seat = radios("seat", [["move", "Whose turn it is"], ["wait", "The other side"]], "move");
    this.onward = h(
      "details",
      { class: "card fold" },
      h("summary", null, "Play on from here"),
      h("label", { class: "field" }, h("span", null, "Against"), this.level),
      group("You are", this.seat),
      h("p", { class: "row" }, button("Play on", () => this.#onward(), "main")),
    );
    const form = h("form", { onsubmit: (/** @type {Event} */ event) => this.#edit(event) }, this.hands, this.trouble, h("p", { class: "row" }, h("button", { class: "main" }, "Set it up")));
    this.edit = h("details", { class: "card fold" }, h("summary", null, "Set up a position"), form);
    this.rules = this.#rules();
    this.element = h(
      "article",
      { class: "game lesson-page" },
      head("Explore", shown, address.options, view.title),
      h("div", { class: "column" }, this.stepper.element, this.standing, this.table.element, this.mapped),
      h(
        "div",
        { class: "side" },
        this.list,
        this.onward,
        this.edit,
        this.rules,
        h("details", { class: "card fold" }, h("summary", null, "Moves so far"), this.record),
        h("p", { class: "row" }, button("Share this position", () => void share(location.href, view.title).then((done) => done && say(done)))),
      ),
    );
  }

  async draw() {
    const { view, address, signal } = this;
    const over = view.outcome !== null;
    this.table.update(view, seats(view), !over);
    this.stepper.update(address.moves.length, this.line.length);
    fill(this.record, moves(view, seats(view)));
    this.#form();
    this.onward.hidden = over;
    say(told(view, null), over ? "over" : "turn");
    if (over) {
      fill(this.standing, h("h2", null, "The game is over"), view.ending.map((line) => h("p", null, line)));
      this.list.hidden = true;
      this.mapped.hidden = true;
      return;
    }
    const asking = [work("solve", address, signal), work("map", address, signal)];
    asking[1]?.catch(() => {}); // told once the moves are, if they are
    try {
      const solved = /** @type {Solved} */ (await asking[0]);
      if (signal.aborted || view !== this.view) return;
      say(told(view, null), "turn");
      this.#judged(solved);
      const map = /** @type {import("../map.js").Scores | null} */ (await asking[1]);
      if (signal.aborted || view !== this.view) return;
      // A few pairs of scores are no picture.
      this.mapped.hidden = map === null || map.rows.join("").replaceAll(".", "").length < FEW;
      if (map) this.map.update(map, this.#name(true), this.#name(false));
    } catch (error) {
      if (signal.aborted || !(error instanceof Error)) return;
      fill(this.standing, h("p", null, error.message), error instanceof Failure && error.passing && button("Try again", () => void this.draw(), "main"));
      this.list.hidden = true;
      this.mapped.hidden = true;
    }
  }

  /** @param {boolean} mover */
  #name(mover) {
    const seat = this.view.player ?? 1;
    return this.view.names[mover ? seat - 1 : 2 - seat] ?? "";
  }

  /** @param {Solved} solved */
  #judged(solved) {
    this.table.picker.judge(solved.each);
    const value = solved.value ?? "draw";
    this.standing.className = `card standing ${value}`;
    fill(this.standing, h("h2", null, prose(solved.standing)), h("p", { class: "soft" }, `Best: ${solved.best.slice(0, 6).map(pretty).join(", ")}${solved.best.length > 6 ? " and more" : ""}.`));
    this.list.hidden = false;
    fill(
      this.list,
      KINDS.map(([kind, title]) => {
        const some = solved.each.filter((each) => each.value === kind);
        if (!some.length) return null;
        const heading = chip(kind, `${title}: ${some.length}`);
        const content = verdicts(some, (move) => void this.play(move));
        const folded = kind === "loss" && some.length > MANY;
        return h("details", { class: `kind ${kind}`, open: !folded }, h("summary", null, h("h2", null, heading)), content);
      }),
    );
  }

  /** @param {string} move */
  async play(move) {
    const next = [...this.address.moves, move];
    if (this.line[this.address.moves.length] !== move) this.line = next;
    await this.stand({ ...this.address, moves: next });
  }

  /**
   * Goes on with another position.
   * @param {Address} address
   */
  async stand(address) {
    try {
      const view = await get(`/api/position/${address.game}`, asked(address), this.signal);
      this.address = address;
      this.view = view;
      if (address.moves.some((move, ply) => this.line[ply] !== move)) this.line = address.moves;
      this.trouble.textContent = "";
      note(path(address, "explore"));
      await this.draw();
      return true;
    } catch (error) {
      if (this.signal.aborted || !(error instanceof Error)) return false;
      this.trouble.textContent = error.message;
      say(error.message);
      return false;
    }
  }

  /**
   * Sets both scores.
   * @param {number} mine
   * @param {number} theirs
   */
  async jump(mine, theirs) {
    const [player = "1", ...sides] = this.view.placed.split(";");
    const mover = Number(player) - 1;
    const put = (/** @type {number} */ side, /** @type {number} */ score) => {
      sides[side] = [score, ...(sides[side] ?? "").split(",").slice(1)].join(",");
    };
    put(mover, mine);
    put(1 - mover, theirs);
    await this.#place([player, ...sides].join(";"));
  }

  /** @param {string} position */
  async #place(position) {
    this.line = [];
    return this.stand({ ...this.address, position, moves: [], opening: 0, conceded: null, first: 1 });
  }

  #onward() {
    const mover = this.view.player ?? 1;
    const waits = this.onward.querySelector("input:checked")?.getAttribute("value") === "wait";
    go(onward(this.address, this.level.value, waits ? (mover === 1 ? 2 : 1) : mover));
  }

  /** The numbers of the position, each in a field of its own. */
  #form() {
    const { view } = this;
    const [one, two] = view.names;
    const sides = [...view.board.hands, view.board.table];
    fill(
      this.hands,
      group("Whose turn it is", radios("player", [["1", one], ["2", two]], view.placed.slice(0, 1))),
      sides.map((side, place) => {
        const numbers = [
          side.score === null ? null : numbered(`part-${place}`, "Score", side.score, side.lowest, view.board.goal),
          ...side.stocks.map((stock) => numbered(`part-${place}`, pretty(stock.label), stock.left, 0, stock.of)),
        ].filter(Boolean);
        return numbers.length > 0 && group([one, two, "On the table"][place] ?? "", h("div", { class: "numbers" }, numbers));
      }),
    );
  }

  /** @param {Event} event */
  #edit(event) {
    event.preventDefault();
    const data = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const parts = [0, 1, 2].map((place) => data.getAll(`part-${place}`).map((text) => String(text).trim()).join(","));
    void this.#place([data.get("player"), ...parts].join(";")).then((done) => done && this.standing.scrollIntoView({ block: "nearest" }));
  }

  /** The options of the game, each a rule of its own. */
  #rules() {
    const { card: shown, address } = this;
    if (!shown) return null;
    const trouble = h("p", { class: "trouble", role: "alert" });
    const form = h("form", null, h("div", { class: "fields" }, shown.options.map((option) => ruled(option, address.options[option.name]))), trouble, h("p", { class: "row" }, h("button", { class: "main" }, "Explore these rules")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const data = new FormData(form);
      const options = Object.fromEntries(
        shown.options
          .map((option) => /** @type {[string, string]} */ ([option.name, String(data.get(`option-${option.name}`) ?? "").trim()]))
          .filter(([name, text]) => text && text !== String(shown.options.find((option) => option.name === name)?.default)),
      );
      const next = { ...address, options, position: null, moves: [], opening: 0, conceded: null };
      get(`/api/position/${address.game}`, asked(next), this.signal).then(
        () => go(path(next, "explore")),
        (error) => {
          if (!this.signal.aborted) trouble.textContent = error.message;
        },
      );
    });
    const changed = Object.entries(this.view.changed).map(([name, value]) => `${name} ${value}`);
    return h("details", { class: "card fold" }, h("summary", null, changed.length ? `Rules: ${changed.join(", ")}` : "Rules: as in the book"), form);
  }
}

/**
 * @param {string} name
 * @param {string} label
 * @param {Whole} value
 * @param {number} low
 * @param {Whole | null} high
 */
function numbered(name, label, value, low, high) {
  return h("label", { class: "number" }, h("span", null, label), h("input", { name, value, inputmode: low < 0 ? "text" : "numeric", autocomplete: "off", required: true, "aria-label": high === null ? null : `${label}, from ${low} to ${high}` }));
}
