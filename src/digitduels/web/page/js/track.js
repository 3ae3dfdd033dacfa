// The number line: both players, the target as a gate, the last move as a hop, the previewed move as a ghost.

import { calm, fill } from "./dom.js";
import { marksOf, placeOf, rangeOf, shortly } from "./scale.js";
import { svg } from "./svg.js";

const SIDE = 18; // pixels left of the line
const PAST = 52; // right of it, for numbers past the target
const UNDER = 34; // below it
const LARGE = 110; // above this height everything is drawn larger
const HUGE = 126; // above 1.4 times this height it grows with it
const HOP = 300; // milliseconds

/** A move on the line: the start, the result before the rules change it, and the end. */
/** @typedef {{seat: number, from: number, over: number | null, to: number}} Jump */
/** A token: its seat (0 if both players share it), and its place. */
/** @typedef {{seat: number, at: number}} Token */

export class Track {
  constructor() {
    this.rail = svg("g", { class: "rail" });
    this.trace = svg("g", { class: "trace" });
    this.ghost = svg("g", { class: "ghost" });
    this.tokens = svg("g", { class: "tokens" });
    this.element = svg("svg", { class: "track", role: "img" }, this.rail, this.trace, this.ghost, this.tokens);
    this.width = 0;
    this.height = 0;
    /** @type {number | null} */
    this.goal = null;
    /** @type {Token[]} */
    this.places = [];
    /** @type {Jump | null} */
    this.last = null;
    /** @type {{jump: Jump, tone: string} | null} */
    this.next = null;
    this.range = rangeOf(null, []);
    new ResizeObserver(() => this.#measure()).observe(this.element);
  }

  /**
   * @param {number | null} goal
   * @param {Token[]} places
   * @param {Jump | null} last the last hop
   * @param {string} words what the picture shows
   */
  update(goal, places, last, words) {
    const moved = places.find(({ seat, at }) => this.places.some((old) => old.seat === seat && old.at !== at));
    this.goal = goal;
    this.places = places;
    this.last = last;
    this.next = null;
    this.element.setAttribute("aria-label", words);
    this.#draw();
    if (moved && last && last.seat === moved.seat) this.#hop(last);
  }

  /**
   * Previews a move; null removes the preview.
   * @param {Jump | null} jump
   * @param {string} [tone]
   */
  foresee(jump, tone = "neutral") {
    this.next = jump && { jump, tone };
    this.#draw();
  }

  #measure() {
    const { clientWidth, clientHeight } = this.element;
    if (clientWidth === this.width && clientHeight === this.height) return;
    this.width = clientWidth;
    this.height = clientHeight;
    this.element.classList.toggle("large", this.#size > 1);
    this.#draw();
  }

  #draw() {
    if (!this.width) return;
    const jumps = [this.last, this.next?.jump].filter((jump) => jump !== null && jump !== undefined);
    const numbers = jumps.flatMap(({ from, over, to }) => [from, over ?? to, to]);
    // An intermediate result below zero is drawn at the start of the line.
    const kept = numbers.filter((number) => number >= 0 || this.places.some(({ at }) => at < 0));
    this.range = rangeOf(this.goal, [...this.places.map(({ at }) => at), ...kept]);
    this.element.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.#drawRail();
    fill(this.trace, this.last ? this.#arcs(this.last, `seat-${this.last.seat}`) : []);
    const { next } = this;
    fill(this.ghost, next ? [...this.#arcs(next.jump, next.tone), this.#token(next.jump.seat, next.jump.to, "")] : []);
    fill(
      this.tokens,
      this.places.map(({ seat, at }) => this.#token(seat, at, `seat-${seat}`)),
    );
  }

  /** The scale of the drawing. */
  get #size() {
    return this.height > LARGE ? Math.max(1.4, this.height / HUGE) : 1;
  }

  get #side() {
    return SIDE * this.#size;
  }

  get #past() {
    return PAST * this.#size;
  }

  get #y() {
    return this.height - UNDER * this.#size;
  }

