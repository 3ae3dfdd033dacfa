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
