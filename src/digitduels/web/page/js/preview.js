// The line that shows the effect of the chosen move: large, and always in the same place.

import { figure } from "./board.js";
import { calm, fill, h } from "./dom.js";
import { tell } from "./sentence.js";

/** The effect of a move by the rules, for the player who makes it. */
/** @type {Record<string, string>} */
export const TONES = { good: "▲", bad: "▼" };

const WORDY = 60; // characters of a note that leave less room for the equation

/** A move that was made or tried: its equation, what follows, and the side of the player who made it. */
/** @typedef {{text: string, note: string, tone: string, side: Seat | null}} Report */

export class Preview {
  /** @param {() => void} play */
  constructor(play) {
    this.text = h("p.equation");
    this.note = h("p.note");
    this.button = h("button.main", { type: "button", hidden: true, onclick: play }, "Play");
    this.element = h("div.preview", h("div.told-move", this.text, this.note), this.button);
  }

  /**
   * Shows the prompt for the next part.
   * @param {string} text
   * @param {string} [tip]
   */
  ask(text, tip = "") {
    this.#show("asks", text, tip);
  }

  /** Draws attention to the prompt. */
  insist() {
    if (!calm()) this.element.animate({ translate: ["0", "-4px", "4px", "0"] }, { duration: 200 });
  }

  /**
   * Shows the parts of a move so far.
   * @param {(string | null)[]} parts
   * @param {string} prompt
   */
  build(parts, prompt) {
    const slots = parts.map((part) => h("span", { class: part === null ? "slot empty" : "slot" }, part ?? "?"));
    this.#show("builds", h("span.slots", slots), prompt);
  }

  /**
   * Shows the effect of a move.
   * @param {string} shown the move
   * @param {MoveEffect | undefined} effect
   * @param {Seat} mover
   * @param {Seat | null} reader
   */
  foretell(shown, effect, mover, reader) {
    if (!effect) return this.#show("neutral", shown);
    const { tone, result, scores } = effect;
    const score = scores[mover - 1] ?? null;
    const note = effect.note && `${TONES[tone] ?? ""} ${tell(effect.note, reader)}`.trim();
    // If the rules change the result, the note already states the score.
    const told = result === null || score === null || result === score || (note && tone === "bad");
    this.#show(tone, effect.equation ?? shown, [note, !told && `Score: ${figure(score)}.`].filter(Boolean).join(" "));
  }

  /**
   * Shows a move that was made or tried, until the next one is begun.
   * @param {Report} report
   * @param {string} prompt for the next move
   */
  recall({ text, note, tone, side }, prompt) {
    this.#show(`${tone} recalls${side ? ` by-${side}` : ""}`, text, [note, prompt].filter(Boolean).join(" "));
  }

  /** Says that the move is being sent. */
  send() {
    this.element.classList.add("sending");
    this.note.append(h("span.wait", "sending…"));
  }

  /**
   * @param {string} kind
   * @param {import("./dom.js").Child} text
   * @param {import("./dom.js").Child} [note]
   */
  #show(kind, text, note = "") {
    const wordy = typeof note === "string" && note.length > WORDY;
    this.element.className = `preview ${kind}${wordy ? " wordy" : ""}`;
    fill(this.text, text);
    fill(this.note, note);
  }
}

/**
 * Returns the effect of a move in a few characters, for its button.
 * @param {MoveEffect} effect
 * @param {Seat} mover
 * @param {(Integer | null)[]} before the scores now
 */
export function outcomeOf({ result, scores }, mover, before) {
  const after = scores[mover - 1] ?? null;
  if (result !== null) {
    if (after === null || result === after) return `= ${figure(result)}`;
    const added = Number(before[mover - 1]) + Number(result) === Number(after);
    return added ? `→ ${figure(after)}` : `${figure(result)} → ${figure(after)}`;
  }
  const changed = [mover, mover === 1 ? 2 : 1].find((seat) => before[seat - 1] !== scores[seat - 1]);
  if (changed === undefined) return after === null ? "" : `→ ${figure(after)}`;
  return `${figure(before[changed - 1] ?? "")} → ${figure(scores[changed - 1] ?? "")}`;
}
