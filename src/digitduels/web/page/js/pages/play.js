// A game on one screen: against a level, with the coach, or between two people who share it.

import { describe, get, patiently } from "../api.js";
import { asked, chance, path, plus, read } from "../address.js";
import { ask, share } from "../dialog.js";
import { button, fill, h, link, pause } from "../dom.js";
import { conclude } from "../end.js";
import { entitle, go, note } from "../router.js";
import { fresh, setup } from "../setup.js";
import { say } from "../status.js";
import { moves, Table, told, variant } from "../table.js";
import { prose, verdicts } from "../verdict.js";

const THINKING = 600; // milliseconds before the computer moves, so that one sees what one did oneself

/** @param {Place} place */
export async function show({ main, parts, query, signal }) {
  const address = read(parts[0] ?? "", query);
  const view = /** @type {View} */ (await get(`/api/position/${address.game}`, asked(address), signal));
  if (signal.aborted) return;
  entitle(view.title);
  const game = new Solo(address, view, signal);
  fill(main, game.element);
  void game.turn();
  describe(game.about, view);
}

/** An answer about a position that is no longer the one on the table, because a move was taken back meanwhile. */
class Late extends Error {}

/** A game on one screen, and all that can be done with it. */
export class Solo {
  /**
   * @param {Address} address
   * @param {View} view
   * @param {AbortSignal} signal
   */
  constructor(address, view, signal) {
    this.address = address;
    this.view = view;
    this.signal = signal;
    this.step = 0;
    this.busy = false;
    this.latest = 0;
    this.table = new Table({ view, signal, query: () => asked(this.address), play: (move) => void this.play(move) });
    this.about = h("p", { class: "about" });
    this.end = h("section", { class: "end", hidden: true, "aria-label": "The end" });
    this.advice = h("section", { class: "advice", hidden: true, "aria-label": "Hints and values" });
    this.notice = h("div", { class: "notice", role: "alert" });
    this.record = h("div");
    this.hinting = button("Hint", () => void this.hint());
    this.valuing = h("button", { type: "button", class: "quiet", "aria-pressed": "false", onclick: () => void this.values() }, "Values");
    this.undoing = button("Take back", () => void this.undo());
    this.conceding = button("Concede", () => void this.concede());
    this.element = h(
      "article",
      { class: "game" },
      h(
        "header",
        { class: "title" },
        h("h1", null, view.title),
        button("New game", () => void this.renew(), "quiet small"),
        this.about,
        variant(view),
      ),
      this.table.element,
      h(
        "div",
        { class: "side" },
        this.end,
        this.notice,
        h(
          "div",
          { class: "actions", role: "group", "aria-label": "Help and more" },
          address.hints && this.hinting,
          address.hints && this.valuing,
          address.takebacks && this.undoing,
          this.conceding,
          button("Share", () => void share(location.href, view.title).then((done) => done && say(done))),
        ),
        this.advice,
        h("details", { class: "record", open: matchMedia("(min-width: 60rem)").matches }, h("summary", null, "Moves"), this.record),
      ),
    );
  }

  /** Who sits where. */
  get labels() {
    const { vs, seat } = this.address;
    const other = vs === "coach" ? "the coach" : `level ${vs}`;
    const note = (/** @type {Seat} */ each) => (vs === null ? "" : each === seat ? "you" : other);
    const [one, two] = this.view.names;
    return /** @type {[import("../table.js").Label, import("../table.js").Label]} */ ([
      { name: one, note: note(1) },
      { name: two, note: note(2) },
    ]);
  }

  /** The seat of the one person who sits here, if it is one. */
  get you() {
    return this.address.vs === null ? null : this.address.seat;
  }

  /** To whom sentences are told. @returns {Record<string, string>} */
  get reader() {
    return this.address.vs === null ? {} : { you: String(this.address.seat) };
  }

  /** Whether the computer is to move. */
  get theirs() {
    return this.address.vs !== null && this.view.player !== null && this.view.player !== this.address.seat;
  }

  draw() {
    const { view } = this;
    const held = this.element.contains(document.activeElement);
    const over = view.outcome !== null;
    this.table.update(view, this.labels, !over && !this.theirs && !this.busy);
    fill(this.record, moves(view, this.labels));
    this.step = 0;
    this.advice.hidden = true;
    this.advice.replaceChildren();
    this.valuing.setAttribute("aria-pressed", "false");
    this.notice.replaceChildren();
    this.hinting.textContent = "Hint";
    const idle = over || this.theirs;
    this.hinting.disabled = idle;
    this.valuing.disabled = idle;
    this.conceding.disabled = idle;
    this.undoing.disabled = !this.view.conceded && this.back() === null;
    this.end.hidden = !over;
    this.element.classList.toggle("over", over);
    say(told(view, this.you), over ? "over" : this.theirs ? "wait" : "turn");
    // Whoever pressed what is gone now, or of no use any more, goes on at the choices.
    if (held && document.activeElement?.matches("body, :disabled")) this.table.picker.focus();
  }

  /** Shows the position; then it is for the computer to move, or the game is over. */
  async turn() {
    this.draw();
    const again = button("Rematch", () => void this.rematch(), "main");
    if (this.view.outcome) await conclude(this.end, this.view, this.address, this.you, [again], this.signal);
    else if (this.theirs) await this.reply();
  }

  /**
   * A move of whoever sits here.
   * @param {string} move
   */
  async play(move) {
    if (this.busy) return;
    await this.safely(async () => {
      if (this.address.vs === "coach" && (await this.regrets(move))) {
        this.busy = false;
        this.draw();
      } else {
        await this.move(move, false);
      }
    });
  }

