// The review of a game: who was winning when, which moves turned it, and a second try at each of them.

import { Failure, gameCard, getComputed } from "../api.js";
import { seatLabels, sideOf } from "../board.js";
import { anchor, button, fill, h, set } from "../dom.js";
import { GamePage, getPosition, WITH_EFFECTS } from "../game-page.js";
import { showHead } from "../head.js";
import { LinePage } from "../line-page.js";
import { continuation, cutTo, other, pathOf, queryOf, readLink, splitQuery, withKeys, withMoves } from "../link.js";
import { recentGames, showMyGames } from "../my-games.js";
import { openedReview, recordOpener } from "../opener.js";
import { note, setTitle } from "../router.js";
import { tell, tellAll } from "../sentence.js";
import { say, sayWait } from "../status.js";
import { Stepper } from "../stepper.js";
import { loadStyle } from "../style.js";
import { chip } from "../verdict.js";

const CRITICAL = "A move is critical when a mistake was possible. A slower win is never a mistake.";

/** @param {Place} place */
export async function show({ main, parts, query, signal }) {
  await loadStyle("study");
  if (!parts[0]) {
    say("");
    setTitle("My games");
    showMyGames(main, signal);
    return;
  }
  const [own, rest] = splitQuery(query, ["at"]);
  const link = readLink(parts[0], rest);
  const [view, card] = await Promise.all([getPosition(link, signal), gameCard(link.game)]);
  if (signal.aborted) return;
  setTitle(`Review: ${view.title}`);
  showHead("Review", view, link.options);
  if (!link.moves.length && !link.conceded) {
    say("");
    const play = anchor("Play", pathOf({ ...link, vs: card && String(card.beginner) }), "main");
    fill(main, recentGames(view), h("p.row", play, recordOpener(signal)));
    return;
  }
  const review = openedReview(link) ?? (await reviewOf(link, signal));
  if (signal.aborted) return;
  if (review instanceof Failure) {
    const replay = new Replay(link, view, review.message, signal);
    fill(main, replay.element);
    replay.draw();
    return;
  }
  const page = new ReviewPage(link, view, review, card, signal);
  // Shown when it is complete, so that nothing moves.
  await page.open(Number.parseInt(own["at"] ?? "", 10));
  if (signal.aborted) return;
  fill(main, page.element);
  page.centre();
}

/**
 * Returns the review of a game, or why rules too large to solve have none.
 * @param {Link} link
 * @param {AbortSignal} signal
 * @returns {Promise<Review | Failure>}
 */
async function reviewOf(link, signal) {
  try {
    return await getComputed(`/api/review/${link.game}`, queryOf(link), signal, sayWait);
  } catch (error) {
    if (error instanceof Failure && error.tooLarge) return error;
    throw error;
  }
}

/** A game whose rules are too large to solve: its moves on the board, and why nobody judges them. */
class Replay extends LinePage {
  /**
   * @param {Link} link
   * @param {View} view
   * @param {string} reason
   * @param {AbortSignal} signal
   */
  constructor(link, view, reason, signal) {
    super(link, view, signal);
    this.whole = link;
    this.element = h(
      "article.game.study-page.review",
      h("div.column", this.stepper.element, this.notice, this.table.element),
      h("div.side", h("p.card", reason), h("section.card", { "aria-label": "Moves" }, this.record)),
    );
  }

  get reader() {
    return this.link.vs === null ? null : this.link.seat;
  }

  get active() {
    return false;
  }

  /** @param {number} at */
  async step(at) {
    const { whole } = this;
    await this.safely(() => this.goTo(at < whole.moves.length ? cutTo(whole, at) : whole, "keep"));
  }
}

