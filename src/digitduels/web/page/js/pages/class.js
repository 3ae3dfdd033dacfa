// A class, for its teacher: the desk, the wall, the results, and a single large board.

import { openClass } from "../class/class-page.js";
import { say } from "../status.js";
import { loadStyle } from "../style.js";

/** @param {Place} place */
export async function show(place) {
  const { parts, signal } = place;
  await loadStyle("study", "room", "class");
  const code = (parts[0] ?? "").toUpperCase();
  const membership = await openClass(place, code);
  if (!membership || signal.aborted) return;
  say("");
  // A link for the wall opens nothing else but single boards.
  const asked = parts[1] ?? "";
  const part = await load(membership.state.role === "wall" && (asked === "" || asked === "results") ? "wall" : asked);
  if (!signal.aborted) await part.show(place, membership.state, membership.token);
}

/**
 * @param {string} name
 * @returns {Promise<{show: (place: Place, state: any, token: string) => Promise<void> | void}>}
 */
function load(name) {
  if (name === "") return import("../class/desk.js");
  if (name === "wall") return import("../class/wall.js");
  if (name === "results") return import("../class/results.js");
  return import("../class/watched-board.js");
}
