// The rules of a game, an example to step through, its options and rulings, and facts about it.

import { gameCard, get, getComputed } from "../api.js";
import { Board, seatLabels } from "../board.js";
import { anchor, fill, h, paragraphs } from "../dom.js";
import { getPosition } from "../game-page.js";
import { showHead } from "../head.js";
import { cutTo, newLink, pathOf, readLink, splitQuery, withKeys, words } from "../link.js";
import { note, setTitle } from "../router.js";
import { tell, tellEach } from "../sentence.js";
import { say, WAIT } from "../status.js";
import { Stepper } from "../stepper.js";
import { chooseGame, coded } from "../study.js";
import { loadStyle } from "../style.js";

const LINES = 2; // of the book's text about a move; the rest repeats the board
const ABOUT = "Two players, a handful of numbers, a target to hit exactly. The rules of each game fit on a card.";

/** @param {Place} place */
export async function show(place) {
  const { main, parts, query, signal } = place;
  await loadStyle("study");
  if (!parts[0]) return chooseGame(place, "learn", "Learn", ABOUT, "Learn it");
  const [own, rest] = splitQuery(query, ["at"]);
  const { game, options } = readLink(parts[0], rest);
  const [rules, card] = await Promise.all([
    /** @type {Promise<Lesson>} */ (get(`/api/learn/${game}`, { ...options, theory: "later" }, signal)),
    gameCard(game),
  ]);
  if (signal.aborted) return;
  setTitle(rules.title);
  showHead("Rules", rules, options);
  say("");
  const link = newLink(game, { options });
  const example = new Example(newLink(game, { moves: words(rules.example.moves) }), pathOf(link, "learn"), signal);
  const known = h("div", soft(WAIT));
  const rulings = rules.rulings.map((text) => h("li", coded(text)));
  fill(
    main,
    h(
      "article.reading",
      h("p.lead", rules.summary),
      rules.house_rules !== "" && h("p.soft", `House rules: ${rules.house_rules}.`),
      part("The rules", paragraphs(rules.rules)),
      ways(link, card),
      part("An example", example.element),
      rules.ideas.length > 0 &&
        part(
          "Ideas",
          rules.ideas.map((idea) => ideaCard(idea, link)),
        ),
      part("With perfect play", known),
      part(
        "Options",
        soft("You can change every number in the rules. The book's value is listed first."),
        optionList(rules),
      ),
      part("Rulings", soft("Where the book is silent or contradicts itself, these rules apply."), h("ul", rulings)),
      part("Writing moves", h("p", coded(rules.moves))),
    ),
  );
  void tellTheory(known, game, options, signal);
  await example.goTo(Number.parseInt(own["at"] ?? "0", 10) || 0);
}

/**
 * Fills in the facts about a game once the server has computed them.
 * @param {HTMLElement} element
 * @param {string} game
 * @param {Record<string, string>} options
 * @param {AbortSignal} signal
 */
async function tellTheory(element, game, options, signal) {
  try {
    const { theory } = /** @type {Lesson} */ (await getComputed(`/api/learn/${game}`, options, signal));
    const items = tellEach(theory ?? []).map((text) => h("li", text));
    fill(element, h("ul", items));
  } catch (error) {
    if (!signal.aborted && error instanceof Error) fill(element, soft(error.message));
  }
}

/**
 * @param {Link} link
 * @param {GameCard | null} card
 */
function ways(link, card) {
  return h(
    "p.row",
    card && anchor("Play it now", pathOf({ ...link, vs: String(card.beginner) }), "main"),
    anchor("Explore positions", pathOf(link, "explore")),
    anchor("Solve a puzzle", `/puzzle/${link.game}`),
  );
}

/**
 * @param {string} title
 * @param {import("../dom.js").Children} content
 */
function part(title, ...content) {
  return h("section", { "aria-label": title }, h("h2", title), ...content);
}

/**
 * Shows an idea and its position.
 * @param {Lesson["ideas"][number]} idea
 * @param {Link} link
 */
function ideaCard({ title, about, moves, example }, link) {
  const position = pathOf({ ...link, moves: words(moves) }, "explore");
  return h(
    "div.idea",
    h("h3", title),
    h("p", about),
    h("p.soft", `${tell(example)} `, anchor("See the position", position)),
  );
}

/** @param {string} text */
function soft(text) {
  return h("p.soft", text);
}

/** @param {Lesson} rules */
function optionList({ options }) {
  const book = (/** @type {GameOption} */ option) => String(option.default).replaceAll("-", " ");
  const item = (/** @type {GameOption} */ option) => [
    h("dt", h("code", option.name), " ", h("strong", book(option))),
    h("dd", `${option.about}; ${option.allowed}`),
  ];
  return h("dl.options", options.flatMap(item));
}

/** The book's example, move by move. */
class Example {
  /**
   * @param {Link} link
   * @param {string} path of this page
   * @param {AbortSignal} signal
   */
  constructor(link, path, signal) {
    this.link = link;
    this.path = path;
    this.signal = signal;
    /** @type {Board | null} */
    this.board = null;
    this.frame = h("div");
    this.words = h("div.told", { role: "status" });
    this.stepper = new Stepper((at) => void this.goTo(at), signal);
    this.element = h("div.example", this.stepper.element, this.words, this.frame);
  }

  /** @param {number} at */
  async goTo(at) {
    const link = cutTo(this.link, Math.max(0, at));
    const view = await getPosition(link, this.signal);
    if (this.signal.aborted) return;
    if (!this.board) {
      this.board = new Board(view, () => null);
      this.frame.append(this.board.element);
    }
    this.board.update(view, seatLabels(view, null), true);
    this.stepper.update(link.moves.length, this.link.moves.length);
    this.#describe(view);
    note(withKeys(this.path, { at: link.moves.length || null }), true);
  }

  /** @param {PositionView} view */
  #describe(view) {
    const turn = view.history.at(-1);
    if (!turn) {
      fill(this.words, h("p", "The start. Step forward to see how a game goes."));
      return;
    }
    const title = h("strong", `${view.names[turn.player - 1]}: ${tell(turn.shown)}`);
    const lines = [...tellEach(view.lines).slice(0, LINES), ...tellEach(view.ending)];
    fill(this.words, h("p", title), paragraphs(lines));
  }
}
