// The levels of the computer.

import { h } from "./dom.js";

/** @type {Record<number, string>} */
const ABOUT = {
  1: "plays at random",
  2: "takes a win in one move",
  3: "also sees your next move",
  4: "looks a little ahead",
  5: "looks ahead",
  6: "looks far ahead",
  7: "perfect, and sets traps",
};
export const LEVELS = Object.keys(ABOUT).map(Number);

/**
 * Levels to choose from.
 * @param {number[]} levels
 */
export function levelOptions(levels) {
  return levels.map((level) => h("option", { value: String(level) }, `Level ${level}: ${ABOUT[level] ?? ""}`));
}

/**
 * The opponent of a beginner: level 2, or the next lower one that the game has.
 * @param {{levels: number[]}} card
 */
export function beginnerLevel({ levels }) {
  return String(levels.findLast((level) => level <= 2) ?? levels[0] ?? 1);
}
