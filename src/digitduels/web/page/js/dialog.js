// Questions in a dialog of the browser's own: it keeps the focus, and Escape closes it.

import { h, unique } from "./dom.js";

/**
 * Asks; answers with the value of the button, or null when the dialog was closed.
 * @param {string} title
 * @param {import("./dom.js").Child[]} content
 * @param {[value: string, label: string][]} answers the first is the suggestion
 * @returns {Promise<string | null>}
 */
export function ask(title, content, answers) {
  const id = unique();
  return new Promise((resolve) => {
    const dialog = h(
      "dialog",
      { "aria-labelledby": id, class: "sheet" },
      h(
        "form",
        { method: "dialog" },
        h("h2", { id }, title),
        content,
        h(
          "p",
          { class: "row last" },
          answers.map(([value, label], place) => h("button", { value, class: place ? "quiet" : "main", autofocus: !place }, label)),
        ),
      ),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue || null);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/**
 * Hands a link over: by what the device has for it, by the clipboard, or to be copied by hand.
 * @param {string} url
 * @param {string} title
 * @returns {Promise<string>} what was done, for the status line
 */
export async function share(url, title) {
  try {
    if (navigator.share && matchMedia("(pointer: coarse)").matches) {
      await navigator.share({ title, url });
      return "The link was handed over.";
    }
    await navigator.clipboard.writeText(url);
    return "The link is copied: whoever opens it sees what you see.";
  } catch {
    const field = h("input", { type: "url", value: url, readonly: true, "aria-label": "Link" });
    field.addEventListener("focus", () => field.select());
    await ask("The link", [h("p", null, "Copy it and send it to whom you like."), field], [["", "Done"]]);
    return "";
  }
}
