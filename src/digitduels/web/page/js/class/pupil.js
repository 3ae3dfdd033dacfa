// A pupil's page: waits or practises, plays, and waits for the next game. The board is the same as between friends.

import { changeDetector } from "../change-detector.js";
import { button, fill, h } from "../dom.js";
import { listen } from "../live.js";
import { show as showRoom } from "../pages/room.js";
import { setTitle } from "../router.js";
import { keep } from "../seats.js";
import { say } from "../status.js";
import { count, ordinal, points } from "../counts.js";
import { classPath } from "./session.js";

const RESULTS = new Map([
  [1, "won"],
  [0.5, "half a point"],
  [0, "lost"],
]);

export class PupilPage {
  /**
   * @param {PupilClass} state
   * @param {string} token
   * @param {AbortSignal} signal
   * @param {(failure: import("../api.js").Failure) => void} leave called when the reader is no longer in the class
   * @param {string} [typed] the name that the reader has typed, which the server may have changed
   */
  constructor(state, token, signal, leave, typed = state.name) {
    this.state = state;
    this.typed = typed;
    this.signal = signal;
    /** The game on the screen. */
    this.game = "";
    this.left = new AbortController();
    signal.addEventListener("abort", () => this.left.abort());
    this.head = h("h1.class-head");
    this.news = h("div", { "aria-live": "polite" });
    // Outside of the live region: a pupil who waits need not hear of everyone who joins.
    this.here = h("p");
    this.practice = button("Practise against the computer", () => void this.practise());
    this.note = h("section.card.class-note", this.news, this.here, this.practice);
    this.training = h("div.class-practice", { hidden: true });
    this.trained = new AbortController();
    this.noteChanged = changeDetector();
    this.goalChanged = changeDetector();
    this.goal = h("p.class-goal");
    this.board = h("div.class-game");
    this.element = h("article.pupil", this.head, this.note, this.goal, this.training, this.board);
    const listener = {
      news: (/** @type {PupilClass} */ news) => this.hear(news),
      gone: (/** @type {import("../api.js").Failure} */ failure) => {
        this.left.abort();
        this.trained.abort();
        leave(failure);
      },
    };
    void listen(`${classPath(state.code)}/events`, () => token, listener, signal);
  }

  /** @param {PupilClass} news */
  hear(news) {
    if (news.version < this.state.version) return;
    this.state = news;
    this.draw();
  }

  draw() {
    const { state } = this;
    const round = state.round ? ` · Round ${state.round}` : "";
    this.head.textContent = `${state.name}${round} · Class ${state.code}`;
    const { title, game, options, summary } = state.rules;
    const changed = Object.entries(options).map(([name, value]) => [name, String(value)]);
    const rules = `/learn/${game}?${new URLSearchParams(changed)}`;
    const goal = `${title}: ${summary} `;
    if (this.goalChanged(goal, rules)) fill(this.goal, goal, h("a", { href: rules, target: "_blank" }, "All rules"));
    this.goal.hidden = state.ended;
    const waits = !state.playing || state.ended || state.paused !== null;
    this.note.hidden = !waits;
    if (waits) this.#wait();
    else this.#stopPractice();
    const id = state.game?.id ?? "";
    if (id !== this.game) this.#play(id);
  }

  #wait() {
    const { state } = this;
    const others = state.pupil_count - 1;
    const here = `${count(others, "other pupil")} ${others === 1 ? "is" : "are"} here.`;
    this.here.hidden = state.ended || state.game !== null;
    this.here.textContent = others ? here : "You're the first one here.";
    const next = state.round ? "Your next game opens by itself." : "Wait for your teacher. Your game opens by itself.";
    const [title, text] = state.ended
      ? ["The class is over", "Thank you for playing. You can close this page."]
      : state.paused !== null
        ? [state.game === null ? `You're in, ${state.name}. Paused` : "Paused", state.paused]
        : state.game !== null
          ? ["Well played", next]
          : [`You're in, ${state.name}`, next];
    if (this.noteChanged(title, text, state.place, state.games))
      fill(this.news, h("h2", title), this.#renamed(), this.#place(), h("p", text), this.#games());
    const free = !state.ended && state.paused === null;
    this.practice.hidden = !free || !this.training.hidden;
    if (!free) this.#stopPractice();
    if (state.game === null && this.training.hidden) {
      say("");
      setTitle(`Class ${state.code}`);
    }
  }

  /** Says that the name was cut, or changed because another pupil has it. */
  #renamed() {
    const { name, ended } = this.state;
    return !ended && name !== this.typed && h("p", "Your name in this class is ", h("b", h("bdi", name)), ".");
  }

  /** The pupil's own place at the end. */
  #place() {
    const { ended, place, pupil_count: pupils } = this.state;
    return ended && place !== null && h("p.class-place", `You came ${ordinal(place)} of ${count(pupils, "pupil")}.`);
  }

  /** Shows a board to practise on until the next game begins. */
  async practise() {
    this.practice.hidden = true;
    this.trained = new AbortController();
    const { signal } = this.trained;
    this.signal.addEventListener("abort", () => this.trained.abort(), { signal });
    try {
      const { practise } = await import("./practice.js");
      await practise(this.training, this.state.rules, signal);
      if (signal.aborted) return;
      this.training.hidden = false;
      this.board.hidden = true;
    } catch {
      this.practice.hidden = false; // to try again
    }
  }

  #stopPractice() {
    this.trained.abort();
    this.training.hidden = true;
    this.board.hidden = false;
    fill(this.training);
  }

  /** The pupil's points so far. */
  #games() {
    const over = this.state.games.filter((game) => game.points !== null);
    if (!over.length) return null;
    const item = (/** @type {PupilGame} */ { round, against, points: got }) =>
      h("li", `${this.state.round > 1 ? `Round ${round}: ` : ""}${RESULTS.get(got ?? 0)} against `, h("bdi", against));
    const sum = `You have ${points(this.state.points)} in ${count(over.length, "game")}.`;
    return [h("p.class-points", sum), h("ul.class-games", over.map(item))];
  }

  /** @param {string} id */
  #play(id) {
    this.left.abort();
    this.left = new AbortController();
    this.game = id;
    fill(this.board);
    const { game } = this.state;
    if (!game) return;
    keep(game.id, { seat: game.seat, token: game.token, invite: null });
    const place = {
      main: this.board,
      parts: [id],
      query: new URLSearchParams(),
      fragment: "",
      signal: this.left.signal,
    };
    Promise.resolve(showRoom(place)).catch(() => {
      // The next message shows the game again.
      this.game = "";
    });
    scrollTo(0, 0);
  }
}
