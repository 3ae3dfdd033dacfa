// Hints in four steps, from how the game stands to the move.

import { button, fill, h, paragraphs } from "./dom.js";
import { tellEach } from "./sentence.js";
import { say } from "./status.js";

const STEPS = 4;

export class Hints {
  /**
   * @param {import("./game-page.js").GamePage} page
   * @param {string} label of the section
   */
  constructor(page, label) {
    this.page = page;
    this.step = 0;
    this.section = h("section", { class: "advice", hidden: true, "aria-label": label });
    this.button = button("Hint", () => void this.#next());
  }

  clear() {
    this.step = 0;
    this.section.hidden = true;
    fill(this.section);
    this.button.textContent = "Hint";
  }

  /** @param {import("./dom.js").Children} content */
  show(...content) {
    this.section.hidden = false;
    fill(this.section, ...content);
  }

  async #next() {
    await this.page.safely(async () => {
      const step = Math.min(this.step + 1, STEPS);
      const { lines } = /** @type {Hint} */ (await this.page.ask("hint", { step: String(step) }));
      const texts = tellEach(lines, this.page.reader);
      this.step = step;
      this.show(h("h2", null, `Hint ${step} of ${STEPS}`), paragraphs(texts));
      this.button.textContent = step < STEPS ? "More" : "Hint";
      say(texts.join(" "), "turn");
    });
  }
}
