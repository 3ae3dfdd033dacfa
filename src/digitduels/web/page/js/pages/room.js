// A game between friends: invite, join, play, watch. The server stores the game; this page shows its latest state.

import { get } from "../api.js";
import { changeDetector } from "../change-detector.js";
import { confirmChoice, confirmsFor } from "../confirm.js";
import { menu } from "../dialog.js";
import { button, fill, h } from "../dom.js";
import { showEnd } from "../end.js";
import { GamePage, messageOf } from "../game-page.js";
import { dress, keepBoard, showHead } from "../head.js";
import { Hints } from "../hints.js";
import { linkOf, other } from "../link.js";
import { Ledger, listen } from "../live.js";
import { keepGame, resultOf } from "../mine.js";
import { Notebook } from "../notebook.js";
import { isRematch, RoomActs } from "../room/acts.js";
import { Bars } from "../room/bars.js";
import { Lobby } from "../room/lobby.js";
import { roomLabels, roomStatus } from "../room/words.js";
import { setTitle } from "../router.js";
import * as seats from "../seats.js";
import { soundChoice } from "../sound.js";
import { say } from "../status.js";
import { loadStyle } from "../style.js";
import { houseRules, moveList } from "../table.js";

/** @param {Place} place */
export async function show({ main, parts, fragment, signal }) {
  const id = parts[0] ?? "";
  await seats.receive(id, fragment, signal);
  const ledger = new Ledger();
  const styled = loadStyle("room");
  const state = await ledger.complete(await get(`/api/games/${id}`, undefined, signal), signal);
  await styled;
  if (signal.aborted) return;
  if (state.class) dress(main, state.look);
  else showHead("Play", state, linkOf(state).options);
  const page = new RoomPage(state, ledger, signal);
  fill(main, page.element);
  page.show(state);
  if (isRematch(id)) page.bars.announce("The rematch begins. You have swapped seats.");
  const listener = {
    news: (/** @type {RoomNews} */ news) => page.hear(news),
    gone: (/** @type {import("../api.js").Failure} */ { message }) => page.bars.say(message),
  };
  void listen(`/api/games/${id}/events`, () => page.mine?.token ?? null, listener, signal);
}

export class RoomPage extends GamePage {
  /**
   * @param {Room} state
   * @param {Ledger} ledger
   * @param {AbortSignal} signal
   */
  constructor(state, ledger, signal) {
    super(linkOf(state), state, signal);
    this.ledger = ledger;
    this.state = state;
    this.mine = seats.mine(state.id);
    this.changed = changeDetector();
    this.drawn = false;
    this.ended = false;
    this.acts = new RoomActs(this);
    this.bars = new Bars(this);
    this.lobby = new Lobby(this, () => {
      this.#drawLobby();
      this.sayStatus();
    });
    this.end = h("section.end", { hidden: true, "aria-label": "The end" });
    this.again = button("Rematch", () => void this.acts.rematch(), "main");
    this.undo = button("Ask to take back", () => void this.acts.send("takeback"));
    this.notebook = new Notebook(this.record, () => {});
    this.hints = state.class?.hints ? new Hints(this, this.notebook) : null;
    this.actions = h(
      "div.actions",
      { role: "group", "aria-label": "More" },
      this.undo,
      this.hints?.button,
      button("More", () => void this.more()),
    );
    this.table.element.append(this.end, this.actions);
    this.element = h(
      "article.game",
      this.lobby.element,
      this.table.element,
      h("div.side", this.notice, houseRules(state), this.notebook.element),
      this.bars.element,
    );
  }

  /** The menu of rarely used actions. */
  async more() {
    await menu("More", [
      !this.state.class && ["Share", () => this.acts.share()],
      this.playing && this.full && ["Concede", () => this.acts.concede()],
      confirmChoice(this.confirms),
      !this.state.class && soundChoice(),
    ]);
    this.table.picker.refresh();
  }

  get confirms() {
    return confirmsFor(true);
  }

  get lively() {
    return true;
  }

  /** Thirty phones in a classroom make no sound. */
  get silent() {
    return this.state.class !== null;
  }

  get reader() {
    return this.mine?.seat ?? null;
  }

  get over() {
    return this.state.outcome !== null || this.state.closed;
  }

  /** Whether the reader plays, and no computer plays for them. */
  get playing() {
    return this.reader !== null && !this.over && this.state.seats[this.reader - 1]?.kind === "human";
  }

