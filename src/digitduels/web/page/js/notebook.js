// The panel beside the board: the moves so far, or hints and values when the reader asks for them.

import { fill, h, set } from "./dom.js";

export class Notebook {
  /**
   * @param {HTMLElement} record the moves so far
   * @param {() => void} closed called when the reader closes the advice
   */
  constructor(record, closed) {
    this.record = record;
    this.title = h("h2");
    this.body = h("div.body");
    this.close = h("button.plain.close", { type: "button", "aria-label": "Back to the moves", onclick: closed }, "×");
    this.element = h("section.notebook", h("header", this.title, this.close), this.body);
    this.clear();
  }

  /** Shows the moves. */
  clear() {
    this.#show("Moves", "Moves", [this.record]);
    this.close.hidden = true;
  }

  /**
   * Shows advice in place of the moves.
   * @param {string} title
   * @param {...(import("./dom.js").Child | import("./dom.js").Child[])} content
   */
  advise(title, ...content) {
    this.#show("Hints and values", title, content);
    this.close.hidden = false;
  }

  /**
   * @param {string} label
   * @param {string} title
   * @param {import("./dom.js").Children} content
   */
  #show(label, title, content) {
    set(this.element, "aria-label", label);
    this.title.textContent = title;
    fill(this.body, ...content);
    this.body.scrollTop = 0;
  }
}
