// What a player does in a game with a friend: moves and requests, joining, the rematch, sharing.

import { Failure } from "../api.js";
import { showLost } from "../connection-bar.js";
import { ask, confirmConcession, share } from "../dialog.js";
import { h } from "../dom.js";
import { other } from "../link.js";
import { shared } from "../origin.js";
import { go } from "../router.js";
import * as seats from "../seats.js";
import { sendAct } from "../send-act.js";
import { remember } from "../storage.js";

const OUTDATED = "The game has moved on. Look at the board and choose again.";
const SHARING =
  "Anyone with the link can watch. Your own link moves your seat to another device, so keep it to yourself.";

/** The rematch that the reader is being taken to. */
let next = "";

/**
 * Whether the reader has come to this game as a rematch.
 * @param {string} id
 */
export function isRematch(id) {
  return id === next;
}

export class RoomActs {
  /** @param {import("../pages/room.js").RoomPage} page */
  constructor(page) {
    this.page = page;
  }

  /**
   * @param {string} act the last part of its path
   * @param {Record<string, unknown>} [more]
   */
  async send(act, more = {}) {
    const { page } = this;
    const { id, version, moves } = page.state;
    const conflict = async (/** @type {RoomNews} */ news) => {
      const state = await page.hear(news);
      // The move is still valid if the position has not changed, for example if only a player joined.
      const same = act === "moves" && state.moves.join(" ") === moves.join(" ") && state.takeback === null;
      if (!same) throw new Failure(OUTDATED, 409);
    };
    await page.safely(async () => {
      const settings = { signal: page.signal, waiting: showLost, conflict };
      const path = `/api/games/${id}/${act}`;
      const { state } = /** @type {Acted} */ (
        await sendAct(path, page.mine?.token ?? null, { version, ...more }, settings)
      );
      await page.hear(state);
    });
  }

  /**
   * Takes the free seat.
   * @param {string} invite
   * @param {string} name
   */
  async join(invite, name) {
    const { page } = this;
    const { id } = page.state;
    remember("name", name);
    await page.safely(async () => {
      const state = await seats.join(id, invite, name);
      page.mine = seats.mine(id);
      await page.hear(state);
      // Reconnect the feed, now with a seat.
      void go(`/g/${id}`);
    });
  }

  async concede() {
    if (await confirmConcession()) await this.send("concede");
  }

  /** Goes to the rematch, and begins it if nobody has. */
  async rematch() {
    if (!this.page.state.rematch) await this.send("rematch");
    const { rematch } = this.page.state;
    if (rematch) void go(this.rematchPath(rematch));
  }

  /**
   * Returns the path of the rematch, in which the reader has the other seat.
   * @param {string} id
   */
  rematchPath(id) {
    const { mine } = this.page;
    if (mine && !seats.mine(id)) seats.keep(id, { seat: other(mine.seat), token: mine.token, invite: null });
    if (mine) next = id;
    return `/g/${id}`;
  }

  /** Shares a link to watch, or the reader's own link. */
  async share() {
    const { mine, state } = this.page;
    const answer = await ask(
      "Share this game",
      [h("p", SHARING)],
      [
        ["watch", "Link to watch"],
        ["own", "My own link"],
        ["", "Close"],
      ],
    );
    const own = answer === "own" && mine;
    if (answer) await share(own ? seats.own(state.id, own) : `${shared()}/g/${state.id}`, state.title);
  }
}
