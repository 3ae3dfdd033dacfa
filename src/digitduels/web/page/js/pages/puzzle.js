// Puzzles: one move keeps the win. The opponent plays the longest defence.

import { Failure, gameCard, games, getComputed } from "../api.js";
import { anchor, button, fill, h, pause } from "../dom.js";
import { ordinal } from "../counts.js";
import { GamePage, getPosition, WITH_EFFECTS } from "../game-page.js";
import { showHead } from "../head.js";
import { Hints } from "../hints.js";
import { cutTo, pathOf, randomSeed, readLink, splitQuery, withKeys, withMoves, words } from "../link.js";
import { keepMissed, keepPuzzle, missedOf } from "../mine.js";
import { Notebook } from "../notebook.js";
import { shared } from "../origin.js";
import { setTitle } from "../router.js";
import { tell, tellAll } from "../sentence.js";
import { say, sayWait } from "../status.js";
import { loadStyle } from "../style.js";
import { chip } from "../verdict.js";
import { outside } from "../transport.js";

const THINKING = 500; // milliseconds before the defence moves

/** @type {Record<Attempt["kind"], [Value, string]>} */
const ANSWERS = { right: ["win", "Right"], slower: ["draw", "Not the quickest"], wrong: ["loss", "No"] };

/** @param {Place} place */
export async function show({ main, parts, query, signal }) {
  await loadStyle("study");
  const [own, rest] = splitQuery(query, ["tier", "seed", "date", "moves"]);
  const game = parts[0] ?? "";
  const { tier, seed, date } = own;
  const rules = Object.fromEntries(rest);
  const here = withKeys(game ? `/puzzle/${game}` : "/puzzle", rules);
  const wanted = withKeys("", { ...rules, game, tier, seed, date }).slice(1);
  const cards = await games();
  /** @type {Puzzle} */
  let puzzle;
  try {
    puzzle = await getComputed("/api/puzzle", new URLSearchParams(wanted), signal, sayWait);
  } catch (error) {
    if (signal.aborted || !(error instanceof Failure) || error.temporary) throw error;
    say("");
    const card = await gameCard(game);
    if (card) showHead("Puzzles", card);
    const choices = puzzleChoices(cards, game, tier, here, {});
    const lead = h("p.lead", error.message);
    fill(main, h("article.game.study-page", !card && h("h1", "Puzzles"), choices, lead));
    return;
  }
  const start = readLink(puzzle.game, new URLSearchParams(puzzle.link));
  const view = await positionAfter(start, words(own["moves"] ?? ""), signal);
  if (signal.aborted) return;
  const today = puzzle.date !== null && !game;
  setTitle(today ? "Today's puzzle" : `Puzzle: ${puzzle.title}`);
  const paths = { here: withKeys(here, { tier, seed, date }), next: withKeys(here, { tier, seed: randomSeed() }) };
  const page = new PuzzlePage(puzzle, start, view, paths, signal);
  const daily = puzzle.date ? `Today's puzzle, #${numberOf(puzzle.date)}` : puzzle.title;
  showHead("Puzzles", view, start.options, today && !tier ? daily : puzzle.title);
  page.side.append(puzzleChoices(cards, game, tier, here, puzzle.tiers));
  fill(main, h("article.game.study-page", h("div.column", page.quest, page.table.element), page.side));
  page.draw();
}

const FIRST_DAY = Date.UTC(2026, 0, 1); // of puzzle number 1
const DAY = 86_400_000; // milliseconds

/**
 * Returns the number of a day's puzzle.
 * @param {string} date
 */
function numberOf(date) {
  return Math.round((Date.parse(date) - FIRST_DAY) / DAY) + 1;
}

/**
 * Fetches the position of a puzzle after some moves, each with its reply.
 * @param {Link} start
 * @param {string[]} moves
 * @param {AbortSignal} signal
 */
async function positionAfter(start, moves, signal) {
  const view = await getPosition(withMoves(start, ...moves), signal, WITH_EFFECTS);
  // A link of the first edition may end before the reply.
  const incomplete = moves.length % 2 === 1 && view.outcome === null;
  return incomplete ? getPosition(withMoves(start, ...moves.slice(0, -1)), signal, WITH_EFFECTS) : view;
}

/**
 * Creates the links to other puzzles.
 * @param {GameCard[]} cards
 * @param {string} game
 * @param {string | undefined} tier
 * @param {string} here
 * @param {Record<string, string>} tiers
 */
function puzzleChoices(cards, game, tier, here, tiers) {
  const pill = (/** @type {string} */ label, /** @type {string} */ href, /** @type {boolean} */ chosen) =>
    h("li", h("a", { href, "aria-current": chosen ? "true" : null }, label));
  const all = cards.map((card) => pill(card.title, `/puzzle/${card.game}`, card.game === game));
  const kinds = game ? Object.entries(tiers) : [];
  const far = kinds.map(([name, label]) => pill(label, withKeys(here, { tier: name }), name === tier));
  const title = "How far away the win is";
  return h(
    "div.choices",
    h("h2", "More puzzles"),
    h("ul.pills", { "aria-label": "Choose a game" }, pill("Today's", "/puzzle", !game), all),
    far.length > 0 && h("h2", title),
    far.length > 0 && h("ul.pills", { "aria-label": title }, pill("Any", here, !tier), far),
  );
}

