// A game between friends: invite, join, play, watch. The server stores the game; this page shows its latest state.

import { Failure, gameCard, get, post } from "../api.js";
import { confirmChoice, confirmsFor } from "../confirm.js";
import { ask, confirmConcession, copy, menu, share } from "../dialog.js";
import { anchor, button, fill, h, pause } from "../dom.js";
import { showEnd } from "../end.js";
import { copyInput, field, nameInput } from "../form.js";
import { GamePage, messageOf } from "../game-page.js";
import { dress, emblem, keepBoard, showHead } from "../head.js";
import { Hints } from "../hints.js";
import { levelOptions } from "../levels.js";
import { linkOf, other } from "../link.js";
import { Ledger, listen } from "../live.js";
import { keepGame, resultOf } from "../mine.js";
import { Notebook } from "../notebook.js";
import { qrImage } from "../qr.js";
import { go, setTitle } from "../router.js";
import * as seats from "../seats.js";
import { tellAll } from "../sentence.js";
import { soundChoice } from "../sound.js";
import { say, whisper } from "../status.js";
import { recall, recallSecret, remember } from "../storage.js";
import { houseRules, moveList } from "../table.js";

const TRIES = 8; // attempts of an act without a response; its idempotency key makes it happen once
const NEWS = 6000; // milliseconds for which a message about joining and leaving is shown
const LOST = "Connection lost. Reconnecting… your game is safe.";
const OUTDATED = "The game has moved on. Look at the board and choose again.";
const CLOSED = "This game was closed because nobody had played for a long time.";
const BROKEN_OFF = "Your teacher has ended this game.";
const SHARING =
  "Anyone with the link can watch. Your own link moves your seat to another device, so keep it to yourself.";

/** The rematch that the reader is being taken to. */
let rematch = "";

