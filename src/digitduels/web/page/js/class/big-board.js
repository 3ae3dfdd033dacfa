// One board of a class, large. Values stay hidden until the teacher asks for them.

import { get } from "../api.js";
import { anchor, button, fill, h } from "../dom.js";
import { Ledger, listen } from "../live.js";
import { RoomPage } from "../pages/room.js";
import { setTitle } from "../router.js";
import { tellAll } from "../sentence.js";

/**
 * @param {Place} place
 * @param {TeacherClass} state
 */
export async function show({ main, parts, signal }, state) {
  const id = parts[1] ?? "";
  const ledger = new Ledger();
  const room = await ledger.complete(await get(`/api/games/${id}`, undefined, signal), signal);
  if (signal.aborted) return;
  const page = new BigBoard(room, ledger, signal);
  page.element.prepend(
    h(
      "div",
      { class: "bar-row" },
      h("h1", null, `Player 1: ${room.names[0]} · Player 2: ${room.names[1]}`),
      h("div", { class: "row" }, page.toggle, anchor("Wall", `/class/${state.code}/wall`), deskLink(state)),
    ),
  );
  setTitle(room.title);
  fill(main, page.element);
  page.show(room);
  const listener = {
    news: (/** @type {RoomNews} */ news) => page.hear(news),
    lost: (/** @type {import("../api.js").Failure} */ failure) => page.lose(failure),
  };
  void listen(`/api/games/${id}/events`, () => null, listener, signal);
}

/** @param {TeacherClass} state */
function deskLink(state) {
  return anchor("Desk", `/class/${state.code}`);
}

class BigBoard extends RoomPage {
  /**
   * @param {Room} state
   * @param {Ledger} ledger
   * @param {AbortSignal} signal
   */
  constructor(state, ledger, signal) {
    super(state, ledger, signal);
    this.values = false;
    this.quest = h("div", { class: "quest", role: "status" });
    this.toggle = button("Values", () => void this.toggleValues());
    this.toggle.setAttribute("aria-pressed", "false");
    this.element = h("article", { class: "projector" }, this.table.element, this.quest, this.notice, this.line);
  }

  get reader() {
    return null;
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
      const solved = /** @type {Solved} */ (await this.ask("solve"));
      if (!this.values) return;
      const keeping = solved.each.filter((move) => move.value === solved.value && move.value !== "loss");
      const moves = keeping.map(({ shown }) => shown).join(", ");
      fill(this.quest, h("p", null, tellAll(solved.standing)), moves && h("p", null, `Moves that keep it: ${moves}`));
    });
  }
}
