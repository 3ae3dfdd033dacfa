// Buttons and arrow keys that step through a game.

import { h, set } from "./dom.js";

export class Stepper {
  /**
   * @param {(at: number) => void} step
   * @param {AbortSignal} signal
   * @param {Element} [middle] the element between the buttons; by default the number of the current move
   */
  constructor(step, signal, middle) {
    this.at = 0;
    this.last = 0;
    this.step = step;
    this.start = this.#button("«", "Go to the start", () => 0);
    this.back = this.#button("‹", "Back", () => this.at - 1);
    this.ply = h("span.ply");
    this.forward = this.#button("›", "Forward", () => this.at + 1);
    this.end = this.#button("»", "Go to the end", () => this.last);
    this.element = h(
      "div.steps",
      { role: "group", "aria-label": "Step through the game" },
      this.start,
      this.back,
      middle ?? this.ply,
      this.forward,
      this.end,
    );
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
  }

  /**
   * @param {number} at
   * @param {number} last
   */
  update(at, last) {
    this.at = at;
    this.last = last;
    this.ply.textContent = last ? `${at} / ${last}` : "–";
    for (const button of [this.start, this.back]) set(button, "aria-disabled", at <= 0 ? "true" : null);
    for (const button of [this.forward, this.end]) set(button, "aria-disabled", at >= last ? "true" : null);
  }

  /**
   * @param {string} sign
   * @param {string} label
   * @param {() => number} where
   */
  #button(sign, label, where) {
    const props = { type: "button", class: "quiet", "aria-label": label, title: label };
    return h("button", { ...props, onclick: () => this.#go(where()) }, h("span", { "aria-hidden": "true" }, sign));
  }

  /** @param {number} at */
  #go(at) {
    if (at >= 0 && at <= this.last && at !== this.at) this.step(at);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const target = event.target instanceof Element ? event.target : document.body;
    if (!way || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (!this.element.isConnected || target.closest("input, select, textarea, dialog[open], .picker")) return;
    event.preventDefault();
    this.#go(this.at + way);
  }
}