  /**
   * @param {string} move
   * @param {boolean} instead whether its address takes the place of the present one
   */
  async move(move, instead) {
    await this.stand({ ...this.address, moves: [...this.address.moves, move] }, instead);
  }

  /**
   * Goes on with another address of this game.
   * @param {Address} address
   * @param {boolean} instead
   */
  async stand(address, instead) {
    const before = this.address;
    const view = await get(`/api/position/${address.game}`, asked(address), this.signal);
    if (before !== this.address) throw new Late();
    this.address = address;
    this.view = view;
    this.busy = false;
    note(path(address), instead);
    await this.turn();
  }

  async reply() {
    const query = plus(this.address, { vs: this.address.vs ?? "", seed: this.address.seed });
    await this.safely(async () => {
      const shown = pause(THINKING);
      const { move } = await this.work("reply", query);
      const { address } = this;
      await shown;
      if (!this.signal.aborted && address === this.address) await this.move(move, true);
    });
  }

  /**
   * Asks for what the server must work out.
   * @param {string} what
   * @param {URLSearchParams} query
   */
  async work(what, query) {
    const { address } = this;
    if (this.you && what !== "reply") query.set("you", String(this.you));
    const waiting = (/** @type {string} */ sentence) => say(sentence, "wait");
    const answer = await patiently(`/api/${what}/${address.game}`, query, this.signal, waiting);
    if (address !== this.address) throw new Late();
    return answer;
  }

  /**
   * Does something that may fail; then says what to do, and the game stays as it is.
   * @param {() => Promise<void>} act
   */
  async safely(act) {
    const turn = (this.latest += 1);
    this.busy = true;
    try {
      await act();
    } catch (error) {
      if (this.signal.aborted || error instanceof Late) return;
      const sentence = error instanceof Error ? error.message : String(error);
      fill(this.notice, h("p", null, sentence), button("Try again", () => void this.safely(act), "main"));
    } finally {
      if (turn === this.latest) this.busy = false;
    }
  }

  /**
   * Asks, as the coach does, before a result is thrown away.
   * @param {string} move
   */
  async regrets(move) {
    const judged = await this.work("judge", plus(this.address, { move, ...this.reader }));
    if (judged.keeps) return false;
    const answer = await ask("The coach asks", [h("p", null, prose(judged.question))], [["back", "Take it back"], ["on", "Play it all the same"]]);
    return answer !== "on";
  }

  async hint() {
    await this.safely(async () => {
      const step = Math.min(this.step + 1, 4);
      const hint = await this.work("hint", plus(this.address, { step: String(step), ...this.reader }));
      const lines = /** @type {string[]} */ (hint.lines).map(prose);
      this.step = step;
      this.advise(h("h2", null, `Hint ${step} of 4`), lines.map((line) => h("p", null, line)));
      this.hinting.textContent = step < 4 ? "More" : "Hint";
      say(lines.join(" "), "turn");
    });
  }

  async values() {
    if (this.valuing.getAttribute("aria-pressed") === "true") {
      this.valuing.setAttribute("aria-pressed", "false");
      this.advice.hidden = true;
      this.advice.replaceChildren();
      this.table.picker.judge(null);
      return;
    }
    await this.safely(async () => {
      const solved = /** @type {Solved} */ (await this.work("solve", plus(this.address, this.reader)));
      this.valuing.setAttribute("aria-pressed", "true");
      this.table.picker.judge(solved.each);
      this.advise(
        h("h2", null, solved.standing),
        h("p", { class: "soft" }, "A choice above shows the best that it can still lead to."),
        verdicts(solved.each, (move) => void this.play(move)),
        h("p", { class: "row" }, link("Explore this position", path({ ...this.address, vs: null }, "explore"))),
      );
      say(solved.standing, "turn");
    });
  }

  /** @param {...(import("../dom.js").Child | import("../dom.js").Child[])} content */
  advise(...content) {
    this.advice.hidden = false;
    fill(this.advice, ...content);
  }

  /** How many moves are left when the last one of whoever sits here is taken back; null if there is none. */
  back() {
    const { history, opening } = this.view;
    const mine = (/** @type {Turn} */ turn) => this.address.vs === null || turn.player === this.address.seat;
    const last = history.findLastIndex(mine);
    return last >= opening ? last : null;
  }

  async undo() {
    const length = this.view.conceded ? this.address.moves.length : this.back();
    if (length === null) return;
    await this.safely(() => this.stand({ ...this.address, conceded: null, moves: this.address.moves.slice(0, length) }, false));
  }

  async concede() {
    const loser = this.address.vs === null ? this.view.player : this.address.seat;
    if (!loser) return;
    const answer = await ask("Concede this game?", [h("p", null, "The other side wins.")], [["yes", "Concede"], ["", "Play on"]]);
    if (answer === "yes") await this.safely(() => this.stand({ ...this.address, conceded: loser }, false));
  }

  async renew() {
    await this.safely(async () => {
      const found = await setup(this.address);
      if (found) go(found);
    });
  }

  async rematch() {
    await this.safely(async () => {
      const { address } = this;
      const next = { ...address, moves: [], opening: 0, conceded: null, seed: chance() };
      if (address.opening) await fresh(next, true);
      else if (address.position === null) next.first = address.first === 1 ? 2 : 1;
      go(path(next));
    });
  }
}
