// Acts in games and classes. Each has an idempotency key, so that it happens once however often it is sent.

import { Failure, post } from "./api.js";

const TRIES = 10; // attempts without a response
const CONFLICTS = 10; // attempts after which somebody else was quicker

/**
 * Sends an act until it is accepted or refused. After a version conflict it is sent for the newer state.
 * @template {{version: number}} State
 * @param {string} path
 * @param {string | null} token
 * @param {Record<string, unknown> & {version: number}} content
 * @param {{signal?: AbortSignal, waiting?: () => void, conflict?: (newer: State) => unknown}} [settings] `conflict`:
 * throws if the act makes no sense in the newer state
 * @returns {Promise<any>}
 */
export async function sendAct(path, token, content, { signal, waiting, conflict } = {}) {
  const body = { ...content, key: newKey() };
  for (let conflicts = 0; ; conflicts += 1) {
    try {
      return await post(path, body, token, { signal, tries: TRIES, waiting });
    } catch (error) {
      const newer = error instanceof Failure && error.status === 409 ? error.body?.state : null;
      if (!newer || conflicts === CONFLICTS) throw error;
      await conflict?.(newer);
      body.version = newer.version;
    }
  }
}

/** Returns an idempotency key. */
export function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
