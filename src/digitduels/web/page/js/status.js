// The status line: what happened last, and whose turn it is. Screen readers announce it.

import { unbroken } from "./sentence.js";

/** @typedef {"" | "turn" | "wait" | "over"} Mood */

const LONG = 50; // characters that fit on the line on a phone
const LONGER = 72; // characters that fit in small type

/** What a refusal has replaced. @type {{text: string, mood: Mood} | null} */
let replaced = null;

/**
 * @param {string} text
 * @param {Mood} [mood]
 */
export function say(text, mood = "") {
  const line = /** @type {HTMLElement} */ (document.getElementById("status"));
  replaced = null;
  line.dataset["mood"] = mood;
  line.classList.toggle("long", text.length > LONG);
  line.classList.toggle("longer", text.length > LONGER);
  const words = unbroken(text);
  if (line.textContent !== words) line.textContent = words;
}

/**
 * Says why a choice is not possible, until `settle`.
 * @param {string} text
 */
export function refuse(text) {
  const line = /** @type {HTMLElement} */ (document.getElementById("status"));
  const before = replaced ?? { text: line.textContent, mood: /** @type {Mood} */ (line.dataset["mood"] ?? "") };
  say(text, "turn");
  replaced = before;
}

/** Shows again what a refusal has replaced: it no longer applies. */
export function settle() {
  if (replaced) say(replaced.text, replaced.mood);
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
