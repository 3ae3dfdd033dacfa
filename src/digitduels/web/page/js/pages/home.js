// The first page: a game already begun, all games, today's puzzle.

import { games, get } from "../api.js";
import { seatLabels } from "../board.js";
import { anchor, button, fill, h, pause } from "../dom.js";
import { GamePage, getPosition } from "../game-page.js";
import { beginnerLevel } from "../levels.js";
import { newLink, pathOf, randomSeed, withMoves } from "../link.js";
import { askForGame, withStart } from "../new-game.js";
import { go } from "../router.js";
import { tell } from "../sentence.js";

const HURRY = 800; // milliseconds that a stranger waits for a balanced start
const NOTES = [
  "Every position is solved. Ask for a hint or for the value of every move at any time. " +
    "Until you ask, nothing is given away.",
  "Between two perfect players, the seat decides. That's why some opponents make human mistakes, and why there are " +
    "balanced starts.",
  "No account. A game is its link: bookmark it, reload it, send it to a friend.",
];

/** @param {Place} place */
export async function show({ main, signal }) {
  const cards = await games();
  // The game with the most options has the most to discover.
  const card = cards.reduce((best, each) => (each.options.length > best.options.length ? each : best));
  const book = newLink(card.game, { vs: beginnerLevel(card), seed: randomSeed() });
  const start = await Promise.race([withStart(book, true).catch(() => book), pause(HURRY).then(() => book)]);
  const view = await getPosition(start, signal);
  if (signal.aborted) return;
  const page = new FirstMove({ ...start, seat: view.player ?? 1 }, view, signal);
  const puzzle = h("p", null, "One position, one winning move.");
  fill(
    main,
    h("div", { class: "welcome" }, hero(card, page.link), page.table.element),
    gameCards(cards, puzzle),
    notes(),
  );
  page.draw();
  get("/api/puzzle", {}, signal).then(
    (/** @type {Puzzle} */ today) => {
      puzzle.textContent = tell(today.question);
    },
    () => {},
  );
}

/** The game on the first page: its first move goes to the page of the game. */
class FirstMove extends GamePage {
  get reader() {
    return this.link.seat;
  }

  get labels() {
    return seatLabels(this.view, this.reader, "computer");
  }

  /** @param {string} move */
  async play(move) {
    await go(pathOf(withMoves(this.link, move)));
  }
}

/**
 * @param {GameCard} card
 * @param {Link} link
 */
function hero(card, link) {
  const begun = link.opening ? ", a few moves in," : "";
  const about = `This is ${card.title}${begun} against level ${link.vs}. No sign-up: just play.`;
  const invite = async () => {
    const path = await askForGame({ ...link, opening: 0, seat: 1 }, "friend");
    if (path) void go(path);
  };
  return h(
    "section",
    { class: "hero", "aria-labelledby": "hero" },
    h("h1", { id: "hero" }, "Your move."),
    h("p", { class: "lead" }, card.summary),
    h("p", { class: "soft" }, about),
    h(
      "p",
      { class: "row" },
      button("Play a friend", () => void invite()),
    ),
  );
}

/**
 * @param {GameCard[]} cards
 * @param {HTMLElement} puzzle
 */
function gameCards(cards, puzzle) {
  const today = h(
    "li",
    { class: "card puzzle" },
    h("h3", null, "Today's puzzle"),
    puzzle,
    h("p", { class: "row" }, anchor("Solve it", "/puzzle", "main")),
  );
  return h(
    "section",
    { "aria-labelledby": "games" },
    h("h2", { id: "games" }, "The games"),
    h("ul", { class: "cards" }, cards.map(gameItem), today),
  );
}

/** @param {GameCard} card */
function gameItem(card) {
  const play = pathOf(newLink(card.game, { vs: beginnerLevel(card), seed: randomSeed() }));
  const way = (/** @type {string} */ label, /** @type {string} */ path, /** @type {string} */ kind) => {
    const element = anchor(label, path, kind);
    element.append(h("span", { class: "hidden" }, ` ${card.title}`));
    return element;
  };
  return h(
    "li",
    { class: "card" },
    h("h3", null, card.title),
    h("p", null, card.summary),
    h(
      "p",
      { class: "row" },
      way("Play", play, "main"),
      way("Explore", `/explore/${card.game}`, "quiet"),
      way("Learn", `/learn/${card.game}`, "quiet"),
    ),
  );
}

function notes() {
  return h(
    "section",
    { class: "honest", "aria-labelledby": "honest" },
    h("h2", { id: "honest" }, "Good to know"),
    h(
      "ul",
      null,
      NOTES.map((text) => h("li", null, text)),
    ),
  );
}
