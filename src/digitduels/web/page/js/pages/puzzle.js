// Puzzles: one move keeps the win. It is won against the defence that lasts longest, and whatever still wins is right.

import { Failure, games, get, patiently } from "../api.js";
import { asked, chance, path, read } from "../address.js";
import { button, fill, h, link, pause } from "../dom.js";
import { dress, head, keyed, parted, seats, work } from "../lesson.js";
import { entitle, note } from "../router.js";
import { say } from "../status.js";
import { Table } from "../table.js";
import { chip, pretty, prose } from "../verdict.js";

const THINKING = 500; // milliseconds before the defence moves

/** @param {Place} place */
export async function show({ main, parts, query, signal }) {
  await dress();
  const [own, rest] = parted(query, ["tier", "seed", "date", "moves"]);
  const game = parts[0] ?? "";
  const cards = await games();
  const wanted = new URLSearchParams(rest);
  if (game) wanted.set("game", game);
  for (const name of ["tier", "seed", "date"]) if (own[name]) wanted.set(name, own[name]);
  const here = keyed(`/puzzle${game ? `/${game}` : ""}`, Object.fromEntries([...rest]));
  const next = keyed(here, { tier: own["tier"] ?? null, seed: chance() });
  let puzzle;
  try {
    puzzle = /** @type {Puzzle} */ (await patiently("/api/puzzle", wanted, signal, (sentence) => say(sentence, "wait")));
  } catch (error) {
    if (signal.aborted || !(error instanceof Failure) || error.passing) throw error;
    say("");
    fill(main, h("article", { class: "game lesson-page" }, head("Puzzle", cards.find((each) => each.game === game) ?? null), choices(cards, game, own["tier"] ?? "", here, null), h("p", { class: "lead" }, error.message)));
    return;
  }
  if (signal.aborted) return;
  entitle(puzzle.date && !game ? "Today's puzzle" : `Puzzle: ${puzzle.title}`);
  const begun = read(puzzle.game, new URLSearchParams(puzzle.address));
  const made = (own["moves"] ?? "").split(/\s+/).filter(Boolean);
  const address = { ...begun, moves: [...begun.moves, ...made] };
  const [start, view] = await Promise.all([get(`/api/position/${begun.game}`, asked(begun), signal), get(`/api/position/${begun.game}`, asked(address), signal)]);
  if (signal.aborted) return;
  const way = keyed(here, { tier: own["tier"] ?? null, seed: own["seed"] ?? null, date: own["date"] ?? null });
  const page = new Riddle(puzzle, begun, address, start, view, way, next, signal);
  const shown = cards.find((each) => each.game === puzzle.game) ?? null;
  fill(
    main,
    h(
      "article",
      { class: "game lesson-page" },
      head("Puzzle", shown, begun.options, puzzle.date && !game && !own["tier"] ? `Today's puzzle` : puzzle.title),
      h("div", { class: "column" }, page.quest, page.table.element),
      page.side,
    ),
  );
  page.side.append(choices(cards, game, own["tier"] ?? "", here, puzzle));
  page.draw();
  if (!view.outcome && view.player !== page.seat) await page.defend();
}

/**
 * Which puzzles there are to choose from.
 * @param {GameCard[]} cards
 * @param {string} game
 * @param {string} tier
 * @param {string} here
 * @param {Puzzle | null} puzzle
 */
function choices(cards, game, tier, here, puzzle) {
  const pill = (/** @type {string} */ label, /** @type {string} */ href, /** @type {boolean} */ on) => h("li", null, h("a", { href, "aria-current": on ? "true" : null }, label));
  const tiers = Object.entries(puzzle?.tiers ?? {});
  return h(
    "div",
    { class: "choices" },
    h("h2", null, "More puzzles"),
    h("ul", { class: "pills", "aria-label": "Of which game" }, pill("Today's", "/puzzle", !game), cards.map((each) => pill(each.title, `/puzzle/${each.game}`, each.game === game))),
    game && tiers.length > 0 && h("h2", null, "How far the win is"),
    game && tiers.length > 0 && h("ul", { class: "pills", "aria-label": "How far the win is" }, pill("Any", keyed(here, {}), !tier), tiers.map(([name, words]) => pill(words, keyed(here, { tier: name }), name === tier))),
  );
}

class Riddle {
  /**
   * @param {Puzzle} puzzle
   * @param {Address} begun the puzzle
   * @param {Address} address and what was played since
   * @param {View} start
   * @param {View} view
   * @param {string} way the address of this puzzle on the page
   * @param {string} next that of another
   * @param {AbortSignal} signal
   */
  constructor(puzzle, begun, address, start, view, way, next, signal) {
    this.puzzle = puzzle;
    this.begun = begun;
    this.address = address;
    this.view = view;
    this.way = way;
    this.signal = signal;
    this.seat = /** @type {Seat} */ (start.player ?? 1);
    this.missed = 0;
    this.step = 0;
    this.busy = false;
    this.table = new Table({ view, signal, query: () => asked(this.address), play: (move) => void this.play(move) });
    this.quest = h(
      "section",
      { class: "card", "aria-label": "The puzzle" },
      h("p", { class: "kicker" }, `${puzzle.title} · ${puzzle.tiers[String(puzzle.tier)] ?? ""}`),
      h("p", { class: "quest" }, puzzle.question),
      h("p", { class: "soft" }, `You are ${start.names[this.seat - 1]}.`),
    );
    this.answer = h("div");
    this.advice = h("section", { class: "advice", hidden: true, "aria-label": "Hints" });
    this.hinting = button("Hint", () => void this.hint());
    this.again = button("From the start", () => void this.stand(this.begun));
    this.side = h(
      "div",
      { class: "side" },
      this.answer,
      h("div", { class: "actions" }, this.hinting, this.again, link("Another puzzle", next)),
      this.advice,
    );
    this.next = next;
  }

