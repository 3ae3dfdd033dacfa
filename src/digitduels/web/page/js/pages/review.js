// A game looked back on: who was winning when, on which moves it turned, and what you would have played there.

import { get, post } from "../api.js";
import { asked, path, read } from "../address.js";
import { button, fill, h, link } from "../dom.js";
import { card, dress, head, keyed, onward, parted, seats, Stepper, work } from "../lesson.js";
import { entitle, go, note } from "../router.js";
import { beginner } from "../setup.js";
import { say } from "../status.js";
import { Table } from "../table.js";
import { chip, pretty, prose } from "../verdict.js";

const LARGEST = 1 << 20; // bytes of a record

/** A record that was opened here: what its address does not hold, such as the players' words. */
/** @type {{query: string, reviewed: Reviewed} | null} */
let opened = null;

/** @param {Place} place */
export async function show({ main, parts, query, signal }) {
  await dress();
  const [own, rest] = parted(query, ["at"]);
  if (!parts[0]) {
    say("");
    fill(
      main,
      h("h1", null, "Review a game"),
      h("p", { class: "lead" }, "On which move did it turn, and what would you have played? Finish a game here and press Review, or open the file of one."),
      opener(signal),
    );
    return;
  }
  const address = read(parts[0], rest);
  const you = address.vs === null ? null : address.seat;
  const [view, shown] = await Promise.all([get(`/api/position/${address.game}`, asked(address), signal), card(address.game)]);
  if (signal.aborted) return;
  entitle(`Review: ${view.title}`);
  if (!address.moves.length && !address.conceded) {
    say("");
    fill(main, head("Review", shown, address.options, view.title), h("p", { class: "lead" }, "There are no moves to look back on yet."), opener(signal));
    return;
  }
  const kept = opened && opened.query === asked(address).toString() ? opened.reviewed : null;
  const reviewed = kept ?? /** @type {Reviewed} */ (await work("review", address, signal, you ? { you: String(you) } : {}));
  if (signal.aborted) return;
  const page = new Retrospect(address, view, reviewed, shown, you, signal);
  fill(main, page.element);
  const at = Number.parseInt(own["at"] ?? "", 10);
  await page.stand(Number.isNaN(at) ? page.first : Math.min(Math.max(at, reviewed.opening), page.last), true);
}

class Retrospect {
  /**
   * @param {Address} address
   * @param {View} view at the end
   * @param {Reviewed} reviewed
   * @param {GameCard | null} shown
   * @param {Seat | null} you
   * @param {AbortSignal} signal
   */
  constructor(address, view, reviewed, shown, you, signal) {
    this.address = address;
    this.view = view;
    this.reviewed = reviewed;
    this.card = shown;
    this.you = you;
    this.signal = signal;
    this.at = reviewed.opening;
    this.last = reviewed.opening + reviewed.turns.length;
    /** Moments whose answer was shown or found. @type {Set<number>} */
    this.known = new Set();
    this.names = /** @type {[string, string]} */ (reviewed.names);
    this.table = new Table({ view, signal, query: () => asked(this.here), play: (move) => void this.attempt(move) });
    this.stepper = new Stepper((at) => void this.stand(at + reviewed.opening), signal);
    this.cells = reviewed.winning.map((who, place) => this.#cell(who, place));
    this.turning = h("p", { class: "turning" });
    this.moment = h("section", { class: "card moment", "aria-label": "This moment" });
    this.element = h(
      "article",
      { class: "game lesson-page" },
      head("Review", shown, address.options, view.title),
      h(
        "section",
        { class: "card verdict", "aria-label": "What decided it" },
        this.turning,
        h("p", { class: "soft" }, reviewed.story),
        h("ol", { class: "ribbon", "aria-label": "Who was winning, from the start on" }, this.cells.map((cell) => h("li", null, cell))),
        this.#legend(),
      ),
      h("div", { class: "column" }, this.stepper.element, this.table.element),
      h(
        "div",
        { class: "side" },
        this.moment,
        h(
          "section",
          { class: "card", "aria-label": "Critical moves found" },
          h("h2", null, "Critical moves found"),
          h("dl", { class: "found" }, [0, 1].flatMap((seat) => this.#found(seat))),
          h("p", { class: "soft" }, "A move is critical when something worse could have been played. A slower win is never a mistake."),
        ),
        opener(signal),
      ),
    );
  }

  /** Where the first moment is at which the game turned; else the start. */
  get first() {
    return this.reviewed.turns.find((turn) => turn.swing)?.ply ?? this.reviewed.opening;
  }

  /** The game as it stood at the present moment. */
  get here() {
    return { ...this.address, conceded: null, moves: this.address.moves.slice(0, this.at) };
  }

  /**
   * @param {number} seat
   */
  #found(seat) {
    const { found, of } = /** @type {{found: number, of: number}} */ (this.reviewed.critical[seat]);
    return [
      h("dt", null, h("span", { "aria-hidden": "true" }, seat ? "○ " : "● "), this.you === seat + 1 ? "You" : this.names[seat]),
      h("dd", null, of ? `${found} of ${of}` : "–"),
    ];
  }

  /**
   * @param {Seat | null} who
   * @param {number} place
   */
  #cell(who, place) {
    const { reviewed } = this;
    const turn = reviewed.turns[place - 1];
    const next = reviewed.turns[place];
    const done = turn ? `Move ${turn.ply + 1}, ${this.names[turn.player - 1]} ${turn.move === null ? "gave up" : pretty(turn.move)}` : "At the start";
    const winning = who ? `${this.names[who - 1]} is winning` : "nobody is winning";
    return h(
      "button",
      {
        type: "button",
        class: `beat ${who === 1 ? "win" : who === 2 ? "loss" : "draw"}${turn?.swing ? " swing" : ""}`,
        "aria-label": `${done}: ${winning}${turn?.swing ? "; here it turned" : ""}${next?.swing ? "; what would you play here?" : ""}`,
        onclick: () => void this.stand(place + reviewed.opening),
      },
      h("span", { class: "sign", "aria-hidden": "true" }, who === 1 ? "▲" : who === 2 ? "▼" : "="),
      h("span", { class: "what", "aria-hidden": "true" }, turn ? (turn.move === null ? "gave up" : pretty(turn.move)) : "start"),
    );
  }

  #legend() {
    const who = new Set(this.reviewed.winning);
    return h(
      "p",
      { class: "row legend" },
      who.has(1) && chip("win", `${this.names[0]} is winning`),
      who.has(2) && chip("loss", `${this.names[1]} is winning`),
      who.has(null) && chip("draw", "nobody is winning"),
      this.reviewed.turns.some((turn) => turn.swing) && h("span", { class: "soft" }, h("span", { class: "swing-key", "aria-hidden": "true" }), " the game turned"),
    );
  }

