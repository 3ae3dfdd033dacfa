// A board on which the whole class plays together.

import { anchor, fill } from "../dom.js";
import { getPosition } from "../game-page.js";
import { LargeBoard } from "../large-board.js";
import { note, setTitle } from "../router.js";
import { teachPath } from "./class-link.js";

/** @param {import("./class-link.js").TeachPlace} place */
export async function show({ main, link, own, signal }) {
  const shared = { ...link, vs: null };
  const view = await getPosition(shared, signal);
  if (signal.aborted) return;
  setTitle(view.title);
  const page = new DemoBoard(shared, view, signal, anchor("Leave", `/teach?game=${link.game}`));
  page.values = own["values"] === "on";
  page.controls.prepend(page.stepper.element);
  fill(main, page.element);
  page.draw();
  await page.evaluate();
}

class DemoBoard extends LargeBoard {
  get path() {
    return teachPath(this.link, { show: "board", seed: null, values: this.values ? "on" : null });
  }

  /** @param {Link} link */
  async goTo(link) {
    await super.goTo(link, "replace");
    await this.evaluate();
  }

  async toggleValues() {
    const done = super.toggleValues();
    note(this.path, true);
    await done;
  }
}