class PuzzlePage extends GamePage {
  /**
   * @param {Puzzle} puzzle
   * @param {Link} start
   * @param {View} view the position now
   * @param {{here: string, next: string}} paths of this puzzle and of another one
   * @param {AbortSignal} signal
   */
  constructor(puzzle, start, view, paths, signal) {
    super({ ...start, moves: view.moves }, view, signal);
    this.puzzle = puzzle;
    this.start = start;
    this.paths = paths;
    this.seat = /** @type {Seat} */ (view.history[start.moves.length]?.player ?? view.player ?? 1);
    this.key = [puzzle.game, puzzle.tier, puzzle.date ?? puzzle.seed].join(" ");
    /** The number of wrong attempts. */
    this.missed = missedOf(this.key);
    this.question = h("p.quest", tell(puzzle.question, this.seat));
    /** The question, then the verdict on the last attempt. */
    this.answer = h("div.attempt", this.question);
    this.quest = h(
      "section.card.quest-card",
      { "aria-label": "The puzzle" },
      h("p.kicker", puzzle.tiers[String(puzzle.tier)] ?? ""),
      this.answer,
    );
    this.notebook = new Notebook(this.record, () => this.hints.clear());
    this.hints = new Hints(this, this.notebook);
    this.again = button("Start over", () => void this.restart());
    this.side = h(
      "div.side",
      this.notice,
      h("div.actions", this.hints.button, this.again, anchor("Another puzzle", paths.next)),
      this.notebook.element,
    );
  }

  get reader() {
    return this.seat;
  }

  get path() {
    return withKeys(this.paths.here, { moves: this.link.moves.slice(this.start.moves.length).join(" ") });
  }

  get active() {
    return super.active && this.view.player === this.seat;
  }

  /** How many moves were played since the start of the puzzle. */
  get played() {
    return this.link.moves.length - this.start.moves.length;
  }

  draw() {
    super.draw();
    this.hints.clear();
    this.hints.button.disabled = !this.active;
    this.again.disabled = this.played === 0;
    if (this.over) this.#end();
  }

  sayStatus() {
    const last = this.view.history.at(-1);
    if (this.over) return;
    if (this.view.player !== this.seat) super.sayStatus();
    else if (this.played && last) say(`${tell(last.report, this.seat)} Now finish it.`, "turn");
    else say("Find the move.", "turn");
  }

  #end() {
    const won = this.view.outcome?.winner === this.seat;
    const title = h("h2", { tabindex: -1 }, won ? "Solved" : "Not this time");
    const next = anchor("Next puzzle", this.paths.next, "main");
    fill(
      this.answer,
      h(
        "section",
        { class: won ? "end win" : "end loss" },
        title,
        h("p", this.view.outcome && tell(this.view.outcome.reason, this.seat)),
        won && h("p.soft", `Solved on your ${ordinal(this.missed + 1)} try.`),
        h(
          "p.row",
          next,
          won && button("Share the result", () => void this.share()),
          anchor("Explore it", pathOf(this.start, "explore")),
        ),
      ),
    );
    say(won ? "Solved." : "Not this time.", "over");
    if (won) this.#keep();
    title.focus({ preventScroll: true });
    this.answer.scrollIntoView({ block: "nearest" });
  }

  #keep() {
    const { title, date } = this.puzzle;
    const name = date ? `Puzzle #${numberOf(date)}: ${title}` : title;
    keepPuzzle({ key: this.key, title: name, path: this.paths.here, missed: this.missed });
  }

  /** Copies a line to share that does not reveal the answer. */
  async share() {
    const { copy } = await import("../dialog.js");
    const { title, date, seed } = this.puzzle;
    const name = date ? `Digit Duels puzzle #${numberOf(date)}` : "A Digit Duels puzzle";
    const tries = this.missed ? `▲ solved on the ${ordinal(this.missed + 1)} try` : "▲ solved on the first try";
    const path = withKeys(this.paths.here, date ? { date } : { seed });
    const done = await copy(`${name} · ${title}\n${tries}\n${shared()}${outside(path)}`);
    say(done ? "Copied, no spoilers." : "Your browser blocked copying.");
  }

  async restart() {
    await this.safely(async () => {
      await this.goTo(cutTo(this.link, this.start.moves.length));
      fill(this.answer, this.question);
    });
  }

  /** @param {string} move */
  async play(move) {
    if (this.busy) return;
    await this.safely(async () => {
      const tier = String(this.puzzle.tier);
      const { kind, sentences, moves } = /** @type {Attempt} */ (await this.ask("attempt", { move, tier }));
      const text = tellAll(sentences, this.seat);
      const [value, label] = ANSWERS[kind];
      fill(this.answer, h("p", { class: `told ${value}` }, chip(value, label), " ", text));
      const [own, ...reply] = moves;
      if (own === undefined) {
        this.missed += 1;
        keepMissed(this.key, this.missed);
        this.busy = false;
        this.draw();
        say(text, "turn");
        return;
      }
      const next = withMoves(this.link, ...moves);
      if (reply.length) {
        const answered = withMoves(this.link, own);
        await this.goTo(answered, "keep", getPosition(answered, this.signal));
        await this.current(pause(THINKING));
      }
      await this.safely(() => this.goTo(next));
    });
  }
}
