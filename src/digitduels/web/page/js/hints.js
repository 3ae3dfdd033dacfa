// Hints in four steps, from who is winning to the move.

import { button, paragraphs } from "./dom.js";
import { tellEach } from "./sentence.js";
import { say, whisper } from "./status.js";

const STEPS = 4;

export class Hints {
  /**
   * @param {import("./game-page.js").GamePage} page
   * @param {import("./notebook.js").Notebook} notebook
   */
  constructor(page, notebook) {
    this.page = page;
    this.notebook = notebook;
    this.step = 0;
    this.button = button("Hint", () => void this.show(this.step + 1));
  }

  clear() {
    this.step = 0;
    this.notebook.clear();
    this.button.textContent = "Hint";
  }

  /**
   * Shows a step of the hint, at most the last one.
   * @param {number} next
   */
  async show(next = STEPS) {
    await this.page.safely(async () => {
      const step = Math.min(next, STEPS);
      const takebacks = this.page.takesBack ? "on" : "off";
      const { lines } = /** @type {Hint} */ (await this.page.ask("hint", { step: String(step), takebacks }));
      const texts = tellEach(lines, this.page.reader);
      this.step = step;
      this.notebook.advise(`Hint ${step} of ${STEPS}`, paragraphs(texts));
      this.button.textContent = step < STEPS ? "Next hint" : "Hint";
      // The status line has one line; the rest is in the notebook.
      say(texts[0] ?? "", "turn");
      whisper(texts.slice(1).join(" "));
    });
  }
}
