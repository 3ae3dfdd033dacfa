// The style sheets that the first view does not need.

import { h } from "./dom.js";

/** @type {Map<string, Promise<void>>} */
const loaded = new Map();

/**
 * Loads style sheets, each once.
 * @param {...string} names
 */
export async function loadStyle(...names) {
  await Promise.all(
    names.map((name) => {
      const loading = loaded.get(name) ?? load(new URL(`../${name}.css`, import.meta.url));
      loaded.set(name, loading);
      return loading;
    }),
  );
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
