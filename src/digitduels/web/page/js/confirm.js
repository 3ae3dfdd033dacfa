// Whether a chosen move is played at once or waits for "Play". The browser remembers what the reader prefers.

import { recall, remember } from "./storage.js";

const NAME = "confirm";

/**
 * @param {boolean} usual what holds unless the reader has chosen
 */
export function confirmsFor(usual) {
  const wish = confirmWish();
  return wish ? wish === "on" : usual;
}

/** What the reader has chosen: on, off, or nothing. */
export function confirmWish() {
  return recall(NAME) ?? "";
}

/** @param {string} wish */
export function setConfirm(wish) {
  remember(NAME, wish);
}

/**
 * The choice in a menu that changes it.
 * @param {boolean} now
 * @returns {import("./dialog.js").Entry}
 */
export function confirmChoice(now) {
  return [now ? "Play moves at once" : "Ask before each move", () => setConfirm(now ? "off" : "on")];
}
