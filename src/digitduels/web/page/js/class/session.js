// The classes that this browser belongs to, and what it does in them.

import { Failure, getAs, identify, post } from "../api.js";
import { pause } from "../dom.js";
import { secret } from "../seats.js";
import { forget, recall, recallNames, remember } from "../storage.js";

const TRIES = 10; // of an act without an answer; its key makes it happen once
const WAIT = [300, 600, 1200, 2400]; // milliseconds before the next try

/** @typedef {{role: "teacher" | "pupil", token: string}} Membership */

/** @param {string} code */
export function classPath(code) {
  return `/api/classes/${code}`;
}

/**
 * Who the reader is in a class; null for a stranger.
 * @param {string} code
 * @param {Membership["role"]} role
 */
export function member(code, role) {
  const token = recall(`class:${role}:${code}`);
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
 * Starts a class; its code.
 * @param {Record<string, unknown>} rules
 */
export async function startClass(rules) {
  const { code, token, state } = /** @type {NewClass} */ (await post("/api/classes", { ...rules, key: secret() }));
  enter(code, "teacher", token);
  remember(`class:deleted:${code}`, String(state.deleted));
  return code;
}

/**
 * Forgets that this browser is the teacher of a class.
 * @param {string} code
 */
export function forgetClass(code) {
  forget(`class:teacher:${code}`);
  forget(`class:deleted:${code}`);
}

/**
 * The classes that this browser is the teacher of. Those that are gone are forgotten.
 * @param {AbortSignal} signal
 */
export async function myClasses(signal) {
  const found = [];
  for (const code of recallNames("class:teacher:")) {
    const deleted = Number(recall(`class:deleted:${code}`) ?? Infinity);
    try {
      if (deleted * 1000 < Date.now()) forgetClass(code);
      else
        found.push(
          /** @type {TeacherClass} */ (await getAs(classPath(code), recall(`class:teacher:${code}`) ?? "", signal)),
        );
    } catch (error) {
      if (error instanceof Failure && (error.status === 404 || error.status === 403)) forgetClass(code);
    }
  }
  return found;
}

/**
 * Joins a class. A second try has the same key, so that a lost answer makes no second pupil.
 * @param {string} code
 * @param {string} name
 */
export async function joinClass(code, name) {
  const key = recall(`class:key:${code}`) ?? secret();
  remember(`class:key:${code}`, key);
  const { token, state } = /** @type {JoinedClass} */ (await post(`${classPath(code)}/pupils`, { name, key }));
  enter(code, "pupil", token);
  return state;
}

/**
 * Does something as the teacher. If the class has gone on meanwhile, the act is for its newest state.
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
 * The address that pupils type.
 * @param {string} code
 */
export function joinUrl(code) {
  return `${location.origin}/j/${code}`;
}
