// Animations for a move and for a won game. Nothing moves if the reader's system asks for reduced motion.

import { calm, h } from "./dom.js";

const TRAVEL = 300; // milliseconds
const RAIN = 1600;
const DROPS = 28;

/** A played choice, and the place of its tile. */
/** @typedef {{label: string, box: DOMRect}} Taken */

/**
 * Animates tiles that travel to the score they change.
 * @param {Taken[]} taken
 * @param {Element} score
 * @param {Seat} player
 */
export function travel(taken, score, player) {
  const end = score.getBoundingClientRect();
  if (calm() || !end.width) return;
  for (const { label, box } of taken) {
    const tile = h("span", { class: `flight by-${player}`, "aria-hidden": "true" }, label);
    place(tile, box.x, box.y);
    tile.style.width = `${box.width}px`;
    tile.style.height = `${box.height}px`;
    const [x, y] = [end.x + end.width / 2 - box.x - box.width / 2, end.y + end.height / 2 - box.y - box.height / 2];
    const steps = [{}, { transform: `translate(${x}px, ${y}px) scale(0.4)`, opacity: 0.3 }];
    vanish(tile, tile.animate(steps, { duration: TRAVEL, easing: "ease-in-out" }));
  }
}

/**
 * Lets the sign and the choices of a game rain down after a win.
 * @param {string[]} labels
 */
export function celebrate(labels) {
  if (calm()) return;
  const short = labels.filter((label) => label.length < 3);
  for (let drop = 0; drop < DROPS; drop += 1) {
    const text = short[drop % short.length] ?? "";
    const tile = h("span", { class: `flight drop by-${(drop % 2) + 1}`, "aria-hidden": "true" }, text);
    place(tile, (innerWidth - 40) * Math.random(), -48);
    const turn = `rotate(${Math.round(Math.random() * 720 - 360)}deg)`;
    const steps = [{ opacity: 1 }, { opacity: 1, offset: 0.7 }, { transform: `translateY(90vh) ${turn}`, opacity: 0 }];
    const delay = Math.random() * RAIN * 0.4;
    vanish(tile, tile.animate(steps, { duration: RAIN * 0.6, delay, easing: "ease-in", fill: "backwards" }));
  }
}

/**
 * @param {HTMLElement} tile
 * @param {number} x
 * @param {number} y
 */
function place(tile, x, y) {
  tile.style.left = `${x}px`;
  tile.style.top = `${y}px`;
  document.body.append(tile);
}

/**
 * @param {HTMLElement} tile
 * @param {Animation} animation
 */
function vanish(tile, animation) {
  animation.addEventListener("finish", () => tile.remove());
}
