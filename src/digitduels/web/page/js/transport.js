// Where answers come from, and where pages are: on a server. In a site without one, site/transport.js takes the place
// of this file.

/** Whether there is a server, as games with friends and classes need it. */
export const hasServer = true;

/** @typedef {{ok: boolean, status: number, text: string}} Answer */

/**
 * Sends a request. Throws if there is no answer in time.
 * @param {string} path
 * @param {RequestInit} request
 * @param {number} timeout in milliseconds
 * @returns {Promise<Answer>}
 */
export async function exchange(path, { signal, ...request }, timeout) {
  // A lost request may never fail by itself.
  const limit = AbortSignal.timeout(timeout);
  const answer = await fetch(path, { ...request, signal: signal ? AbortSignal.any([signal, limit]) : limit });
  return { ok: answer.ok, status: answer.status, text: await answer.text() };
}

/**
 * Returns the URL of a page.
 * @param {string} path the path of the page, as the routes have it
 */
export function outside(path) {
  return path;
}

/**
 * Returns the path of a page, as the routes have it.
 * @param {string} pathname the path in its URL
 */
export function inside(pathname) {
  return pathname;
}
