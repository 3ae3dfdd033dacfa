// The button that opens a saved game: a selected file, or one dropped on the page.

import { post } from "./api.js";
import { h } from "./dom.js";
import { trouble } from "./form.js";
import { pathOf, queryOf, readLink } from "./link.js";
import { go } from "./router.js";

const LARGEST = 1 << 20; // the maximum size of a record in bytes

/** The review of the last opened record. It has the players' comments, which the link does not contain. */
/** @type {{query: string, review: Review} | null} */
let opened = null;

/**
 * Returns the review of the last opened record if the link is the same game.
 * @param {Link} link
 */
export function openedReview(link) {
  return opened && opened.query === queryOf(link).toString() ? opened.review : null;
}

/** @param {AbortSignal} signal */
export function recordOpener(signal) {
  const wrong = trouble();
  const input = h("input.hidden", { type: "file", accept: ".json,application/json" });
  /** @type {File | null} */
  let latest = null;
  const take = async (/** @type {File | undefined} */ file) => {
    if (!file) return;
    wrong.textContent = "";
    latest = file;
    try {
      const review = /** @type {Review} */ (await post("/api/review", await readRecord(file), null, { signal }));
      if (signal.aborted || file !== latest) return;
      const link = readLink(review.game, new URLSearchParams(review.link));
      opened = { query: queryOf(link).toString(), review };
      void go(pathOf(link, "review"));
    } catch (error) {
      if (!signal.aborted && file === latest && error instanceof Error) wrong.textContent = error.message;
    }
  };
  const label = h("label.button.quiet.file", "Open a saved game", input);
  const element = h("span.opener", label, wrong);
  input.addEventListener("change", () => void take(input.files?.[0]));
  // A file may be dropped anywhere.
  document.addEventListener("dragover", (event) => event.preventDefault(), { signal });
  const drop = (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    void take(event.dataTransfer?.files[0]);
  };
  document.addEventListener("drop", drop, { signal });
  return element;
}

/** @param {File} file */
async function readRecord(file) {
  if (file.size > LARGEST) throw new Error("This file is too large to be a saved game.");
  try {
    return JSON.parse(await file.text());
  } catch {
    throw new Error("This is not a saved game. Choose a file saved by duels.");
  }
}
