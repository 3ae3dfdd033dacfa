// The line that says what happened last and whose turn it is. Screen readers speak it.

/** @typedef {"" | "turn" | "wait" | "over"} Mood */

/**
 * @param {string} text
 * @param {Mood} [mood]
 */
export function say(text, mood = "") {
  const line = /** @type {HTMLElement} */ (document.getElementById("status"));
  line.dataset["mood"] = mood;
  if (line.textContent !== text) line.textContent = text;
}

export const WAIT = "One moment…";

/** Says that the server is at work. */
export function sayWait() {
  say(WAIT, "wait");
}
