// One game of a class, on a large board that follows it.

import { get } from "../api.js";
import { changeDetector } from "../change-detector.js";
import { anchor, fill, h } from "../dom.js";
import { showEnd } from "../end.js";
import { getPosition } from "../game-page.js";
import { LargeBoard } from "../large-board.js";
import { linkOf } from "../link.js";
import { Ledger, listen } from "../live.js";
import { roomLabels, roomStatus } from "../room/words.js";
import { setTitle } from "../router.js";
import { say } from "../status.js";
import { playerName, pupilNames } from "./boards.js";
import { gone } from "./class-page.js";

/** @typedef {import("./class-page.js").Shown} Shown */

/**
 * @param {Place} place
 * @param {Shown} state
 */
export async function show({ main, parts, signal }, state) {
  const id = parts[1] ?? "";
  const ledger = new Ledger();
  const numbers = numbersOf(state, id);
  const read = async (/** @type {RoomNews} */ news) => disguised(await ledger.complete(news, signal), numbers, signal);
  const room = await read(await get(`/api/games/${id}`, undefined, signal));
  if (signal.aborted) return;
  const wall = anchor("Wall", `/class/${state.code}/wall`);
  const desk = state.role === "teacher" && anchor("Desk", `/class/${state.code}`);
  const page = new WatchedBoard(linkOf(room), room, signal, wall, desk);
  setTitle(room.title);
  fill(main, page.element);
  page.show(room);
  const listener = {
    news: async (/** @type {RoomNews} */ news) => page.show(await read(news)),
    gone: (/** @type {import("../api.js").Failure} */ failure) => fill(main, gone(failure)),
  };
  void listen(`/api/games/${id}/events`, () => null, listener, signal);
}

/**
 * Returns the labels of the players on an anonymous wall; null if names are shown.
 * @param {Shown} state
 * @param {string} id of the game
 */
function numbersOf(state, id) {
  if (!state.rules.anonymous) return null;
  const board = state.boards.find((game) => game.id === id);
  const names = pupilNames(state, true);
  const number = (/** @type {Seat} */ seat) => (board ? playerName(board, seat, names) : `Player ${seat}`);
  return /** @type {[string, string]} */ ([number(1), number(2)]);
}

/**
 * Returns the game with numbers in place of names, if the wall is anonymous.
 * @param {Room} room
 * @param {[string, string] | null} numbers
 * @param {AbortSignal} signal
 * @returns {Promise<Room>}
 */
async function disguised(room, numbers, signal) {
  if (!numbers) return room;
  const { status, ending } = await getPosition(linkOf(room), signal, { names: numbers.join("\n") });
  return { ...room, names: numbers, status, ending };
}

class WatchedBoard extends LargeBoard {
  /**
   * @param {Link} link
   * @param {Room} room
   * @param {AbortSignal} signal
   * @param {...import("../dom.js").Child} links
   */
  constructor(link, room, signal, ...links) {
    super(link, room, signal, ...links);
    this.room = room;
    this.changed = changeDetector();
    this.end = h("section.end", { hidden: true, "aria-label": "The end" });
    this.table.element.append(this.end);
    this.element.classList.add("class-board");
  }

  get active() {
    return false;
  }

  get lively() {
    return true;
  }

  get silent() {
    return true;
  }

  get over() {
    return this.room.outcome !== null || this.room.closed;
  }

  get mood() {
    return this.over ? "over" : "wait";
  }

  get labels() {
    return roomLabels(this.room, null);
  }

  sayStatus() {
    say(roomStatus(this.room, null), this.mood);
  }

  /**
   * Shows a state of the game, unless a newer one is already shown.
   * @param {Room} room
   */
  show(room) {
    if (room.version < this.room.version || !this.changed(room)) return;
    const link = linkOf(room);
    this.shown += 1;
    this.room = room;
    this.view = room;
    this.link = { ...link, names: room.names.join("\n") };
    this.draw();
    const ending = room.outcome !== null && this.end.hidden;
    this.end.hidden = room.outcome === null;
    if (ending) void showEnd(this.end, room, link, null, false, this.signal);
    void this.evaluate();
  }
}
