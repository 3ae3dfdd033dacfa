// Where other devices find this server. A page that was opened at localhost knows the address for others.

import { h } from "./dom.js";

/** An origin, or why there is none; empty if the address of this page works for everybody. */
function hint() {
  return document.querySelector('meta[name="reach"]')?.getAttribute("content") ?? "";
}

/** The origin for links that others open. */
export function shared() {
  return hint().startsWith("http") ? hint() : location.origin;
}

/** Whether others can open such links. */
export function reachable() {
  return !hint() || hint().startsWith("http");
}

/** Says what to do, if other devices cannot reach this server. */
export function unreachableNote() {
  if (reachable()) return null;
  const start = [h("code", "duels class"), ", or ", h("code", "make class"), " in the folder of Digit Duels"];
  const ways = {
    start: ["the server runs for this computer only. Stop it, start it with ", ...start, ", and reload this page."],
    network: ["this computer is not in a network. Connect it to that of the other devices, then reload this page."],
    elsewhere: [`only this computer knows ${location.host}. Open it at this computer's address in the network.`],
  };
  const way = ways[/** @type {keyof typeof ways} */ (hint())];
  return h("p.local", { role: "note" }, "Other devices can't open this page: ", ...way);
}

/**
 * Offers this page at the address that others use, if the reader opened it at another one.
 * @param {string} path with a secret behind the #, if the page there needs one
 */
export function moveNote(path) {
  if (shared() === location.origin) return null;
  const move = h("a", { href: shared() + path }, `Move this page to ${new URL(shared()).host}`);
  return h("p.local", `You opened this page at ${location.host}, which only this computer knows. `, move);
}
