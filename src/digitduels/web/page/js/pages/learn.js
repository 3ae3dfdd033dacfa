// A game to read about: its rules, an example to step through, its options and rulings, and what is known of it.

import { get, patiently } from "../api.js";
import { asked, begun, path, read } from "../address.js";
import { Board } from "../board.js";
import { fill, h, link } from "../dom.js";
import { card, choose, coded, dress, head, keyed, parted, seats, Stepper } from "../lesson.js";
import { entitle, note } from "../router.js";
import { beginner } from "../setup.js";
import { say } from "../status.js";
import { pretty, prose } from "../verdict.js";

/** @param {Place} place */
export async function show(place) {
  const { main, parts, query, signal } = place;
  await dress();
  if (!parts[0]) return choose(place, "learn", "Learn", "Two players, a handful of numbers, a target to hit exactly. The rules of each game fit on a card.");
  const [own, rest] = parted(query, ["at"]);
  const address = read(parts[0], rest);
  const rules = new URLSearchParams(address.options);
  const [lesson, shown] = await Promise.all([get(`/api/learn/${address.game}`, { ...address.options, theory: "later" }, signal), card(address.game)]);
  if (signal.aborted) return;
  const known = h("div", null, h("p", { class: "soft" }, "It is being worked out …"));
  const told = /** @type {Lesson} */ (lesson);
  entitle(told.title);
  say("");
  const { options } = address;
  const changed = Object.entries(told.changed).map(([name, value]) => `${name} ${value}`);
  const example = new Example(told.game, told.example.moves.split(" "), keyed(path(begun(told.game, { options }), "learn"), {}), signal);
  fill(
    main,
    h(
      "article",
      { class: "reading" },
      head("Learn", shown, options, told.title),
      h("p", { class: "lead" }, told.summary),
      changed.length > 0 && h("p", { class: "soft" }, `So says the book. Here by other rules: ${changed.join(", ")}.`),
      part("The rules", told.rules.map((text) => h("p", null, text))),
      h(
        "p",
        { class: "row" },
        shown && link("Play it now", path(begun(told.game, { options, vs: beginner(shown) })), "main"),
        link("Explore positions", path(begun(told.game, { options }), "explore")),
        link("Solve a puzzle", `/puzzle/${told.game}`),
      ),
      part("An example", example.element),
      part("What is known", known),
      part("Options", h("p", { class: "soft" }, "Every number of the rules can be changed. The book's values stand first."), table(told.options)),
      part("Rulings", h("p", { class: "soft" }, "Where the book is silent or slips, this is how it is played here."), h("ul", null, told.rulings.map((text) => h("li", null, coded(text))))),
      part("Writing moves", h("p", null, coded(told.moves))),
    ),
  );
  patiently(`/api/learn/${address.game}`, rules, signal, () => {}).then(
    (/** @type {Lesson} */ whole) => fill(known, h("ul", null, (whole.theory ?? []).map((text) => h("li", null, prose(text))))),
    (error) => signal.aborted || fill(known, h("p", { class: "soft" }, error.message)),
  );
  await example.stand(Number.parseInt(own["at"] ?? "0", 10) || 0, true);
}

/**
 * @param {string} title
 * @param {...(import("../dom.js").Child | import("../dom.js").Child[])} content
 */
function part(title, ...content) {
  return h("section", { "aria-label": title }, h("h2", null, title), ...content);
}

/** @param {GameOption[]} options */
function table(options) {
  return h(
    "dl",
    { class: "options" },
    options.flatMap((option) => [
      h("dt", null, h("code", null, option.name), " ", h("strong", null, String(option.default).replaceAll("-", " "))),
      h("dd", null, `${option.about}; ${option.allowed}`),
    ]),
  );
}

/** The game of the book, move by move. */
class Example {
  /**
   * @param {string} game
   * @param {string[]} moves
   * @param {string} way the address of this page
   * @param {AbortSignal} signal
   */
  constructor(game, moves, way, signal) {
    this.address = begun(game, { moves });
    this.way = way;
    this.signal = signal;
    /** @type {Board | null} */
    this.board = null;
    this.place = h("div");
    this.told = h("div", { class: "told", role: "status" });
    this.stepper = new Stepper((at) => void this.stand(at), signal);
    this.element = h("div", { class: "example" }, this.stepper.element, this.told, this.place);
  }

  /**
   * @param {number} at
   * @param {boolean} [begun]
   */
  async stand(at, begun = false) {
    const moves = this.address.moves.slice(0, Math.max(0, at));
    const view = /** @type {View} */ (await get(`/api/position/${this.address.game}`, asked({ ...this.address, moves }), this.signal));
    if (this.signal.aborted) return;
    if (!this.board) {
      this.board = new Board(view);
      this.place.append(this.board.element);
    }
    this.board.update(view, seats(view), true);
    this.stepper.update(moves.length, this.address.moves.length);
    const turn = view.history.at(-1);
    const lines = view.outcome ? view.ending : [];
    fill(
      this.told,
      turn
        ? [h("p", null, h("strong", null, `${view.names[turn.player - 1]}: ${pretty(turn.move)}`)), ...[...turn.lines.filter(Boolean).slice(0, 2), ...lines].map((line) => h("p", null, line))]
        : h("p", null, "The start. Step forward to see how a game goes."),
    );
    if (!begun) note(keyed(this.way, { at: moves.length || null }), true);
  }
}
