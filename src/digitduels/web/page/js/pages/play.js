// A game on one screen: against a level or the coach, or between two people.

import { Failure } from "../api.js";
import { characterOf, seatLabels } from "../board.js";
import { confirmChoice, confirmsFor } from "../confirm.js";
import { anchor, button, fill, h, pause } from "../dom.js";
import { GamePage, getFirstPosition, getPosition } from "../game-page.js";
import { keepBoard, showHead } from "../head.js";
import { Hints } from "../hints.js";
import { newLink, other, pathOf, readLink, rematchOf, splitQuery, withMoves } from "../link.js";
import { showMarks } from "../marks.js";
import { Notebook } from "../notebook.js";
import { go, setTitle } from "../router.js";
import { tell, tellAll } from "../sentence.js";
import { say } from "../status.js";
import { houseRules } from "../table.js";
import { verdictList } from "../verdict.js";

const THINKING = 600; // milliseconds before the computer moves, so that the reader sees their own move first
const READING = 2000; // the same if there is more to read than an equation
/** The task when the reader tries a moment again, by the result to keep. */
const QUESTS = new Map([
  ["win", "Find a move that keeps your win."],
  ["draw", "Find a move that keeps the draw."],
  ["loss", "Find your toughest move here."],
]);

/** @param {Place} place */
export async function show({ main, parts, query, signal }) {
  const [own, rest] = splitQuery(query, ["find", "played"]);
  const link = readLink(parts[0] ?? "", rest);
  const view = await getFirstPosition(link, signal);
  if (signal.aborted) return;
  setTitle(view.title);
  showHead("Play", view, link.options);
  const page = new Play(link, view, signal);
  fill(main, page.element);
  page.retry(QUESTS.get(own["find"] ?? "") ?? "", own["played"] ?? "");
  page.draw();
  showMarks(page.table);
  void page.goOn();
}

/** Modules that the first view does not need. */
function dialogs() {
  return import("../dialog.js");
}

/** @type {typeof import("../end.js") | null} */
let ending = null;

/** Loads what draws the end of a game, so that it can be drawn at once. */
async function loadEnd() {
  return (ending ??= await import("../end.js"));
}

class Play extends GamePage {
  /**
   * @param {Link} link
   * @param {View} view
   * @param {AbortSignal} signal
   */
  constructor(link, view, signal) {
    super(link, view, signal);
    /** The reader's task at a moment that they try again, until they have found a move. */
    this.quest = "";
    /** The move that was played at that moment. */
    this.played = "";
    /** The verdict on the move that they found. */
    this.praise = "";
    this.end = h("section.end", { hidden: true, "aria-label": "The end" });
    this.notebook = new Notebook(this.record, () => this.hideAdvice());
    this.hints = new Hints(this, this.notebook);
    this.values = button("Values", () => void this.toggleValues());
    this.values.setAttribute("aria-pressed", "false");
    this.answer = button("Show me", () => void this.hints.show());
    this.undo = button("Take back", () => void this.takeBack());
    this.table.element.append(this.end, this.#actions());
    const lab = pathOf(newLink(link.game, { options: link.options }), "lab");
    this.element = h(
      "article.game",
      this.table.element,
      h("div.side", this.notice, houseRules(view, lab), this.notebook.element),
    );
  }

  #actions() {
    const { link } = this;
    return h(
      "div.actions",
      { role: "group", "aria-label": "Help and more" },
      link.takebacks && this.undo,
      link.hints && this.hints.button,
      link.hints && this.answer,
      link.hints && this.values,
      button("More", () => void this.more()),
    );
  }

  /**
   * Asks for a better move than the one that was played here.
   * @param {string} quest
   * @param {string} played
   */
  retry(quest, played) {
    this.quest = quest;
    this.played = played;
  }

  /** The menu of rarely used actions. */
  async more() {
    const [{ menu, share }, { soundChoice }] = await Promise.all([dialogs(), import("../sound.js")]);
    const playing = !this.over && !this.waiting;
    await menu("More", [
      ["New game", () => this.newGame()],
      ["Share this position", () => share(location.href, this.view.title)],
      playing && ["Concede", () => this.concede()],
      confirmChoice(this.confirms),
      soundChoice(),
    ]);
    this.table.picker.refresh();
  }

  get reader() {
    return this.link.vs === null ? null : this.link.seat;
  }

  get path() {
    return pathOf(this.link);
  }

  get lively() {
    return true;
  }

  get labels() {
    return seatLabels(this.view, this.reader, characterOf(this.view));
  }

  /** Whether it is the computer's turn. */
  get waiting() {
    return this.reader !== null && this.view.player !== null && this.view.player !== this.reader;
  }

  get active() {
    return super.active && !this.waiting;
  }

  get takesBack() {
    return this.link.takebacks;
  }

  get confirms() {
    return confirmsFor(!this.link.takebacks);
  }

  get mood() {
    return this.waiting ? "wait" : super.mood;
  }

  draw() {
    const focused = this.element.contains(document.activeElement);
    super.draw();
    keepBoard(this.link, this.path, this.over || this.link.hints);
    this.hideAdvice();
    for (const button of [this.hints.button, this.values]) button.disabled = this.over || this.waiting;
    this.undo.disabled = this.back === null;
    // In place of the hints, there is the answer.
    this.answer.hidden = this.quest === "";
    this.hints.button.hidden = this.quest !== "";
    this.end.hidden = !this.over;
    this.element.classList.toggle("over", this.over);
    // If the focused button is gone or disabled, move the focus to the choices.
    if (focused && document.activeElement?.matches("body, :disabled")) this.table.picker.focus();
  }

