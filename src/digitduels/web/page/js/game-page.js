// The base class of all pages with a game: the table, the status line, requests to the server, and their errors.

import { Failure, get, getComputed, givenPosition, untilReachable } from "./api.js";
import { seatLabels } from "./board.js";
import { button, fill, h } from "./dom.js";
import { cutTo, queryOf, withMoves } from "./link.js";
import { note } from "./router.js";
import { tellAll } from "./sentence.js";
import { say, sayWait } from "./status.js";
import { moveList, Table } from "./table.js";
import { inside } from "./transport.js";

/** Thrown for a response about a position that the page no longer shows. */
class Late extends Error {}

/** A request for a position on which the reader chooses a move. */
export const WITH_EFFECTS = { effects: "on" };

/** How the page's URL changes with the position. */
/** @typedef {"push" | "replace" | "keep"} Step */

export class GamePage {
  /** Counts the actions started, so that an older one does not end a newer one. */
  #started = 0;

  /**
   * @param {Link} link
   * @param {View} view
   * @param {AbortSignal} signal
   */
  constructor(link, view, signal) {
    this.link = link;
    this.view = view;
    this.signal = signal;
    this.busy = false;
    /** Counts the positions shown, so that a response about an older one can be ignored. */
    this.shown = 0;
    this.notice = h("div.notice", { role: "alert" });
    this.record = h("div");
    this.table = new Table({
      view,
      signal,
      confirm: () => this.confirms,
      query: () => queryOf(this.here),
      reader: () => this.reader,
      play: (move) => this.play(move),
      lively: () => this.lively,
      silent: () => this.silent,
    });
  }

  /** Whether a game is played here, not studied. If so, there are sounds, and a win is celebrated. */
  get lively() {
    return false;
  }

  get silent() {
    return false;
  }

  /** The seat of the one person who reads this page; null if nobody or two people do. @returns {Seat | null} */
  get reader() {
    return null;
  }

  /** The position on the table. */
  get here() {
    return this.link;
  }

  /** The path of this page with this game. */
  get path() {
    return inside(location.pathname) + location.search;
  }

  get labels() {
    return seatLabels(this.view, this.reader);
  }

  get over() {
    return this.view.outcome !== null;
  }

  /** Whether a move may be chosen now. */
  get active() {
    return !this.over && !this.busy;
  }

  /** Whether a chosen move has to be confirmed with "Play". */
  get confirms() {
    return false;
  }

  /** @returns {import("./status.js").Mood} */
  get mood() {
    return this.over ? "over" : "turn";
  }

  /** Shows the position. */
  draw() {
    this.table.update(this.view, this.labels, this.active);
    fill(this.record, moveList(this.view, this.reader));
    fill(this.notice);
    this.sayStatus();
  }

  sayStatus() {
    say(tellAll(this.view.status, this.reader), this.mood);
  }

  /**
   * Plays a move that was chosen on the table.
   * @param {string} move
   * @returns {Promise<void>}
   */
  async play(move) {
    await this.safely(() => this.goTo(withMoves(this.link, move)));
  }

  /**
   * Shows another position of this game.
   * @param {Link} link
   * @param {Step} [step]
   * @param {Promise<View> | View} [view] the position; by default it is fetched
   */
  async goTo(link, step = "push", view = getPosition(link, this.signal, WITH_EFFECTS)) {
    this.view = await this.current(view);
    this.shown += 1;
    this.link = link;
    this.busy = false;
    if (step !== "keep") note(this.path, step === "replace");
    this.draw();
  }

  /**
   * Asks the server about the position on the table.
   * @param {string} what the route
   * @param {Record<string, string>} [more]
   */
  async ask(what, more = {}) {
    const { here } = this;
    return this.current(getComputed(`/api/${what}/${here.game}`, queryOf(here, more), this.signal, sayWait));
  }

  /**
   * Runs an action. If it fails, shows the error and leaves the game unchanged.
   * @param {() => Promise<void>} act
   */
  async safely(act) {
    const number = (this.#started += 1);
    this.busy = true;
    fill(this.notice);
    try {
      await act();
    } catch (error) {
      if (!this.signal.aborted && !(error instanceof Late)) this.fail(error, act);
    } finally {
      if (number === this.#started) this.busy = false;
    }
  }

  /**
   * Shows an error and a button to try again. If there was no response, the page tries again by itself.
   * @param {unknown} error
   * @param {() => Promise<void>} act
   */
  fail(error, act) {
    if (error instanceof Failure && error.status === 0) void this.#goOnWhenReachable(act);
    fill(
      this.notice,
      h("p", messageOf(error)),
      !(error instanceof Failure && error.tooLarge) && button("Try again", () => void this.safely(act), "main"),
    );
  }

  /** @param {() => Promise<void>} act */
  async #goOnWhenReachable(act) {
    const number = this.#started;
    await untilReachable(this.signal);
    // The reader may have tried again, or done something else.
    if (number === this.#started && !this.signal.aborted) await this.safely(act);
  }

  /** How many moves remain after a take-back by the reader, or by the last player if there is no reader. */
  get back() {
    const { view } = this;
    if (view.conceded) return view.moves.length;
    const seat = this.reader ?? view.history.at(-1)?.player;
    return seat === undefined ? null : (view.back[seat - 1] ?? null);
  }

  /** Whether the reader may take back a move. */
  get takesBack() {
    return false;
  }

  async takeBack() {
    const { back } = this;
    if (back !== null) await this.safely(() => this.goTo(cutTo(this.link, back)));
  }

  /**
   * Returns the response, unless the page now shows another position.
   * @template T
   * @param {Promise<T> | T} answer
   */
  async current(answer) {
    const { shown } = this;
    const value = await answer;
    if (shown !== this.shown || this.signal.aborted) throw new Late();
    return value;
  }
}

/**
 * Fetches the position of a link.
 * @param {Link} link
 * @param {AbortSignal} signal
 * @param {Record<string, string>} [more] further query parameters
 * @returns {Promise<PositionView>}
 */
export function getPosition(link, signal, more = {}) {
  return get(`/api/position/${link.game}`, queryOf(link, more), signal);
}

/**
 * Returns the position of the link that the page was opened with: the embedded one, or else from the server.
 * @param {Link} link
 * @param {AbortSignal} signal
 * @returns {Promise<PositionView>}
 */
export async function getFirstPosition(link, signal) {
  const view = givenPosition(String(queryOf(link)));
  // The embedded position belongs to the first page of the visit only.
  const same = view?.game === link.game && view.moves.join(" ") === link.moves.join(" ") && !link.names;
  return view && same ? view : getPosition(link, signal, WITH_EFFECTS);
}

/** @param {unknown} error */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
