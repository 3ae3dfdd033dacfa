// A site without a server: Python in a worker answers. This file takes the place of ../transport.js.

export const hasServer = false;

const ROOT = new URL("../../../", import.meta.url).pathname; // of the site: this script is in assets/VERSION/js/
const PATIENCE = [300, 15_000]; // milliseconds before the status line says that something is being loaded
const LOADING = [
  "Getting the computer ready: a few seconds the first time.",
  "Still loading: up to a minute on a slow line.",
];
const BUSY = 1000; // milliseconds before the status line says that the computer is working
const WORKING = "One moment…";
const FAILED = "The computer could not be started. Check your connection and try again.";

/** @typedef {import("../transport.js").Answer} Answer */
/** @typedef {{id: number, status: number, text: string}} Reply */

/** @type {Promise<Worker> | null} */
let starting = null;
let ready = false;
let count = 0;
/** @type {Map<number, (answer: Answer) => void>} */
const open = new Map();
/** The answers that came with the site, for the time before Python is ready. */
/** @type {Promise<Stored> | null} */
let stored = null;

/** Starts Python, unless it has been started. */
function start() {
  starting ??= new Promise((resolve, reject) => {
    const worker = new Worker(new URL("site/worker.js", import.meta.url), { type: "module" });
    const fail = (/** @type {unknown} */ error) => {
      starting = null;
      ready = false;
      worker.terminate();
      reject(error);
      for (const id of open.keys()) void failure().then((answer) => settle({ id, ...answer }));
    };
    worker.addEventListener("error", fail);
    worker.addEventListener("message", ({ data }) => {
      if (data === "ready") {
        ready = true;
        resolve(worker);
      } else if (data.failed) fail(new Error(data.failed));
      else settle(data);
    });
  });
  return starting;
}

/** @param {Reply} reply */
function settle({ id, status, text }) {
  open.get(id)?.({ ok: status === 200, status, text });
  open.delete(id);
}

/**
 * @param {string} path
 * @param {RequestInit} request
 * @returns {Promise<Answer>}
 */
export async function exchange(path, { signal, body }) {
  const known = ready || body ? undefined : (await storedAnswers()).answers[path];
  if (known !== undefined) return { ok: true, status: 200, text: JSON.stringify(known) };
  let worker;
  const quiet = PATIENCE.map((after, index) => announce(path, LOADING[index] ?? "", after));
  try {
    worker = await start();
  } catch (error) {
    console.error(error);
    return { ok: false, ...(await failure()) };
  } finally {
    quiet.reverse().forEach((stop) => stop()); // the last notice covers those before it
  }
  signal?.throwIfAborted();
  const id = (count += 1);
  const [name, query = ""] = path.split("?");
  const stop = announce(path, WORKING, BUSY);
  /** @type {Promise<Answer>} */
  const answer = new Promise((resolve, reject) => {
    open.set(id, resolve);
    signal?.addEventListener("abort", () => open.delete(id) && reject(signal.reason));
    worker.postMessage({ id, path: name, query, body });
  });
  return answer.finally(stop);
}

/** @typedef {{answers: Record<string, unknown>, whole: string[]}} Stored `whole`: games with all their positions */

/** @returns {Promise<Stored>} */
function storedAnswers() {
  stored ??= fetch(new URL("../answers.json", import.meta.url))
    .then((answer) => answer.json())
    .catch(() => {
      stored = null;
      return { answers: {}, whole: [] };
    });
  return stored;
}

/** Says that Python does not start, and which games two people can play without it. */
async function failure() {
  const { whole } = await storedAnswers();
  const games = whole.join(" or ");
  const rest = games
    ? ` Until then, two people can play ${games} at this screen, and the rules of all games are under Learn.`
    : "";
  return { status: 500, text: JSON.stringify({ detail: FAILED + rest }) };
}

/**
 * Says after a while that the reader has to wait, unless they wait for nothing: the first page asks for the daily
 * puzzle by itself. Returns how to stop, which shows again what the status line said before.
 * @param {string} path
 * @param {string} text
 * @param {number} after milliseconds
 */
function announce(path, text, after) {
  const line = document.getElementById("status");
  let before = "";
  const timer = setTimeout(() => {
    if (!line || (path === "/api/puzzle" && !document.querySelector("main.leaving"))) return;
    before = line.textContent;
    line.textContent = text;
  }, after);
  return () => {
    clearTimeout(timer);
    if (line && before && line.textContent === text) line.textContent = before;
  };
}

/** @param {string} path */
export function outside(path) {
  const [, way = "", rest = ""] = /^\/([^?#]*)(.*)$/s.exec(path) ?? [];
  return `${ROOT}${way && `${way}/`}${rest}`;
}

/** @param {string} pathname */
export function inside(pathname) {
  return `/${pathname.slice(ROOT.length).replace(/\/$/, "")}`;
}

/** Makes the links of the page absolute, because the path that they are relative to changes with the pages. */
function fixLinks() {
  for (const link of document.querySelectorAll("a[href], link[rel=icon], link[rel=manifest]")) {
    link.setAttribute("href", /** @type {HTMLAnchorElement | HTMLLinkElement} */ (link).href);
  }
}

/** Starts Python after the first paint, and then stores the site in the browser, for visits without a network. */
async function prepare() {
  await new Promise((resolve) => setTimeout(resolve, 0));
  await start();
  await navigator.serviceWorker?.register(`${ROOT}service-worker.js`);
}

fixLinks();
addEventListener("load", () => prepare().catch(console.error));
