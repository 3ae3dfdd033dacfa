// The one line that tells what happened last and whose turn it is; screen readers speak it.

/**
 * @param {string} text
 * @param {"" | "turn" | "wait" | "over"} [mood]
 */
export function say(text, mood = "") {
  const line = /** @type {HTMLElement} */ (document.getElementById("status"));
  line.dataset["mood"] = mood;
  if (line.textContent !== text) line.textContent = text;
}
