// The map of who wins at which scores, as a picture and in words: the mover's score across, the opponent's up.

import { fill, h, paragraphs, unique } from "./dom.js";
import { svg } from "./svg.js";
import { chip, WORDS } from "./verdict.js";

/** @type {Record<string, Value>} */
const VALUES = { w: "win", d: "draw", l: "loss" };

/** The change of both scores for each arrow key. */
/** @type {Record<string, [number, number]>} */
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

const SIZE = 50; // of the picture, in SVG units
const MARGIN = SIZE * 0.09;
const NAMED = 12; // up to this many scores along an axis, all are labelled

export class ScoreMap {
  /** @param {(mine: number, theirs: number) => void} choose */
  constructor(choose) {
    this.choose = choose;
    /** @type {Scores | null} */
    this.map = null;
    /** The scores along both axes. @type {number[]} */
    this.across = [];
    /** @type {number[]} */
    this.up = [];
    this.hatch = unique();
    /** The scores selected with the arrow keys. @type {{mine: number, theirs: number} | null} */
    this.cursor = null;
    this.picture = svg("svg", { role: "application", tabindex: 0, class: "map" });
    this.pointer = svg("circle", { class: "cursor" });
    this.readout = h("p.readout", { "aria-live": "polite" });
    this.words = h("div.soft");
    this.axes = h("p.soft.axes");
    this.legend = h("p.row.legend");
    this.element = h("div", this.legend, this.readout, this.picture, this.axes, this.words);
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
    // Only scores that occur are on the map.
    this.across = scoresAt(map, (score) => map.rows.some((row) => row[score - map.low] !== "."));
    this.up = scoresAt(map, (score) => /[^.]/.test(map.rows[score - map.low] ?? ""));
    const rows = this.up.map((theirs) => this.across.map((mine) => this.#letter(mine, theirs)).join(""));
    this.picture.setAttribute("viewBox", `${-MARGIN} ${-MARGIN / 4} ${SIZE + MARGIN * 1.25} ${SIZE + MARGIN * 1.25}`);
    const values = /** @type {Value[]} */ (["win", "draw", "loss"]).filter((value) =>
      rows.some((row) => [...row].some((sign) => VALUES[sign] === value)),
    );
    const step = SIZE / 28;
    fill(
      this.picture,
      svg(
        "pattern",
        { id: this.hatch, width: step, height: step, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
        svg("rect", { class: "stripe", width: SIZE / 90, height: step }),
      ),
      svg("rect", { class: "ground", width: SIZE, height: SIZE }),
      values.map((value) => svg("path", { class: `cell ${value}`, d: outline(rows, value, SIZE) })),
      svg("path", { d: outline(rows, "loss", SIZE), fill: `url(#${this.hatch})` }),
      this.#labels(),
      this.#value(map.mine, map.theirs) && ring(...this.#point(map.mine, map.theirs)),
      this.pointer,
    );
    this.cursor = null;
    this.pointer.setAttribute("r", "0");
    const words = mapWords(map, mover, waiter);
    this.picture.setAttribute("aria-label", words.join(" "));
    fill(
      this.legend,
      values.map((value) => chip(value, `${mover} ${WORDS[value]}`)),
      h("span.soft", "◎ now"),
    );
    this.axes.textContent =
      `Across: the score of ${mover}, who is to move. Up: the score of ${waiter}. ` +
      "Select a point to go there; arrow keys and Enter do the same.";
    fill(this.words, paragraphs(words));
    this.#read(null);
  }

  /** The scores along both axes. */
  #labels() {
    const text = (/** @type {number} */ score, /** @type {{x: number, y: number, "text-anchor": string}} */ place) =>
      svg("text", { ...place, "font-size": SIZE / 24 }, String(score));
    return [
      named(this.across).map((score) => {
        const [x] = this.#point(score, 0);
        return text(score, { x, y: SIZE + MARGIN * 0.75, "text-anchor": "middle" });
      }),
      named(this.up).map((score) => {
        const [, y] = this.#point(0, score);
        return text(score, { x: -MARGIN * 0.2, y: y + SIZE / 70, "text-anchor": "end" });
      }),
    ].flat();
  }

  /**
   * Returns the place of a pair of scores in the picture.
   * @param {number} mine
   * @param {number} theirs
   * @returns {[x: number, y: number]}
   */
  #point(mine, theirs) {
    const { across, up } = this;
    return [
      ((across.indexOf(mine) + 0.5) * SIZE) / across.length,
      SIZE - ((up.indexOf(theirs) + 0.5) * SIZE) / up.length,
    ];
  }

  /**
   * @param {number} mine
   * @param {number} theirs
   */
  #letter(mine, theirs) {
    return this.map?.rows[theirs - this.map.low]?.[mine - this.map.low] ?? ".";
  }

