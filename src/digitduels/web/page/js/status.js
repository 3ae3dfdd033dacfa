// The line that says what happened last and whose turn it is. Screen readers speak it.

import { unbroken } from "./sentence.js";

/** @typedef {"" | "turn" | "wait" | "over"} Mood */

const LONG = 58; // characters that fill the line on a phone
const LONGER = 76; // characters that fill it in small type

/**
 * @param {string} text
 * @param {Mood} [mood]
 */
export function say(text, mood = "") {
  const line = /** @type {HTMLElement} */ (document.getElementById("status"));
  line.dataset["mood"] = mood;
  line.classList.toggle("long", text.length > LONG);
  line.classList.toggle("longer", text.length > LONGER);
  const words = unbroken(text);
  if (line.textContent !== words) line.textContent = words;
}

/**
 * Tells screen readers alone what a press did, which others see on the board.
 * @param {string} text
 */
export function whisper(text) {
  /** @type {HTMLElement} */ (document.getElementById("whisper")).textContent = text;
}

export const WAIT = "One moment…";

/** Says that the server is at work. */
export function sayWait() {
  say(WAIT, "wait");
}
