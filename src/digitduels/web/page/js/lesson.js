// What the lessons share: their looks, the ways between them, and stepping through a game.

import { games, patiently } from "./api.js";
import { begun, path, plus } from "./address.js";
import { fill, h, link } from "./dom.js";
import { beginner } from "./setup.js";
import { say } from "./status.js";

/** @typedef {import("./board.js").Label} Label */

/** @type {Promise<void> | null} */
let dressed = null;

/** Loads the style of the lessons, which the first view does without. */
export function dress() {
  dressed ??= new Promise((resolve) => {
    document.head.append(h("link", { rel: "stylesheet", href: "/lessons.css", onload: () => resolve(), onerror: () => resolve() }));
  });
  return dressed;
}

/**
 * Keys of a page's own, and the rest of its query, which tells of a game.
 * @param {URLSearchParams} query
 * @param {string[]} names
 * @returns {[Record<string, string>, URLSearchParams]}
 */
export function parted(query, names) {
  const all = [...query];
  return [Object.fromEntries(all.filter(([name]) => names.includes(name))), new URLSearchParams(all.filter(([name]) => !names.includes(name)))];
}

/**
 * An address with keys of a page's own; empty ones are left out.
 * @param {string} address
 * @param {Record<string, string | number | null>} keys
 */
export function keyed(address, keys) {
  const [way = "", text = ""] = address.split("?");
  const query = new URLSearchParams(text);
  for (const [name, value] of Object.entries(keys)) {
    if (value !== null && value !== "") query.set(name, String(value));
  }
  return query.size ? `${way}?${query}` : way;
}

/**
 * What the server works out about a game.
 * @param {string} what
 * @param {Address} address
 * @param {AbortSignal} signal
 * @param {Record<string, string>} [more]
 */
export function work(what, address, signal, more = {}) {
  return patiently(`/api/${what}/${address.game}`, plus(address, more), signal, (sentence) => say(sentence, "wait"));
}

/**
 * The card of a game.
 * @param {string} game
 */
export async function card(game) {
  return (await games()).find((each) => each.game === game) ?? null;
}

/**
 * The seats as they are called; `you` marks the reader's.
 * @param {View} view
 * @param {Seat | null} [you]
 * @returns {[Label, Label]}
 */
export function seats(view, you = null) {
  const [one, two] = view.names;
  return [{ name: one, note: you === 1 ? "you" : "" }, { name: two, note: you === 2 ? "you" : "" }];
}

/**
 * The head of a lesson: what it is, and the ways to the other pages of the game.
 * @param {string} kind Learn, Explore, Puzzle or Review
 * @param {GameCard | null} shown
 * @param {Record<string, string>} [options]
 * @param {string} [heading]
 */
export function head(kind, shown, options = {}, heading = shown?.title ?? kind) {
  /** @type {[string, string][]} */
  const ways = shown
    ? [
        ["Learn", path(begun(shown.game, { options }), "learn")],
        ["Play", path(begun(shown.game, { options, vs: beginner(shown) }))],
        ["Explore", path(begun(shown.game, { options }), "explore")],
        ["Puzzle", `/puzzle/${shown.game}`],
      ]
    : [];
  return h(
    "header",
    { class: "title lesson-head" },
    h("h1", null, shown && h("span", { class: "kicker" }, kind), heading),
    ways.length > 0 &&
      h(
        "nav",
        { class: "tabs", "aria-label": "This game" },
        h("ul", null, ways.map(([label, href]) => h("li", null, h("a", { href, "aria-current": label === kind ? "page" : null }, label)))),
      ),
  );
}

/**
 * A page on which a game is chosen.
 * @param {Place} place
 * @param {string} page explore or learn
 * @param {string} heading
 * @param {string} about
 */
export async function choose({ main, signal }, page, heading, about) {
  const cards = await games();
  if (signal.aborted) return;
  say("");
  fill(
    main,
    h("h1", null, heading),
    h("p", { class: "lead" }, about),
    h(
      "ul",
      { class: "cards" },
      cards.map((each) =>
        h("li", { class: "card" }, h("h2", null, each.title), h("p", null, each.summary), h("p", { class: "row" }, link(each.title, `/${page}/${each.game}`, "main"))),
      ),
    ),
  );
}

/** Buttons to step through a game, also by the arrow keys. */
export class Stepper {
  /**
   * @param {(at: number) => void} step
   * @param {AbortSignal} signal
   */
  constructor(step, signal) {
    this.at = 0;
    this.last = 0;
    this.step = step;
    this.first = this.#button("«", "To the start", () => 0);
    this.back = this.#button("‹", "Back", () => this.at - 1);
    this.place = h("span", { class: "place" });
    this.on = this.#button("›", "Forward", () => this.at + 1);
    this.end = this.#button("»", "To the end", () => this.last);
    this.element = h("div", { class: "steps", role: "group", "aria-label": "Step through the game" }, this.first, this.back, this.place, this.on, this.end);
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
  }

  /**
   * @param {number} at
   * @param {number} last
   */
  update(at, last) {
    this.at = at;
    this.last = last;
    this.place.textContent = last ? `${at} / ${last}` : "–";
    for (const each of [this.first, this.back]) each.toggleAttribute("aria-disabled", at <= 0);
    for (const each of [this.on, this.end]) each.toggleAttribute("aria-disabled", at >= last);
    for (const each of this.element.querySelectorAll("[aria-disabled]")) each.setAttribute("aria-disabled", "true");
  }

  /**
   * @param {string} sign
   * @param {string} label
   * @param {() => number} where
   */
  #button(sign, label, where) {
    const go = () => this.#go(where());
    return h("button", { type: "button", class: "quiet", "aria-label": label, title: label, onclick: go }, h("span", { "aria-hidden": "true" }, sign));
  }

  /** @param {number} at */
  #go(at) {
    if (at >= 0 && at <= this.last && at !== this.at) this.step(at);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const target = event.target instanceof Element ? event.target : document.body;
    if (!way || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !this.element.isConnected) return;
    if (target.closest("input, select, textarea, dialog, .picker")) return;
    event.preventDefault();
    this.#go(this.at + way);
  }
}

/**
 * A text in which what stands between ` is code.
 * @param {string} text
 */
export function coded(text) {
  return text.split("`").map((part, place) => (place % 2 ? h("code", null, part) : part));
}

/**
 * What a game that goes on from a position is asked with, the moves so far being given.
 * @param {Address} address
 * @param {string} vs
 * @param {Seat} seat
 */
export function onward(address, vs, seat) {
  return path({ ...address, conceded: null, opening: address.moves.length, vs, seat, hints: true, takebacks: true });
}

