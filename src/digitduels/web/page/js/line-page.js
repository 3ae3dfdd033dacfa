// A page on which the reader moves for both sides, forward and back: explore, and the wall display.

import { GamePage } from "./game-page.js";
import { cutTo } from "./link.js";
import { Stepper } from "./stepper.js";

export class LinePage extends GamePage {
  /**
   * @param {Link} link
   * @param {View} view
   * @param {AbortSignal} signal
   */
  constructor(link, view, signal) {
    super(link, view, signal);
    /** The moves played, including those undone by stepping back. */
    this.line = link.moves;
    this.stepper = new Stepper((at) => void this.step(at), signal);
  }

  /** Values load while the reader can already choose a move. */
  get active() {
    return !this.over;
  }

  draw() {
    super.draw();
    this.stepper.update(this.link.moves.length, this.line.length);
  }

  /** @param {number} at */
  async step(at) {
    const { line } = this;
    await this.safely(() => this.goTo(cutTo({ ...this.link, moves: line }, at)));
  }

  /**
   * @param {Link} link
   * @param {import("./game-page.js").Step} [step]
   */
  async goTo(link, step) {
    const before = this.line;
    if (link.moves.some((move, ply) => before[ply] !== move)) this.line = link.moves;
    try {
      await super.goTo(link, step);
    } catch (error) {
      this.line = before;
      throw error;
    }
  }
}
