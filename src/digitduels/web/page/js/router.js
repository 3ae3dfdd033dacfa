// Which page an address shows. Links and the back button work without loading anything anew.

import { Failure } from "./api.js";
import { button, fill, h, link } from "./dom.js";
import { say } from "./status.js";

/** @typedef {(place: Place) => Promise<void> | void} Show */
/** @typedef {{path: RegExp, title: string, load: () => Promise<{show: Show}>}} Route */

/** @type {Route[]} */
let routes = [];
let left = new AbortController();

/**
 * Shows the page of the present address, and from now on that of each next one.
 * @param {Route[]} table
 */
export function start(table) {
  routes = table;
  addEventListener("popstate", () => void open(false));
  document.addEventListener("click", (event) => {
    const found = event.target instanceof Element ? event.target.closest("a") : null;
    if (!found || event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (found.target || found.hasAttribute("download") || found.origin !== location.origin) return;
    if (found.hash && found.pathname === location.pathname && found.search === location.search) return;
    if (!match(found.pathname)) return;
    event.preventDefault();
    go(found.pathname + found.search + found.hash);
  });
  void open(false);
}

/**
 * Goes to an address of ours.
 * @param {string} address
 */
export function go(address) {
  history.pushState(null, "", address);
  void open(true);
}

/**
 * Notes an address without showing its page anew: the page has already changed accordingly.
 * @param {string} address
 * @param {boolean} [instead] of the present one
 */
export function note(address, instead = false) {
  if (address === location.pathname + location.search) return;
  if (instead) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
}

/** @param {string} title */
export function entitle(title) {
  document.title = title ? `${title} · Digit Duels` : "Digit Duels";
}

/** @param {string} pathname */
function match(pathname) {
  for (const route of routes) {
    const found = route.path.exec(pathname);
    if (found) return { route, parts: found.slice(1).map((part) => decodeURIComponent(part ?? "")) };
  }
  return null;
}

/** @param {boolean} moved whether the reader asked for another page, whose beginning is then in view and in focus */
async function open(moved) {
  left.abort();
  left = new AbortController();
  const { signal } = left;
  const main = /** @type {HTMLElement} */ (document.getElementById("main"));
  for (const each of document.querySelectorAll("nav a")) {
    const { pathname, dataset } = /** @type {HTMLAnchorElement} */ (each);
    const here = location.pathname === pathname || location.pathname.startsWith(dataset["area"] ?? " ");
    if (here) each.setAttribute("aria-current", "page");
    else each.removeAttribute("aria-current");
  }
  const found = match(location.pathname);
  if (!found) {
    entitle("Not found");
    fill(main, h("h1", null, "There is no such page"), h("p", null, "The address may be cut off."), link("To the games", "/", "main"));
    return;
  }
  main.classList.add("leaving");
  try {
    const page = await found.route.load();
    if (signal.aborted) return;
    entitle(found.route.title);
    await page.show({
      main,
      parts: found.parts,
      query: new URLSearchParams(location.search),
      fragment: location.hash.slice(1),
      signal,
    });
  } catch (error) {
    if (!signal.aborted) trouble(main, error);
  }
  if (signal.aborted) return;
  main.classList.remove("leaving");
  if (moved) {
    scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }
}

/**
 * Says what went wrong and what to do; the address, and so the game, stays.
 * @param {HTMLElement} main
 * @param {unknown} error
 */
function trouble(main, error) {
  const known = error instanceof Failure;
  if (!known) console.error(error);
  const sentence = known ? error.message : "This page could not be shown.";
  const passing = !known || error.passing;
  say("");
  fill(
    main,
    h(
      "section",
      { class: "sheet narrow", role: "alert" },
      h("h1", null, passing ? "No answer" : "That does not work"),
      h("p", null, sentence),
      h(
        "p",
        { class: "row" },
        passing && button("Try again", () => void open(true), "main"),
        !passing && location.search !== "" && link("Begin anew", location.pathname, "main"),
        link("To the games", "/"),
      ),
    ),
  );
}
