// The live feed of a game. Every message is the whole state, and a broken connection is opened again.

import { Failure, parse } from "./api.js";
import { pause } from "./dom.js";

const SILENCE = 25_000; // milliseconds after which a connection counts as broken; the server sends something more often
const LOOK = 1000; // between looks at the clock, which goes on while a machine sleeps; timers do not
const WAITS = [200, 500, 1000, 2000, 3000]; // before the next try

/**
 * @typedef {{
 *   news: (state: Room) => void,
 *   lost: (failure: Failure) => void,
 * }} Listener `lost`: the connection is broken; there are further tries unless the game is gone
 */

/**
 * Listens until the signal ends it. A hidden page does not listen; shown again, it catches up at once.
 * @param {string} id
 * @param {() => string | null} token of the reader's seat, so that the others see that somebody sits there
 * @param {Listener} listener
 * @param {AbortSignal} signal
 */
export async function listen(id, token, listener, signal) {
  for (let tried = 0; !signal.aborted;) {
    await shown(signal);
    if (signal.aborted) return;
    const line = new AbortController();
    const leave = () => line.abort();
    const hide = () => document.hidden && line.abort();
    signal.addEventListener("abort", leave);
    document.addEventListener("visibilitychange", hide);
    // When the network goes or comes, the old connection may be dead without a sign of it.
    window.addEventListener("offline", leave);
    window.addEventListener("online", leave);
    try {
      await follow(id, token(), line, (state) => {
        tried = 0;
        listener.news(state);
      });
    } catch (error) {
      if (!signal.aborted && !document.hidden) {
        const failure = error instanceof Failure ? error : new Failure("Connection lost.", 0);
        listener.lost(failure);
        if (failure.status === 404) return;
      }
    } finally {
      line.abort();
      signal.removeEventListener("abort", leave);
      document.removeEventListener("visibilitychange", hide);
      window.removeEventListener("offline", leave);
      window.removeEventListener("online", leave);
    }
    if (!document.hidden) {
      await pause((WAITS[Math.min(tried, WAITS.length - 1)] ?? 0) * (0.75 + Math.random() / 2));
      tried += 1;
    }
  }
}

/**
 * Reads one connection until it breaks.
 * @param {string} id
 * @param {string | null} token
 * @param {AbortController} line
 * @param {(state: Room) => void} news
 */
async function follow(id, token, line, news) {
  let heard = Date.now();
  const timer = setInterval(() => Date.now() - heard > SILENCE && line.abort(), LOOK);
  try {
    const headers = token ? { Authorization: `Bearer ${token}` } : undefined;
    const answer = await fetch(`/api/games/${id}/events`, {
      signal: line.signal,
      cache: "no-store",
      ...(headers && { headers }),
    });
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
        if (message.startsWith("data: ")) news(parse(message.slice(6)));
      }
    }
  } finally {
    clearInterval(timer);
  }
}

/**
 * Waits until the page is shown.
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
