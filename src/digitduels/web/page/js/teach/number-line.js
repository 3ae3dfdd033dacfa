// A number line to write on, with the scores of the puzzle.

import { svg } from "../svg.js";

const WIDE = 1000;
const MARGIN = 25;
const AXIS = 52;
const SIDE = 11; // half the distance of two marks at the same score

/**
 * @param {number} goal
 * @param {(Integer | null)[]} scores of both players and of the table
 */
export function numberLine(goal, scores) {
  const top = Math.max(goal, ...scores.map((score) => Number(score ?? 0)));
  const at = (/** @type {number} */ value) => MARGIN + (value / top) * (WIDE - 2 * MARGIN);
  const step = [1, 2, 5, 10, 20, 50, 100].find((size) => top / size <= 12) ?? Math.ceil(top / 12);
  const small = top <= 60 ? 1 : step;
  const ticks = [];
  for (let value = 0; value <= top; value += small) {
    const labelled = value % step === 0 || value === goal;
    const half = labelled ? 10 : 5;
    ticks.push(svg("line", { x1: at(value), x2: at(value), y1: AXIS - half, y2: AXIS + half }));
    if (labelled)
      ticks.push(svg("text", { x: at(value), y: AXIS + 30, class: value === goal ? "goal" : "" }, `${value}`));
  }
  const marks = scores.flatMap((score, index) => {
    if (score === null) return [];
    // Equal scores stand side by side.
    const aside = scores[0] === scores[1] ? [-SIDE, SIDE, 0][index] : 0;
    const x = at(Number(score)) + (aside ?? 0);
    return [svg("text", { x, y: 24, class: "mark" }, ["●", "○", "▼"][index] ?? "")];
  });
  const axis = svg("line", { x1: MARGIN, x2: WIDE - MARGIN, y1: AXIS, y2: AXIS });
  return svg(
    "svg",
    { class: "number-line", viewBox: `0 0 ${WIDE} 92`, role: "img", "aria-label": `Number line from 0 to ${top}` },
    axis,
    ...ticks,
    ...marks,
  );
}
