// Verdicts: a shape, a colour and a word, never the colour alone.

import { h } from "./dom.js";
import { tell } from "./sentence.js";

/** @type {Record<Value, string>} */
export const SIGNS = { win: "▲", draw: "=", loss: "▼" };
/** @type {Record<Value, string>} */
export const WORDS = { win: "wins", draw: "draws", loss: "loses" };
export const VALUES = /** @type {Value[]} */ (Object.keys(SIGNS)); // the best first

/**
 * @param {Value} value
 * @param {string} [words]
 */
export function chip(value, words = WORDS[value]) {
  return h("span", { class: `chip ${value}` }, h("span", { "aria-hidden": "true" }, SIGNS[value]), " ", words);
}

/**
 * Lists moves, grouped by verdict. A press plays the move.
 * @param {JudgedMove[]} moves the best first
 * @param {Seat | null} reader
 * @param {(move: string) => void} play
 */
export function verdictList(moves, reader, play) {
  const item = (/** @type {string} */ words, /** @type {JudgedMove[]} */ same) =>
    h("li", chip(/** @type {JudgedMove} */ (same[0]).value, words), h("span.row.tight", same.map(tile)));
  const tile = (/** @type {JudgedMove} */ { move, shown }) =>
    h("button.move", { type: "button", "aria-label": `Play ${shown}`, onclick: () => play(move) }, shown);
  return h(
    "ul.verdicts",
    [...sameVerdict(moves, reader)].map(([words, same]) => item(words, same)),
  );
}

/**
 * Groups moves by the text of their verdict.
 * @param {JudgedMove[]} moves
 * @param {Seat | null} reader
 */
export function sameVerdict(moves, reader) {
  /** @type {Map<string, JudgedMove[]>} */
  const groups = new Map();
  for (const judged of moves) {
    const words = tell(judged.words, reader);
    groups.set(words, [...(groups.get(words) ?? []), judged]);
  }
  return groups;
}

/**
 * Returns the best of some values.
 * @param {(Value | undefined)[]} values
 * @returns {Value | null}
 */
export function bestValue(values) {
  return VALUES.find((value) => values.includes(value)) ?? null;
}
