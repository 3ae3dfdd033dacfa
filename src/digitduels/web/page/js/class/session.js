// The classes that this browser belongs to, and requests to them.

import { Failure, getAs, identify, post } from "../api.js";
import { shared } from "../origin.js";
import { newKey, sendAct } from "../send-act.js";
import { forget, isSecret, recallNames, recallSecret, remember } from "../storage.js";

/** @typedef {{role: "teacher" | "wall" | "pupil", token: string}} Membership */

/** @param {string} code */
export function classPath(code) {
  return `/api/classes/${code}`;
}

/**
 * Returns the reader's role and token in a class; null if they are not a member.
 * @param {string} code
 * @param {Membership["role"]} role
 */
export function member(code, role) {
  const token = recallSecret(`class:${role}:${code}`);
  identify(token);
  return token;
}

/**
 * @param {string} code
 * @param {Membership["role"]} role
 * @param {string} token
 */
export function enter(code, role, token) {
  remember(`class:${role}:${code}`, token);
  identify(token);
}

/**
 * Reads a token from the fragment of a URL, and removes it from there. It is stored only once the server accepts it.
 * @param {string} fragment
 */
export function receiveToken(fragment) {
  const token = new URLSearchParams(fragment).get("token");
  if (fragment) history.replaceState(null, "", location.pathname);
  return isSecret(token) ? token : null;
}

/**
 * Makes a link for another device of the teacher; returns its URL and the new state.
 * @param {string} code
 * @param {string} token
 * @param {LinkKind} kind
 */
export async function makeLink(code, token, kind) {
  const body = { kind, key: newKey() };
  const made = /** @type {NewLink} */ (await post(`${classPath(code)}/links`, body, token));
  const path = kind === "wall" ? `/class/${code}/wall` : `/class/${code}`;
  return { url: `${shared()}${path}#token=${made.token}`, state: made.state };
}

/**
 * Creates a class and returns its code.
 * @param {Record<string, unknown>} rules
 */
export async function startClass(rules) {
  const body = { ...rules, key: newKey() };
  const { code, token } = /** @type {NewClass} */ (await post("/api/classes", body));
  enter(code, "teacher", token);
  return code;
}

/**
 * Deletes the teacher's tokens of a class from this browser.
 * @param {string} code
 */
export function forgetClass(code) {
  forget(`class:teacher:${code}`);
  forget(`class:wall:${code}`);
}

/**
 * Returns the classes that this browser is the teacher of, and forgets those that no longer exist.
 * @param {AbortSignal} signal
 */
export async function myClasses(signal) {
  const classes = [];
  for (const code of recallNames("class:teacher:")) {
    const token = recallSecret(`class:teacher:${code}`);
    try {
      if (token) classes.push(/** @type {TeacherClass} */ (await getAs(classPath(code), token, signal)));
      else forgetClass(code);
    } catch (error) {
      if (error instanceof Failure && (error.status === 404 || error.status === 403)) forgetClass(code);
    }
  }
  return classes;
}

/**
 * Joins a class. Every attempt has the same idempotency key, so that a lost response creates no second pupil.
 * @param {string} code
 * @param {string} name
 */
export async function joinClass(code, name) {
  const key = recallSecret(`class:key:${code}`) ?? newKey();
  remember(`class:key:${code}`, key);
  const { token, state } = /** @type {JoinedClass} */ (await post(`${classPath(code)}/pupils`, { name, key }));
  enter(code, "pupil", token);
  return state;
}

/**
 * Sends an act of the teacher; returns the new state, or null if the class was deleted.
 * @param {{code: string, version: number}} state
 * @param {string} token
 * @param {string} act
 * @param {Record<string, unknown>} [more]
 */
export async function teach({ code, version }, token, act, more = {}) {
  const done = /** @type {ActedClass} */ (await sendAct(`${classPath(code)}/acts`, token, { act, version, ...more }));
  return done.state;
}

/**
 * Returns the address that pupils type.
 * @param {string} code
 */
export function joinUrl(code) {
  return `${shared()}/j/${code}`;
}
