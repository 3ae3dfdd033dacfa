// A position to look at: scores as ways to the goal, and what is used up as tiles.

import { fill, h, set } from "./dom.js";

const SEATS = ["●", "○"];
const PIPS = 4; // up to this many of a kind are dots; more are a number

/** Who sits there, and a note about them. */
/** @typedef {{name: string, note: string}} Label */
/** @typedef {[Label, Label]} Labels */

/**
 * The players by name; the reader is marked.
 * @param {{names: [string, string]}} game
 * @param {Seat | null} reader
 * @param {string} [opponent] a note about the other player
 * @returns {Labels}
 */
export function seatLabels({ names: [one, two] }, reader, opponent = "") {
  const note = (/** @type {Seat} */ seat) => (reader === null ? "" : seat === reader ? "you" : opponent);
  return [
    { name: one, note: note(1) },
    { name: two, note: note(2) },
  ];
}

export class Board {
  /** @param {View} view */
  constructor(view) {
    this.hands = [new Player(view, 0), new Player(view, 1)];
    this.table = new Part(view.board.table, view.board.goal, "Between the players");
    this.element = h(
      "div",
      { class: "board" },
      h(
        "div",
        { class: "players" },
        this.hands.map((hand) => hand.element),
      ),
      this.table.element,
    );
  }

  /**
   * @param {View} view
   * @param {Labels} labels
   * @param {boolean} pool whether what lies on the table is shown here, not among the choices
   */
  update(view, labels, pool) {
    this.hands.forEach((hand, seat) => hand.update(view, /** @type {Label} */ (labels[seat])));
    this.table.update(view.board.table, view.board.goal);
    this.table.element.hidden = !this.table.shows(pool);
  }
}

class Player {
  /**
   * @param {View} view
   * @param {number} seat
   */
  constructor(view, seat) {
    this.seat = seat;
    this.name = h("span", { class: "name" });
    this.note = h("span", { class: "note" });
    this.part = new Part(/** @type {Side} */ (view.board.hands[seat]), view.board.goal, `Player ${seat + 1}`);
    this.element = h(
      "section",
      { class: "player", "aria-label": `Player ${seat + 1}` },
      h("h2", null, h("span", { class: "seat", "aria-hidden": "true" }, SEATS[seat]), " ", this.name, " ", this.note),
      this.part.element,
    );
  }

  /**
   * @param {View} view
   * @param {Label} label
   */
  update(view, label) {
    this.name.textContent = label.name;
    this.note.textContent = label.note;
    set(this.element, "aria-label", label.name);
    this.element.classList.toggle("turn", view.player === this.seat + 1);
    this.element.classList.toggle("won", view.outcome?.winner === this.seat + 1);
    this.part.update(/** @type {Side} */ (view.board.hands[this.seat]), view.board.goal);
  }
}

/** A hand or the table: its score, if it has one, and its stocks. */
class Part {
  /**
   * @param {Side} side
   * @param {Integer | null} goal
   * @param {string} label
   */
  constructor(side, goal, label) {
    this.score = side.score === null ? null : h("strong", { class: "score" });
    this.rest = h("span", { class: "rest" });
    this.bar = h("span", { class: "bar" });
    this.meter =
      goal === null
        ? null
        : h("div", { class: "meter", role: "meter", "aria-label": `${label}: way to the goal` }, this.bar);
    this.stocks = side.stocks.length ? h("ul", { class: "stocks" }) : null;
    this.element = h(
      "div",
      { class: "part" },
      this.score && h("p", { class: "figures" }, this.score, this.rest),
      this.score && this.meter,
      this.stocks,
    );
    /** @type {Integer | null} */
    this.last = null;
  }

  /** @param {boolean} pool */
  shows(pool) {
    if (this.stocks) this.stocks.hidden = !pool;
    return Boolean(this.score) || (pool && Boolean(this.stocks));
  }

  /**
   * @param {Side} side
   * @param {Integer | null} goal
   */
  update(side, goal) {
    if (this.score && side.score !== null) {
      const changed = this.last !== null && this.last !== side.score;
      this.last = side.score;
      this.score.textContent = figure(side.score);
      if (changed) again(this.score, "bump");
      if (goal !== null) this.#way(Number(side.score), Number(goal), figure(goal));
    }
    if (this.stocks) {
      fill(
        this.stocks,
        side.stocks.map((stock) =>
          h(
            "li",
            { class: stock.left ? "stock" : "stock gone" },
            h("span", { class: "label" }, stock.label),
            left(stock),
          ),
        ),
      );
    }
  }

  /**
   * @param {number} score
   * @param {number} goal
   * @param {string} written
   */
  #way(score, goal, written) {
    const share = Number.isFinite(goal) ? Math.max(0, Math.min(1, score / goal)) : 0;
    this.bar.style.setProperty("transform", `scaleX(${share})`);
    this.rest.textContent = ` / ${written}`;
    if (!this.meter) return;
    this.meter.classList.toggle("over", score > goal);
    this.meter.classList.toggle("full", score === goal);
    set(this.meter, "aria-valuemin", Math.min(0, score));
    set(this.meter, "aria-valuemax", Math.max(goal, score));
    set(this.meter, "aria-valuenow", score);
    set(this.meter, "aria-valuetext", `${figure(score)} of ${written}`);
  }
}

/**
 * How many are left: dots for a few, else a number.
 * @param {Stock} stock
 */
export function left(stock) {
  const words = `${stock.left} left`;
  const few = stock.of <= PIPS;
  const dots = "●".repeat(few ? stock.left : 0) + "○".repeat(few ? stock.of - stock.left : 0);
  return h(
    "span",
    { class: "left" },
    few && h("span", { "aria-hidden": "true" }, dots),
    // The comma is heard: without it "1" and "2 left" would be "12 left".
    h("span", { class: few ? "hidden" : "" }, few ? `, ${words}` : words),
  );
}

/**
 * A number that fits its place: the first digits of a very long one.
 * @param {Integer} number
 */
export function figure(number) {
  const text = String(number).replace(/^-(?=\d)/, "−");
  return text.length <= 9 || /\D/.test(text) ? text : `${text.slice(0, 4)}… (${text.length} digits)`;
}

/**
 * Plays an animation from its beginning.
 * @param {HTMLElement} element
 * @param {string} name
 */
function again(element, name) {
  element.classList.remove(name);
  void element.offsetWidth;
  element.classList.add(name);
}