  get #end() {
    return this.width - (this.goal === null ? this.#side : this.#past);
  }

  /** @param {number} number */
  #x(number) {
    const place = placeOf(this.range, number);
    return place > 1 ? this.#end + this.#past / 2 : this.#side + place * (this.#end - this.#side);
  }

  #drawRail() {
    const y = this.#y;
    const end = this.#end;
    const size = this.#size;
    const side = this.#side;
    const text = (/** @type {number} */ x, /** @type {string} */ label, /** @type {string} */ kind) =>
      svg("text", { x, y: y + 26 * size, class: kind, "text-anchor": "middle" }, label);
    /** @type {(kind: string, x: number, width: number, above: number, below: number) => SVGElement} */
    const bar = (kind, x, width, above, below) =>
      svg("rect", { class: kind, x, y: y - above * size, width, height: (above + below) * size, rx: 5 * size });
    const marks = marksOf(this.range).map((mark) => text(this.#x(mark), shortly(mark), "mark"));
    const gate =
      this.goal === null
        ? []
        : [
            bar("past", end + 5 * size, this.#past - 12 * size, 8, 8),
            bar("gate", end - 3 * size, 6 * size, 20, 10),
            text(end, shortly(this.goal), "goal"),
          ];
    fill(this.rail, bar("rail-way", side - 4, Math.max(0, end - side + 4), 5, 5), gate, marks);
  }

  /**
   * Draws the arc of a jump and, below the line, the correction by the rules.
   * @param {Jump} jump
   * @param {string} kind
   */
  #arcs({ from, over, to }, kind) {
    const y = this.#y;
    const [start, turn, end] = [this.#x(from), this.#x(over ?? to), this.#x(to)];
    const arcs = [];
    if (start !== turn)
      arcs.push(svg("path", { class: kind, d: curve(start, turn, y - 10 * this.#size, -this.#lift(start, turn)) }));
    if (over !== null && Math.abs(turn - end) > 2) {
      arcs.push(
        svg("path", {
          class: `back ${kind}`,
          d: curve(turn, end, y + 9 * this.#size, Math.min(UNDER - 6, 30) * this.#size),
        }),
      );
    }
    return arcs;
  }

  /**
   * Returns the height of a hop.
   * @param {number} start
   * @param {number} end
   */
  #lift(start, end) {
    return Math.min(this.#y - 12, 16 + Math.abs(end - start) * 0.35);
  }

  /**
   * @param {number} seat
   * @param {number} at
   * @param {string} kind
   */
  #token(seat, at, kind) {
    const r = (seat === 2 ? 11 : 9) * this.#size;
    return svg("circle", { class: `token ${kind}`, cx: this.#x(at), cy: this.#y, r });
  }

  /**
   * Animates the hop of a token to its new place.
   * @param {Jump} jump
   */
  #hop({ seat, from, over, to }) {
    const token = this.tokens.querySelector(`.seat-${seat}`);
    if (!token || calm()) return;
    const [start, turn, end] = [this.#x(from), this.#x(over ?? to), this.#x(to)];
    const at = (/** @type {number} */ x, /** @type {number} */ y) => ({ transform: `translate(${x - end}px, ${y}px)` });
    const there = [at(start, 0), at((start + turn) / 2, -0.75 * this.#lift(start, turn)), at(turn, 0)];
    const back = over === null ? [] : [at((turn + end) / 2, UNDER / 2), at(end, 0)];
    token.animate([...there, ...back], { duration: back.length ? 2 * HOP : HOP, easing: "ease-in-out" });
  }
}

/**
 * @param {number} start
 * @param {number} end
 * @param {number} y
 * @param {number} lift
 */
function curve(start, end, y, lift) {
  // A cubic Bézier curve reaches three quarters of the height of its control points.
  const handle = y + lift / 0.75;
  return `M${start} ${y}C${start} ${handle} ${end} ${handle} ${end} ${y}`;
}