  /**
   * Shows the game after so many moves.
   * @param {number} at
   * @param {boolean} [begun] whether the page just opened
   */
  async stand(at, begun = false) {
    const { reviewed, address } = this;
    // Giving up leaves the position as it is.
    const ended = at === this.last;
    const before = this.at;
    this.at = at;
    try {
      const view = ended ? this.view : await get(`/api/position/${address.game}`, asked(this.here), this.signal);
      if (this.at !== at) return;
      note(keyed(path(address, "review"), { at }), true);
      this.stepper.update(at - reviewed.opening, this.last - reviewed.opening);
      this.cells.forEach((cell, place) => {
        if (place + reviewed.opening === at) cell.setAttribute("aria-current", "step");
        else cell.removeAttribute("aria-current");
      });
      const turn = reviewed.turns[at - reviewed.opening];
      const asks = Boolean(turn?.swing && turn.keeping.length && !this.known.has(at));
      this.table.update(view, seats(view, this.you), asks);
      this.#draw(turn, asks);
      if (asks) say(`${begun ? "" : `${this.#headline()} `}What would you play here?`, "turn");
      else say(begun ? "" : this.#headline());
    } catch (error) {
      if (this.signal.aborted || !(error instanceof Error)) return;
      this.at = before;
      say(error.message);
    }
  }

  /** What just happened. */
  #headline() {
    const turn = this.reviewed.turns[this.at - this.reviewed.opening - 1];
    if (!turn) return "The start.";
    const name = this.you === turn.player ? "You" : this.names[turn.player - 1];
    return turn.move === null ? `${name} gave up.` : `Move ${turn.ply + 1}: ${name} played ${pretty(turn.move)}.`;
  }

  /**
   * @param {ReviewTurn | undefined} turn the one that comes next
   * @param {boolean} asks whether its answer is still hidden
   */
  #draw(turn, asks) {
    const { reviewed } = this;
    // What would have been better stands behind the semicolon; it is told once it was found or asked for.
    const final = reviewed.turns.findLast((each) => each.swing);
    const [open = ""] = reviewed.sentence.split(";");
    this.turning.textContent = prose(!final || !final.keeping.length || this.known.has(final.ply) ? reviewed.sentence : `${open}.`);
    const past = reviewed.turns[this.at - reviewed.opening - 1];
    const swings = reviewed.turns.filter((each) => each.swing);
    const number = turn ? swings.indexOf(turn) : -1;
    const further = swings.find((each) => each.ply > this.at);
    const who = reviewed.winning[this.at - reviewed.opening] ?? null;
    const winner = who === null ? chip("draw", "Nobody is winning") : chip(who === 1 ? "win" : "loss", this.you === who ? "You are winning" : `${this.names[who - 1]} is winning`);
    fill(
      this.moment,
      h("h2", null, this.#headline()),
      h("p", null, winner),
      past?.swing && h("p", { class: "lesson" }, prose(past.lesson ?? "")),
      past?.words.map((text) => h("blockquote", { class: "words" }, h("span", { class: "hidden" }, `${this.names[past.player - 1]} said: `), text)),
      turn && number >= 0 && h("div", { class: "ask" }, h("p", { class: "kicker" }, `Turning point ${number + 1} of ${swings.length}`), this.#question(turn, asks)),
      turn && number < 0 && h("p", { class: "soft" }, this.#next(turn)),
      h(
        "p",
        { class: "row" },
        further && button(number >= 0 ? "Next turning point" : swings[0] === further ? "To the turning point" : "To the next turning point", () => void this.stand(further.ply), asks ? "quiet" : "main"),
        turn && this.card && link("Play on from here", onward(this.here, this.address.vs ?? beginner(this.card), turn.player)),
        link("Explore", path({ ...this.here, vs: null }, "explore")),
      ),
    );
  }

  /**
   * @param {ReviewTurn} turn
   */
  #next(turn) {
    const name = this.you === turn.player ? "you" : this.names[turn.player - 1];
    const what = turn.move === null ? "gave up" : `played ${pretty(turn.move)}`;
    const how = !turn.critical ? "Nothing could go wrong or be saved here." : turn.keeping.length === 1 ? `The only move that keeps the ${turn.before.value}: found.` : `A critical move, found: ${turn.keeping.length} moves keep the ${turn.before.value}.`;
    return `Then ${name} ${what}. ${how}`;
  }

  /**
   * @param {ReviewTurn} turn
   * @param {boolean} asks
   */
  #question(turn, asks) {
    const name = this.you === turn.player ? "You have" : `${this.names[turn.player - 1]} has`;
    this.answer = h("div", { class: "answer" });
    if (asks) {
      return [
        h("p", null, `${name} a ${turn.before.value} and the move. What would you play? Choose on the board.`),
        this.answer,
        h("p", { class: "row" }, button("Show the answer", () => this.#reveal(turn))),
      ];
    }
    return [h("p", { class: "lesson" }, prose(turn.lesson ?? "")), turn.refutation && h("p", null, prose(turn.refutation))];
  }

  /** @param {ReviewTurn} turn */
  #reveal(turn) {
    this.known.add(this.at);
    void this.stand(this.at).then(() => say(prose(turn.lesson ?? "")));
  }

  /**
   * A try at a turning point.
   * @param {string} move
   */
  async attempt(move) {
    const turn = this.reviewed.turns[this.at - this.reviewed.opening];
    const { at, answer } = this;
    if (!turn || !answer) return;
    try {
      const judged = /** @type {JudgedMove} */ (await work("judge", this.here, this.signal, { move, ...(this.you ? { you: String(this.you) } : {}) }));
      if (this.at !== at) return;
      const played = move === turn.move ? " That is what was played." : "";
      const text = judged.keeps ? `${pretty(move)} keeps the ${turn.before.value}. ${prose(judged.why)}` : `${pretty(move)} does not keep the ${turn.before.value}. ${prose(judged.why)}${played}`;
      if (judged.keeps) {
        this.known.add(at);
        await this.stand(at);
        this.moment.querySelector(".ask")?.append(h("p", { class: "told win" }, chip("win", "Found"), " ", text));
      } else {
        fill(answer, h("p", { class: "told loss" }, chip("loss", "Not yet"), " ", text));
      }
      say(text, judged.keeps ? "" : "turn");
    } catch (error) {
      if (!this.signal.aborted && error instanceof Error) fill(answer, h("p", null, error.message));
    }
  }
}

/**
 * Opens the record of a game: chosen, or dropped.
 * @param {AbortSignal} signal
 */
function opener(signal) {
  const trouble = h("p", { class: "trouble", role: "alert" });
  const input = h("input", { type: "file", accept: ".json,application/json" });
  const element = h(
    "section",
    { class: "card opener", "aria-label": "Open a record" },
    h("h2", null, "Open a record"),
    h("label", { class: "field" }, h("span", null, "A file that duels has saved. It can be dropped here, too."), input),
    trouble,
  );
  const take = async (/** @type {File | undefined} */ file) => {
    if (!file) return;
    trouble.textContent = "";
    try {
      if (file.size > LARGEST) throw new Error("This file is too large to be the record of a game.");
      let record;
      try {
        record = JSON.parse(await file.text());
      } catch {
        throw new Error("This is not the record of a game: choose a file that duels has saved.");
      }
      const reviewed = await post("/api/review", record);
      if (signal.aborted) return;
      const address = read(reviewed.game, new URLSearchParams(reviewed.address));
      opened = { query: asked(address).toString(), reviewed };
      go(path(address, "review"));
    } catch (error) {
      if (!signal.aborted && error instanceof Error) trouble.textContent = error.message;
    }
  };
  input.addEventListener("change", () => void take(input.files?.[0]));
  element.addEventListener("dragover", (event) => {
    event.preventDefault();
    element.classList.add("over");
  });
  element.addEventListener("dragleave", () => element.classList.remove("over"));
  element.addEventListener("drop", (event) => {
    event.preventDefault();
    element.classList.remove("over");
    void take(event.dataTransfer?.files[0]);
  });
  return element;
}
