// Verdicts: a shape, a colour and a word, never the colour alone.

import { h } from "./dom.js";

/** @type {Record<Value, string>} */
export const SIGNS = { win: "▲", draw: "=", loss: "▼" };
/** @type {Record<Value, string>} */
export const WORDS = { win: "wins", draw: "draws", loss: "loses" };

/**
 * @param {Value} value for the player who moves
 * @param {string} [words]
 */
export function chip(value, words = WORDS[value]) {
  return h("span", { class: `chip ${value}` }, h("span", { "aria-hidden": "true" }, SIGNS[value]), " ", words);
}

/**
 * Moves with what they lead to, alike together; each can be played.
 * @param {Judged[]} each the best first
 * @param {((move: string) => void) | null} play
 */
export function verdicts(each, play) {
  /** @type {Map<string, Judged[]>} */
  const alike = new Map();
  for (const judged of each) alike.set(judged.words, [...(alike.get(judged.words) ?? []), judged]);
  return h(
    "ul",
    { class: "verdicts" },
    [...alike].map(([words, moves]) =>
      h(
        "li",
        null,
        chip(/** @type {Judged} */ (moves[0]).value, words),
        h(
          "span",
          { class: "row tight" },
          moves.map(({ move }) =>
            play
              ? h("button", { type: "button", class: "move", "aria-label": `Play ${pretty(move)}`, onclick: () => play(move) }, pretty(move))
              : h("span", { class: "move" }, pretty(move)),
          ),
        ),
      ),
    ),
  );
}

/**
 * Operations as people write them by hand.
 * @param {string} text
 */
export function pretty(text) {
  if (/^[a-z]{2}/i.test(text)) return text.replaceAll("-", " ");
  return text.replaceAll("*", "×").replaceAll("x", "×").replaceAll("/", "÷").replaceAll("-", "−");
}

/**
 * A sentence in which moves are written as by hand.
 * @param {string} text
 */
export function prose(text) {
  return text.replace(/(?<![\w.])(\d*[x/-]\d+)(?![\w/-])/g, (move) => pretty(move));
}
