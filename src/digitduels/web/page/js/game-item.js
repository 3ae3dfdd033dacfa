// A game in a list of games: its sign, what to expect, and links to it.

import { anchor, h } from "./dom.js";
import { dress, emblem } from "./head.js";

/**
 * @param {"h2" | "h3"} heading
 * @param {GameCard} card
 * @param {[label: string, path: string][]} ways links; the first is the main one
 */
export function gameItem(heading, { look, title, summary }, ways) {
  const way = (/** @type {[string, string]} */ [label, path], /** @type {number} */ index) => {
    const element = anchor(label, path, index ? "quiet" : "main");
    element.append(h("span.hidden", ` ${title}`));
    return element;
  };
  const item = h(
    "li.card",
    h(heading, emblem(look), title),
    h("p.facts", [look.difficulty, look.length].filter(Boolean).join(" · ")),
    h("p", summary),
    h("p.row", ways.map(way)),
  );
  dress(item, look);
  return item;
}
