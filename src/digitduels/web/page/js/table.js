// A game on the table: the board, the choice of a move, and the moves so far. Play, rooms and lessons build on it.

import { get } from "./api.js";
import { Board, figure } from "./board.js";
import { fill, h } from "./dom.js";
import { Picker } from "./picker.js";
import { say } from "./status.js";
import { pretty } from "./verdict.js";

/** @typedef {import("./board.js").Label} Label */

const SHOWN = 2; // lines of what a move did; what follows repeats the board

/**
 * @typedef {{
 *   view: View,
 *   play: (move: string) => void,
 *   query: () => URLSearchParams,
 *   signal: AbortSignal,
 *   confirm?: boolean,
 * }} Setting `query`: the game as the server is asked about it
 */

export class Table {
  /** @param {Setting} setting */
  constructor({ view, play, query, signal, confirm = false }) {
    this.view = view;
    this.board = new Board(view);
    this.picker = new Picker(view, {
      play,
      confirm,
      say: (text) => say(text, "turn"),
      explain: (picks) => void this.#explain(picks, query()),
    });
    this.element = h("div", { class: "table" }, this.board.element, this.picker.element);
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
  }

  /**
   * @param {View} view
   * @param {[Label, Label]} labels
   * @param {boolean} active whether a move may be chosen here and now
   */
  update(view, labels, active) {
    this.view = view;
    const over = view.outcome !== null;
    this.picker.update(view, active);
    this.picker.element.hidden = over;
    this.board.update(view, labels, over || !this.picker.showsPool);
  }

  /**
   * @param {number[]} picks
   * @param {URLSearchParams} query
   */
  async #explain(picks, query) {
    query.set("picks", picks.join(","));
    try {
      const { reason } = await get(`/api/objection/${this.view.game}`, query);
      say(reason ?? "That is not possible with what is chosen already.", "turn");
    } catch {
      say("That is not possible here.", "turn");
    }
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = event.target instanceof Element ? event.target : document.body;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !this.element.isConnected) return;
    if (target.closest("input, select, textarea, dialog")) return;
    // Enter on a button or link is theirs, unless a number is half typed.
    if (event.key === "Enter" && target.closest("button, a, summary") && !this.picker.typed) return;
    if (this.picker.press(event.key)) event.preventDefault();
  }
}

/**
 * The moves so far, the last one first.
 * @param {View} view
 * @param {[Label, Label]} labels
 */
export function moves(view, labels) {
  const list = h("ol", { class: "moves", reversed: true });
  fill(
    list,
    view.history
      .map((turn, ply) =>
        h(
          "li",
          { class: ply < view.opening ? "given" : "" },
          h("span", { class: "who" }, h("span", { "aria-hidden": "true" }, turn.player === 1 ? "● " : "○ "), labels[turn.player - 1]?.name ?? ""),
          h("strong", null, pretty(turn.move)),
          h("span", { class: "told" }, ply < view.opening ? "Given at the start. " : "", turn.lines.filter(Boolean).slice(0, SHOWN).join(" · ")),
        ),
      )
      .reverse(),
  );
  const none = h("p", { class: "soft" }, "No moves yet.");
  return view.history.length ? list : none;
}

/**
 * What the status line says of a position: the server's words, and "your" for the reader.
 * @param {View} view
 * @param {Seat | null} you
 */
export function told(view, you) {
  const last = view.history.at(-1)?.move ?? "";
  const text = view.status.replace(`played ${last}.`, () => `played ${pretty(last)}.`);
  if (you === null || view.player !== you) return text;
  const named = `${view.names[you - 1]}'s turn.`;
  return text.endsWith(named) ? `${text.slice(0, -named.length)}Your turn.` : text;
}

/**
 * Says what is not as in the book; false if all is.
 * @param {View} view
 */
export function variant(view) {
  const changed = Object.entries(view.changed).map(([name, value]) => `${name} ${figure(String(value))}`);
  return changed.length > 0 && h("p", { class: "about" }, `Here by other rules than the book's: ${changed.join(", ")}.`);
}
