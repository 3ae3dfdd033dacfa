// A pupil's page: waits, plays, and waits for the next game. The board is the same as in games between friends.

import { changeDetector } from "../change-detector.js";
import { fill, h } from "../dom.js";
import { listen } from "../live.js";
import { show as showRoom } from "../pages/room.js";
import { setTitle } from "../router.js";
import { keep } from "../seats.js";
import { say } from "../status.js";
import { count, points } from "./counts.js";
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
   * @param {() => void} leave called when the reader is no longer in the class
   */
  constructor(state, token, signal, leave) {
    this.state = state;
    this.signal = signal;
    /** The game on the screen. */
    this.game = "";
    this.left = new AbortController();
    signal.addEventListener("abort", () => this.left.abort());
    this.head = h("h1.class-head");
    this.note = h("section.card.class-note", { "aria-live": "polite" });
    this.noteChanged = changeDetector();
    this.goalChanged = changeDetector();
    this.goal = h("p.class-goal");
    this.board = h("div.class-game");
    this.element = h("article.pupil", this.head, this.note, this.goal, this.board);
    const listener = {
      news: (/** @type {PupilClass} */ news) => this.hear(news),
      gone: () => {
        this.left.abort();
        leave();
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
    const id = state.game?.id ?? "";
    if (id !== this.game) this.#play(id);
  }

  #wait() {
    const { state } = this;
    const others = state.pupil_count - 1;
    const here = `${count(others, "other pupil")} ${others === 1 ? "is" : "are"} here.`;
    const [title, text] = state.ended
      ? ["The class is over", "Thank you for playing. You can close this page."]
      : state.paused !== null
        ? [state.game === null ? `You're in, ${state.name}. Paused` : "Paused", state.paused]
        : state.game !== null
          ? ["Well played", "Wait for your next game. It opens by itself."]
          : [`You're in, ${state.name}`, `${here} Wait for your teacher. Your game opens by itself.`];
    if (this.noteChanged(title, text, state.games)) fill(this.note, h("h2", title), h("p", text), this.#games());
    if (state.game === null) {
      say("");
      setTitle(`Class ${state.code}`);
    }
  }

  /** The pupil's points so far. */
  #games() {
    const over = this.state.games.filter((game) => game.points !== null);
    if (!over.length) return null;
    const item = (/** @type {PupilGame} */ { round, against, points: got }) =>
      h("li", `Round ${round}: ${RESULTS.get(got ?? 0)} against ${against}`);
    return [h("p.class-points", `You have ${points(this.state.points)}.`), h("ul.class-games", over.map(item))];
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
