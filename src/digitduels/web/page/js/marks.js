// Tips for somebody's first game of a kind: the goal, the parts of a move, and a rule that beginners overlook. The
// first move, or a press, removes them for good.

import { figure } from "./board.js";
import { h } from "./dom.js";
import { recall, remember } from "./storage.js";

/** The games whose tips were shown during this visit. @type {Set<string>} */
const shown = new Set();

/**
 * Shows the tips on the table.
 * @param {import("./table.js").Table} table
 */
export function showMarks({ board, picker, view }) {
  const name = `marks:${view.game}`;
  // The first page leads to the page of the game, where the tiles stay in their place.
  picker.element.classList.toggle("spaced", shown.has(view.game) && view.moves.length > 0);
  if (recall(name) || view.moves.length > 0 || view.outcome) return;
  shown.add(view.game);
  picker.element.classList.add("spaced");
  const goal =
    view.board.goal === null ? [] : [[board.track.element.parentElement, `Goal: land on ${figure(view.board.goal)}`]];
  const alone = picker.groups.length === 1;
  const words = (/** @type {number} */ index, /** @type {number} */ count) =>
    `${index ? "Then" : "First"} pick ${count > 1 ? "two" : "one"} of these`;
  const steps = picker.groups.map(({ element, fields }, index) => [
    element,
    alone ? "Tap one to play it" : words(index, fields.length),
  ]);
  const places = /** @type {[HTMLElement, string][]} */ ([...goal, ...steps]);
  const done = () => {
    remember(name, "seen");
    picker.advise("");
    for (const mark of marks) mark.remove();
  };
  const marks = places.map(([place, text], index) => {
    const number = h("span.number", { "aria-hidden": "true" }, String(index + 1));
    const label = `${text}. Hide these marks.`;
    const mark = h("button.tip", { type: "button", "aria-label": label, onclick: done }, number, text);
    place.append(mark);
    return mark;
  });
  picker.advise(view.look.tip);
  picker.element.addEventListener("played", done, { once: true });
}