  /**
   * @param {number} mine
   * @param {number} theirs
   * @returns {Value | null}
   */
  #value(mine, theirs) {
    return VALUES[this.#letter(mine, theirs)] ?? null;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { map, across, up, pointer } = this;
    if (!map) return;
    const { mine, theirs } = this.cursor ?? map;
    if (event.key === "Enter" && this.#value(mine, theirs)) this.choose(mine, theirs);
    const [right, above] = STEPS[event.key] ?? [];
    if (right === undefined || above === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const next = (/** @type {number[]} */ scores, /** @type {number} */ score, /** @type {number} */ by) =>
      scores[Math.min(scores.length - 1, Math.max(0, scores.indexOf(score) + by))] ?? score;
    this.cursor = { mine: next(across, mine, right), theirs: next(up, theirs, above) };
    const [x, y] = this.#point(this.cursor.mine, this.cursor.theirs);
    for (const [name, value] of Object.entries({ cx: x, cy: y, r: SIZE / 50, "stroke-width": SIZE / 70 })) {
      pointer.setAttribute(name, String(value));
    }
    this.#read(this.cursor);
  }

  /** @param {MouseEvent} event */
  #cell(event) {
    const matrix = this.picture.getScreenCTM();
    if (!this.map || !matrix) return null;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const mine = this.across[Math.floor((x * this.across.length) / SIZE)];
    const theirs = this.up[Math.floor(((SIZE - y) * this.up.length) / SIZE)];
    return mine === undefined || theirs === undefined ? null : { mine, theirs };
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
 * Describes the map in words.
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
 * Returns the cells of a value as one SVG path in a square; a run of cells is one box.
 * @param {string[]} rows
 * @param {Value} value
 * @param {number} size of the square
 */
export function outline(rows, value, size) {
  const sign = Object.keys(VALUES).find((letter) => VALUES[letter] === value) ?? "";
  const runs = new RegExp(`${sign}+`, "g");
  const height = size / rows.length;
  const width = size / (rows[0]?.length ?? 1);
  return rows
    .map((row, up) =>
      [...row.matchAll(runs)]
        .map((run) => {
          const long = run[0].length * width;
          return `M${run.index * width} ${(rows.length - 1 - up) * height}h${long}v${height}h-${long}z`;
        })
        .join(""),
    )
    .join("");
}

/**
 * Lists the places of a sign in a row, in words: 0–4, 6 and 9.
 * @param {string} row
 * @param {string} sign
 * @param {number} low
 */
export function ranges(row, sign, low) {
  const runs = [...row.matchAll(new RegExp(`${sign}+`, "g"))].map((run) => {
    const from = run.index + low;
    const to = from + run[0].length - 1;
    return (from === to ? `${from}` : from < 0 ? `${from} to ${to}` : `${from}–${to}`).replaceAll("-", "−");
  });
  const last = runs.pop() ?? "";
  return runs.length ? `${runs.join(", ")} and ${last}` : last;
}

/**
 * Returns round numbers along an axis.
 * @param {number} low
 * @param {number} high
 */
export function ticks(low, high) {
  const step = [1, 2, 5, 10, 20, 50, 100].find((size) => (high - low) / size <= 6) ?? 200;
  const scores = [];
  for (let score = Math.ceil(low / step) * step; score <= high; score += step) scores.push(score);
  return scores;
}

/**
 * Returns the scores of an axis that satisfy a condition.
 * @param {Scores} map
 * @param {(score: number) => boolean} occurs
 */
function scoresAt({ low, high }, occurs) {
  return Array.from({ length: high - low + 1 }, (_, index) => low + index).filter(occurs);
}

/**
 * Returns the labelled scores of an axis: all if there are few, else round ones.
 * @param {number[]} scores
 */
function named(scores) {
  if (scores.length <= NAMED) return scores;
  const round = ticks(scores[0] ?? 0, scores.at(-1) ?? 0);
  return scores.filter((score) => round.includes(score));
}

/**
 * Draws the ring around the current scores.
 * @param {number} x
 * @param {number} y
 */
function ring(x, y) {
  const r = SIZE / 40;
  const width = SIZE / 90;
  return [
    svg("circle", { class: "halo", cx: x, cy: y, r, "stroke-width": width * 3 }),
    svg("circle", { class: "here", cx: x, cy: y, r, "stroke-width": width }),
  ];
}
