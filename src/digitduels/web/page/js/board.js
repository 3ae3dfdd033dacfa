// A position to look at: the scores, the number line, and what is left.

import { fill, h, set } from "./dom.js";
import { Track } from "./track.js";

const PIPS = 4; // up to this many are drawn as dots; more are written as a number

/** The name shown for a seat, and a note about the player. */
/** @typedef {{name: string, note: string}} Label */
/** @typedef {[Label, Label]} Labels */

/**
 * Returns the labels of both seats; the reader is "You".
 * @param {{names: [string, string]}} game
 * @param {Seat | null} reader
 * @param {string} [opponent] a note about the other player
 * @returns {Labels}
 */
export function seatLabels({ names: [one, two] }, reader, opponent = "") {
  const label = (/** @type {Seat} */ seat, /** @type {string} */ name) => {
    if (reader === null) return { name, note: "" };
    return seat === reader ? { name: "You", note: "" } : { name, note: opponent };
  };
  return [label(1, one), label(2, two)];
}

/**
 * Returns the note about a computer player: the name of its level.
 * @param {View} view
 */
export function characterOf(view) {
  return /** @type {Partial<PositionView>} */ (view).character ?? "computer";
}

/**
 * Returns the side of a seat on the screen, which has its colour and its shape: the reader is always on the left.
 * @param {Seat} seat
 * @param {Seat | null} reader
 * @returns {Seat}
 */
export function sideOf(seat, reader) {
  return (seat === 1) === (reader === 2) ? 2 : 1;
}

export class Board {
  /**
   * @param {View} view
   * @param {() => Seat | null} reader
   */
  constructor(view, reader) {
    this.reader = reader;
    this.players = [new Player(0), new Player(1)];
    this.shared = h("strong.score.shared");
    this.track = new Track();
    this.pool = h("ul.stocks.pool", { "aria-label": "Between the players" });
    this.row = h("div.players");
    this.aim = h("p.aim", view.board.aim);
    this.hands = h("div.hands");
    this.element = h(
      "div.board",
      this.row,
      h("div.way", this.track.element),
      view.board.hands.some((hand) => hand.stocks.length > 0) && this.hands,
      this.pool,
    );
    /** @type {View} */
    this.view = view;
  }

