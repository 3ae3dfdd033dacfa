// The bars at the foot of a game with a friend: what happened beside the moves, and requests to the reader.

import { gameCard } from "../api.js";
import { anchor, button, fill, h } from "../dom.js";
import { levelOptions } from "../levels.js";
import { other } from "../link.js";
import { whisper } from "../status.js";

const NEWS = 6000; // milliseconds for which a message is shown

export class Bars {
  /** @param {import("../pages/room.js").RoomPage} page */
  constructor(page) {
    this.page = page;
    /** The latest message. */
    this.message = "";
    this.element = h("div.bars");
  }

  /**
   * Shows a message for a few seconds.
   * @param {string} message
   */
  announce(message) {
    this.say(message);
    setTimeout(() => {
      if (this.message === message && !this.page.signal.aborted) this.say("");
    }, NEWS);
  }

  /**
   * Shows a message until the next one.
   * @param {string} message
   */
  say(message) {
    this.message = message;
    whisper(message);
    this.draw();
  }

  draw() {
    const { acts, full, reader, state } = this.page;
    const bars = [];
    if (state.rematch)
      bars.push(bar(this.#rematch(), anchor("Go to the rematch", acts.rematchPath(state.rematch), "main")));
    if (!state.closed && state.outcome === null) {
      if (reader !== null) bars.push(...this.#requests(reader));
      else if (full) bars.push(bar("You are watching."));
    }
    // One thing at a time: the bars cover the foot of the board.
    if (this.message && !bars.length) bars.push(bar(this.message));
    fill(this.element, bars);
  }

  /** Says that a rematch waits for the reader, who may still be reading about this game. */
  #rematch() {
    const { reader, state } = this.page;
    return reader === null ? "A rematch has begun." : `${state.names[other(reader) - 1]} is ready for a rematch.`;
  }

  /** The opponent's request to the reader, in words. */
  request() {
    const { reader, state } = this.page;
    if (reader === null || state.takeback === null || state.takeback === reader || state.outcome) return "";
    return `${state.names[state.takeback - 1]} asks to take back a move.`;
  }

  /** @param {Seat} reader */
  #requests(reader) {
    const { acts, full, state } = this.page;
    const them = /** @type {Chair} */ (state.seats[other(reader) - 1]);
    const bars = [];
    if (this.request()) {
      const allow = button("Allow", () => void acts.send("takeback", { answer: "accept" }), "main");
      const decline = button("Decline", () => void acts.send("takeback", { answer: "decline" }));
      bars.push(bar(this.request(), allow, decline));
    }
    if (state.takeback === reader) {
      const name = state.names[other(reader) - 1];
      bars.push(bar(`You asked to take back a move. Waiting for ${name} to answer.`));
    }
    if (state.seats[reader - 1]?.kind === "computer") {
      const back = button("Take your seat back", () => void acts.send("return"), "main");
      bars.push(bar("The computer is playing for you.", back));
    }
    if (full && them.away && them.kind === "human" && !state.class) bars.push(this.#substitution(them));
    return bars;
  }

  /** @param {Chair} them */
  #substitution(them) {
    const { acts, state } = this.page;
    const level = h("select", { "aria-label": "Computer level" });
    const substitute = button(
      "Let the computer play",
      () => void acts.send("substitute", { level: Number(level.value) }),
    );
    substitute.disabled = true;
    gameCard(state.game).then(
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
}

/**
 * @param {string} text
 * @param {...import("../dom.js").Child} content
 */
function bar(text, ...content) {
  return h("section.bar", { "aria-label": text }, h("p", text), h("div.row", content));
}
