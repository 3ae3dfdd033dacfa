// What a site without a server says in place of the pages that need one.

import { anchor, fill, h } from "../dom.js";
import { say } from "../status.js";

export const NEEDS_SERVER =
  "Games by link, classes and the lab need a server, and this copy of Digit Duels runs without one.";

/** @param {Place} place */
export function show({ main }) {
  say("");
  fill(main, h("h1", "Not in this copy"), h("p", NEEDS_SERVER), anchor("See the games", "/", "main"));
}
