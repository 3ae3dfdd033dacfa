// A site without a server: Python in a worker answers. This file takes the place of ../transport.js.

export const hasServer = false;

const ROOT = new URL("../../../", import.meta.url).pathname; // of the site: this script is in assets/VERSION/js/
const PATIENCE = [300, 15_000]; // milliseconds before the status line says that something is being loaded
const LOADING = [
  "Getting the computer ready: a few seconds the first time.",
  "Still loading: up to a minute on a slow line.",
];
const FAILED =
  "The computer could not be started. Check your connection and try again; the rules of all games are under Learn, " +
  "for two people with pencil and paper.";

const FAILURE = { status: 500, text: JSON.stringify({ detail: FAILED }) };

/** @typedef {import("../transport.js").Answer} Answer */
/** @typedef {{id: number, status: number, text: string}} Reply */

/** @type {Promise<Worker> | null} */
let starting = null;
let ready = false;
let count = 0;
/** @type {Map<number, (answer: Answer) => void>} */
const open = new Map();
/** The answers that came with the site, for the time before Python is ready. */
/** @type {Promise<Record<string, unknown>> | null} */
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
      for (const id of open.keys()) settle({ id, ...FAILURE });
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
  const known = ready || body ? undefined : (await storedAnswers())[path];
  if (known !== undefined) return { ok: true, status: 200, text: JSON.stringify(known) };
  let worker;
  const notices = PATIENCE.map((after, index) => setTimeout(() => announce(path, LOADING[index] ?? ""), after));
  try {
    worker = await start();
  } catch (error) {
    console.error(error);
    return { ok: false, ...FAILURE };
  } finally {
    notices.forEach(clearTimeout);
  }
  signal?.throwIfAborted();
  const id = (count += 1);
  const [name, query = ""] = path.split("?");
  return new Promise((resolve, reject) => {
    open.set(id, resolve);
    signal?.addEventListener("abort", () => open.delete(id) && reject(signal.reason));
    worker.postMessage({ id, path: name, query, body });
  });
}

function storedAnswers() {
  stored ??= fetch(new URL("../answers.json", import.meta.url)).then(
    (answer) => answer.json(),
    () => ({}),
  );
  return stored;
}

/**
 * Says that the reader has to wait, unless they wait for nothing: the first page asks for the daily puzzle by itself.
 * @param {string} path
 * @param {string} text
 */
function announce(path, text) {
  const line = document.getElementById("status");
  const expected = path !== "/api/puzzle" || document.querySelector("main.leaving");
  if (line && expected) line.textContent = text;
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

/** Starts Python after the first paint, and then stores the site in the browser, for visits without a network. */
async function prepare() {
  await new Promise((resolve) => setTimeout(resolve, 0));
  await start();
  await navigator.serviceWorker?.register(`${ROOT}service-worker.js`);
}

addEventListener("load", () => prepare().catch(console.error));