class ReviewPage extends GamePage {
  /**
   * @param {Link} link
   * @param {View} view at the end
   * @param {Review} review
   * @param {GameCard | null} card
   * @param {AbortSignal} signal
   */
  constructor(link, view, review, card, signal) {
    super(link, view, signal);
    this.last = view;
    this.review = review;
    this.card = card;
    this.at = review.opening;
    this.end = review.opening + review.turns.length;
    this.swings = review.turns.filter((turn) => turn.swing);
    /** The moments that the page walks through: the reader's own first, or everybody's if there is no reader. */
    this.moments = this.#momentsOf(this.reader);
    this.theirs = this.reader === null ? [] : this.#momentsOf(other(this.reader)).filter((turn) => turn.swing);
    /** Moments whose answer was shown or found. @type {Set<number>} */
    this.known = new Set();
    this.cells = review.winning.map((winner, index) => this.#cell(winner, index));
    this.ribbon = h(
      "ol.ribbon",
      { "aria-label": "Who was winning after each move" },
      this.cells.map((cell) => h("li", cell)),
    );
    this.stepper = new Stepper((at) => void this.step(at + review.opening), signal, this.ribbon);
    /** Whether the board shows a line of best play, not the game. */
    this.following = false;
    this.turning = h("p.turning");
    this.moment = h("section.card.moment", { "aria-label": "This moment", tabindex: -1 });
    /** Below the board: the button for the answer, then the answer as lines of best play. */
    this.answer = h("div.answer");
    this.element = h(
      "article.game.study-page.review",
      this.#verdict(),
      h("div.column", this.notice, this.table.element, this.answer),
      h("div.side", this.moment, this.#found(), recordOpener(signal)),
    );
  }

  get reader() {
    return this.link.vs === null ? null : this.link.seat;
  }

  get here() {
    return cutTo(this.link, this.at);
  }

  get path() {
    return withKeys(pathOf(this.link, "review"), { at: this.at });
  }

  get labels() {
    return seatLabels(this.review, this.reader);
  }

  /** The turn that comes next. */
  get next() {
    return this.review.turns[this.at - this.review.opening];
  }

  /** The turn that led here. */
  get past() {
    return this.review.turns[this.at - this.review.opening - 1];
  }

  /** Whether the reader is asked what they would play here. */
  get asks() {
    return Boolean(this.next?.quest && !this.known.has(this.at));
  }

  get active() {
    return this.asks && !this.following;
  }

  /**
   * Returns the name of a player, or "you" for the reader.
   * @param {Seat} seat
   */
  name(seat) {
    return seat === this.reader ? "you" : this.review.names[seat - 1];
  }

  #verdict() {
    return h(
      "section.card.verdict",
      { "aria-label": "What decided it" },
      this.turning,
      h("p.hidden", tell(this.review.story, this.reader)), // the strip shows it
      this.stepper.element,
      this.#legend(),
    );
  }

  #legend() {
    const winners = new Set(this.review.winning);
    const key = h("span.swing-key", { "aria-hidden": "true" });
    return h(
      "p.row.legend",
      h("span.soft", "Winning:"),
      winners.has(1) && this.#winning(1, this.name(1)),
      winners.has(2) && this.#winning(2, this.name(2)),
      winners.has(null) && this.#winning(null, "nobody"),
      this.swings.length > 0 && h("span.soft", key, " it turned"),
    );
  }

  /**
   * @param {Seat | null} winner
   * @param {string} [words]
   */
  #winning(winner, words = this.#winningWords(winner)) {
    const kind = this.#kind(winner);
    if (kind === "win" || kind === "loss" || kind === "draw") return chip(kind, words);
    return h("span", { class: `chip ${kind}` }, h("span", { "aria-hidden": "true" }, this.#sign(winner)), " ", words);
  }

  /**
   * Returns the CSS class for who is winning: a verdict for the reader, or a seat if there is no reader.
   * @param {Seat | null} winner
   */
  #kind(winner) {
    if (winner === null) return "draw";
    if (this.reader === null) return `seat-${winner}`;
    return winner === this.reader ? "win" : "loss";
  }

