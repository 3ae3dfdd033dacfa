// Requests to the server. Each returns the response body or throws a Failure with a message for the reader.

import { pause } from "./dom.js";

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

  /** Whether the same request may succeed later. */
  get temporary() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

const AGAIN = [200, 800, 0]; // milliseconds to wait after each attempt that got no response
const SILENCE = 8000; // timeout in milliseconds for a quick request
const WORK = 60_000; // timeout for a request that makes the server compute
const BUSY = [429, 503]; // statuses after which a request is retried
const TRIES = 30; // attempts while the server is busy
const LONG = /^-?\d{16,}$/; // an integer that JavaScript may round
const SILENT = "Can't reach the server. Your game is safe. Check your connection and try again.";

/**
 * @param {string} path
 * @param {RequestInit} request
 * @param {(text: string) => any} [read] reads the body of a successful response; default: as JSON
 * @returns {Promise<any>}
 */
async function send(path, request, read = parse) {
  let answer;
  try {
    answer = await fetch(path, request);
  } catch (error) {
    if (request.signal?.aborted) throw error;
    throw new Failure(SILENT, 0);
  }
  let body;
  try {
    const text = await answer.text();
    body = answer.ok ? read(text) : parse(text);
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
  authorization = token ? { Authorization: `Bearer ${token}` } : {};
}

/**
 * Asks the server, with retries. A query with names is sent in the body of a POST request: proxies log URLs.
 * @param {string} path
 * @param {URLSearchParams | Record<string, string>} [query]
 * @param {AbortSignal} [signal]
 * @param {number} [silence] timeout in milliseconds
 * @returns {Promise<any>}
 */
export async function get(path, query, signal, silence = SILENCE) {
  const keys = new URLSearchParams(query);
  const [url, request] = keys.has("names")
    ? [path, posting(Object.fromEntries(keys), authorization)]
    : [keys.size ? `${path}?${keys}` : path, { headers: authorization }];
  for (const wait of AGAIN) {
    // A lost request may never fail by itself.
    const timeout = AbortSignal.timeout(silence);
    try {
      return await send(url, { ...request, signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
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
 * Sends a GET request with the bearer token of a player or teacher.
 * @param {string} path
 * @param {string} token
 * @param {AbortSignal} signal
 * @returns {Promise<any>}
 */
export function getAs(path, token, signal) {
  return send(path, { headers: { Authorization: `Bearer ${token}` }, signal });
}

/**
 * Asks the server something that it may have to compute for a while the first time.
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
 * Retries while the server is busy or the rate limit is exceeded, up to a limit.
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
 * Sends a POST request.
 * @param {string} path
 * @param {unknown} body
 * @param {string | null} [token] of the seat that acts
 * @returns {Promise<any>}
 */
export function post(path, body, token) {
  return send(path, posting(body, token ? { Authorization: `Bearer ${token}` } : {}));
}

/**
 * Fetches a URL of this site as a QR code: the URL of an SVG image. The request has a body, because a URL in a query
 * would appear in the log of a proxy, with the invitation or the class code in it.
 * @param {string} url
 * @returns {Promise<string>}
 */
export async function qrCode(url) {
  const draw = () => send("/api/qr", posting({ text: url }, authorization), (svg) => svg);
  return `data:image/svg+xml,${encodeURIComponent(await patiently(draw))}`;
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
/** @type {{games?: GameCard[], position?: PositionView}} */
const embedded = parse(globalThis.document?.getElementById("given")?.textContent ?? "{}");

/** Returns the embedded position once; null after that. */
export function givenPosition() {
  const { position } = embedded;
  delete embedded.position;
  return position ?? null;
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
