// The first page below the board: all games, today's puzzle, good to know.

import { get } from "./api.js";
import { anchor, h } from "./dom.js";
import { gameItem } from "./game-item.js";
import { newLink, pathOf, randomSeed } from "./link.js";
import { tell } from "./sentence.js";

const NOTES = [
  "Every position is solved. Ask for a hint or for the value of every move at any time. " +
    "Until you ask, nothing is given away.",
  "Between two perfect players, the seat decides. That's why some opponents make human mistakes, and why there are " +
    "balanced starts.",
  "No account. A game is its link: bookmark it, reload it, send it to a friend.",
];

/**
 * @param {HTMLElement} main
 * @param {GameCard[]} cards
 * @param {AbortSignal} signal
 */
export function showRest(main, cards, signal) {
  const puzzle = h("p", "One position, one winning move.");
  main.append(gameCards(cards, puzzle), notes());
  get("/api/puzzle", {}, signal).then(
    (/** @type {Puzzle} */ today) => {
      puzzle.textContent = `${today.title}: ${tell(today.question)}`;
    },
    () => {},
  );
}

/**
 * @param {GameCard[]} cards
 * @param {HTMLElement} puzzle
 */
function gameCards(cards, puzzle) {
  const today = h(
    "li.card.puzzle",
    h("h3", "Today's puzzle"),
    puzzle,
    h("p.row", anchor("Solve it", "/puzzle", "main")),
  );
  return h(
    "section",
    { "aria-labelledby": "games" },
    h("h2", { id: "games" }, "The games"),
    h("ul.cards", cards.map(item), today),
  );
}

/** @param {GameCard} card */
function item(card) {
  const seat = { vs: String(card.beginner), seed: randomSeed() };
  const options = card.look.suggested;
  /** @type {[string, string][]} */
  const repaired = [["Fairer rules", pathOf(newLink(card.game, { ...seat, options }))]];
  return gameItem("h3", card, [
    ["Play", pathOf(newLink(card.game, seat))],
    ...(Object.keys(options).length > 0 ? repaired : []),
    ["Rules", `/learn/${card.game}`],
  ]);
}

function notes() {
  return h(
    "section.honest",
    { "aria-labelledby": "honest" },
    h("h2", { id: "honest" }, "Good to know"),
    h(
      "ul",
      NOTES.map((text) => h("li", text)),
    ),
  );
}
