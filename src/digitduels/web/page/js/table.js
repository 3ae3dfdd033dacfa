// A game on the screen: the board, the choice of a move, and the moves so far.

import { get } from "./api.js";
import { Board, sideOf } from "./board.js";
import { h } from "./dom.js";
import { Picker } from "./picker.js";
import { tell, unbroken } from "./sentence.js";
import { refuse, settle, whisper } from "./status.js";
import { recall } from "./storage.js";

const FORBIDDEN = "That is not possible here.";
const COMBINED = "That doesn't fit what you have already chosen.";

/**
 * @typedef {{
 *   view: View,
 *   play: (move: string) => Promise<void>,
 *   query: () => URLSearchParams,
 *   reader: () => Seat | null,
 *   signal: AbortSignal,
 *   confirm?: () => boolean,
 *   lively?: () => boolean,
 *   silent?: () => boolean,
 * }} Setting `query`: the game as a query for the server; `confirm`: whether a move has to be confirmed with "Play";
 * `lively`: whether a game is played here, not studied, so that there are sounds and a win is celebrated
 */

const no = () => false;

export class Table {
  /** @param {Setting} setting */
  constructor({ view, play, query, reader, signal, ...more }) {
    this.view = view;
    this.query = query;
    this.reader = reader;
    this.lively = more.lively ?? no;
    this.silent = more.silent ?? no;
    this.board = new Board(view, reader);
    this.picker = new Picker(view, {
      play,
      confirm: more.confirm ?? no,
      reader,
      say: whisper,
      settle,
      explain: (picks) => void this.#explain(picks, query(), reader()),
      foresee: (effect) => this.board.foresee(effect),
    });
    this.element = h("div.table", this.board.element, this.picker.element);
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
  }

  /**
   * @param {View} view
   * @param {import("./board.js").Labels} labels
   * @param {boolean} active whether the reader may choose a move now
   */
  update(view, labels, active) {
    const over = view.outcome !== null;
    const before = this.view;
    const move = moveBetween(before, view);
    const taken = move ? this.picker.partsOf(move) : [];
    this.view = view;
    // The end takes the place of the choices.
    const height = over ? this.picker.element.offsetHeight : 0;
    if (height) this.element.style.setProperty("--choices", `${height}px`);
    this.picker.update(view, active);
    this.picker.element.hidden = over;
    this.relabel(view, labels);
    if (active) void this.#foretell();
    const ended = over && before.outcome === null;
    // If the script cannot be loaded, the move is played without effects.
    if (move || ended) import("./feel.js").then(({ feel }) => feel(this, taken, ended)).catch(() => {});
  }

  /** Shows the effect of each move. They are fetched if they did not come with the position. */
  async #foretell() {
    const { view } = this;
    if ("effects" in view) return this.picker.foretell(/** @type {MoveEffect[]} */ (view.effects));
    try {
      const { effects } = /** @type {Effects} */ (await get(`/api/effects/${view.game}`, this.query()));
      if (view === this.view && this.picker.active) this.picker.foretell(effects);
    } catch {
      // The buttons then show no effects; the status line reports the move after it is played.
    }
  }

  /**
   * Shows other labels. A partly chosen move is kept.
   * @param {View} view
   * @param {import("./board.js").Labels} labels
   */
  relabel(view, labels) {
    this.board.update(view, labels, !this.picker.showsPool);
  }

  /**
   * @param {number[] | null} picks
   * @param {URLSearchParams} query
   * @param {Seat | null} reader
   */
  async #explain(picks, query, reader) {
    let text = FORBIDDEN;
    if (picks) {
      query.set("picks", picks.join(","));
      try {
        const { reason } = await get(`/api/objection/${this.view.game}`, query);
        text = reason ? tell(reason, reader) : COMBINED;
      } catch {
        // Then the message has no reason.
      }
    }
    refuse(text);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = event.target instanceof Element ? event.target : document.body;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !this.element.isConnected) return;
    if (target.closest("input, select, textarea, dialog[open]")) return;
    if (event.key.length === 1 && recall("keys") === "off") return;
    // Enter activates a focused button or link, unless a number is half typed.
    if (event.key === "Enter" && target.closest("button, a, summary") && !this.picker.typing) return;
    if (event.key === "?") void import("./keys.js").then(({ showKeys }) => showKeys());
    else if (this.picker.press(event.key)) event.preventDefault();
  }
}

/**
 * Returns the move between two consecutive positions; undefined if they are not consecutive.
 * @param {View} before
 * @param {View} after
 */
function moveBetween(before, after) {
  if (after.move_count !== before.move_count + 1) return undefined;
  return before.legal.find(({ move }) => move === after.last?.move);
}

/**
 * Lists the moves so far, the last one first.
 * @param {View} view
 * @param {Seat | null} reader
 */
export function moveList(view, reader) {
  if (!view.history.length) return h("p.soft", "No moves yet.");
  const item = (/** @type {Turn} */ turn, /** @type {number} */ ply) => {
    const given = ply < view.opening;
    return h(
      "li",
      { class: `seat-${sideOf(turn.player, reader)}${given ? " given" : ""}` },
      h("span.dot", { "aria-hidden": "true" }),
      h("span.report", unbroken(tell(turn.report, reader))),
      h("small", String(ply + 1)),
    );
  };
  const moves = view.history.map(item);
  const given = moves.splice(0, view.opening).reverse();
  const opening = h("details", h("summary", "The game so far"), h("ol.moves", { reversed: true }, given));
  return [h("ol.moves", { reversed: true }, moves.reverse()), given.length > 0 && opening];
}

/**
 * Shows the rules that differ from the book; returns false if none do.
 * @param {{house_rules: string}} view
 * @param {string} lab the path where these rules can be changed, or empty
 */
export function houseRules({ house_rules: rules }, lab = "") {
  const change = lab && [" ", h("a", { href: lab }, "Change these rules")];
  return rules !== "" && h("p.about", `House rules: ${rules}.`, change);
}
