// A practice game against the computer for a pupil who waits. It counts for nothing, and ends when their game begins.

import { seatLabels } from "../board.js";
import { button, h, pause } from "../dom.js";
import { GamePage, getPosition } from "../game-page.js";
import { dress } from "../head.js";
import { newLink, rematchOf, withMoves } from "../link.js";

const THINKING = 600; // milliseconds before the computer moves, so that the reader sees their own move first

/**
 * Shows a practice game.
 * @param {HTMLElement} place
 * @param {ClassRules} rules
 * @param {AbortSignal} signal
 */
export async function practise(place, { game, options, level }, signal) {
  const changed = Object.fromEntries(Object.entries(options).map(([name, value]) => [name, String(value)]));
  const link = newLink(game, { options: changed, vs: String(level), seed: String(Date.now()) });
  const view = await getPosition(link, signal);
  if (signal.aborted) return;
  const page = new Practice(link, view, signal);
  dress(place, view.look);
  place.replaceChildren(page.element);
  page.draw();
}

class Practice extends GamePage {
  /**
   * @param {Link} link
   * @param {View} view
   * @param {AbortSignal} signal
   */
  constructor(link, view, signal) {
    super(link, view, signal);
    this.again = h(
      "p.row",
      button("Practise again", () => void this.rematch(), "main"),
    );
    this.element = h(
      "section.game.practice",
      { "aria-label": "Practice" },
      this.table.element,
      this.notice,
      this.again,
    );
  }

  get reader() {
    return this.link.seat;
  }

  get lively() {
    return true;
  }

  get labels() {
    return seatLabels(this.view, this.reader, "practice");
  }

  /** Whether it is the computer's turn. */
  get waiting() {
    return this.view.player !== null && this.view.player !== this.reader;
  }

  get active() {
    return super.active && !this.waiting;
  }

  get mood() {
    return this.waiting ? "wait" : super.mood;
  }

  draw() {
    super.draw();
    this.again.hidden = !this.over;
  }

  /**
   * @param {Link} link
   * @param {Promise<View> | View} view
   */
  async show(link, view) {
    await this.goTo(link, "keep", view);
    if (this.waiting) await this.reply();
  }

  /** @param {string} move */
  async play(move) {
    const next = withMoves(this.link, move);
    if (!this.busy) await this.safely(() => this.show(next, getPosition(next, this.signal)));
  }

  async reply() {
    await this.safely(async () => {
      const asked = this.ask("reply", { vs: this.link.vs ?? "", seed: this.link.seed });
      const [{ move, position }] = await this.current(Promise.all([asked, pause(THINKING)]));
      await this.show(withMoves(this.link, move), position);
    });
  }

  async rematch() {
    const next = rematchOf(this.link);
    await this.safely(() => this.show(next, getPosition(next, this.signal)));
  }
}
