// The classes that this browser belongs to, and requests to them.

import { Failure, getAs, identify, post } from "../api.js";
import { pause } from "../dom.js";
import { secret } from "../seats.js";
import { forget, recallNames, recallSecret, remember } from "../storage.js";

const TRIES = 10; // attempts of an act without a response; its idempotency key makes it happen once
const WAIT = [300, 600, 1200, 2400]; // backoff in milliseconds

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
  const { code, token } = /** @type {NewClass} */ (await post("/api/classes", { ...rules, key: secret() }));
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
 * Joins a class. A retry has the same idempotency key, so that a lost response creates no second pupil.
 * @param {string} code
 * @param {string} name
 */
export async function joinClass(code, name) {
  const key = recallSecret(`class:key:${code}`) ?? secret();
  remember(`class:key:${code}`, key);
  const { token, state } = /** @type {JoinedClass} */ (await post(`${classPath(code)}/pupils`, { name, key }));
  enter(code, "pupil", token);
  return state;
}

/**
 * Sends an act of the teacher. After a version conflict, it is retried on the latest state.
 * @param {TeacherClass} state
 * @param {string} token
 * @param {string} act
 * @param {Record<string, unknown>} [more]
 */
export async function teach(state, token, act, more = {}) {
  const body = { act, version: state.version, key: secret(), ...more };
  for (let tries = 1; ; tries += 1) {
    try {
      const done = /** @type {ActedClass} */ (await post(`${classPath(state.code)}/acts`, body, token));
      return done.state;
    } catch (error) {
      if (!(error instanceof Failure) || tries >= TRIES) throw error;
      const newer = /** @type {TeacherClass | undefined} */ (error.body?.state);
      if (error.status === 409 && newer) body.version = newer.version;
      else if (error.temporary) await pause(WAIT[Math.min(tries, WAIT.length) - 1] ?? 0);
      else throw error;
    }
  }
}

/**
 * Returns the address that pupils type.
 * @param {string} code
 */
export function joinUrl(code) {
  return `${location.origin}/j/${code}`;
}
