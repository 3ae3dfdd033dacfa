// The boards of a round: the players, the scores, whose turn it is and for how long.

import { figure } from "../board.js";
import { fill, h, set } from "../dom.js";

const SEATS = /** @type {Seat[]} */ ([1, 2]);

/** @typedef {{names: Map<number, string>, now: number, path: (id: string) => string, stuck: number | null}} Showing */

/**
 * Returns the labels of the pupils: names or numbers.
 * @param {TeacherClass} state
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
  return pupil ? (names.get(pupil) ?? "left") : `Level ${board.levels[seat - 1]}`;
}

/** The boards of a class. Each keeps its place, so that nothing jumps. */
export class Boards {
  constructor() {
    /** @type {Map<string, Tile>} */
    this.tiles = new Map();
    this.element = h("ul.boards", { "aria-label": "Boards" });
  }

  /**
   * @param {ClassBoard[]} boards
   * @param {Showing} showing
   */
  update(boards, showing) {
    const known = boards.map((board) => this.tiles.get(board.id) ?? new Tile(showing.path(board.id)));
    const same = known.length === this.tiles.size && boards.every(({ id }) => this.tiles.has(id));
    this.tiles = new Map(boards.map((board, index) => [board.id, /** @type {Tile} */ (known[index])]));
    boards.forEach((board, index) => known[index]?.update(board, showing));
    if (!same)
      fill(
        this.element,
        known.map((tile) => tile.element),
      );
    this.element.style.setProperty("--columns", String(columns(boards.length)));
  }
}

/** @param {number} count */
function columns(count) {
  return [1, 4, 9, 16, 25, 36].findIndex((most) => count <= most) + 1 || 8;
}

class Tile {
  /** @param {string} href */
  constructor(href) {
    this.rows = SEATS.map(() => ({ name: h("span.who"), score: h("span.points") }));
    this.sides = this.rows.map(({ name, score }) => h("p.side-row", name, score));
    this.note = h("p.note");
    this.link = h("a.tile-board", { href }, this.sides, this.note);
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
    this.note.textContent = [
      board.table === null ? "" : `At ${figureOf(board.table)}`,
      this.#say(board, names, seconds, late),
    ]
      .filter(Boolean)
      .join(" · ");
    this.link.classList.toggle("stuck", late);
    this.link.classList.toggle("done", board.player === null);
    const players = SEATS.map((seat) => playerName(board, seat, names));
    set(this.link, "aria-label", `${players.join(" and ")}: ${this.note.textContent}`);
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
    if (board.closed) return "broken off";
    return `${late ? "⚠ stuck" : "thinking"} ${clock(seconds)}`;
  }
}

/** @param {Integer | null} score */
function figureOf(score) {
  return score === null ? "" : figure(score);
}

/** @param {number} seconds */
function clock(seconds) {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
