// The seats that this browser has in games between friends. Tokens stay here and in a header, never long in a URL.

import { Failure, getAs, post } from "./api.js";
import { recall, remember } from "./storage.js";

/** @typedef {{seat: Seat, token: string, invite: string | null}} Mine */

/**
 * The seat that this browser has in a game.
 * @param {string} id
 * @returns {Mine | null}
 */
export function mine(id) {
  const text = recall(`seat:${id}`);
  return text === null ? null : JSON.parse(text);
}

/**
 * @param {string} id
 * @param {Mine} seat
 */
export function keep(id, seat) {
  remember(`seat:${id}`, JSON.stringify(seat));
}

/**
 * Takes a seat or an invitation from the fragment of a URL, and removes it there at once. A seat is kept only if the
 * server says that the token opens it: a link that somebody made up takes nobody's seat away.
 * @param {string} id
 * @param {string} fragment
 * @param {AbortSignal} signal
 */
export async function receive(id, fragment, signal) {
  const brought = new URLSearchParams(fragment);
  const [, , token] = /^([12])\.([\w-]+)$/.exec(brought.get("seat") ?? "") ?? [];
  const invite = brought.get("invite");
  if (invite) remember(`invite:${id}`, invite);
  if (fragment) history.replaceState(null, "", `/g/${id}`);
  if (!token) return;
  try {
    const { seat } = /** @type {OpenedSeat} */ (await getAs(`/api/games/${id}/seat`, token, signal));
    keep(id, { seat, token, invite: null });
  } catch (error) {
    if (!(error instanceof Failure) || error.temporary) throw error;
  }
}

/**
 * The URL that takes a seat to another browser.
 * @param {string} id
 * @param {Mine} seat
 */
export function own(id, seat) {
  return `${location.origin}/g/${id}#seat=${seat.seat}.${seat.token}`;
}

/**
 * Begins a game with a friend; its path.
 * @param {Link} link
 * @param {string} name
 */
export async function challenge(link, name) {
  const { game, options, first, position, moves, seat } = link;
  const body = { game, options, first, position: position ?? "", moves, seat, name };
  const { id, token, invite, ...given } = /** @type {NewRoom} */ (await post("/api/games", body));
  keep(id, { seat: given.seat, token, invite });
  return `/g/${id}`;
}

/**
 * Takes the free seat of a game.
 * @param {string} id
 * @param {string} invite
 * @param {string} name
 * @returns {Promise<RoomNews>}
 */
export async function join(id, invite, name) {
  // A second try has the same key, so that a lost answer costs no seat.
  const key = recall(`key:${id}`) ?? secret();
  remember(`key:${id}`, key);
  const { seat, token, state } = /** @type {GivenSeat} */ (await post(`/api/games/${id}/seats`, { invite, key, name }));
  keep(id, { seat, token, invite: null });
  return state;
}

/** A text that nobody can guess. */
export function secret() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
