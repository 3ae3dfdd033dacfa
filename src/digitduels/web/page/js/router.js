// The router: links and the back button switch pages without reloading the site.

import { Failure } from "./api.js";
import { anchor, button, fill, h, set } from "./dom.js";
import { dropHead } from "./head.js";
import { readQuery } from "./link.js";
import { say } from "./status.js";
import { inside, outside } from "./transport.js";

/** @typedef {(place: Place) => Promise<void> | void} Show */
/** @typedef {{path: RegExp, title: string, load: () => Promise<{show: Show}>}} Route */

/** @type {Route[]} */
let routes = [];
let left = new AbortController();

/**
 * Shows the page of the URL, and follows every later change of it.
 * @param {Route[]} table
 */
export function start(table) {
  routes = table;
  addEventListener("popstate", () => void open(false));
  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target.closest("a") : null;
    if (!target || event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (target.target || target.hasAttribute("download") || target.origin !== location.origin) return;
    if (target.hash && target.pathname === location.pathname && target.search === location.search) return;
    const path = inside(target.pathname);
    if (!match(path)) return;
    event.preventDefault();
    void go(path + target.search + target.hash);
  });
  void open(false);
}

/**
 * Navigates to another page of the site.
 * @param {string} path
 */
export function go(path) {
  history.pushState(null, "", outside(path));
  return open(true);
}

/**
 * Changes only the URL, because the page already shows the new content.
 * @param {string} path
 * @param {boolean} [replace] whether to replace the current history entry
 */
export function note(path, replace = false) {
  const here = inside(location.pathname) + location.search;
  if (path === here || path === here + location.hash) return;
  if (replace) history.replaceState(null, "", outside(path));
  else history.pushState(null, "", outside(path));
}

/** @param {string} title */
export function setTitle(title) {
  document.title = title ? `${title} · Digit Duels` : "Digit Duels";
}

/**
 * Decodes a part of a path. A badly encoded part stays as it is; it matches nothing.
 * @param {string} part
 */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** @param {string} pathname */
function match(pathname) {
  for (const route of routes) {
    const parts = route.path.exec(pathname)?.slice(1);
    if (parts) return { route, parts: parts.map((part) => decoded(part ?? "")) };
  }
  return null;
}

/** @param {boolean} moved whether the reader navigated, so that the new page gets the focus */
async function open(moved) {
  left.abort();
  left = new AbortController();
  const { signal } = left;
  const main = /** @type {HTMLElement} */ (document.getElementById("main"));
  const path = inside(location.pathname);
  for (const area of document.querySelectorAll("nav a")) {
    const { pathname, dataset } = /** @type {HTMLAnchorElement} */ (area);
    const here = path === inside(pathname) || path.startsWith(dataset["area"] ?? " ");
    set(area, "aria-current", here ? "page" : null);
  }
  const target = match(path);
  if (!target) {
    setTitle("Not found");
    dropHead();
    fill(
      main,
      h("h1", "Page not found"),
      h("p.nothing", "The link may be incomplete."),
      anchor("See the games", "/", "main"),
    );
    return;
  }
  main.classList.add("leaving");
  try {
    const page = await target.route.load();
    if (signal.aborted) return;
    setTitle(target.route.title);
    await page.show({
      main,
      parts: target.parts,
      query: readQuery(location),
      fragment: location.hash.slice(1),
      signal,
    });
  } catch (error) {
    if (!signal.aborted) trouble(main, error);
  }
  if (signal.aborted) return;
  dropHead();
  main.classList.remove("leaving");
  if (moved) {
    scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }
}

/**
 * Says what went wrong and what to do. The URL, and so the game, is kept.
 * @param {HTMLElement} main
 * @param {unknown} error
 */
function trouble(main, error) {
  const known = error instanceof Failure;
  if (!known) console.error(error);
  const sentence = known ? error.message : "Something went wrong on this page.";
  const temporary = !known || error.temporary;
  say("");
  fill(
    main,
    h(
      "section.sheet.narrow",
      { role: "alert" },
      h("h1", temporary ? "Not available right now" : "Can't open this page"),
      h("p", sentence),
      h(
        "p.row",
        temporary && button("Try again", () => void open(true), "main"),
        !temporary && location.search !== "" && anchor("Start again", inside(location.pathname), "main"),
        anchor("See the games", "/"),
      ),
    ),
  );
}