  get active() {
    return this.playing && this.state.player === this.reader && this.state.paused === null;
  }

  get mood() {
    return this.over ? "over" : this.active ? "turn" : "wait";
  }

  get takesBack() {
    return this.playing && this.state.class?.takebacks !== false;
  }

  /** Whether both players have joined. */
  get full() {
    return this.state.seats.every((chair) => chair.joined);
  }

  get labels() {
    return roomLabels(this.state, this.reader);
  }

  /**
   * Shows a state from the server, unless a newer one is already shown.
   * @param {RoomNews} news
   */
  async hear(news) {
    const state = await this.ledger.complete(news, this.signal);
    if (state.version >= this.state.version) this.show(state);
    return state;
  }

  /** @param {Room} state */
  show(state) {
    const before = this.drawn ? this.state : null;
    this.state = state;
    this.view = state;
    this.link = linkOf(state);
    if (!this.changed(state, this.mine)) return;
    this.drawn = true;
    const moved = before?.history.length !== state.history.length;
    if (moved) this.hints?.clear();
    this.#drawTable(moved || before?.player !== state.player);
    fill(this.record, moveList(state, this.reader));
    if (before) this.#notice(before, state);
    this.#drawLobby();
    this.bars.draw();
    this.#drawActions();
    setTitle(this.mood === "turn" ? `Your turn · ${state.title}` : state.title);
    this.sayStatus();
    this.#drawEnd();
    if (!state.class) keepBoard(this.link, `/g/${state.id}`, this.over);
    if (this.reader !== null && state.moves.length) this.#keep(this.reader);
  }

  /** @param {Seat} reader */
  #keep(reader) {
    const { id, game, title, moves, names } = this.state;
    const path = `/g/${id}`;
    const result = resultOf(this.state, reader);
    keepGame({ key: path, path, game, title, against: names[other(reader) - 1] ?? "", result, moves: moves.length });
  }

  sayStatus() {
    const { state } = this;
    if (this.element.classList.contains("lobbying")) say(this.reader ? "Waiting for your friend." : "");
    else say(roomStatus(state, this.reader, this.bars.request()), state.paused === null ? this.mood : "wait");
  }

  /** @param {boolean} moved */
  #drawTable(moved) {
    const { state, labels, active, table } = this;
    // Keep a partly chosen move, unless the position has changed.
    if (moved || this.over || active !== table.picker.active) table.update(state, labels, active);
    else table.relabel(state, labels);
  }

  #drawLobby() {
    this.element.classList.toggle("lobbying", this.lobby.draw());
  }

  /**
   * Says who joined, left or came back.
   * @param {Room} before
   * @param {Room} now
   */
  #notice(before, now) {
    const news = now.seats.flatMap((chair, index) => {
      const old = before.seats[index];
      const name = now.names[index];
      if (index + 1 === this.reader || !old || chair.kind === "computer") return [];
      if (chair.joined && !old.joined) return [`${name} joined.`];
      if (chair.away !== old.away) return [chair.away ? `${name} is away.` : `${name} is back.`];
      return [];
    });
    if (now.moves.length < before.moves.length) news.push("The last move was taken back.");
    else if (before.takeback === this.reader && now.takeback === null && this.reader !== null)
      news.push(`${now.names[other(this.reader) - 1]} wants to keep the move.`);
    if (news.length) this.bars.announce(news.join(" "));
  }

  #drawActions() {
    const { state, reader } = this;
    this.actions.hidden = reader === null;
    this.undo.hidden = !this.takesBack;
    if (this.hints) this.hints.button.hidden = !this.active;
    this.undo.disabled = state.takeback !== null || this.back === null;
    this.again.hidden = state.class !== null;
  }

  #drawEnd() {
    const { state, reader } = this;
    const over = state.outcome !== null;
    this.end.hidden = !over;
    const showing = over && !this.ended;
    this.ended = over;
    if (showing) void showEnd(this.end, state, this.link, reader, reader !== null && this.again, this.signal);
  }

  /** @param {string} move */
  async play(move) {
    await this.acts.send("moves", { move });
  }

  /** @param {() => Promise<void>} act */
  async safely(act) {
    if (!this.busy) await super.safely(act);
  }

  /** @param {unknown} error */
  fail(error) {
    // All attempts have failed, or the game has moved on.
    fill(this.notice, h("p", messageOf(error)));
  }
}
