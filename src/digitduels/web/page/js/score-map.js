// Who wins at which scores, as a picture and in words: own score across, the other's up.

import { fill, h, paragraphs, unique } from "./dom.js";
import { svg } from "./svg.js";
import { chip, WORDS } from "./verdict.js";

/** @type {Record<string, Value>} */
const VALUES = { w: "win", d: "draw", l: "loss" };

/** What the arrow keys do to both scores. */
/** @type {Record<string, [number, number]>} */
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

export class ScoreMap {
  /** @param {(mine: number, theirs: number) => void} choose */
  constructor(choose) {
    this.choose = choose;
    /** @type {Scores | null} */
    this.map = null;
    this.hatch = unique();
    /** The scores that the keys have reached. @type {{mine: number, theirs: number} | null} */
    this.cursor = null;
    this.picture = svg("svg", { role: "application", tabindex: 0, class: "map" });
    this.pointer = svg("circle", { class: "cursor" });
    this.readout = h("p", { class: "readout", "aria-live": "polite" });
    this.words = h("div", { class: "soft" });
    this.axes = h("p", { class: "soft axes" });
    this.legend = h("p", { class: "row legend" });
    this.element = h("div", null, this.legend, this.picture, this.readout, this.axes, this.words);
    this.picture.addEventListener("click", (event) => {
      const cell = this.#cell(event);
      if (cell && this.#value(cell.mine, cell.theirs)) this.choose(cell.mine, cell.theirs);
    });
    this.picture.addEventListener("pointermove", (event) => this.#read(this.#cell(event)));
    this.picture.addEventListener("pointerleave", () => this.#read(null));
    this.picture.addEventListener("keydown", (event) => this.#key(event));
  }

  /**
   * @param {Scores} map
   * @param {string} mover
   * @param {string} waiter
   */
  update(map, mover, waiter) {
    this.map = map;
    const size = map.rows.length;
    const margin = size * 0.09;
    this.picture.setAttribute("viewBox", `${-margin} ${-margin / 4} ${size + margin * 1.25} ${size + margin * 1.25}`);
    const found = /** @type {Value[]} */ (["win", "draw", "loss"]).filter((value) =>
      map.rows.some((row) => [...row].some((sign) => VALUES[sign] === value)),
    );
    const numbers = ticks(map.low, map.high);
    const place = (/** @type {number} */ score) => score - map.low + 0.5;
    fill(
      this.picture,
      svg(
        "pattern",
        {
          id: this.hatch,
          width: size / 28,
          height: size / 28,
          patternUnits: "userSpaceOnUse",
          patternTransform: "rotate(45)",
        },
        svg("rect", { class: "stripe", width: size / 90, height: size / 28 }),
      ),
      svg("rect", { class: "ground", width: size, height: size }),
      found.map((value) => svg("path", { class: `cell ${value}`, d: outline(map.rows, value) })),
      svg("path", { d: outline(map.rows, "loss"), fill: `url(#${this.hatch})` }),
      numbers.map((score) =>
        svg(
          "text",
          { x: place(score), y: size + margin * 0.75, "font-size": size / 24, "text-anchor": "middle" },
          String(score),
        ),
      ),
      numbers.map((score) =>
        svg(
          "text",
          { x: -margin * 0.2, y: size - place(score) + size / 70, "font-size": size / 24, "text-anchor": "end" },
          String(score),
        ),
      ),
      ring(place(map.mine), size - place(map.theirs), size),
      this.pointer,
    );
    this.cursor = null;
    this.pointer.setAttribute("r", "0");
    const words = mapWords(map, mover, waiter);
    this.picture.setAttribute("aria-label", words.join(" "));
    fill(
      this.legend,
      found.map((value) => chip(value, `${mover} ${WORDS[value]}`)),
      h("span", { class: "soft" }, "◎ here"),
    );
    this.axes.textContent =
      `Across: the score of ${mover}, who is to move. Up: the score of ${waiter}. ` +
      "Select a point to go there; arrow keys and Enter do the same.";
    fill(this.words, paragraphs(words));
    this.#read(null);
  }

  /**
   * @param {number} mine
   * @param {number} theirs
   * @returns {Value | null}
   */
  #value(mine, theirs) {
    return VALUES[this.map?.rows[theirs - this.map.low]?.[mine - this.map.low] ?? ""] ?? null;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { map } = this;
    if (!map) return;
    const { mine, theirs } = this.cursor ?? map;
    if (event.key === "Enter" && this.#value(mine, theirs)) this.choose(mine, theirs);
    const [right, up] = STEPS[event.key] ?? [];
    if (right === undefined || up === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const within = (/** @type {number} */ score) => Math.min(map.high, Math.max(map.low, score));
    this.cursor = { mine: within(mine + right), theirs: within(theirs + up) };
    const size = map.rows.length;
    const { pointer } = this;
    pointer.setAttribute("cx", String(this.cursor.mine - map.low + 0.5));
    pointer.setAttribute("cy", String(size - (this.cursor.theirs - map.low) - 0.5));
    pointer.setAttribute("r", String(Math.max(0.5, size / 50)));
    pointer.setAttribute("stroke-width", String(size / 70));
    this.#read(this.cursor);
  }

  /** @param {MouseEvent} event */
  #cell(event) {
    const matrix = this.picture.getScreenCTM();
    if (!this.map || !matrix) return null;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const size = this.map.rows.length;
    if (x < 0 || y < 0 || x >= size || y >= size) return null;
    return { mine: this.map.low + Math.floor(x), theirs: this.map.low + size - 1 - Math.floor(y) };
  }

  /** @param {{mine: number, theirs: number} | null} cell */
  #read(cell) {
    if (!this.map) return;
    const { mine, theirs } = cell ?? this.map;
    const value = this.#value(mine, theirs);
    fill(this.readout, `${mine} against ${theirs}: `, value ? chip(value) : "no position");
  }
}

/**
 * The map in words.
 * @param {Scores} map
 * @param {string} mover
 * @param {string} waiter
 */
export function mapWords(map, mover, waiter) {
  const cells = map.rows.join("").replaceAll(".", "");
  const count = (/** @type {string} */ letter) => cells.split(letter).length - 1;
  const draws = count("d") ? ` and draws at ${count("d")}` : "";
  const row = map.rows[map.theirs - map.low] ?? "";
  const parts = Object.entries(VALUES)
    .filter(([letter]) => row.includes(letter))
    .map(([letter, value]) => `${WORDS[value]} at ${ranges(row, letter, map.low)}`);
  const wins = `${count("w")} of ${cells.length} pairs of scores`;
  return [
    `With everything else unchanged, ${mover} to move wins at ${wins}${draws}.`,
    parts.length ? `While ${waiter} has ${map.theirs}: ${mover} ${parts.join("; ")}.` : "",
  ].filter(Boolean);
}

/**
 * The cells of a value as one outline: a run of cells is one box.
 * @param {string[]} rows
 * @param {Value} value
 */
export function outline(rows, value) {
  const sign = Object.keys(VALUES).find((each) => VALUES[each] === value) ?? "";
  const runs = new RegExp(`${sign}+`, "g");
  return rows
    .map((row, up) =>
      [...row.matchAll(runs)]
        .map((run) => `M${run.index} ${rows.length - 1 - up}h${run[0].length}v1h-${run[0].length}z`)
        .join(""),
    )
    .join("");
}

/**
 * Where a sign stands in a row, in words: 0–4, 6 and 9.
 * @param {string} row
 * @param {string} sign
 * @param {number} low
 */
export function ranges(row, sign, low) {
  const found = [...row.matchAll(new RegExp(`${sign}+`, "g"))].map((run) => {
    const from = run.index + low;
    const to = from + run[0].length - 1;
    return (from === to ? `${from}` : from < 0 ? `${from} to ${to}` : `${from}–${to}`).replaceAll("-", "−");
  });
  const last = found.pop() ?? "";
  return found.length ? `${found.join(", ")} and ${last}` : last;
}

/**
 * Round numbers along an axis.
 * @param {number} low
 * @param {number} high
 */
export function ticks(low, high) {
  const step = [1, 2, 5, 10, 20, 50, 100].find((each) => (high - low) / each <= 6) ?? 200;
  const found = [];
  for (let score = Math.ceil(low / step) * step; score <= high; score += step) found.push(score);
  return found;
}

/**
 * The ring around the present scores.
 * @param {number} x
 * @param {number} y
 * @param {number} size
 */
function ring(x, y, size) {
  const r = Math.max(0.42, size / 40);
  const width = size / 90;
  return [
    svg("circle", { class: "halo", cx: x, cy: y, r, "stroke-width": width * 3 }),
    svg("circle", { class: "here", cx: x, cy: y, r, "stroke-width": width }),
  ];
}
