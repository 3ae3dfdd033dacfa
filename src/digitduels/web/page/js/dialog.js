// Questions in the browser's own dialog: it keeps the focus, and Escape closes it.

import { h, unique } from "./dom.js";
import { copyInput } from "./form.js";
import { say } from "./status.js";

/**
 * Asks a question. Returns the value of the pressed button, or null when the dialog was closed.
 * @param {string} title
 * @param {import("./dom.js").Child[]} content
 * @param {[value: string, label: string][]} answers the first is the suggestion
 * @returns {Promise<string | null>}
 */
export function ask(title, content, answers) {
  const id = unique();
  const answer = (/** @type {[string, string]} */ [value, label], /** @type {number} */ place) =>
    h("button", { value, class: place ? "quiet" : "main", autofocus: !place }, label);
  return new Promise((resolve) => {
    const row = h("p", { class: "row last" }, answers.map(answer));
    const form = h("form", { method: "dialog" }, h("h2", { id }, title), content, row);
    const dialog = h("dialog", { "aria-labelledby": id, class: "sheet" }, form);
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue || null);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Asks before a game is conceded. */
export async function confirmConcession() {
  const answers = /** @type {[string, string][]} */ ([
    ["yes", "Concede"],
    ["", "Keep playing"],
  ]);
  return (await ask("Concede this game?", [h("p", null, "The other player wins.")], answers)) === "yes";
}

/**
 * Shares a URL through the device or the clipboard, or shows it for copying by hand. Then says what it did.
 * @param {string} url
 * @param {string} title
 */
export async function share(url, title) {
  try {
    if (navigator.share && matchMedia("(pointer: coarse)").matches) {
      await navigator.share({ title, url });
      say("Link shared.");
    } else {
      await navigator.clipboard.writeText(url);
      say("Link copied. Anyone who opens it sees what you see.");
    }
  } catch {
    const content = [h("p", null, "Copy the link and send it to anyone you like."), copyInput("Link", url)];
    await ask("Share the link", content, [["", "Done"]]);
  }
}
