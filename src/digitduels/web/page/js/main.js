// The entry point: the navigation, the theme, and the table of routes.

import { h } from "./dom.js";
import { start } from "./router.js";
import { hasServer } from "./transport.js";

/** @type {[label: string, href: string, area: string][]} */
const AREAS = [
  ["Play", "/", "/play"],
  ["Learn", "/learn", "/learn"],
  ["Explore", "/explore", "/explore"],
  ["Puzzle", "/puzzle", "/puzzle"],
  ["My games", "/review", "/review"],
  ["Lab", "/lab", "/lab"],
  ["Teach", "/teach", "/teach"],
];

const nav = /** @type {HTMLElement} */ (document.getElementById("nav"));
const menu = /** @type {HTMLButtonElement} */ (document.querySelector("header .menu"));
nav.append(
  h(
    "ul",
    AREAS.map(([label, href, area]) => h("li", h("a", { href, "data-area": area }, label))),
  ),
);
menu.addEventListener("click", () =>
  menu.setAttribute("aria-expanded", String(menu.getAttribute("aria-expanded") !== "true")),
);
nav.addEventListener("click", () => menu.setAttribute("aria-expanded", "false"));

const root = document.documentElement;
try {
  root.dataset["theme"] = localStorage.getItem("theme") ?? "";
} catch {
  // Without storage, the page uses the system's theme.
}
document.getElementById("theme")?.addEventListener("click", () => {
  const dark = root.dataset["theme"]
    ? root.dataset["theme"] === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset["theme"] = dark ? "light" : "dark";
  try {
    localStorage.setItem("theme", root.dataset["theme"]);
  } catch {
    // Without storage, the choice lasts until the reader leaves the page.
  }
});

/**
 * Returns how to load a page that needs a server.
 * @param {import("./router.js").Route["load"]} load
 */
const online = (load) => (hasServer ? load : () => import("./pages/needs-server.js"));

start([
  { path: /^\/$/, title: "", load: () => import("./pages/home.js") },
  { path: /^\/play\/([^/]+)$/, title: "Play", load: () => import("./pages/play.js") },
  { path: /^\/g\/([^/]+)$/, title: "With a friend", load: online(() => import("./pages/room.js")) },
  { path: /^\/explore(?:\/([^/]+))?$/, title: "Explore", load: () => import("./pages/explore.js") },
  { path: /^\/review(?:\/([^/]+))?$/, title: "Review", load: () => import("./pages/review.js") },
  { path: /^\/puzzle(?:\/([^/]+))?$/, title: "Puzzle", load: () => import("./pages/puzzle.js") },
  { path: /^\/learn(?:\/([^/]+))?$/, title: "Learn", load: () => import("./pages/learn.js") },
  { path: /^\/help$/, title: "Help", load: () => import("./pages/help.js") },
  { path: /^\/lab(?:\/([^/]+))?$/, title: "Lab", load: online(() => import("./pages/lab.js")) },
  { path: /^\/teach$/, title: "Teach", load: online(() => import("./pages/teach.js")) },
  { path: /^\/j(?:\/([^/]+))?$/, title: "Join", load: online(() => import("./pages/join.js")) },
  { path: /^\/class\/([^/]+)(?:\/([^/]+))?$/, title: "Class", load: online(() => import("./pages/class.js")) },
  { path: /^\/privacy$/, title: "Privacy", load: () => import("./pages/privacy.js") },
  { path: /^\/reach\/([^/]+)$/, title: "It works", load: online(() => import("./pages/reach.js")) },
]);
