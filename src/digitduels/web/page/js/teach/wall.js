// A board for the whole class. Values stay hidden until the teacher asks for them.

import { anchor, button, fill, h } from "../dom.js";
import { getPosition } from "../game-page.js";
import { LinePage } from "../line-page.js";
import { note, setTitle } from "../router.js";
import { tellAll } from "../sentence.js";
import { teachPath } from "./class-link.js";

/** @param {import("./class-link.js").Lesson} lesson */
export async function show({ main, link, own, signal }) {
  const shared = { ...link, vs: null };
  const view = await getPosition(shared, signal);
  if (signal.aborted) return;
  setTitle(view.title);
  const page = new Wall(shared, view, signal, own["values"] === "on");
  fill(main, page.element);
  page.draw();
  await page.evaluate();
}

class Wall extends LinePage {
  /**
   * @param {Link} link
   * @param {View} view
   * @param {AbortSignal} signal
   * @param {boolean} values
   */
  constructor(link, view, signal, values) {
    super(link, view, signal);
    this.values = values;
    this.quest = h("p.quest");
    this.toggle = button("Values", () => void this.toggleValues());
    const leave = anchor("Leave", `/teach?game=${link.game}`);
    this.element = h(
      "article.projector",
      h(
        "div.bar-row",
        h("h1", view.title),
        h("div.row", this.stepper.element, this.toggle, leave),
      ),
      this.table.element,
      this.quest,
      this.notice,
    );
  }

  get path() {
    return teachPath(this.link, { show: "board", seed: null, values: this.values ? "on" : null });
  }

  draw() {
    super.draw();
    this.toggle.setAttribute("aria-pressed", String(this.values));
    this.quest.textContent = "";
  }

  /** @param {Link} link */
  async goTo(link) {
    await super.goTo(link, "replace");
    await this.evaluate();
  }

  async toggleValues() {
    this.values = !this.values;
    note(this.path, true);
    this.draw();
    await this.evaluate();
  }

  async evaluate() {
    if (!this.values || this.over) return;
    await this.safely(async () => {
      const solved = /** @type {Solved} */ (await this.ask("solve"));
      if (!this.values) return;
      this.table.picker.judge(solved.each);
      this.quest.textContent = tellAll(solved.standing);
      this.sayStatus();
    });
  }
}
