// This browser's seats in games between friends. Tokens are sent in a header and removed from URLs at once.

import { Failure, getAs, post } from "./api.js";
import { confirm } from "./dialog.js";
import { shared } from "./origin.js";
import { newKey } from "./send-act.js";
import { isSecret, recallObject, recallSecret, remember } from "./storage.js";

/** @typedef {{seat: Seat, token: string, invite: string | null}} Mine */

/**
 * Returns this browser's seat in a game.
 * @param {string} id
 * @returns {Mine | null}
 */
export function mine(id) {
  const { seat, token, invite } = recallObject(`seat:${id}`);
  if ((seat !== 1 && seat !== 2) || !isSecret(token)) return null;
  return { seat, token, invite: isSecret(invite) ? invite : null };
}

/**
 * @param {string} id
 * @param {Mine} seat
 */
export function keep(id, seat) {
  remember(`seat:${id}`, JSON.stringify(seat));
}

/**
 * Reads a seat or an invitation from the fragment of a URL, and removes it from there. A seat is stored only if the
 * server confirms the token. It replaces the reader's own seat only if they agree: anybody may have sent the link.
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
  const before = mine(id);
  if (!token || token === before?.token) return;
  try {
    const { seat } = /** @type {OpenedSeat} */ (await getAs(`/api/games/${id}/seat`, token, signal));
    if (!before || (await agreesToReplace(before.seat, seat))) keep(id, { seat, token, invite: null });
  } catch (error) {
    if (!(error instanceof Failure) || error.temporary) throw error;
  }
}

/**
 * @param {Seat} before
 * @param {Seat} seat
 */
function agreesToReplace(before, seat) {
  const text = `In this game you are Player ${before}. The link makes you Player ${seat} on this device.`;
  const stay = "Keep my seat";
  return confirm("This link opens another seat", [text], "Use the link", stay, stay);
}

/**
 * Returns the URL that opens the seat in another browser.
 * @param {string} id
 * @param {Mine} seat
 */
export function own(id, seat) {
  return `${shared()}/g/${id}#seat=${seat.seat}.${seat.token}`;
}

/**
 * Creates a game with a friend and returns its path.
 * @param {Link} link
 * @param {string} name
 */
export async function challenge(link, name) {
  const { game, options, first, position, moves, seat } = link;
  const body = { game, options, first, position: position ?? "", moves, seat, name, key: newKey() };
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
  // Every attempt has the same idempotency key, so that a lost response costs no seat.
  const key = recallSecret(`key:${id}`) ?? newKey();
  remember(`key:${id}`, key);
  const { seat, token, state } = /** @type {GivenSeat} */ (await post(`/api/games/${id}/seats`, { invite, key, name }));
  keep(id, { seat, token, invite: null });
  return state;
}
