// Controls for what each player has left; the map then shows the scores that are possible with it.

import { fill, h } from "./dom.js";

export class StockChooser {
  /** @param {() => void} changed */
  constructor(changed) {
    this.placed = "";
    this.element = h("div.chooser", { hidden: true, onchange: changed });
  }

  /** @param {PositionView} view */
  update({ names, board: { hands }, placed }) {
    this.placed = placed;
    this.element.hidden = hands.every(({ stocks }) => !stocks.length);
    fill(
      this.element,
      hands.map(({ stocks }, seat) => {
        const title = `Left for ${names[seat]}`;
        return h(
          "fieldset",
          h("legend", title),
          stocks.map((stock) => this.#select(stock, title)),
        );
      }),
    );
  }

  /** The position with the chosen stocks and scores of zero. */
  get position() {
    const [player, , , table] = this.placed.split(";");
    const hands = [...this.element.children].map((side) =>
      [0, ...[...side.querySelectorAll("select")].map(({ value }) => value)].join(","),
    );
    return [player, ...hands, table].join(";");
  }

  /**
   * @param {Stock} stock
   * @param {string} title
   */
  #select({ label, left, of }, title) {
    const counts = Array.from({ length: of + 1 }, (_, count) =>
      h("option", { value: String(count), selected: count === left }, String(count)),
    );
    const select = h("select", { "aria-label": `${title}: ${label}` }, counts);
    return h("label", h("span", { "aria-hidden": "true" }, label), select);
  }
}
