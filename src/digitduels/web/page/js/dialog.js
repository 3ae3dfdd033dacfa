// Questions in a native dialog element, which traps the focus and closes on Escape.

import { h, paragraphs, unique } from "./dom.js";
import { copyInput } from "./form.js";
import { say } from "./status.js";

/**
 * Asks a question. Returns the value of the pressed button, or null when the dialog was closed.
 * @param {string} title
 * @param {import("./dom.js").Child[]} content
 * @param {[value: string, label: string][]} answers the first one is suggested
 * @returns {Promise<string | null>}
 */
export function ask(title, content, answers) {
  const id = unique();
  const answer = (/** @type {[string, string]} */ [value, label], /** @type {number} */ index) =>
    h("button", { value, class: index ? "quiet" : "main", autofocus: !index }, label);
  const row = h("p.row.last", answers.map(answer));
  const form = h("form", { method: "dialog" }, h("h2", { id }, title), content, row);
  return open(h("dialog.sheet", { "aria-labelledby": id }, form));
}

/**
 * Asks for a confirmation.
 * @param {string} title
 * @param {(string | false)[]} texts
 * @param {string} yes
 * @param {string} [no]
 * @param {string} [suggested] the answer that is suggested
 */
export async function confirm(title, texts, yes, no = "Cancel", suggested = yes) {
  const answers = /** @type {[string, string][]} */ ([
    ["yes", yes],
    ["", no],
  ]);
  const content = paragraphs(texts.filter((text) => text !== false));
  return (await ask(title, content, suggested === yes ? answers : answers.toReversed())) === "yes";
}

/** A menu entry: its label and its action. */
/** @typedef {[label: string, act: () => unknown]} Entry */

/**
 * Shows a menu of rarely used actions.
 * @param {string} title
 * @param {(Entry | false | null)[]} entries
 */
export async function menu(title, entries) {
  const offered = entries.filter((entry) => entry !== false && entry !== null);
  const id = unique();
  const item = (/** @type {Entry} */ [label], /** @type {number} */ index) =>
    h("li", h("button.entry", { value: String(index) }, label));
  const close = h("button.quiet", { value: "" }, "Close");
  const form = h(
    "form",
    { method: "dialog" },
    h("h2", { id }, title),
    h("ul.entries", offered.map(item)),
    h("p.row.last", close),
  );
  const answer = await open(h("dialog.sheet.menu-sheet", { "aria-labelledby": id }, form));
  if (answer) await offered[Number(answer)]?.[1]();
}

/**
 * Shows a dialog until it is closed. Returns the value of the pressed button, or null.
 * @param {HTMLDialogElement} dialog
 * @returns {Promise<string | null>}
 */
function open(dialog) {
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue || null);
    });
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close("");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Asks before a game is conceded. */
export function confirmConcession() {
  const stay = "Keep playing";
  return confirm("Concede this game?", ["The other player wins."], "Concede", stay, stay);
}

/**
 * Shares a URL with the device's share sheet or the clipboard, or shows it for copying manually. Reports which.
 * @param {string} url
 * @param {string} title
 */
export async function share(url, title, copied = "Link copied. Anyone who opens it sees what you see.") {
  try {
    if (navigator.share && matchMedia("(pointer: coarse)").matches) {
      await navigator.share({ title, url });
      say("Link shared.");
      return;
    }
  } catch (error) {
    // The reader closed the share sheet.
    if (error instanceof DOMException && error.name === "AbortError") return;
  }
  if (await copy(url)) say(copied);
  else {
    const content = [h("p", "Copy the link and send it to anyone you like."), copyInput("Link", url)];
    await ask("Share the link", content, [["", "Done"]]);
  }
}

/**
 * Copies a text, also on plain http; returns false if the browser refuses.
 * @param {string} text
 */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const input = h("input.hidden", { value: text, readonly: true, "aria-hidden": "true", tabindex: -1 });
    const before = document.activeElement;
    document.body.append(input);
    input.select();
    const done = document.execCommand("copy");
    input.remove();
    if (before instanceof HTMLElement) before.focus();
    return done;
  }
}
