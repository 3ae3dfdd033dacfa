// What the server is asked. It answers or there is a Failure, whose message is a sentence for people.

import { pause } from "./dom.js";

export class Failure extends Error {
  /**
   * @param {string} message
   * @param {number} status 0 when there was no answer at all
   * @param {any} [body]
   */
  constructor(message, status, body) {
    super(message);
    this.status = status;
    this.body = body;
  }

  /** Whether the same question may be answered later. */
  get passing() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

const PATIENCE = 30; // times that a question is asked while the server is busy
const LONG = /^-?\d{16,}$/; // a whole number that may be rounded
const SILENT = "The server does not answer. Nothing is lost: look whether it runs, then try again.";

/**
 * @param {string} path
 * @param {RequestInit} request
 * @returns {Promise<any>}
 */
async function ask(path, request) {
  let answer;
  try {
    answer = await fetch(path, request);
  } catch (error) {
    if (request.signal?.aborted) throw error;
    throw new Failure(SILENT, 0);
  }
  let body;
  try {
    body = parsed(await answer.text());
  } catch (error) {
    if (request.signal?.aborted) throw error;
    body = undefined;
  }
  if (answer.ok && body !== undefined) return body;
  const detail = typeof body?.detail === "string" ? body.detail : `The server answered with an error (${answer.status}).`;
  throw new Failure(detail, answer.status, body);
}

/**
 * JSON, in which whole numbers that JavaScript would round stay the texts they are.
 * @param {string} text
 */
export function parsed(text) {
  /** @type {(key: string, value: any, context?: {source?: string}) => any} */
  const exact = (_, value, context) => (typeof value === "number" && LONG.test(context?.source ?? "") ? context?.source : value);
  return JSON.parse(text, exact);
}

/**
 * Asks for something. Nothing changes by it.
 * @param {string} path
 * @param {URLSearchParams | Record<string, string>} [query]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export function get(path, query, signal) {
  const text = query ? new URLSearchParams(query).toString() : "";
  return ask(text ? `${path}?${text}` : path, signal ? { signal } : {});
}

/**
 * Asks again while the server still works the answer out, which takes it a while the first time.
 * @param {string} path
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 * @param {(sentence: string) => void} waiting told why
 * @returns {Promise<any>}
 */
export async function patiently(path, query, signal, waiting) {
  for (let asked = 1; ; asked += 1) {
    try {
      return await get(path, query, signal);
    } catch (error) {
      if (!(error instanceof Failure) || error.status !== 503 || asked >= PATIENCE) throw error;
      waiting(error.message.replace(/ \w+ again in a moment\.$/, " One moment…"));
      await pause(1000);
    }
  }
}

/**
 * Does something.
 * @param {string} path
 * @param {unknown} body
 * @param {string | null} [token] of the seat that does it
 * @returns {Promise<any>}
 */
export function post(path, body, token) {
  /** @type {Record<string, string>} */
  const headers = { "Content-Type": "application/json" };
  if (token) headers["Authorization"] = `Bearer ${token}`;
  return ask(path, { method: "POST", headers, body: JSON.stringify(body) });
}

/** @type {Promise<GameCard[]> | null} */
let known = null;

/**
 * The games there are.
 * @returns {Promise<GameCard[]>}
 */
export function games() {
  known ??= get("/api/games").catch((error) => {
    known = null;
    throw error;
  });
  return /** @type {Promise<GameCard[]>} */ (known);
}

/**
 * Writes what a game is about into an element, as soon as it is known; a page does without.
 * @param {HTMLElement} element
 * @param {View} view which may be played by other rules than the book's
 */
export function describe(element, view) {
  games().then(
    (cards) => {
      const summary = cards.find((each) => each.game === view.game)?.summary ?? "";
      element.textContent = summary && Object.keys(view.changed).length ? `In the book: ${summary}` : summary;
    },
    () => {},
  );
}
