// A game between friends: invite, join, play, watch. The server has the game; this page shows its newest state.

import { describe, Failure, games, get, post } from "../api.js";
import { asked, of } from "../address.js";
import { ask, share } from "../dialog.js";
import { button, fill, h, link, pause } from "../dom.js";
import { conclude } from "../end.js";
import { listen } from "../live.js";
import { entitle, go } from "../router.js";
import * as seats from "../seats.js";
import { LEVELS } from "../setup.js";
import { say } from "../status.js";
import { moves, Table, told, variant } from "../table.js";

const TRIES = 8; // times that an act is sent while there is no answer; with its key it happens once

/** @param {Place} place */
export async function show({ main, parts, fragment, signal }) {
  const id = parts[0] ?? "";
  seats.receive(id, fragment);
  const state = /** @type {Room} */ (await get(`/api/games/${id}`, undefined, signal));
  if (signal.aborted) return;
  entitle(state.title);
  const room = new Friends(state, signal);
  fill(main, room.element);
  room.draw(state);
  describe(room.about, state);
  void listen(id, () => room.mine?.token ?? null, { news: (news) => room.hear(news), lost: (failure) => room.lost(failure) }, signal);
}

class Friends {
  /**
   * @param {Room} state
   * @param {AbortSignal} signal
   */
  constructor(state, signal) {
    this.state = state;
    this.signal = signal;
    this.mine = seats.mine(state.id);
    this.busy = false;
    this.shown = "";
    this.ended = false;
    this.name = h("input", { name: "name", value: seats.recall("name") ?? "", maxlength: 40, autocomplete: "nickname" });
    this.table = new Table({
      view: state,
      signal,
      confirm: true,
      query: () => asked(of(this.state)),
      play: (move) => void this.act("moves", { move }),
    });
    this.about = h("p", { class: "about" });
    this.line = h("p", { class: "line", hidden: true });
    this.notice = h("div", { class: "notice", role: "alert" });
    this.panel = h("div", { class: "panel" });
    this.end = h("section", { class: "end", hidden: true, "aria-label": "The end" });
    this.record = h("div");
    this.again = button("Rematch", () => void this.rematch(), "main");
    this.undoing = button("Ask to take back", () => void this.act("takeback"));
    this.conceding = button("Concede", () => void this.concede());
    this.actions = h(
      "div",
      { class: "actions", role: "group", "aria-label": "More" },
      this.undoing,
      this.conceding,
      button("Share", () => void this.spread()),
    );
    this.element = h(
      "article",
      { class: "game" },
      h("header", { class: "title" }, h("h1", null, state.title), this.about, variant(state)),
      this.table.element,
      h(
        "div",
        { class: "side" },
        this.end,
        this.notice,
        this.line,
        this.panel,
        this.actions,
        h("details", { class: "record", open: matchMedia("(min-width: 60rem)").matches }, h("summary", null, "Moves"), this.record),
      ),
    );
  }

  /** The reader's seat; null for whoever watches. */
  get you() {
    return this.mine?.seat ?? null;
  }

  get labels() {
    const label = (/** @type {Chair} */ chair, /** @type {number} */ place) => {
      const notes = [place + 1 === this.you ? "you" : ""];
      if (!chair.joined) notes.push("not here yet");
      else if (chair.kind === "computer") notes.push(`computer, level ${chair.level}`);
      else if (chair.away && place + 1 !== this.you) notes.push("away");
      return { name: chair.name ?? `Player ${place + 1}`, note: notes.filter(Boolean).join(", ") };
    };
    const [one, two] = this.state.seats;
    return /** @type {[import("../table.js").Label, import("../table.js").Label]} */ ([label(one, 0), label(two, 1)]);
  }

  /**
   * A state that the feed brings; an older one than is shown is no news.
   * @param {Room} state
   */
  hear(state) {
    this.line.hidden = true;
    if (state.version >= this.state.version) this.draw(state);
  }

  /** @param {Failure} failure */
  lost(failure) {
    this.line.hidden = false;
    this.line.textContent = failure.status === 404 ? failure.message : "The line to the server is broken. It is tried again; nothing is lost.";
  }