  draw() {
    const { view } = this;
    const over = view.outcome !== null;
    const mine = view.player === this.seat;
    this.table.update(view, seats(view, this.seat), !over && mine && !this.busy);
    this.step = 0;
    this.advice.hidden = true;
    this.hinting.textContent = "Hint";
    this.hinting.disabled = over || !mine;
    this.again.disabled = this.address.moves.length === this.begun.moves.length;
    const last = view.history.at(-1);
    const answered = this.address.moves.length > this.begun.moves.length && last ? `${view.names[last.player - 1]} answers ${pretty(last.move)}. ` : "";
    if (over) this.#end();
    else if (mine) say(`${answered}${answered ? "Go on and win." : "Which move is it?"}`, "turn");
  }

  #end() {
    const won = this.view.outcome?.winner === this.seat;
    const title = h("h2", { tabindex: -1 }, won ? "Solved" : "Not this time");
    const how = this.missed === 0 ? "At the first try." : `With ${this.missed} wrong ${this.missed === 1 ? "try" : "tries"} on the way.`;
    fill(
      this.answer,
      h(
        "section",
        { class: `card ${won ? "solved" : ""}` },
        title,
        h("p", null, this.view.ending.at(-1) ?? ""),
        won && h("p", { class: "soft" }, how),
        h("p", { class: "row" }, link("Next puzzle", this.next, "main"), link("Explore it", path(this.begun, "explore"))),
      ),
    );
    say(won ? "Solved." : "Not this time.", "over");
    title.focus({ preventScroll: true });
    this.answer.scrollIntoView({ block: "nearest" });
  }

  /** @param {Address} address */
  async stand(address) {
    const view = await get(`/api/position/${address.game}`, asked(address), this.signal);
    if (this.signal.aborted) return;
    this.address = address;
    this.view = view;
    this.busy = false;
    if (address === this.begun) fill(this.answer);
    note(keyed(this.way, { moves: address.moves.slice(this.begun.moves.length).join(" ") || null }));
    this.draw();
  }

  /** @param {string} move */
  async play(move) {
    if (this.busy) return;
    await this.safely(async () => {
      const judged = /** @type {JudgedMove} */ (await work("judge", this.address, this.signal, { move, you: String(this.seat) }));
      if (judged.value !== "win") {
        this.missed += 1;
        const text = `${pretty(move)} does not win. ${prose(judged.why)}`;
        fill(this.answer, h("p", { class: "told loss" }, chip("loss", "Not this one"), " ", text, " Try again."));
        this.busy = false;
        this.draw();
        say(text, "turn");
        return;
      }
      const first = this.address.moves.length === this.begun.moves.length;
      const later = first && this.puzzle.tier === 1 && judged.plies > 1;
      const text = later ? `${pretty(move)} wins too, only later. ${prose(judged.why)}` : `${pretty(move)}. ${prose(judged.why)}`;
      fill(this.answer, h("p", { class: "told win" }, chip("win", later ? "Wins, too" : "Right"), " ", text));
      await this.stand({ ...this.address, moves: [...this.address.moves, move] });
      if (!this.view.outcome) await this.defend();
    });
  }

  /** The defence that lasts longest. */
  async defend() {
    await this.safely(async () => {
      this.table.update(this.view, seats(this.view, this.seat), false);
      const [solved] = await Promise.all([work("solve", this.address, this.signal), pause(THINKING)]);
      const move = /** @type {Solved} */ (solved).best[0];
      if (this.signal.aborted || !move) return;
      await this.stand({ ...this.address, moves: [...this.address.moves, move] });
    });
  }

  async hint() {
    await this.safely(async () => {
      const step = Math.min(this.step + 1, 4);
      const { lines } = await work("hint", this.address, this.signal, { step: String(step), you: String(this.seat) });
      this.step = step;
      const told = /** @type {string[]} */ (lines).map(prose);
      this.advice.hidden = false;
      fill(this.advice, h("h2", null, `Hint ${step} of 4`), told.map((line) => h("p", null, line)));
      this.hinting.textContent = step < 4 ? "More" : "Hint";
      say(told.join(" "), "turn");
    });
  }

  /** @param {() => Promise<void>} act */
  async safely(act) {
    this.busy = true;
    try {
      await act();
    } catch (error) {
      if (this.signal.aborted || !(error instanceof Error)) return;
      fill(this.answer, h("p", { class: "told" }, error.message), button("Try again", () => void this.safely(act), "main"));
    } finally {
      this.busy = false;
    }
  }
}
