// The boards of a round: the players, the scores, how far each is on the way to the goal, and whose turn it is.

import { figure } from "../board.js";
import { fill, h, set } from "../dom.js";

const SEATS = /** @type {Seat[]} */ ([1, 2]);

/**
 * @typedef {{
 *   names: Map<number, string>,
 *   now: number,
 *   path: (id: string) => string | null,
 *   stuck: number | null,
 * }} Showing `path`: the page of a board, if it has one
 */

/**
 * Returns the labels of the pupils: names or numbers.
 * @param {{pupils: {pupil: number, name: string}[]}} state
 * @param {boolean} anonymous
 */
export function pupilNames(state, anonymous) {
  return new Map(state.pupils.map(({ pupil, name }) => [pupil, anonymous ? `Pupil ${pupil}` : name]));
}

/**
 * Returns the label of a player on a board.
 * @param {ClassBoard} board
 * @param {Seat} seat
 * @param {Map<number, string>} names of the pupils
 */
export function playerName(board, seat, names) {
  const pupil = board.pupils[seat - 1];
  return pupil ? (names.get(pupil) ?? "(left)") : `Level ${board.levels[seat - 1]}`;
}

/** The boards of a class. Each keeps its place until it leaves, so that nothing jumps; then a new one may take it. */
export class Boards {
  constructor() {
    /** The board in each slot; null in a free one. @type {(Tile | null)[]} */
    this.slots = [];
    this.element = h("ul.boards", { "aria-label": "Boards" });
  }

  /**
   * @param {ClassBoard[]} boards
   * @param {Showing} showing
   */
  update(boards, showing) {
    const before = this.slots;
    const shown = new Set(boards.map(({ id }) => id));
    const known = new Set(before.map((tile) => tile?.id));
    const slots = before.map((tile) => (tile && shown.has(tile.id) ? tile : null));
    for (const { id } of boards) {
      if (known.has(id)) continue;
      const free = slots.indexOf(null);
      slots[free < 0 ? slots.length : free] = new Tile(id, showing.path(id));
    }
    while (slots.length && slots.at(-1) === null) slots.pop();
    this.slots = slots;
    const byId = new Map(boards.map((board) => [board.id, board]));
    for (const tile of slots) tile?.update(/** @type {ClassBoard} */ (byId.get(tile.id)), showing);
    if (slots.length !== before.length || slots.some((tile, index) => tile !== before[index])) this.#arrange();
  }

  #arrange() {
    const width = columns(this.slots.length);
    this.element.style.setProperty("--columns", String(width));
    this.slots.forEach((tile, index) => {
      tile?.element.style.setProperty("--column", String((index % width) + 1));
      tile?.element.style.setProperty("--row", String(Math.floor(index / width) + 1));
    });
    fill(
      this.element,
      this.slots.map((tile) => tile && tile.element),
    );
  }
}

/** @param {number} count */
function columns(count) {
  return [1, 4, 9, 16, 25, 36].findIndex((most) => count <= most) + 1 || 8;
}

class Tile {
  /**
   * @param {string} id of the game
   * @param {string | null} href
   */
  constructor(id, href) {
    this.id = id;
    this.rows = SEATS.map(() => ({ name: h("span.who"), score: h("span.points") }));
    this.sides = this.rows.map(({ name, score }) => h("p.side-row", name, score));
    this.races = [...SEATS, 0].map((seat) => h(`span.race.race-${seat}`, h("span")));
    this.note = h("p.note");
    const [first, second, shared] = this.races;
    const content = [this.sides[0], first, this.sides[1], second, shared, this.note];
    this.link = href === null ? h("div.tile-board", { role: "group" }, content) : h("a.tile-board", { href }, content);
    this.element = h("li", this.link);
  }

  /**
   * @param {ClassBoard} board
   * @param {Showing} showing
   */
  update(board, { names, now, stuck }) {
    const seconds = Math.max(0, Math.floor(now - board.since));
    const late = stuck !== null && board.player !== null && seconds >= stuck;
    SEATS.forEach((seat, index) => {
      const row = /** @type {{name: HTMLElement, score: HTMLElement}} */ (this.rows[index]);
      const pupil = board.pupils[index];
      const level = board.levels[index];
      const own = playerName(board, seat, names);
      row.name.textContent = (board.player === seat ? "▸ " : "") + own + (pupil && level ? " (computer)" : "");
      row.score.textContent = figureOf(board.scores[index] ?? null);
      this.sides[index]?.classList.toggle("turn", board.player === seat);
      this.sides[index]?.classList.toggle("won", board.winner === seat);
    });
    this.races.forEach((race, index) => showRace(race, [...board.scores, board.table][index] ?? null, board.goal));
    this.note.textContent = [
      board.table === null ? "" : `At ${figureOf(board.table)}`,
      this.#say(board, names, seconds, late),
    ]
      .filter(Boolean)
      .join(" · ");
    this.link.classList.toggle("stuck", late);
    this.link.classList.toggle("done", board.player === null);
    const player = (/** @type {Seat} */ seat, /** @type {number} */ index) =>
      `${playerName(board, seat, names)} ${figureOf(board.scores[index] ?? null)}`.trim();
    set(this.link, "aria-label", `${SEATS.map(player).join(", ")}: ${this.note.textContent}`);
  }

  /**
   * @param {ClassBoard} board
   * @param {Map<number, string>} names
   * @param {number} seconds
   * @param {boolean} late
   */
  #say(board, names, seconds, late) {
    if (board.winner !== null) return `✓ ${playerName(board, board.winner, names)} won`;
    if (board.over) return "✓ draw";
    if (board.closed) return "ended early";
    return `${late ? "⚠ stuck" : "thinking"} ${clock(seconds)}`;
  }
}

/**
 * Shows how far a score is on the way from 0 to the goal.
 * @param {HTMLElement} race
 * @param {Integer | null} score
 * @param {Integer | null} goal
 */
function showRace(race, score, goal) {
  race.hidden = score === null || goal === null;
  const part = Number(score) / Number(goal);
  race.style.setProperty("--part", String(Math.min(1, Math.max(0, part))));
  race.classList.toggle("beyond", part > 1);
}

/** @param {Integer | null} score */
function figureOf(score) {
  return score === null ? "" : figure(score);
}

/** @param {number} seconds */
function clock(seconds) {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