/** @param {Place} place */
export async function show({ main, parts, fragment, signal }) {
  const id = parts[0] ?? "";
  await seats.receive(id, fragment, signal);
  const ledger = new Ledger();
  const state = await ledger.complete(await get(`/api/games/${id}`, undefined, signal), signal);
  if (signal.aborted) return;
  if (state.class) dress(main, state.look);
  else showHead("Play", state, linkOf(state).options);
  const page = new RoomPage(state, ledger, signal);
  fill(main, page.element);
  page.show(state);
  if (id === rematch) page.announce("The rematch begins. You have swapped seats.");
  const listener = {
    news: (/** @type {RoomNews} */ news) => page.hear(news),
    lost: (/** @type {Failure} */ failure) => page.lose(failure),
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
    /** The content of the screen, serialized to detect changes. */
    this.drawn = "";
    this.ended = false;
    this.name = nameInput();
    this.name.value = recall("name") ?? "";
    this.line = h("p.bar.line", { hidden: true });
    this.bars = h("div.bars", this.line);
    this.lobby = h("div");
    /** Whether the reader wants the board before both players are there. */
    this.early = false;
    /** The latest message about something other than a move. */
    this.event = "";
    this.end = h("section.end", { hidden: true, "aria-label": "The end" });
    this.again = button("Rematch", () => void this.rematch(), "main");
    this.undo = button("Ask to take back", () => void this.act("takeback"));
    const group = { class: "actions", role: "group", "aria-label": "More" };
    this.notebook = new Notebook(this.record, () => {});
    this.hints = state.class?.hints ? new Hints(this, this.notebook) : null;
    this.actions = h(
      "div",
      group,
      this.undo,
      this.hints?.button,
      button("More", () => void this.more()),
    );
    this.table.element.append(this.end, this.actions);
    this.element = h(
      "article.game",
      this.lobby,
      this.table.element,
      h("div.side", this.notice, houseRules(state), this.notebook.element),
      this.bars,
    );
  }

  /** The menu of rarely used actions. */
  async more() {
    await menu("More", [
      !this.state.class && ["Share", () => this.share()],
      this.playing && this.full && ["Concede", () => this.concede()],
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

  get full() {
    return this.state.seats.every((chair) => chair.joined);
  }

  get labels() {
    const label = (/** @type {Seat} */ seat) => {
      const chair = /** @type {Chair} */ (this.state.seats[seat - 1]);
      const mine = seat === this.reader;
      const notes = [mine && "you", this.#presence(chair, mine)];
      return { name: this.state.names[seat - 1] ?? "", note: notes.filter(Boolean).join(", ") };
    };
    return /** @type {import("../board.js").Labels} */ ([label(1), label(2)]);
  }

  /**
   * @param {Chair} chair
   * @param {boolean} mine
   */
  #presence(chair, mine) {
    if (!chair.joined) return "not joined yet";
    if (chair.kind === "computer") return chair.substitute ? `computer, level ${chair.level}` : "computer";
    return chair.away && !mine ? "away" : "";
  }

  /**
   * Shows a state from the server, unless a newer one is already shown.
   * @param {RoomNews} news
   */
  async hear(news) {
    const state = await this.ledger.complete(news, this.signal);
    this.line.hidden = true;
    if (state.version >= this.state.version) this.show(state);
    return state;
  }

  /** @param {Failure} failure */
  lose(failure) {
    this.line.hidden = false;
    this.line.textContent = failure.status === 404 ? failure.message : LOST;
  }

  /** @param {Room} state */
  show(state) {
    const before = this.state;
    this.state = state;
    this.view = state;
    this.link = linkOf(state);
    const drawn = JSON.stringify([state, this.mine]);
    if (drawn === this.drawn) return;
    const first = this.drawn === "";
    this.drawn = drawn;
    if (before.history.length !== state.history.length) this.hints?.clear();
    this.#drawTable(first || before.history.length !== state.history.length || before.player !== state.player);
    fill(this.record, moveList(state, this.reader));
    if (!first) this.#notice(before, state);
    this.#drawLobby();
    fill(this.bars, this.line, this.#bars());
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
    else if (state.paused !== null) say(state.paused, "wait");
    else if (state.closed) say(state.class ? BROKEN_OFF : CLOSED, this.mood);
    else this.#sayTurn();
  }

  #sayTurn() {
    const { state } = this;
    say([tellAll(state.status, this.reader), this.request()].filter(Boolean).join(" "), this.mood);
  }

  /** @param {boolean} moved */
  #drawTable(moved) {
    const { state, labels, active, table } = this;
    // Keep a partly chosen move, unless the position has changed.
    if (moved || this.over || active !== table.picker.active) table.update(state, labels, active);
    else table.relabel(state, labels);
  }

  #drawLobby() {
    // Keep a half-typed name and its cursor.
    const cursor = document.activeElement === this.name ? this.name.selectionStart : null;
    const lobby = this.#waitingRoom();
    this.element.classList.toggle("lobbying", lobby !== null);
    fill(this.lobby, lobby);
    if (cursor === null) return;
    this.name.focus();
    this.name.setSelectionRange(cursor, cursor);
  }

  /** The content shown in place of the board until both players have joined. */
  #waitingRoom() {
    const { state, reader } = this;
    if (this.full || this.early || state.closed || state.outcome) return null;
    if (reader !== null) return this.mine?.invite ? this.inviting(this.mine.invite) : null;
    const invite = recallSecret(`invite:${state.id}`);
    return invite ? this.joining(invite) : null;
  }

  /**
   * Says who joined, left or came back, and follows to the rematch.
   * @param {Room} before
   * @param {Room} now
   */
  #notice(before, now) {
    const news = now.seats.flatMap((chair, place) => {
      const old = before.seats[place];
      const name = now.names[place];
      if (place + 1 === this.reader || !old || chair.kind === "computer") return [];
      if (chair.joined && !old.joined) return [`${name} joined.`];
      if (chair.away !== old.away) return [chair.away ? `${name} is away.` : `${name} is back.`];
      return [];
    });
    if (now.moves.length < before.moves.length) news.push("The last move was taken back.");
    else if (before.takeback === this.reader && now.takeback === null && this.reader !== null)
      news.push(`${now.names[other(this.reader) - 1]} wants to keep the move.`);
    if (news.length) this.announce(news.join(" "));
    if (now.rematch && !before.rematch && this.mine) void go(this.successor(now.rematch));
  }

  /**
   * Shows a message for a few seconds.
   * @param {string} event
   */
  announce(event) {
    this.event = event;
    whisper(event);
    fill(this.bars, this.line, this.#bars());
    setTimeout(() => {
      if (this.event !== event || this.signal.aborted) return;
      this.event = "";
      whisper("");
      fill(this.bars, this.line, this.#bars());
    }, NEWS);
  }

  #drawActions() {
    const { state, reader } = this;
    this.actions.hidden = reader === null;
    this.undo.hidden = !this.takesBack;
    if (this.hints) this.hints.button.hidden = !this.active;
    this.undo.disabled = state.takeback !== null || this.back === null;
    this.again.hidden = state.rematch !== null || state.class !== null;
  }

  #drawEnd() {
    const { state, reader } = this;
    const over = state.outcome !== null;
    this.end.hidden = !over;
    const showing = over && !this.ended;
    this.ended = over;
    if (showing) void showEnd(this.end, state, this.link, reader, [reader !== null && this.again], this.signal);
  }

  /** The opponent's request to the reader. */
  request() {
    const { state, reader } = this;
    if (reader === null || state.takeback === null || state.takeback === reader || state.outcome) return "";
    return `${state.names[state.takeback - 1]} asks to take back a move.`;
  }

  /** The bars at the foot of the screen: messages and requests. */
  #bars() {
    const { state, reader } = this;
    const bars = [this.event && !this.#asking && bar(this.event)];
    if (state.rematch)
      bars.push(bar("A rematch has begun.", anchor("Go to the rematch", this.successor(state.rematch), "main")));
    if (state.closed) return bars;
    if (reader === null && this.full && !state.outcome) bars.push(bar("You are watching."));
    if (reader !== null && state.outcome === null) bars.push(...this.#requests(reader));
    return bars;
  }

  /** Whether the opponent is waiting for the reader's answer. */
  get #asking() {
    return this.request() !== "";
  }

  /** @param {Seat} reader */
  #requests(reader) {
    const { state } = this;
    const them = /** @type {Chair} */ (state.seats[other(reader) - 1]);
    const name = state.names[other(reader) - 1];
    const bars = [];
    if (state.takeback === other(reader)) {
      const allow = button("Allow", () => void this.act("takeback", { answer: "accept" }), "main");
      const decline = button("Decline", () => void this.act("takeback", { answer: "decline" }));
      bars.push(bar(`${name} asks to take back a move.`, allow, decline));
    }
    if (state.takeback === reader) bars.push(bar(`You asked to take back a move. Waiting for ${name} to answer.`));
    if (state.seats[reader - 1]?.kind === "computer") {
      const back = button("Take your seat back", () => void this.act("return"), "main");
      bars.push(bar("The computer is playing for you.", back));
    }
    if (this.full && them.away && them.kind === "human" && !state.class) bars.push(this.substituting(them));
    return bars;
  }

  /**
   * Shows the link, the copy button and the QR code while the reader waits for a friend.
   * @param {string} invite
   */
  inviting(invite) {
    const { state } = this;
    const url = `${location.origin}/g/${state.id}#invite=${invite}`;
    const message = h("p.soft", { role: "alert" });
    const copied = async () => {
      message.textContent = (await copy(url)) ? "Copied. Send it to your friend." : "Select the link and copy it.";
    };
    const open = () => {
      this.early = true;
      this.#drawLobby();
      this.sayStatus();
    };
    return h(
      "section.card.lobby", { "aria-label": "Invite a friend" },
      h("h2", "Waiting for your friend…"),
      h("p", "Let them scan the code or send them the link. The game starts here as soon as they join."),
      qrImage(url, "QR code of the link"),
      copyInput("Invitation", url),
      h(
        "p.row",
        button("Copy the link", () => void copied(), "main"),
        "share" in navigator && button("Share…", () => void share(url, state.title)),
      ),
      message,
      h("p", button("Show the board", open, "plain")),
    );
  }

  /** Shows the summary of the game with its options. */
  #about() {
    const about = h("p.about-game");
    get(`/api/learn/${this.state.game}`, { ...this.link.options, theory: "later" }, this.signal).then(
      (/** @type {Lesson} */ { summary }) => (about.textContent = summary),
      () => {},
    );
    return about;
  }

  /** @param {string} invite */
  joining(invite) {
    const { state } = this;
    const host = state.seats.findIndex((chair) => chair.joined);
    const named = state.seats[host]?.name;
    const watch = () => {
      this.early = true;
      this.#drawLobby();
      this.sayStatus();
    };
    const form = h(
      "form.card.lobby",
      emblem(state.look),
      h("h2", named ? `${named} invites you to ${state.title}` : `You're invited to ${state.title}`),
      this.#about(),
      houseRules(state),
      state.moves.length > 0 && h("p.soft", `Moves played: ${state.moves.length}.`),
      field("Your name (optional)", this.name),
      h("button.main", "Join"),
      button("Just watch", watch, "plain"),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.join(invite, this.name.value.trim());
    });
    return form;
  }

  /**
   * @param {string} invite
   * @param {string} name
   */
  async join(invite, name) {
    remember("name", name);
    await this.safely(async () => {
      const state = await seats.join(this.state.id, invite, name);
      this.mine = seats.mine(this.state.id);
      await this.hear(state);
      // Reconnect the feed, now with a seat.
      void go(`/g/${this.state.id}`);
    });
  }

  /** @param {Chair} them */
  substituting(them) {
    const level = h("select", { "aria-label": "Computer level" });
    const substitute = button(
      "Let the computer play",
      () => void this.act("substitute", { level: Number(level.value) }),
    );
    substitute.disabled = true;
    gameCard(this.state.game).then(
      (card) => {
        if (!card) return;
        fill(level, levelOptions(card));
        level.value = String(card.levels.findLast((each) => each <= 4) ?? 1);
        substitute.disabled = false;
      },
      () => {},
    );
    return bar(`${them.name ?? "Your friend"} is away. They can take over again when they return.`, level, substitute);
  }

  /** @param {string} move */
  async play(move) {
    await this.act("moves", { move });
  }

  /**
   * Sends an act. Without a response it is retried with the same idempotency key, so it happens once.
   * @param {string} what
   * @param {Record<string, unknown>} [more]
   */
  async act(what, more = {}) {
    const body = { version: this.state.version, key: seats.secret(), ...more };
    const before = this.state.moves.join(" ");
    await this.safely(async () => {
      for (let tries = 1; ; tries += 1) {
        try {
          const path = `/api/games/${this.state.id}/${what}`;
          const { state } = /** @type {Acted} */ (await post(path, body, this.mine?.token ?? null));
          await this.hear(state);
          return;
        } catch (error) {
          if (!(error instanceof Failure) || tries >= TRIES || this.signal.aborted) throw error;
          const news = /** @type {RoomNews | undefined} */ (error.body?.state);
          const state = news && (await this.hear(news));
          if (state && error.status === 409) {
            // The move is still valid if the position has not changed, for example if only a player joined.
            const same = what === "moves" && state.moves.join(" ") === before && state.takeback === null;
            if (!same) throw new Failure(OUTDATED, 409);
            body.version = state.version;
          } else {
            if (!error.temporary) throw error;
            this.lose(error);
            await pause(Math.min(3000, 250 * 2 ** tries));
          }
        }
      }
    });
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

  async concede() {
    if (await confirmConcession()) await this.act("concede");
  }

  async rematch() {
    await this.act("rematch");
    if (this.state.rematch) void go(this.successor(this.state.rematch));
  }

  /**
   * Returns the path of the rematch, in which the reader has the other seat.
   * @param {string} id
   */
  successor(id) {
    const { mine } = this;
    if (mine && !seats.mine(id)) seats.keep(id, { seat: other(mine.seat), token: mine.token, invite: null });
    if (mine) rematch = id;
    return `/g/${id}`;
  }

  /** Shares a link to watch, or the reader's own link. */
  async share() {
    const answer = await ask(
      "Share this game",
      [h("p", SHARING)],
      [
        ["watch", "Link to watch"],
        ["own", "My own link"],
        ["", "Close"],
      ],
    );
    const { id, title } = this.state;
    const own = answer === "own" && this.mine;
    if (answer) await share(own ? seats.own(id, own) : `${location.origin}/g/${id}`, title);
  }
}

/**
 * @param {string} text
 * @param {...import("../dom.js").Child} content
 */
function bar(text, ...content) {
  return h("section.bar", { "aria-label": text }, h("p", text), h("div.row", content));
}
