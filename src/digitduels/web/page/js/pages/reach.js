// The page that a phone opens in the check before a lesson.

import { post } from "../api.js";
import { anchor, fill, h } from "../dom.js";
import { say } from "../status.js";

/** @param {Place} place */
export async function show({ main, parts }) {
  say("");
  const text = "This device can reach Digit Duels. The teacher's page says so too.";
  fill(main, h("section.sheet.narrow", h("h1", "It works"), h("p", text), h("p.row", anchor("Play", "/", "main"))));
  await post(`/api/reach/${parts[0] ?? ""}`, {}).catch(() => {}); // an old check
}
