// The keys of a board, for the help page and for the key that shows them.

import { h } from "./dom.js";

/** @type {[string, string][]} */
const KEYS = [
  ["digits, + − × ÷ (also - * x /)", "choose numbers and operations"],
  ["r, then m or t", "resets your score or theirs, in a game with resets"],
  ["Enter", "confirms 1 when there is also a 10; plays the chosen move"],
  ["Backspace", "removes the last part you chose"],
  ["Escape", "clears your choice, or closes a dialog"],
  ["Tab, arrow keys", "move from button to button; ← and → step through a game"],
  ["?", "shows this list on a board"],
];

export function keyList() {
  return h(
    "dl.keys",
    KEYS.flatMap(([key, does]) => [h("dt", key), h("dd", does)]),
  );
}

/** Shows the keys in a dialog. */
export async function showKeys() {
  const { ask } = await import("./dialog.js");
  await ask("Keys", [keyList()], [["", "Close"]]);
}