  /** @param {Seat | null} winner */
  #sign(winner) {
    if (winner === null) return "=";
    if (this.reader === null) return winner === 1 ? "●" : "○";
    return winner === this.reader ? "▲" : "▼";
  }

  /** @param {Seat | null} winner */
  #winningWords(winner) {
    return `Winning: ${winner === null ? "nobody" : this.name(winner)}`;
  }

  #found() {
    const score = (/** @type {Seat} */ seat) => {
      const { found, of, chance } = /** @type {CriticalMoves} */ (this.review.critical[seat - 1]);
      const name = seat === this.reader ? "You" : this.review.names[seat - 1];
      const sign = h("span", { "aria-hidden": "true" }, sideOf(seat, this.reader) === 1 ? "● " : "○ ");
      const random = ` (guessing finds about ${Math.round(chance)})`;
      return [h("dt", sign, name), h("dd", h("b", of ? `${found} of ${of}` : "–"), of > 0 && random)];
    };
    const title = "Critical moves found";
    return h(
      "section.card",
      { "aria-label": title },
      h("h2", title),
      h("dl.found", this.reader === 2 ? [score(2), score(1)].flat() : [score(1), score(2)].flat()),
      h("p.soft", CRITICAL),
    );
  }

  /**
   * Creates a cell of the ribbon.
   * @param {Seat | null} winner
   * @param {number} index
   */
  #cell(winner, index) {
    const { turns, opening } = this.review;
    const [turn, next] = [turns[index - 1], turns[index]];
    const shown = turn ? tell(turn.shown, this.reader) : "start";
    const label = [
      turn ? `Move ${turn.ply + 1}, ${this.review.names[turn.player - 1]}: ${shown}` : "The start",
      this.#winningWords(winner),
      turn?.swing && "The game turned here",
      next?.quest && tell(next.quest, this.reader),
    ];
    return h(
      "button",
      {
        type: "button",
        class: `beat ${this.#kind(winner)}${turn?.swing ? " swing" : ""}`,
        "aria-label": label.filter(Boolean).join(". "),
        onclick: () => void this.step(index + opening),
      },
      h("span.sign", { "aria-hidden": "true" }, this.#sign(winner)),
      h("span.what", { "aria-hidden": "true" }, shown),
    );
  }

  /**
   * Returns the turns at which a player could have done better; with null, the turns that changed the result.
   * @param {Seat | null} seat
   */
  #momentsOf(seat) {
    const plies = seat === null ? null : this.review.moments[seat - 1];
    return this.review.turns.filter(({ ply, swing }) => (plies ? plies.includes(ply) : swing));
  }

  /** The name of the next turn among the moments of the page. */
  get #kicker() {
    const { next, moments, reader } = this;
    if (!next || !moments.includes(next)) return next ? `A turning point: ${this.name(next.player)}` : "";
    if (!next.swing) return "Your best chance was here";
    const whose = reader === null ? "Turning point" : "Your turning point";
    return `${whose} ${moments.indexOf(next) + 1} of ${moments.length}`;
  }

  /**
   * Shows the moment that the URL names, else the reader's first turning point or weakest defence.
   * @param {number} at
   */
  async open(at) {
    const moment = Number.isNaN(at) ? (this.moments[0]?.ply ?? this.review.opening) : at;
    await this.step(Math.min(Math.max(moment, this.review.opening), this.end));
    if (this.active && this.next?.quest) say(`${this.#kicker}. ${tell(this.next.quest, this.reader)}`, "turn");
  }

  /**
   * Shows the game after some moves.
   * @param {number} at
   */
  async step(at) {
    await this.safely(async () => {
      // A concession leaves the position as it is.
      const request = () => getPosition(cutTo(this.link, at), this.signal, WITH_EFFECTS);
      const view = at === this.end ? this.last : await this.current(request());
      this.shown += 1;
      this.following = false;
      this.at = at;
      this.view = view;
      note(this.path, true);
      this.draw();
    });
  }

  /**
   * Shows a step of a line of best play.
   * @param {LineStep[]} line
   * @param {number} index
   * @param {HTMLElement} chosen
   */
  async #follow(line, index, chosen) {
    await this.safely(async () => {
      const moves = line.slice(0, index + 1).map(({ move }) => move);
      const view = await this.current(getPosition(withMoves(this.here, ...moves), this.signal));
      this.shown += 1;
      this.following = true;
      this.view = view;
      this.draw();
      this.table.element.scrollIntoView({ block: "nearest" });
      for (const step of this.answer.querySelectorAll(".line button")) {
        set(step, "aria-current", step === chosen ? "step" : null);
      }
    });
  }

  draw() {
    super.draw();
    this.element.classList.toggle("following", this.following);
    if (this.following) return;
    const { opening } = this.review;
    this.stepper.update(this.at - opening, this.end - opening);
    this.cells.forEach((cell, index) => set(cell, "aria-current", index + opening === this.at ? "step" : null));
    this.centre();
    this.#drawTurning();
    const focused = [this.moment, this.answer].some((part) => part.contains(document.activeElement));
    this.#drawMoment();
    this.#drawAnswer();
    // If the focused button is gone, move the focus to its result.
    if (focused) this.moment.focus({ preventScroll: true });
  }

  /** Scrolls the strip to the move on the board. */
  centre() {
    const here = this.cells[this.at - this.review.opening];
    if (here) this.ribbon.scrollLeft = here.offsetLeft - this.ribbon.clientWidth / 2;
  }

  sayStatus() {
    if (this.following) super.sayStatus();
    else if (this.active && this.next?.quest) say(`${this.#headline()} ${tell(this.next.quest, this.reader)}`, "turn");
    else say(this.#headline());
  }

  /** What just happened. */
  #headline() {
    const { past, reader } = this;
    if (!past) return "The start.";
    const shown = tell(past.shown, reader);
    return past.move === null ? shown : `Move ${past.ply + 1}, ${this.name(past.player)}: ${shown}.`;
  }

  /** Says what decided the game. Better moves stay hidden until the reader finds them or asks. */
  #drawTurning() {
    const { sentence, answer } = this.review;
    const decisive = this.swings.at(-1);
    const open = !decisive || !decisive.keeping.length || this.known.has(decisive.ply);
    this.turning.textContent = tellAll(answer && open ? [sentence, answer] : [sentence], this.reader);
  }

  #drawMoment() {
    const { past, next, reader } = this;
    const winner = this.review.winning[this.at - this.review.opening] ?? null;
    fill(
      this.moment,
      h("h2", this.#headline()),
      h("p", this.#winning(winner)),
      // What was better there stays hidden until the reader has tried.
      past?.lesson && this.#explanation(this.known.has(past.ply) || !past.quest ? past : { lesson: past.lesson }),
      past?.words.map((text) => {
        const said = h("span.hidden", `${this.review.names[past.player - 1]} said: `);
        return h("blockquote.words", said, text);
      }),
      next && (next.swing || this.active ? this.#question(next) : h("p.soft", nextMove(next, reader))),
      this.#ways(),
    );
  }

  /** @param {Partial<ReviewTurn>} turn */
  #explanation({ lesson, answer, reason, defended }) {
    const told = [lesson, answer, reason, lesson ? null : defended];
    return h(
      "p.explanation",
      tellAll(
        told.filter((sentence) => sentence !== null && sentence !== undefined),
        this.reader,
      ),
    );
  }

  /** @param {ReviewTurn} turn */
  #question(turn) {
    const question = turn.quest && `${tell(turn.quest, this.reader)} Choose on the board.`;
    return h("div.ask", h("p.kicker", this.#kicker), this.active ? h("p", question) : this.#explanation(turn));
  }

  #drawAnswer() {
    const { next } = this;
    const further = this.moments.find((turn) => turn.ply > this.at);
    const onward = further && button("Next turning point", () => void this.#visit(further));
    if (!next) fill(this.answer);
    else if (!next.swing && !this.active) {
      const [best = ""] = next.defence?.best ?? next.best;
      const show = button("Best play from here", () => void this.#showBest(best));
      fill(this.answer, h("div.actions", show));
    } else if (this.active) {
      const reveal = button("Show me", () => this.#reveal(next));
      fill(this.answer, h("div.actions", reveal, onward));
    } else {
      const lines = [next.line, next.better].map((line) => line && this.#line(line));
      fill(this.answer, lines, h("div.actions", this.#back(), onward));
    }
  }

  /**
   * Shows a turning point from the top of the page.
   * @param {ReviewTurn} turn
   */
  async #visit(turn) {
    await this.step(turn.ply);
    this.element.scrollIntoView();
  }

  #back() {
    return button("Back to the game", () => void this.step(this.at), "quiet back");
  }

  /**
   * Shows best play from here.
   * @param {string} move
   */
  async #showBest(move) {
    await this.safely(async () => {
      const { line } = /** @type {Judgement} */ (await this.ask("judge", { move }));
      fill(this.answer, this.#line(line, "Best play from here"), h("div.actions", this.#back()));
      this.answer.querySelector("button")?.focus();
    });
  }

  /**
   * Creates a line of best play, as steps that move the board.
   * @param {LineStep[]} line
   * @param {string} [title]
   */
  #line(line, title) {
    const texts = line.map(({ shown }) => tell(shown, this.reader));
    title ??= `Best play after ${texts[0]}`;
    const steps = line.map(({ player }, index) => {
      const look = `move seat-${sideOf(player, this.reader)}`;
      const step = button("", () => void this.#follow(line, index, step), look);
      set(step, "aria-label", `${this.name(player)}: ${texts[index]}`);
      fill(step, h("span.dot", { "aria-hidden": "true" }), texts[index]);
      return h("li", step);
    });
    return h("div.line", { role: "group", "aria-label": title }, h("p.soft", title), h("ol.row.tight", steps));
  }

  #ways() {
    const { next, card, here } = this;
    const further = next?.swing ? null : this.moments.find((turn) => turn.ply > this.at);
    const [theirs] = this.theirs.filter((turn) => turn.ply > this.at).concat(this.theirs);
    const them = theirs && `${this.review.names[theirs.player - 1]}'s turning points`;
    const vs = this.link.vs ?? (card && String(card.beginner));
    return h(
      "p.row",
      further && button("Go to the next turning point", () => void this.#visit(further), "main"),
      theirs && them && theirs !== next && button(them, () => void this.#visit(theirs)),
      next && vs && anchor("Play on from here", pathOf(continuation(here, vs, next.player))),
      anchor("Explore", pathOf({ ...here, vs: null }, "explore")),
    );
  }

  /** @param {ReviewTurn} turn */
  #reveal(turn) {
    this.known.add(this.at);
    this.draw();
    this.table.element.scrollIntoView({ block: "nearest" });
    const told = turn.lesson ? [turn.lesson, turn.answer] : [turn.defended];
    say(
      tellAll(
        told.filter((sentence) => sentence !== null && sentence !== undefined),
        this.reader,
      ),
    );
  }

  /**
   * Judges an attempt at a turning point.
   * @param {string} move
   */
  async play(move) {
    const { next } = this;
    if (!next) return;
    await this.safely(async () => {
      const asked = { move, played: next.move ?? "" };
      const { kept, tried, line } = /** @type {Judgement} */ (await this.ask("judge", asked));
      const text = tell(tried, this.reader);
      if (kept) {
        this.known.add(this.at);
        this.draw();
        this.table.element.scrollIntoView({ block: "nearest" });
      } else this.table.update(this.view, this.labels, this.active);
      // What is bad for the opponent is no failure of the reader.
      const mine = this.reader === null || next.player === this.reader;
      const message = h("p", { class: `told ${mine ? (kept ? "win" : "loss") : ""}` }, text);
      if (kept) this.answer.prepend(message);
      else {
        this.#drawAnswer();
        this.answer.append(message, ...(line.length > 1 ? [this.#line(line)] : []));
        this.answer.scrollIntoView({ block: "nearest" });
      }
      say(text, kept ? "" : "turn");
    });
  }
}

/**
 * Describes the next move and how good it was.
 * @param {ReviewTurn} turn
 * @param {Seat | null} reader
 */
function nextMove(turn, reader) {
  return turn.defended ? tell(turn.defended, reader) : `Next: ${tell(turn.shown, reader)}. ${quality(turn)}`;
}

/** @param {ReviewTurn} turn */
function quality({ critical, keeping, before: { value } }) {
  if (value === "loss") return "Every move loses here, and none defends better than another.";
  if (!critical) return "Nothing was at stake here.";
  if (keeping.length === 1) return `Found: the only move that keeps the ${value}.`;
  return `Found: one of ${keeping.length} moves that keep the ${value}.`;
}
