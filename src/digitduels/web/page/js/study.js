// Shared parts of the pages for study (explore, review, puzzles, learn, the lab) and teaching.

import { games } from "./api.js";
import { fill, h } from "./dom.js";
import { gameItem } from "./game-item.js";
import { say } from "./status.js";

/**
 * Shows a page on which to choose a game.
 * @param {Place} place
 * @param {string} page explore, learn or lab
 * @param {string} heading
 * @param {string} about
 * @param {string} act the label of the link to each game
 */
export async function chooseGame({ main, signal }, page, heading, about, act) {
  const cards = await games();
  if (signal.aborted) return;
  say("");
  const items = cards.map((card) => gameItem("h2", card, [[act, `/${page}/${card.game}`]]));
  fill(main, h("h1", heading), h("p.lead", about), h("ul.cards", items));
}

/**
 * Renders a text with `code` between backticks.
 * @param {string} text
 */
export function coded(text) {
  return text.split("`").map((part, index) => (index % 2 ? h("code", part) : part));
}
