// The link of a class, and the links between the teacher's pages.

import { pathOf, randomSeed, withKeys } from "../link.js";
import { withStart } from "../new-game.js";
import { shared } from "../origin.js";

const SEEDS = 10_000; // so that a link stays short

/**
 * @typedef {{
 *   main: HTMLElement,
 *   cards: GameCard[],
 *   card: GameCard,
 *   link: Link,
 *   own: Record<string, string>,
 *   signal: AbortSignal,
 * }} TeachPlace `own`: the keys of the teacher's pages
 */

/** Returns a short random seed. */
export function shortSeed() {
  return String(Number(randomSeed()) % SEEDS);
}

/**
 * Returns the path of a teacher's page.
 * @param {Link} link
 * @param {Record<string, string | number | null | undefined>} own
 */
export function teachPath(link, own) {
  const query = pathOf({ ...link, names: "" }).split("?")[1] ?? "";
  return withKeys(`/teach?${query}`, { game: link.game, seed: link.seed, ...own });
}

/**
 * Returns the URL for a class, including a balanced start.
 * @param {Link} link
 * @param {boolean} fair
 */
export async function classUrl(link, fair) {
  return shared() + pathOf(await withStart(link, fair));
}

/**
 * Describes the settings of a class in one line.
 * @param {GameCard} card
 * @param {Link} link
 * @param {boolean} fair
 */
export function describeLink(card, link, fair) {
  const parts = [
    opponent(link.vs),
    fair && "balanced start",
    ...Object.entries(link.options).map(([name, value]) => `${name}=${value}`),
    !link.hints && "no hints",
    !link.takebacks && "no take-backs",
  ];
  return `${card.title}: ${parts.filter(Boolean).join(", ")}.`;
}

/** @param {string | null} vs */
function opponent(vs) {
  if (vs === null) return "two players on one screen";
  return vs === "coach" ? "with the coach" : `against level ${vs}`;
}
