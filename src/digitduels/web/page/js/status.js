// The status line: what happened last, and whose turn it is. Screen readers announce it.

import { unbroken } from "./sentence.js";

/** @typedef {"" | "turn" | "wait" | "over"} Mood */

const LONG = 58; // characters that fit on the line on a phone
const LONGER = 76; // characters that fit in small type

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
 * Announces the effect of a press to screen readers only; others see it on the board.
 * @param {string} text
 */
export function whisper(text) {
  /** @type {HTMLElement} */ (document.getElementById("whisper")).textContent = text;
}

export const WAIT = "One moment…";

/** Says that the server is computing. */
export function sayWait() {
  say(WAIT, "wait");
}
