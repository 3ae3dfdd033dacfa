// The live feed of a game or a class. Every message is the whole state, and a broken connection is opened again.

import { backOff, bearer, Failure, get, parse } from "./api.js";
import { hideLost, showLost } from "./connection-bar.js";

const SILENCE = 25_000; // milliseconds after which a connection counts as broken; the server sends something more often
const LOOK = 1000; // milliseconds between checks of the clock; timers stop while a machine sleeps, the clock does not
const GONE = [403, 404]; // statuses of a game or class that is gone, or closed to the reader

/**
 * @template News
 * @typedef {{
 *   news: (state: News) => Promise<unknown> | void,
 *   gone: (failure: Failure) => void,
 * }} Listener `gone`: the game or class is gone, or closed to the reader
 */

/** Collects the moves of a game in words. Each message contains only the last one; the rest comes from the history. */
export class Ledger {
  /** @type {Turn[]} */
  #turns = [];
  #version = -1;
  #names = "";
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();

  /**
   * Returns the state with all the moves that led to it.
   * @param {RoomNews} news
   * @param {AbortSignal} signal
   * @returns {Promise<Room>}
   */
  complete(news, signal) {
    const next = this.#last.then(() => this.#complete(news, signal));
    this.#last = next.catch(() => {});
    return next;
  }

  /**
   * @param {RoomNews} news
   * @param {AbortSignal} signal
   * @returns {Promise<Room>}
   */
  async #complete(news, signal) {
    const names = news.names.join("\n");
    const steps = news.version - this.#version;
    const played = news.move_count - this.#turns.length;
    let current = true;
    if (steps === 1 && played === 1 && news.last && names === this.#names) this.#turns = [...this.#turns, news.last];
    else if (steps < 0 || steps > 1 || played !== 0 || names !== this.#names) {
      // If every new version is a move, the earlier moves are unchanged.
      if (played < 0 || steps !== played || names !== this.#names) this.#turns = [];
      while (this.#turns.length < news.move_count) {
        const query = { from: String(this.#turns.length) };
        const part = /** @type {RoomHistory} */ (await get(`/api/games/${news.id}/history`, query, signal));
        current &&= part.version === news.version;
        if (!part.turns.length) break;
        this.#turns = [...this.#turns, ...part.turns];
      }
    }
    const history = this.#turns.slice(0, news.move_count);
    this.#turns = history;
    this.#names = names;
    // If the game has moved on meanwhile, the next message loads all moves again.
    this.#version = current ? news.version : -1;
    return { ...news, history, moves: history.map((turn) => turn.move) };
  }
}

/**
 * Listens to a feed until the signal aborts it. A hidden page disconnects, and catches up when it is visible again.
 * @template News
 * @param {string} path of the feed
 * @param {() => string | null} token of the reader, so that the other player sees them as present
 * @param {Listener<News>} listener
 * @param {AbortSignal} signal
 */
export async function listen(path, token, listener, signal) {
  signal.addEventListener("abort", hideLost);
  for (let failed = 0; !signal.aborted;) {
    await shown(signal);
    if (signal.aborted) return;
    const line = new AbortController();
    const leave = () => line.abort();
    const hide = () => document.hidden && line.abort();
    signal.addEventListener("abort", leave);
    document.addEventListener("visibilitychange", hide);
    // When the network changes, the old connection may be dead without an error.
    window.addEventListener("offline", leave);
    window.addEventListener("online", leave);
    try {
      await follow(path, token(), line, async (/** @type {News} */ state) => {
        await listener.news(state);
        hideLost();
        failed = 0;
      });
    } catch (error) {
      if (!signal.aborted && error instanceof Failure && GONE.includes(error.status)) {
        hideLost();
        listener.gone(error);
        return;
      }
      if (!signal.aborted && !document.hidden) showLost();
    } finally {
      line.abort();
      signal.removeEventListener("abort", leave);
      document.removeEventListener("visibilitychange", hide);
      window.removeEventListener("offline", leave);
      window.removeEventListener("online", leave);
    }
    if (!document.hidden) await backOff((failed += 1));
  }
}

/**
 * Reads one connection until it breaks.
 * @param {string} path
 * @param {string | null} token
 * @param {AbortController} line
 * @param {(state: any) => Promise<unknown>} news
 */
async function follow(path, token, line, news) {
  let heard = Date.now();
  const timer = setInterval(() => Date.now() - heard > SILENCE && line.abort(), LOOK);
  try {
    const answer = await fetch(path, { signal: line.signal, cache: "no-store", headers: bearer(token) });
    if (!answer.ok || !answer.body) {
      const body = await answer.json().catch(() => null);
      throw new Failure(body?.detail ?? "Can't reach the server.", answer.status);
    }
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new Failure("Connection lost.", 0);
      heard = Date.now();
      const messages = (rest + value).split("\n\n");
      rest = messages.pop() ?? "";
      for (const message of messages) {
        if (message.startsWith("data: ")) await news(parse(message.slice(6)));
      }
    }
  } finally {
    clearInterval(timer);
  }
}

/**
 * Waits until the page is visible.
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function shown(signal) {
  return new Promise((resolve) => {
    if (!document.hidden || signal.aborted) {
      resolve();
      return;
    }
    const look = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener("visibilitychange", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
    signal.addEventListener("abort", look, { once: true });
  });
}