  /**
   * @param {View} view
   * @param {Labels} labels
   * @param {boolean} pool whether the pool is shown here and not among the choices
   */
  update(view, labels, pool) {
    this.view = view;
    const { board, hop } = view;
    const reader = this.reader();
    this.players.forEach((player, seat) => player.update(view, /** @type {Label} */ (labels[seat]), reader));
    this.#arrange(reader);
    if (board.table.score !== null) this.shared.textContent = figure(board.table.score);
    this.pool.hidden = !pool || board.table.stocks.length === 0;
    fill(this.pool, stockItems(board.table.stocks, hop, reader));
    const places = tokensOf(view).map(({ seat, at }) => ({ seat: this.#side(seat), at }));
    set(this.track.element, "hidden", places.length === 0);
    const goal = board.goal === null ? null : Number(board.goal);
    this.track.update(goal, places, this.#drawn(hop && jumpOf(view, hop.player, hop)), boardWords(view, labels));
  }

  /**
   * Puts the reader on the left.
   * @param {Seat | null} reader
   */
  #arrange(reader) {
    const [left, right] = reader === 2 ? this.players.toReversed() : this.players;
    if (!left || !right || this.row.firstChild === left.element) return;
    fill(this.row, left.element, this.view.board.table.score !== null && this.shared, this.aim, right.element);
    fill(this.hands, left.stocks, right.stocks);
  }

  /** @param {number} seat 0 if both players share the number */
  #side(seat) {
    return seat && sideOf(/** @type {Seat} */ (seat), this.reader());
  }

  /** @param {import("./track.js").Jump | null} jump */
  #drawn(jump) {
    return jump && { ...jump, seat: this.#side(jump.seat) };
  }

  /** The element of the score that the last move changed. @returns {HTMLElement} */
  get changed() {
    const { view } = this;
    const seat = view.hop && jumpOf(view, view.hop.player, view.hop)?.seat;
    return (seat ? this.players[seat - 1]?.score : null) ?? this.shared;
  }

  /**
   * Previews a move of the player to move; null removes the preview.
   * @param {MoveEffect | null} effect
   */
  foresee(effect) {
    const { view } = this;
    const mover = view.player ?? 1;
    const before = scoresOf(view);
    const jump = effect && jumpOf(view, mover, { before, result: effect.result, after: effect.scores });
    this.track.foresee(this.#drawn(jump), effect?.tone);
  }
}

class Player {
  /** @param {number} seat */
  constructor(seat) {
    this.seat = seat;
    this.name = h("span.name");
    this.note = h("span.note");
    this.score = h("strong.score");
    this.stocks = h("ul.stocks");
    const dot = h("span.dot", { "aria-hidden": "true" });
    const who = h("h2", dot, h("span.called", this.name, this.note));
    this.element = h("section.player", who, this.score);
    /** @type {Integer | null} */
    this.last = null;
  }

  /**
   * @param {View} view
   * @param {Label} label
   * @param {Seat | null} reader
   */
  update(view, label, reader) {
    const side = sideOf(/** @type {Seat} */ (this.seat + 1), reader);
    this.element.classList.toggle("seat-1", side === 1);
    this.element.classList.toggle("seat-2", side === 2);
    const hand = /** @type {Side} */ (view.board.hands[this.seat]);
    this.name.textContent = label.name;
    this.note.textContent = label.note;
    set(this.element, "aria-label", label.name);
    set(this.stocks, "aria-label", `Left for ${label.name}`);
    this.element.classList.toggle("turn", view.player === this.seat + 1);
    this.element.classList.toggle("won", view.outcome?.winner === this.seat + 1);
    this.score.hidden = hand.score === null;
    if (hand.score !== null) {
      const text = figure(hand.score);
      if (this.last !== null && this.last !== hand.score) again(this.score, "bump");
      this.last = hand.score;
      this.score.textContent = text;
      this.score.classList.toggle("long", text.length > 4);
    }
    const hop = view.hop?.player === this.seat + 1 ? view.hop : null;
    fill(this.stocks, stockItems(hand.stocks, hop, reader));
  }
}

/**
 * @param {Stock[]} stocks
 * @param {Hop | null} hop the last move, if it may have used one of these
 * @param {Seat | null} reader
 */
function stockItems(stocks, hop, reader) {
  return stocks.map((stock) => {
    const taken = hop?.taken.includes(stock.label) ? ` taken by-${sideOf(hop.player, reader)}` : "";
    return h("li", { class: `stock${stock.left ? "" : " gone"}${taken}` }, h("span.label", stock.label), left(stock));
  });
}

/**
 * Returns the scores of both players. A shared number is the score of both.
 * @param {View} view
 * @returns {(Integer | null)[]}
 */
export function scoresOf({ board: { hands, table } }) {
  return table.score === null ? hands.map((hand) => hand.score) : [table.score, table.score];
}

/**
 * @param {View} view
 * @returns {import("./track.js").Token[]}
 */
function tokensOf({ board: { hands, table } }) {
  if (table.score !== null) return [{ seat: 0, at: Number(table.score) }];
  return hands.flatMap(({ score }, index) => (score === null ? [] : [{ seat: index + 1, at: Number(score) }]));
}

/**
 * Returns the jump of a move on the number line: of the score that it changes, else of the mover's own.
 * @param {View} view
 * @param {Seat} mover
 * @param {{before: (Integer | null)[], result: Integer | null, after: (Integer | null)[]}} did
 * @returns {import("./track.js").Jump | null}
 */
function jumpOf(view, mover, { before, result, after }) {
  const other = mover === 1 ? 2 : 1;
  const changes = (/** @type {number} */ seat) => before[seat - 1] !== after[seat - 1];
  const seat = !changes(mover) && changes(other) ? other : mover;
  const [from, to] = [before[seat - 1] ?? null, after[seat - 1] ?? null];
  if (from === null || to === null) return null;
  const sum = result === null ? null : Number(from) + Number(result);
  // If the rules then change the result, it is an intermediate step.
  const over = result === null || result === to || sum === Number(to) ? null : Number(result);
  const shared = view.board.table.score !== null;
  return { seat: shared ? 0 : seat, from: Number(from), over, to: Number(to) };
}

/**
 * Describes the number line in words.
 * @param {View} view
 * @param {Labels} labels
 */
function boardWords({ board }, labels) {
  const goal = board.goal === null ? "" : `, target ${figure(board.goal)}`;
  const at = (/** @type {string} */ name, /** @type {Integer | null} */ score) =>
    score === null ? [] : [`${name} at ${figure(score)}`];
  const players = board.hands.flatMap((hand, seat) => at(labels[seat]?.name ?? "", hand.score));
  return `Number line: ${[...players, ...at("the number", board.table.score)].join(", ")}${goal}.`;
}

/**
 * Shows how many are left: dots for a few, else a number.
 * @param {Stock} stock
 */
export function left(stock) {
  const words = `${stock.left} left`;
  const few = stock.of <= PIPS;
  const dots = "●".repeat(few ? stock.left : 0) + "○".repeat(few ? stock.of - stock.left : 0);
  return h(
    "span.left",
    few && h("span", { "aria-hidden": "true" }, dots),
    // For screen readers: without the comma, "1" and "2 left" would be read as "12 left".
    h("span", { class: few ? "hidden" : "" }, few ? `, ${words}` : words),
  );
}

/**
 * Formats a number; a very long one is shortened to its first digits.
 * @param {Integer} number
 */
export function figure(number) {
  const text = String(number).replace(/^-(?=\d)/, "−");
  return text.length <= 9 || /\D/.test(text) ? text : `${text.slice(0, 4)}… (${text.length} digits)`;
}

/**
 * Restarts a CSS animation.
 * @param {HTMLElement} element
 * @param {string} name
 */
function again(element, name) {
  element.classList.remove(name);
  void element.offsetWidth;
  element.classList.add(name);
}
