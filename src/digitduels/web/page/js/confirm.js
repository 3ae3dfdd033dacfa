// Whether a chosen move is played at once or waits for "Play". The browser remembers the reader's preference.

import { recall, remember } from "./storage.js";

const NAME = "confirm";

/**
 * @param {boolean} usual the default
 */
export function confirmsFor(usual) {
  const wish = confirmWish();
  return wish ? wish === "on" : usual;
}

/** The reader's preference: on, off, or empty. */
export function confirmWish() {
  const wish = recall(NAME) ?? "";
  return ["on", "off"].includes(wish) ? wish : "";
}

/** @param {string} wish */
export function setConfirm(wish) {
  remember(NAME, wish);
}

/**
 * Returns the menu entry that changes the preference.
 * @param {boolean} now
 * @returns {import("./dialog.js").Entry}
 */
export function confirmChoice(now) {
  return [now ? "Play moves at once" : "Ask before each move", () => setConfirm(now ? "off" : "on")];
}