  sayStatus() {
    if (this.quest || this.praise) say(this.quest || this.praise, this.mood);
    else super.sayStatus();
  }

  /** Stores the game in this browser's list. */
  async #keep() {
    const { link, view, reader } = this;
    if (view.moves.length <= view.opening) return;
    const { keepGame, resultOf } = await import("../mine.js");
    const against = reader === null ? "two players" : (view.names[other(reader) - 1] ?? "");
    const result = resultOf(view, reader);
    const key = [link.game, link.seed, link.vs, link.seat, JSON.stringify(link.options), link.position].join(" ");
    const { game, title, moves } = view;
    const beaten = result === "won" && link.vs !== "coach" ? Number(link.vs) : null;
    keepGame({ key, path: this.path, game, title, against, result, moves: moves.length }, beaten);
  }

  /**
   * @param {Link} link
   * @param {import("../game-page.js").Step} [step] the back button leaves the game and takes no move back
   * @param {Promise<View> | View} [view]
   * @param {string} [praise]
   */
  async goTo(link, step = "replace", view, praise = "") {
    const position = view && (await this.current(view));
    this.quest = "";
    this.praise = praise;
    await super.goTo(link, step, position);
    void this.#keep();
    await this.goOn();
  }

  /** Shows the end of the game, or lets the computer move. */
  async goOn() {
    if (this.over) {
      const rematch = button("Rematch", () => void this.rematch(), "main");
      const { showEnd } = ending ?? (await loadEnd());
      await showEnd(this.end, this.view, this.link, this.reader, rematch, this.signal);
    } else if (this.waiting) await this.reply();
  }

  /** @param {string} move */
  async play(move) {
    if (this.busy) return;
    // The end may come with this move.
    void loadEnd().catch(() => {});
    await this.safely(async () => {
      const tried = this.quest ? await this.#try(move) : null;
      if (tried ? !tried.kept : this.link.vs === "coach" && !(await this.confirm(move))) {
        this.busy = false;
        this.draw();
        if (!tried) return;
        const verdict = tell(tried.tried, this.#seat);
        this.table.picker.refuse(move, verdict);
        say(verdict, "turn");
        return;
      }
      const next = withMoves(this.link, move);
      // The effects of the computer's moves are not shown.
      const view = this.reader === null ? undefined : getPosition(next, this.signal);
      await this.goTo(next, "replace", view, tried ? tell(tried.tried, this.#seat) : "");
    });
  }

  /** The reader; where two people share a screen, the one who is to move. */
  get #seat() {
    return this.reader ?? this.view.player;
  }

  /**
   * Judges a move at a moment that the reader tries again.
   * @param {string} move
   * @returns {Promise<Judgement>}
   */
  async #try(move) {
    return this.ask("judge", { move, played: this.played });
  }

  async reply() {
    await this.safely(async () => {
      const { vs, seed } = this.link;
      const asked = this.ask("reply", { vs: vs ?? "", seed });
      const time = this.praise || this.view.hop?.note ? READING : THINKING;
      const [{ move, position }] = await this.current(Promise.all([asked, pause(time)]));
      await this.goTo(withMoves(this.link, move), "replace", position);
    });
  }

  /**
   * Warns, as a coach, before the reader throws a result away.
   * @param {string} move
   */
  async confirm(move) {
    const warning = await this.#warning(move);
    if (!warning) return true;
    const { ask } = await dialogs();
    const answers = /** @type {[string, string][]} */ ([
      ["back", "Take it back"],
      ["on", "Play it anyway"],
    ]);
    return (await ask("Are you sure?", [h("p", tell(warning, this.reader))], answers)) === "on";
  }

  /**
   * Returns the coach's warning. If the game is too large to judge, the coach plays on without one.
   * @param {string} move
   */
  async #warning(move) {
    try {
      return /** @type {Judgement} */ (await this.ask("judge", { move })).warning;
    } catch (error) {
      if (error instanceof Failure && !error.temporary) return null;
      throw error;
    }
  }

  /** Closes hints and values. */
  hideAdvice() {
    this.hints.clear();
    if (this.values.getAttribute("aria-pressed") === "true") this.table.picker.judge(null);
    this.values.setAttribute("aria-pressed", "false");
  }

  async toggleValues() {
    if (this.values.getAttribute("aria-pressed") === "true") {
      this.hideAdvice();
      return;
    }
    await this.safely(async () => {
      const solved = /** @type {Solved} */ (await this.ask("solve"));
      const standing = tellAll(solved.standing, this.reader);
      this.values.setAttribute("aria-pressed", "true");
      this.table.picker.judge(solved.each);
      this.notebook.advise(
        standing,
        h("p.soft", "▲ can still win · = can still draw · ▼ loses"),
        verdictList(solved.each, this.reader, (move) => void this.play(move)),
        h("p.row", anchor("Explore this position", pathOf({ ...this.link, vs: null }, "explore"))),
      );
      say(standing, "turn");
    });
  }

  async concede() {
    const { confirmConcession } = await dialogs();
    const conceded = this.reader ?? this.view.player;
    if (conceded && (await confirmConcession())) await this.safely(() => this.goTo({ ...this.link, conceded }));
  }

  async newGame() {
    await this.safely(async () => {
      const { askForGame } = await import("../new-game.js");
      const path = await askForGame(this.link);
      if (path) void go(path);
    });
  }

  async rematch() {
    await this.safely(async () => {
      const { withStart } = await import("../new-game.js");
      const next = rematchOf(this.link);
      void go(pathOf(this.link.opening ? await withStart(next, true) : next));
    });
  }
}
