// Requests to the server. Each returns the response body or throws a Failure with a message for the reader.

import { pause } from "./dom.js";
import { exchange } from "./transport.js";

export class Failure extends Error {
  /**
   * @param {string} message
   * @param {number} status the HTTP status; 0 if there was no response
   * @param {any} [body]
   */
  constructor(message, status, body) {
    super(message);
    this.status = status;
    this.body = body;
  }

  /** Whether these rules are too large to solve, whenever it is tried. */
  get tooLarge() {
    return this.status === 413;
  }

  /** Whether the same request may succeed later. */
  get temporary() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

const BACKOFF = [200, 500, 1000, 2000, 3000]; // milliseconds before the next attempt; the last one is repeated
const TRIES = 3; // attempts without a response
const BUSY = [429, 503]; // statuses that ask for patience
const BUSY_TRIES = 20;
const QUICK = 8000; // timeout in milliseconds for a request that is answered at once
const WORK = 60_000; // timeout for a request that makes the server compute or write
const LONG = /^-?\d{16,}$/; // an integer that JavaScript may round
const SILENT = "Can't reach the server. Your game is safe, and goes on when the connection is back.";

/**
 * Repeats a request while its failure is temporary. This is the only policy for retries.
 * @template T
 * @param {() => Promise<T>} request
 * @param {{signal?: AbortSignal | undefined, tries?: number, waiting?: (() => void) | undefined}} [settings] `tries`:
 * attempts without a response; `waiting`: called before each further attempt
 * @returns {Promise<T>}
 */
export async function retry(request, { signal, tries = TRIES, waiting } = {}) {
  for (let count = 1; ; count += 1) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof Failure) || !error.temporary || signal?.aborted) throw error;
      if (count >= (BUSY.includes(error.status) ? BUSY_TRIES : tries)) throw error;
      waiting?.();
      await backOff(count);
      if (signal?.aborted) throw error;
    }
  }
}

/**
 * Waits before the next attempt, with jitter, so that many browsers do not come back at the same time.
 * @param {number} count the number of failed attempts
 */
export function backOff(count) {
  return pause(/** @type {number} */ (BACKOFF[count - 1] ?? BACKOFF.at(-1)) * (0.75 + Math.random() / 2));
}

/**
 * Waits until the server can be reached again.
 * @param {AbortSignal} signal
 */
export async function untilReachable(signal) {
  for (let count = 1; !signal.aborted; count += 1) {
    /** @type {Promise<void>} */
    const online = new Promise((done) => addEventListener("online", () => done(), { once: true, signal }));
    await Promise.race([backOff(count), online]);
    try {
      await exchange("/healthz", { signal }, QUICK);
      return;
    } catch {
      // not yet
    }
  }
}

/**
 * @param {string} path
 * @param {RequestInit} request
 * @param {{signal?: AbortSignal | undefined, timeout?: number, read?: (text: string) => any}} [settings] `read`: reads
 * the body of a successful response; default: as JSON
 * @returns {Promise<any>}
 */
async function send(path, request, { signal, timeout = WORK, read = parse } = {}) {
  let answer;
  try {
    answer = await exchange(path, { ...request, signal: signal ?? null }, timeout);
  } catch (error) {
    throw signal?.aborted ? error : new Failure(SILENT, 0);
  }
  let body;
  try {
    body = answer.ok ? read(answer.text) : parse(answer.text);
  } catch {
    // Something other than this server has answered.
  }
  if (answer.ok && body !== undefined) return body;
  const detail = body?.detail;
  const message = typeof detail === "string" ? detail : `Server error ${answer.status}. Try again in a moment.`;
  throw new Failure(message, answer.status, body);
}

/**
 * Parses JSON. Integers that JavaScript would round become strings.
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
let authorization = {};

/**
 * Sends this token with all further reads, so that the rate limit of the class applies.
 * @param {string | null} token
 */
export function identify(token) {
  authorization = bearer(token);
}

/**
 * @param {string | null | undefined} token
 * @returns {Record<string, string>}
 */
export function bearer(token) {
  return token ? { Authorization: `Bearer ${token}` } : {};
}

/**
 * Asks the server something that it answers at once. A query with names is sent in the body of a POST request: proxies
 * log URLs.
 * @param {string} path
 * @param {URLSearchParams | Record<string, string>} [query]
 * @param {AbortSignal} [signal]
 * @param {() => void} [waiting] called each time the reader has to wait longer
 * @param {number} [timeout] in milliseconds
 * @returns {Promise<any>}
 */
export function get(path, query, signal, waiting, timeout = QUICK) {
  const keys = new URLSearchParams(query);
  const [url, request] = keys.has("names")
    ? [path, posting(Object.fromEntries(keys), authorization)]
    : [keys.size ? `${path}?${keys}` : path, { headers: authorization }];
  return retry(() => send(url, request, { signal, timeout }), { signal, waiting });
}

/**
 * Asks the server something that it may have to compute for a while.
 * @param {string} path
 * @param {URLSearchParams | Record<string, string>} query
 * @param {AbortSignal} [signal]
 * @param {() => void} [waiting]
 * @returns {Promise<any>}
 */
export function getComputed(path, query, signal, waiting) {
  return get(path, query, signal, waiting, WORK);
}

/**
 * Sends a GET request with the bearer token of a player or teacher.
 * @param {string} path
 * @param {string} token
 * @param {AbortSignal} signal
 * @returns {Promise<any>}
 */
export function getAs(path, token, signal) {
  return retry(() => send(path, { headers: bearer(token) }, { signal }), { signal });
}

/**
 * Sends a POST request, and repeats it while its failure is temporary. One that must not happen twice needs an
 * idempotency key in its body.
 * @param {string} path
 * @param {unknown} body
 * @param {string | null} [token] of the seat that acts
 * @param {Parameters<typeof retry>[1]} [settings]
 * @returns {Promise<any>}
 */
export function post(path, body, token, settings) {
  return retry(() => send(path, posting(body, bearer(token))), settings);
}

/**
 * Fetches a URL of this site as a QR code: the URL of an SVG image. The request has a body, because a URL in a query
 * would appear in the log of a proxy, with the invitation or the class code in it.
 * @param {string} url
 * @returns {Promise<string>}
 */
export async function qrCode(url) {
  const draw = () => send("/api/qr", posting({ text: url }, authorization), { read: (svg) => svg });
  return `data:image/svg+xml,${encodeURIComponent(await retry(draw))}`;
}

/**
 * Returns a POST request with a JSON body.
 * @param {unknown} body
 * @param {Record<string, string>} headers
 * @returns {RequestInit}
 */
function posting(body, headers) {
  return {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}

/** Data that the server embedded in the page for its address. */
/** @type {{games?: GameCard[], position?: PositionView, query?: string}} */
const embedded = parse(globalThis.document?.getElementById("given")?.textContent ?? "{}");

/**
 * Returns the embedded position once; null after that. A page without a server embeds the position of one query.
 * @param {string} wanted the query of the game
 */
export function givenPosition(wanted) {
  const { position, query = wanted } = embedded;
  delete embedded.position;
  return query === wanted ? (position ?? null) : null;
}

/** @type {Promise<GameCard[]> | null} */
let cards = embedded.games ? Promise.resolve(embedded.games) : null;

/**
 * Returns all games.
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
 * Returns the card of a game; null if there is no such game.
 * @param {string} game
 */
export async function gameCard(game) {
  return (await games()).find((card) => card.game === game) ?? null;
}
