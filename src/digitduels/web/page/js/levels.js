// The levels of the computer.

import { h } from "./dom.js";

/**
 * Levels to choose from.
 * @param {Pick<GameCard, "levels" | "characters">} card
 */
export function levelOptions({ levels, characters }) {
  return levels.map((level) => {
    const { name = "", about = "" } = characters[level] ?? {};
    return h("option", { value: String(level) }, `Level ${level} · ${name}. ${about}`);
  });
}

/**
 * The opponent of a beginner: level 2, or the next lower one that the game has.
 * @param {{levels: number[]}} card
 */
export function beginnerLevel({ levels }) {
  return String(levels.findLast((level) => level <= 2) ?? levels[0] ?? 1);
}
