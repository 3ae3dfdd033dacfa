// Requests to the server. There is an answer, or a Failure whose message is a sentence for people.

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

  /** Whether the same request may succeed later. */
  get temporary() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

const AGAIN = [200, 800, 0]; // milliseconds after each try of a request that got no answer
const SILENCE = 8000; // milliseconds after which a request that is answered at once counts as lost
const WORK = 60_000; // milliseconds after which one that takes work does
const BUSY = [429, 503]; // answers after which a request is sent again
const TRIES = 30; // requests while the server is busy
const LONG = /^-?\d{16,}$/; // an integer that JavaScript may round
const SILENT = "Can't reach the server. Your game is safe. Check your connection and try again.";

/**
 * @param {string} path
 * @param {RequestInit} request
 * @returns {Promise<any>}
 */
async function send(path, request) {
  let answer;
  try {
    answer = await fetch(path, request);
  } catch (error) {
    if (request.signal?.aborted) throw error;
    throw new Failure(SILENT, 0);
  }
  let body;
  try {
    body = parse(await answer.text());
  } catch (error) {
    if (request.signal?.aborted) throw error;
    body = undefined;
  }
  if (answer.ok && body !== undefined) return body;
  const detail = body?.detail;
  const message = typeof detail === "string" ? detail : `Server error ${answer.status}. Try again in a moment.`;
  throw new Failure(message, answer.status, body);
}

/**
 * JSON, in which integers that JavaScript would round stay strings.
 * @param {string} text
 */
export function parse(text) {
  /** @type {(key: string, value: any, context?: {source?: string}) => any} */
  const exact = (_, value, context) => {
    const source = context?.source ?? "";
    return typeof value === "number" && LONG.test(source) ? source : value;
  };
  return JSON.parse(text, exact);
}

/** @type {Record<string, string>} */
let known = {};

/**
 * From now on the reader shows who they are, so that their class pays for what they ask.
 * @param {string | null} token
 */
export function identify(token) {
  known = token ? { Authorization: `Bearer ${token}` } : {};
}

/**
 * Reads something.
 * @param {string} path
 * @param {URLSearchParams | Record<string, string>} [query]
 * @param {AbortSignal} [signal]
 * @param {number} [silence] milliseconds after which the request counts as lost
 * @returns {Promise<any>}
 */
export async function get(path, query, signal, silence = SILENCE) {
  const text = query ? new URLSearchParams(query).toString() : "";
  for (const wait of AGAIN) {
    // A request may be lost without a sign of it.
    const timeout = AbortSignal.timeout(silence);
    try {
      return await send(text ? `${path}?${text}` : path, {
        headers: known,
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      if (error instanceof Failure && error.status !== 0) throw error;
    }
    await pause(wait);
    if (signal?.aborted) break;
  }
  throw new Failure(SILENT, 0);
}

/**
 * Reads something that only a player may.
 * @param {string} path
 * @param {string} token of the player's seat
 * @param {AbortSignal} signal
 * @returns {Promise<any>}
 */
export function getAs(path, token, signal) {
  return send(path, { headers: { Authorization: `Bearer ${token}` }, signal });
}

/**
 * Reads something that the server may have to work out first, which takes a while the first time.
 * @param {string} path
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 * @param {() => void} [waiting] called each time the server asks for patience
 * @returns {Promise<any>}
 */
export function getPatiently(path, query, signal, waiting) {
  return patiently(() => get(path, query, signal, WORK), waiting);
}

/**
 * Asks again for as long as the server is busy, or others at this address ask too much, within reason.
 * @template T
 * @param {() => Promise<T>} ask
 * @param {() => void} [waiting] called each time the server asks for patience
 * @returns {Promise<T>}
 */
export async function patiently(ask, waiting) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Failure) || !BUSY.includes(error.status) || tries >= TRIES) throw error;
      waiting?.();
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
  return send(path, { method: "POST", headers, body: JSON.stringify(body) });
}

/** What the page came with, for the address at which it was opened. */
/** @type {{games?: GameCard[], position?: PositionView}} */
const given = parse(globalThis.document?.getElementById("given")?.textContent ?? "{}");

/** The position that the page came with; null after the first time. */
export function givenPosition() {
  const { position } = given;
  delete given.position;
  return position ?? null;
}

/** @type {Promise<GameCard[]> | null} */
let cards = given.games ? Promise.resolve(given.games) : null;

/**
 * All games.
 * @returns {Promise<GameCard[]>}
 */
export function games() {
  cards ??= get("/api/games").catch((error) => {
    cards = null;
    throw error;
  });
  return /** @type {Promise<GameCard[]>} */ (cards);
}

/**
 * The card of a game; null if there is no such game.
 * @param {string} game
 */
export async function gameCard(game) {
  return (await games()).find((card) => card.game === game) ?? null;
}