  /** @param {Room} state */
  draw(state) {
    const shown = JSON.stringify([state, this.mine]);
    this.state = state;
    if (shown === this.shown) return;
    const moved = this.shown === "" || this.table.view.history.length !== state.history.length || this.table.view.player !== state.player;
    this.shown = shown;
    const { you, labels } = this;
    const over = state.outcome !== null || state.closed;
    const playing = you !== null && !over && state.seats[you - 1]?.kind === "human";
    const active = playing && state.player === you;
    // What is half chosen stays, unless the position has changed.
    if (moved || over || active !== this.table.picker.active) this.table.update(state, labels, active);
    else this.table.board.update(state, labels, !this.table.picker.showsPool);
    fill(this.record, moves(state, labels));
    // A name that is half typed stays, and so does the cursor in it.
    const typing = document.activeElement === this.name ? this.name.selectionStart : null;
    fill(this.panel, this.panels());
    if (typing !== null) {
      this.name.focus();
      this.name.setSelectionRange(typing, typing);
    }
    this.actions.hidden = you === null;
    this.undoing.hidden = !playing;
    this.undoing.disabled = state.takeback !== null || !state.history.some((turn, ply) => ply >= state.opening && turn.player === you);
    this.conceding.hidden = !playing;
    this.conceding.disabled = !this.full;
    const mood = over ? "over" : active ? "turn" : "wait";
    entitle(mood === "turn" ? `Your turn · ${state.title}` : state.title);
    say(state.closed ? "This game is closed: nothing happened for a long time." : [told(state, you), this.request()].filter(Boolean).join(" "), mood);
    this.end.hidden = state.outcome === null;
    if (state.outcome === null) this.ended = false;
    else if (!this.ended) {
      this.ended = true;
      void conclude(this.end, state, of(state), you, [you !== null && this.again], this.signal);
    }
    this.again.hidden = state.rematch !== null;
  }

  get full() {
    return this.state.seats.every((chair) => chair.joined);
  }

  /** What the other side asks of the reader, which is to be heard as well as seen. */
  request() {
    const { state, you } = this;
    if (you === null || state.takeback === null || state.takeback === you || state.outcome) return "";
    return `${state.seats[state.takeback - 1]?.name} asks to take back a move.`;
  }

  /** What there is to decide, besides the move. */
  panels() {
    const { state, you, mine } = this;
    const other = you === null ? null : you === 1 ? 2 : 1;
    const them = other === null ? null : /** @type {Chair} */ (state.seats[other - 1]);
    const invite = seats.recall(`invite:${state.id}`);
    const panels = [];
    if (state.rematch) panels.push(this.box("A rematch has begun", [link("To the rematch", this.successor(state.rematch), "main")]));
    if (state.closed) return panels;
    if (you === null) panels.push(invite && !this.full ? this.joining(invite) : this.box("You are watching", [h("p", null, "The board follows the game by itself.")]));
    else if (!this.full && mine?.invite) panels.push(this.inviting(mine.invite));
    if (state.outcome !== null || you === null || !them) return panels;
    if (state.takeback === other)
      panels.push(
        this.box(`${them.name} asks to take back a move`, [
          button("Allow", () => void this.act("takeback", { answer: "accept" }), "main"),
          button("Decline", () => void this.act("takeback", { answer: "decline" })),
        ]),
      );
    if (state.takeback === you) panels.push(this.box("You have asked to take back a move", [h("p", null, `${them.name} decides.`)]));
    if (state.seats[you - 1]?.kind === "computer")
      panels.push(this.box("The computer plays for you", [button("Take your seat back", () => void this.act("return"), "main")]));
    if (this.full && them.away && them.kind === "human") panels.push(this.substituting(them));
    return panels;
  }

  /**
   * @param {string} title
   * @param {import("../dom.js").Child[]} content
   */
  box(title, content) {
    return h("section", { class: "card" }, h("h2", null, title), h("div", { class: "row" }, content));
  }

  /** @param {string} invite */
  inviting(invite) {
    const url = `${location.origin}/g/${this.state.id}#invite=${invite}`;
    const field = h("input", { type: "url", value: url, readonly: true, "aria-label": "Invitation" });
    field.addEventListener("focus", () => field.select());
    return h(
      "section",
      { class: "card" },
      h("h2", null, "Invite a friend"),
      h("p", null, "Send this link. Whoever opens it and joins first plays; you may begin already."),
      field,
      h("p", { class: "row" }, button("Send or copy the link", () => void share(url, this.state.title).then((done) => done && say(done)), "main")),
    );
  }

