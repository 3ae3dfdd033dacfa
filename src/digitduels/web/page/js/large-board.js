// One large board for a whole class, readable from the last row. Values stay hidden until the teacher asks for them.

import { button, fill, h } from "./dom.js";
import { LinePage } from "./line-page.js";
import { tellAll } from "./sentence.js";

export class LargeBoard extends LinePage {
  /**
   * @param {Link} link
   * @param {View} view
   * @param {AbortSignal} signal
   * @param {...import("./dom.js").Child} links to other pages
   */
  constructor(link, view, signal, ...links) {
    super(link, view, signal);
    this.values = false;
    this.quest = h("div.quest", { role: "status" });
    this.toggle = button("Values", () => void this.toggleValues());
    this.controls = h("div.row", this.toggle, links);
    this.element = h(
      "article.projector",
      h("div.bar-row", h("h1", view.title), this.controls),
      this.table.element,
      this.quest,
      this.notice,
    );
  }

  draw() {
    super.draw();
    this.toggle.setAttribute("aria-pressed", String(this.values));
    fill(this.quest);
  }

  async toggleValues() {
    this.values = !this.values;
    this.draw();
    await this.evaluate();
  }

  async evaluate() {
    if (!this.values || this.over) return;
    await this.safely(async () => {
      const solved = /** @type {Solved} */ (await this.ask("solve"));
      if (!this.values) return;
      this.table.picker.judge(solved.each);
      fill(this.quest, h("p", tellAll(solved.standing)), !this.active && keepingMoves(solved));
      this.sayStatus();
    });
  }
}

/**
 * Lists the moves that keep the result, for a board on which the choices show nothing.
 * @param {Solved} solved
 */
function keepingMoves({ each, value }) {
  const keeping = each.filter((move) => move.value === value && move.value !== "loss").map(({ shown }) => shown);
  return keeping.length > 0 && h("p", `Moves that keep it: ${keeping.join(", ")}`);
}
