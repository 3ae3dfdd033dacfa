// For teachers: a link with settings for a class, a wall display, and sheets to print.

import { games } from "../api.js";
import { readLink, splitQuery } from "../link.js";
import { say } from "../status.js";
import { loadStyle } from "../style.js";
import { shortSeed } from "../teach/class-link.js";

const KEYS = ["show", "game", "fair", "values", "tier", "count", "sheet"];

/** @param {Place} place */
export async function show({ main, query, signal }) {
  await loadStyle("study", "room", "class");
  const cards = await games();
  const [own, rest] = splitQuery(query, KEYS);
  const card = /** @type {GameCard} */ (cards.find(({ game }) => game === own["game"]) ?? cards[0]);
  const link = readLink(card.game, rest);
  if (!rest.has("seed") && !rest.has("vs")) {
    link.vs = rest.size ? link.vs : String(card.beginner);
    link.seed = shortSeed();
  }
  if (signal.aborted) return;
  say("");
  /** @type {import("../teach/class-link.js").TeachPlace} */
  const place = { main, cards, card, link, own, signal };
  const page = await load(own["show"] ?? "");
  if (!signal.aborted) await page.show(place);
}

/**
 * @param {string} name
 * @returns {Promise<{show: (place: import("../teach/class-link.js").TeachPlace) => Promise<void> | void}>}
 */
function load(name) {
  if (name === "board") return import("../teach/demo-board.js");
  if (name === "plan") return import("../teach/plan.js");
  if (name === "sheet") return import("../teach/paper.js");
  if (name === "link") return import("../teach/big-link.js");
  return import("../teach/overview.js");
}
