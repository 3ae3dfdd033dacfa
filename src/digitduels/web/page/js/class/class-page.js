// The base class of a teacher's class pages: the latest state, a clock, and acts.

import { Failure, getAs } from "../api.js";
import { anchor, fill, h } from "../dom.js";
import { listen } from "../live.js";
import { say } from "../status.js";
import { classPath, enter, member, receiveToken, teach } from "./session.js";

const DELETED = "Its names, games and results are gone. You can start a new one.";

/** @typedef {TeacherClass | WallClass} Shown */

/** @template {Shown} [State=TeacherClass] */
export class ClassPage {
  /**
   * @param {State} state
   * @param {string} token
   * @param {HTMLElement} main
   * @param {AbortSignal} signal
   */
  constructor(state, token, main, signal) {
    this.state = state;
    this.token = token;
    this.signal = signal;
    this.busy = false;
    /** How far the clock of this machine is ahead of the server's, in seconds. */
    this.ahead = Date.now() / 1000 - state.now;
    this.notice = h("div.notice", { role: "alert" });
    const timer = setInterval(() => this.tick(), 1000);
    signal.addEventListener("abort", () => clearInterval(timer));
    const listener = {
      news: (/** @type {State} */ news) => this.hear(news),
      // Remove all names of a deleted class from the screen.
      gone: (/** @type {Failure} */ failure) => fill(main, gone(failure)),
    };
    void listen(`${classPath(state.code)}/events`, () => token, listener, signal);
  }

  /** The server's time. */
  get now() {
    return Date.now() / 1000 - this.ahead;
  }

  /** @param {State} news */
  hear(news) {
    if (news.version < this.state.version) return;
    this.state = news;
    this.ahead = Date.now() / 1000 - news.now;
    this.draw();
  }

  draw() {
    this.tick();
  }

  /** Called once a second. */
  tick() {
    // For pages with a clock.
  }

  /**
   * Sends an act of the teacher.
   * @param {string} act
   * @param {Record<string, unknown>} [more]
   * @param {string} [done] the message shown on success
   */
  async act(act, more = {}, done = "") {
    if (this.busy) return;
    this.busy = true;
    fill(this.notice);
    try {
      const state = await teach(this.state, this.token, act, more);
      if (state) this.hear(/** @type {State} */ (state));
      if (done) say(done);
    } catch (error) {
      if (error instanceof Error) fill(this.notice, h("p", error.message));
    } finally {
      this.busy = false;
    }
  }
}

/**
 * Says that the class was deleted, or that the link no longer opens it.
 * @param {Failure} failure
 */
export function gone({ status, message }) {
  const deleted = status === 404;
  return h(
    "section.sheet.narrow",
    { role: "alert" },
    h("h1", deleted ? "This class has been deleted" : "This link doesn't open the class any more"),
    h("p", deleted ? DELETED : message),
    h("p.row", anchor("Teach", "/teach", "main")),
  );
}

/**
 * Opens the class with the token in the fragment, or with one that this browser has; otherwise says what to do.
 * @param {Place} place
 * @param {string} code
 * @returns {Promise<{token: string, state: Shown} | null>}
 */
export async function openClass({ main, fragment, parts, signal }, code) {
  /** @type {("teacher" | "wall")[]} */
  const roles = parts[1] ? ["teacher", "wall"] : ["teacher"];
  const tokens = [receiveToken(fragment), ...roles.map((role) => member(code, role))].filter((token) => token !== null);
  /** @type {Failure | null} */
  let failure = null;
  for (const token of new Set(tokens)) {
    try {
      const state = /** @type {Shown | PupilClass} */ (await getAs(classPath(code), token, signal));
      if (state.role === "pupil") continue; // a link with the token of the pupil who sent it
      enter(code, state.role, token);
      return { token, state };
    } catch (error) {
      if (!(error instanceof Failure) || error.temporary) throw error;
      failure = error;
    }
  }
  if (failure) {
    fill(main, gone(failure));
    return null;
  }
  fill(
    main,
    h(
      "section.sheet.narrow",
      h("h1", "This is the teacher's page"),
      h("p", "It opens in the browser in which the class was started, and with a link from the desk there."),
      h("p.row", anchor("Join the class", `/j/${code}`, "main"), anchor("Start a class", "/teach")),
    ),
  );
  return null;
}
