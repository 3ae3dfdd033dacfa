// Whose seat this browser has in games between friends. Tokens live here and in a header, never in an address for long.

import { post } from "./api.js";

/** @typedef {{seat: Seat, token: string, invite: string | null}} Mine */

/** What a browser that keeps nothing remembers until it is closed. */
/** @type {Map<string, string>} */
const memory = new Map();

/** @param {string} name */
export function recall(name) {
  try {
    return localStorage.getItem(name) ?? memory.get(name) ?? null;
  } catch {
    return memory.get(name) ?? null;
  }
}

/**
 * @param {string} name
 * @param {string} text
 */
export function remember(name, text) {
  memory.set(name, text);
  try {
    localStorage.setItem(name, text);
  } catch {
    // Then it is remembered until the page is left.
  }
}

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
 * Takes over what an address brings behind its #, a seat or an invitation, and strips it at once.
 * @param {string} id
 * @param {string} fragment
 */
export function receive(id, fragment) {
  const brought = new URLSearchParams(fragment);
  const [, number, token] = /^([12])\.(.+)$/.exec(brought.get("seat") ?? "") ?? [];
  const invite = brought.get("invite");
  if (token) keep(id, { seat: number === "2" ? 2 : 1, token, invite: null });
  if (invite) remember(`invite:${id}`, invite);
  if (fragment) history.replaceState(null, "", `/g/${id}`);
}

/**
 * The link by which a seat goes on in another browser.
 * @param {string} id
 * @param {Mine} seat
 */
export function own(id, seat) {
  return `${location.origin}/g/${id}#seat=${seat.seat}.${seat.token}`;
}

/**
 * Begins a game with a friend; answers with its address.
 * @param {Address} address
 * @param {string} name
 */
export async function challenge(address, name) {
  const { game, options, first, position, moves, seat } = address;
  const body = { game, options, first, position: position ?? "", moves, seat, name };
  const made = await post("/api/games", body);
  keep(made.id, { seat: made.seat, token: made.token, invite: made.invite });
  return `/g/${made.id}`;
}

/**
 * Takes the free seat of a game.
 * @param {string} id
 * @param {string} invite
 * @param {string} name
 * @returns {Promise<Room>}
 */
export async function join(id, invite, name) {
  // The same key when it is tried again, so that an answer that got lost costs no seat.
  const key = recall(`key:${id}`) ?? secret();
  remember(`key:${id}`, key);
  const answer = await post(`/api/games/${id}/seats`, { invite, key, name });
  keep(id, { seat: answer.seat, token: answer.token, invite: null });
  return answer.state;
}

/** A text that nobody guesses. */
export function secret() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
