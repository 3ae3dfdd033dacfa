// The head of a game's pages: its sign, its name, and the same tabs everywhere.

import { fill, h, set } from "./dom.js";
import { newLink, pathOf } from "./link.js";

/** @type {string} */
let shown = "";

/** The games in progress during this visit, with the links to play and review them. */
/** @type {Map<string, {play: string, review: string | null}>} */
const boards = new Map();

/** @typedef {"Play" | "Rules" | "Explore" | "Puzzles" | "Review" | ""} Kind */

/**
 * Shows the head of a game, in the colours of the game.
 * @param {Kind} kind the current page
 * @param {{game: string, title: string, look: Look, levels?: number[]}} game
 * @param {Record<string, string>} [options]
 * @param {string} [heading]
 */
export function showHead(kind, game, options = {}, heading = game.title) {
  shown = location.pathname;
  wear(game.look);
  const link = newLink(game.game, { options });
  const board = boards.get(pathOf(link));
  /** @type {[Kind, string][]} */
  const ways = [
    ["Play", board?.play ?? pathOf({ ...link, vs: "2" })],
    ["Rules", pathOf(link, "learn")],
    ["Explore", pathOf(link, "explore")],
    ["Puzzles", `/puzzle/${game.game}`],
    ["Review", board?.review ?? pathOf(link, "review")],
  ];
  fill(
    head(),
    h("h1", emblem(game.look), h("span.name", heading)),
    h(
      "nav.tabs",
      { "aria-label": game.title },
      h(
        "ul",
        ways.map(([label, href]) => h("li", h("a", { href, "aria-current": label === kind ? "page" : null }, label))),
      ),
    ),
  );
}

/**
 * Makes the tabs of a game lead back to the board and to the review of its game.
 * @param {Link} link
 * @param {string} play the path of the game
 * @param {boolean} reviewable whether it can be reviewed now
 */
export function keepBoard({ game, options, ...rest }, play, reviewable) {
  const begun = rest.moves.length > rest.opening || rest.conceded !== null;
  const bare = newLink(game, { options });
  const review = reviewable && begun ? pathOf({ game, options, ...rest }, "review") : null;
  boards.set(pathOf(bare), { play, review });
  const tabs = head().querySelectorAll(".tabs a");
  const [first, last] = [tabs[0], tabs[tabs.length - 1]];
  if (first) set(first, "href", play);
  if (last) set(last, "href", review ?? pathOf(bare, "review"));
}

/**
 * Shows the head of another kind of page, in the colours of a game.
 * @param {Look} look
 * @param {...HTMLElement} content
 */
export function fillHead(look, ...content) {
  shown = location.pathname;
  wear(look);
  fill(head(), content);
}

/** Removes the head of a page that has been left. */
export function dropHead() {
  if (shown === location.pathname) return;
  shown = "";
  fill(head());
  wear(null);
}

/**
 * Creates the sign of a game.
 * @param {Look} look
 */
export function emblem(look) {
  const sign = h("span.emblem", { "aria-hidden": "true" }, look.emblem);
  dress(sign, look);
  return sign;
}

/**
 * Sets the colours of a game on an element.
 * @param {HTMLElement} element
 * @param {Look} look
 */
export function dress(element, look) {
  element.style.setProperty("--accent", `light-dark(${look.light}, ${look.dark})`);
}

/** @param {Look | null} look */
function wear(look) {
  const root = document.documentElement;
  if (look) dress(root, look);
  else root.style.removeProperty("--accent");
}

function head() {
  return /** @type {HTMLElement} */ (document.getElementById("head"));
}