  /** @param {string} invite */
  joining(invite) {
    const seat = this.state.seats[0].joined ? 2 : 1;
    const form = h(
      "form",
      { class: "card" },
      h("h2", null, "You are invited"),
      h("label", { class: "field" }, h("span", null, "Your name, if you like"), this.name),
      h("button", { class: "main" }, `Join as Player ${seat}`),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const name = this.name.value.trim();
      seats.remember("name", name);
      void this.safely(async () => {
        const state = await seats.join(this.state.id, invite, name);
        this.mine = seats.mine(this.state.id);
        // The feed is opened anew, by somebody who sits here.
        this.draw(state);
        go(`/g/${this.state.id}`);
      });
    });
    return form;
  }

  /** @param {Chair} them */
  substituting(them) {
    const level = h("select", { "aria-label": "Level of the computer" });
    const offer = (/** @type {number[]} */ levels) => fill(level, levels.map((each) => h("option", { value: String(each), selected: each === 4 }, `Level ${each}: ${LEVELS[each] ?? ""}`)));
    offer(Object.keys(LEVELS).map(Number));
    // Levels that play alike in this game are not offered twice.
    games().then((cards) => offer(cards.find((each) => each.game === this.state.game)?.levels ?? []), () => {});
    return this.box(`${them.name ?? "Your friend"} is away`, [
      h("p", null, "Wait, or let the computer play on for them. They can take their seat back."),
      level,
      button("Let the computer play", () => void this.act("substitute", { level: Number(level.value) })),
    ]);
  }

  /**
   * Does something in the game. Without an answer it is sent again under the same key, so it happens once.
   * @param {string} what
   * @param {Record<string, unknown>} [more]
   */
  async act(what, more = {}) {
    const body = { version: this.state.version, key: seats.secret(), ...more };
    const before = this.state.moves.join(" ");
    await this.safely(async () => {
      for (let tried = 1; ; tried += 1) {
        try {
          const { state } = await post(`/api/games/${this.state.id}/${what}`, body, this.mine?.token ?? null);
          this.hear(state);
          return;
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          if (error.body?.state) {
            /** @type {Room} */
            const now = error.body.state;
            this.hear(now);
            // A move still counts if something happened beside the board only: a seat was taken, say.
            if (error.status === 409 && what === "moves" && now.moves.join(" ") === before && now.takeback === null && tried < TRIES) {
              body.version = now.version;
              continue;
            }
            if (error.status === 409) throw new Failure("The game had gone on meanwhile. Look at the board, and choose again.", 409);
          }
          if (!error.passing || tried >= TRIES || this.signal.aborted) throw error;
          this.lost(error);
          await pause(Math.min(3000, 250 * 2 ** tried));
        }
      }
    });
  }

  /** @param {() => Promise<void>} act */
  async safely(act) {
    if (this.busy) return;
    this.busy = true;
    this.notice.replaceChildren();
    try {
      await act();
    } catch (error) {
      if (this.signal.aborted) return;
      fill(this.notice, h("p", null, error instanceof Error ? error.message : String(error)));
    } finally {
      this.busy = false;
    }
  }

  async concede() {
    const answer = await ask("Concede this game?", [h("p", null, "The other side wins.")], [["yes", "Concede"], ["", "Play on"]]);
    if (answer === "yes") await this.act("concede");
  }

  async rematch() {
    await this.act("rematch");
    if (this.state.rematch) go(this.successor(this.state.rematch));
  }

  /**
   * The address of the rematch, in which a token opens the other seat.
   * @param {string} id
   */
  successor(id) {
    if (this.mine && !seats.mine(id)) seats.keep(id, { seat: this.mine.seat === 1 ? 2 : 1, token: this.mine.token, invite: null });
    return `/g/${id}`;
  }

  /** A link for those who watch, or for oneself elsewhere. */
  async spread() {
    const answer = await ask(
      "Share this game",
      [h("p", null, "Whoever has the link can watch. Your own link takes your seat along to another device: keep it to yourself.")],
      [["watch", "Link to watch"], ["own", "My own link"], ["", "Close"]],
    );
    const url = answer === "own" && this.mine ? seats.own(this.state.id, this.mine) : `${location.origin}/g/${this.state.id}`;
    if (answer) say(await share(url, this.state.title));
  }
}
