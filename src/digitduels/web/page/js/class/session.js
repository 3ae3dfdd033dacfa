// The classes that this browser belongs to, and requests to them.

import { Failure, getAs, identify, post, retry } from "../api.js";
import { newKey, sendAct } from "../send-act.js";
import { forget, recallNames, recallSecret, remember } from "../storage.js";

/** @typedef {{role: "teacher" | "pupil", token: string}} Membership */

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
function enter(code, role, token) {
  remember(`class:${role}:${code}`, token);
  identify(token);
}

/**
 * Creates a class and returns its code.
 * @param {Record<string, unknown>} rules
 */
export async function startClass(rules) {
  const body = { ...rules, key: newKey() };
  const { code, token } = /** @type {NewClass} */ (await retry(() => post("/api/classes", body)));
  enter(code, "teacher", token);
  return code;
}

/**
 * Deletes the teacher's token of a class from this browser.
 * @param {string} code
 */
export function forgetClass(code) {
  forget(`class:teacher:${code}`);
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
  const request = () => post(`${classPath(code)}/pupils`, { name, key });
  const { token, state } = /** @type {JoinedClass} */ (await retry(request));
  enter(code, "pupil", token);
  return state;
}

/**
 * Sends an act of the teacher; returns the new state, or null if the class was deleted.
 * @param {TeacherClass} state
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
  return `${location.origin}/j/${code}`;
}
