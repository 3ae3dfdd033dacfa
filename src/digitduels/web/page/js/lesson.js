// Shared parts of explore, review, puzzles, learn and teach: styles, the head, and the choice of a game.

import { games } from "./api.js";
import { fill, h } from "./dom.js";
import { gameItem } from "./game-item.js";
import { say } from "./status.js";

/** @type {Map<string, Promise<void>>} */
const loaded = new Map();

/**
 * Loads style sheets that the first view does not need: those of the lessons, and further ones.
 * @param {...string} further
 */
export async function loadStyle(...further) {
  for (const name of ["lessons", ...further]) {
    const loading = loaded.get(name) ?? load(new URL(`../${name}.css`, import.meta.url));
    loaded.set(name, loading);
    await loading;
  }
}

/**
 * @param {URL} href
 * @returns {Promise<void>}
 */
function load(href) {
  return new Promise((resolve) => {
    const done = () => resolve();
    document.head.append(h("link", { rel: "stylesheet", href, onload: done, onerror: done }));
  });
}

/**
 * Shows a page on which to choose a game.
 * @param {Place} place
 * @param {string} page explore, learn or lab
 * @param {string} heading
 * @param {string} about
 * @param {string} act the label of the link to each game
 */
export async function chooseGame({ main, signal }, page, heading, about, act) {
  const cards = await games();
  if (signal.aborted) return;
  say("");
  const items = cards.map((card) => gameItem("h2", card, [[act, `/${page}/${card.game}`]]));
  fill(main, h("h1", heading), h("p.lead", about), h("ul.cards", items));
}

const LOCAL = /^(localhost|127\.|\[::1\])/;
const ONLY_HERE =
  "This address works on this computer only. Start the server with `duels serve --host 0.0.0.0`, then open this page " +
  "at the computer's address in your network, such as 192.168.1.20:8000.";

/** Says how others can reach this server, if the reader's own address does not work for them. */
export function localNote() {
  return LOCAL.test(location.hostname) && h("p.local", coded(ONLY_HERE));
}

/**
 * Renders a text with `code` between backticks.
 * @param {string} text
 */
export function coded(text) {
  return text.split("`").map((part, place) => (place % 2 ? h("code", part) : part));
}
