// The levels of the computer.

import { h } from "./dom.js";

/**
 * Creates the options for choosing a level.
 * @param {Pick<GameCard, "levels" | "characters">} card
 */
export function levelOptions({ levels, characters }) {
  return levels.map((level) => {
    const { name = "", about = "" } = characters[level] ?? {};
    return h("option", { value: String(level) }, `Level ${level} · ${name}. ${about}`);
  });
}
