// The base class of a teacher's class pages: the latest state, a clock, and acts.

import { getAs } from "../api.js";
import { anchor, fill, h } from "../dom.js";
import { listen } from "../live.js";
import { say } from "../status.js";
import { classPath, member, teach } from "./session.js";

export class ClassPage {
  /**
   * @param {TeacherClass} state
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
      news: (/** @type {TeacherClass} */ news) => this.hear(news),
      // Remove all names of a deleted class from the screen.
      gone: (/** @type {import("../api.js").Failure} */ { message }) => fill(main, gone(message)),
    };
    void listen(`${classPath(state.code)}/events`, () => token, listener, signal);
  }

  /** The server's time. */
  get now() {
    return Date.now() / 1000 - this.ahead;
  }

  /** @param {TeacherClass} news */
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
      if (state) this.hear(state);
      if (done) say(done);
    } catch (error) {
      if (error instanceof Error) fill(this.notice, h("p", error.message));
    } finally {
      this.busy = false;
    }
  }
}

/**
 * Shows that the class was deleted.
 * @param {string} message
 */
export function gone(message) {
  return h(
    "section.sheet.narrow",
    h("h1", "This class is gone"),
    h("p", message),
    h("p.row", anchor("Teach", "/teach", "main")),
  );
}

/**
 * Opens the class if this browser is its teacher; otherwise says what to do.
 * @param {string} code
 * @param {HTMLElement} main
 * @param {AbortSignal} signal
 */
export async function openClass(code, main, signal) {
  const token = member(code, "teacher");
  if (token) return { token, state: /** @type {TeacherClass} */ (await getAs(classPath(code), token, signal)) };
  fill(
    main,
    h(
      "section.sheet.narrow",
      h("h1", "This is the teacher's page"),
      h("p", "It opens in the browser in which the class was started."),
      h("p.row", anchor("Join the class", `/j/${code}`, "main"), anchor("Start a class", "/teach")),
    ),
  );
  return null;
}
