// A single large board of a class. Values stay hidden until the teacher asks for them.

import { get } from "../api.js";
import { anchor, button, fill, h } from "../dom.js";
import { getPosition } from "../game-page.js";
import { linkOf } from "../link.js";
import { Ledger, listen } from "../live.js";
import { RoomPage } from "../pages/room.js";
import { setTitle } from "../router.js";
import { tellAll } from "../sentence.js";
import { playerName, pupilNames } from "./boards.js";
import { gone } from "./class-page.js";

/**
 * @param {Place} place
 * @param {TeacherClass} state
 */
export async function show({ main, parts, signal }, state) {
  const id = parts[1] ?? "";
  const ledger = new Ledger();
  const room = await ledger.complete(await get(`/api/games/${id}`, undefined, signal), signal);
  if (signal.aborted) return;
  const page = new BigBoard(room, ledger, main, signal);
  page.numbers = numbersOf(state, id);
  page.element.prepend(
    h(
      "div.bar-row",
      h("h1", room.title),
      h("div.row", page.toggle, anchor("Wall", `/class/${state.code}/wall`), deskLink(state)),
    ),
  );
  setTitle(room.title);
  fill(main, page.element);
  page.show(await page.disguise(room));
  const listener = {
    news: (/** @type {RoomNews} */ news) => page.hear(news),
    lost: (/** @type {import("../api.js").Failure} */ failure) => page.lose(failure),
  };
  void listen(`/api/games/${id}/events`, () => null, listener, signal);
}

/**
 * Returns the labels of the players on an anonymous wall; null if names are shown.
 * @param {TeacherClass} state
 * @param {string} id of the game
 */
function numbersOf(state, id) {
  if (!state.rules.anonymous) return null;
  const board = state.boards.find((game) => game.id === id);
  const names = pupilNames(state, true);
  const number = (/** @type {Seat} */ seat) => (board ? playerName(board, seat, names) : `Player ${seat}`);
  return /** @type {[string, string]} */ ([number(1), number(2)]);
}

/** @param {TeacherClass} state */
function deskLink(state) {
  return anchor("Desk", `/class/${state.code}`);
}

class BigBoard extends RoomPage {
  /**
   * @param {Room} state
   * @param {Ledger} ledger
   * @param {HTMLElement} main
   * @param {AbortSignal} signal
   */
  constructor(state, ledger, main, signal) {
    super(state, ledger, signal);
    this.main = main;
    /** Instead of names; null if names are shown. @type {[string, string] | null} */
    this.numbers = null;
    this.values = false;
    this.quest = h("div.quest", { role: "status" });
    this.toggle = button("Values", () => void this.toggleValues());
    this.toggle.setAttribute("aria-pressed", "false");
    this.element = h(
      "article.projector.class-board",
      this.table.element,
      this.quest,
      this.notice,
      this.line,
    );
  }

  get reader() {
    return null;
  }

  /**
   * Fetches the game with numbers in place of names, if the wall is anonymous.
   * @param {Room} state
   * @returns {Promise<Room>}
   */
  async disguise(state) {
    const { numbers } = this;
    if (!numbers) return state;
    const { status, ending } = await getPosition(linkOf(state), this.signal, { names: numbers.join("\n") });
    return { ...state, names: numbers, status, ending };
  }

  /** @param {RoomNews} news */
  async hear(news) {
    const state = await this.disguise(await this.ledger.complete(news, this.signal));
    this.line.hidden = true;
    if (state.version >= this.state.version) this.show(state);
    return state;
  }

  /** @param {import("../api.js").Failure} failure */
  lose(failure) {
    super.lose(failure);
    if (failure.status === 404) fill(this.main, gone(failure.message));
  }

  /** @param {Room} state */
  show(state) {
    super.show(state);
    fill(this.quest);
    if (this.values) void this.evaluate();
  }

  async toggleValues() {
    this.values = !this.values;
    this.toggle.setAttribute("aria-pressed", String(this.values));
    if (this.values) await this.evaluate();
    else fill(this.quest);
  }

  async evaluate() {
    if (this.over) return;
    await this.safely(async () => {
      const solved = /** @type {Solved} */ (await this.ask("solve", { names: this.state.names.join("\n") }));
      if (!this.values) return;
      const keeping = solved.each.filter((move) => move.value === solved.value && move.value !== "loss");
      const moves = keeping.map(({ shown }) => shown).join(", ");
      fill(this.quest, h("p", tellAll(solved.standing)), moves && h("p", `Moves that keep it: ${moves}`));
    });
  }
}
