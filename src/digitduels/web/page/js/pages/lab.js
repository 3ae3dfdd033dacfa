// The lab: change a rule, see what it does, play the result.

import { gameCard, getComputed } from "../api.js";
import { share } from "../dialog.js";
import { anchor, button, fill, h, unique } from "../dom.js";
import { messageOf } from "../game-page.js";
import { showHead } from "../head.js";
import { newLink, pathOf, queryOf, readLink } from "../link.js";
import { go, note, setTitle } from "../router.js";
import { ScoreMap } from "../score-map.js";
import { tellAll } from "../sentence.js";
import { say } from "../status.js";
import { chooseGame } from "../study.js";
import { loadStyle } from "../style.js";

const ABOUT =
  "Change the rules of a game and see at once who wins, how fair it is and how deep. Then play it. " +
  "Choose a game to start with.";
const DELAY = 300; // debounce in milliseconds
const GAUGES = "Fair: equal players score the same in either seat. Deep: players who look further ahead score more.";
const PEOPLE = "Between players who make mistakes, as people do:";
const SHARED = "Link copied. It opens the lab with these rules.";
const UNKNOWN = "Other values near this one are too large to solve here.";

/** @param {Place} place */
export async function show(place) {
  const { main, parts, query, signal } = place;
  await loadStyle("study", "lab");
  if (!parts[0]) return chooseGame(place, "lab", "Lab", ABOUT, "Change its rules");
  const card = await gameCard(parts[0]);
  if (signal.aborted) return;
  if (!card) return go("/lab");
  setTitle(`Lab: ${card.title}`);
  showHead("", card, readLink(card.game, query).options, `${card.title} in the lab`);
  const page = new Lab(card, readLink(card.game, query).options, signal);
  fill(main, page.element);
  void page.measure();
}

class Lab {
  /**
   * @param {GameCard} card
   * @param {Record<string, string>} options those that differ from the book
   * @param {AbortSignal} signal
   */
  constructor(card, options, signal) {
    this.card = card;
    this.signal = signal;
    this.options = options;
    /** @type {LabReport | null} */
    this.report = null;
    /** @type {LabReport | null} */
    this.kept = null;
    this.asking = new AbortController();
    this.refused = "";
    this.timer = 0;
    this.controls = h("div.fields.lab-controls");
    this.step = h("label");
    this.steps = h("progress", { id: unique() });
    this.step.htmlFor = this.steps.id;
    this.progress = h("p.lab-progress.soft.done", this.step, this.steps);
    this.outcome = h("div");
    this.gauges = h("div");
    this.strip = h("div");
    this.map = new ScoreMap(() => go(pathOf(this.link, "explore")));
    this.mapped = h(
      "section.card",
      { hidden: true, "aria-label": "Who wins at which scores" },
      h("h2", "Who wins at which scores"),
      this.map.element,
    );
    this.others = h("section.card", { hidden: true, "aria-label": "Other values" }, this.strip);
    this.compared = h("section.card.lab-table", { "aria-label": "All measures", tabindex: "0" });
    this.onward = h("p.row");
    this.element = h(
      "article.game.study-page",
      h(
        "div.column",
        h("section.card", { "aria-label": "The rules" }, h("h2", "The rules"), this.controls),
        h("section.card", { "aria-label": "Who wins" }, this.outcome, this.gauges, this.progress, this.onward),
        this.others,
        this.mapped,
      ),
      h("div.side", this.compared),
    );
    this.#offer();
  }

  get link() {
    return newLink(this.card.game, { options: this.options });
  }

  /** Creates a control for each option. */
  #offer() {
    const { suggested } = this.card.look;
    const repaired = Object.keys(suggested).length > 0;
    fill(
      this.controls,
      this.card.options.map((option) => this.#control(option)),
      h(
        "p.row",
        button("As in the book", () => this.#set({})),
        repaired && button("Fairer rules", () => this.#set(suggested)),
      ),
    );
  }

  /** @param {GameOption} option */
  #control(option) {
    const value = this.options[option.name] ?? String(option.default);
    const label = option.about.charAt(0).toUpperCase() + option.about.slice(1);
    const id = unique();
    if (option.words) {
      const choice = (/** @type {string} */ word) =>
        h("option", { value: word, selected: word === value }, word.replaceAll("-", " "));
      const control = h(
        "select",
        { id, onchange: () => this.#change(option, control.value) },
        option.words.map(choice),
      );
      return h("p.field", h("label", { for: id }, label), control);
    }
    if (option.around) {
      const [low = 1, high = 1] = option.around;
      const shown = h("output", { for: id }, value);
      const control = h("input", {
        id,
        type: "range",
        min: String(Math.min(low, Number(value))),
        max: String(Math.max(high, Number(value))),
        value,
        oninput: () => {
          shown.textContent = control.value;
          this.#change(option, control.value);
        },
      });
      return h("p.field", h("label", { for: id }, label, ": ", shown), control);
    }
    // One field for each of several integers. The text after "of" names them: "each player's uses of +1, +3".
    const values = value.split(",");
    const [whole = label, names = ""] = label.split(/ of (.*)/);
    const inputs = values.map((number, index) =>
      h("input", {
        type: "number",
        inputmode: "numeric",
        min: "0",
        value: number,
        "aria-label": `${whole}: ${names.split(", ")[index] ?? index + 1}`,
        onchange: () => this.#change(option, inputs.map(({ value }) => value.trim() || "0").join(",")),
      }),
    );
    return h(
      "fieldset.field.lab-numbers",
      h("legend", whole),
      inputs.map((input, index) => h("label", h("span", names.split(", ")[index] ?? String(index + 1)), input)),
    );
  }

  /**
   * @param {GameOption} option
   * @param {string} value
   */
  #change(option, value) {
    const rest = Object.entries(this.options).filter(([name]) => name !== option.name);
    this.options = Object.fromEntries(value === String(option.default) ? rest : [...rest, [option.name, value]]);
    this.#later();
  }

  /** @param {Record<string, string>} options */
  #set(options) {
    this.options = { ...options };
    this.#offer();
    this.#later();
  }

  /** Schedules a measurement once the controls stop changing. */
  #later() {
    clearTimeout(this.timer);
    this.asking.abort();
    this.timer = setTimeout(() => void this.measure(), DELAY);
  }

  /** Requests all measures of these rules, and shows each response as it arrives. */
  async measure() {
    note(pathOf(this.link, "lab"), true);
    this.asking = new AbortController();
    const signal = AbortSignal.any([this.signal, this.asking.signal]);
    this.report = null;
    this.refused = "";
    this.mapped.hidden = this.others.hidden = true;
    this.#compare();
    say("Working it out…");
    fill(this.outcome, h("h2", "Working it out…"));
    fill(this.gauges);
    this.#onward();
    const { game } = this.card;
    /** @type {[string, string, (this: Lab, answer: any) => void, HTMLElement | null][]} */
    const questions = [
      ["Solving the game…", `/api/solve/${game}`, this.#showOutcome, this.outcome],
      ["Measuring how fair and how deep it is…", `/api/lab/${game}/report`, this.#showReport, this.gauges],
      ["Drawing the map of the scores…", `/api/map/${game}`, this.#showMap, null],
      ["Trying other values…", `/api/lab/${game}/strip`, this.#showStrip, null],
    ];
    this.progress.classList.remove("done");
    // One after the other: the server limits a visitor's open requests, and aborted ones may still be running.
    for (const [index, [words, path, answered, room]] of questions.entries()) {
      this.step.textContent = words;
      this.steps.value = index / questions.length;
      await this.#show(signal, path, answered, room);
      if (signal.aborted) return;
    }
    this.progress.classList.add("done"); // its place stays, so that nothing moves
  }

  /**
   * Shows the result of a request, or why there is none.
   * @template T
   * @param {AbortSignal} signal
   * @param {string} path
   * @param {(this: Lab, answer: T) => void} answered
   * @param {HTMLElement | null} room the element for a refusal
   */
  async #show(signal, path, answered, room) {
    try {
      const answer = await getComputed(path, queryOf(this.link), signal);
      if (!signal.aborted) answered.call(this, answer);
    } catch (error) {
      if (signal.aborted || !room) return;
      // Once: the same rules are refused for the same reason.
      const message = messageOf(error);
      fill(room, message !== this.refused && h("p.soft", message));
      if (!this.refused) say("These rules can't be measured.");
      this.refused = message;
    }
  }

  /** @param {Solved} solved */
  #showOutcome(solved) {
    const winning = solved.each.filter(({ value }) => value === "win");
    const wins =
      winning.length === 0
        ? "No first move wins."
        : `${winning.length} of ${solved.each.length} first moves ${winning.length === 1 ? "wins" : "win"}.`;
    const best = solved.each.filter(({ move }) => solved.best.includes(move)).map(({ shown }) => shown);
    fill(
      this.outcome,
      h("h2", `With perfect play: ${tellAll(solved.standing)}`),
      h("p", `${wins} Best: ${best.slice(0, 6).join(", ")}.`),
    );
  }

  /** @param {LabReport} report */
  #showReport(report) {
    this.report = report;
    fill(
      this.gauges,
      h("p", PEOPLE),
      gauge("Fair", report.fair, report.balance),
      gauge("Deep", report.deep, report.ladder),
      h("p.soft", `${GAUGES} ${report.wobble}`),
      h("h2", "What to know about these rules"),
      report.findings.length > 0
        ? h("ul.lab-findings", report.findings.map(showFinding))
        : h("p", "The linter finds nothing."),
    );
    say(`Fair ${report.fair.toFixed(2)}, deep ${report.deep.toFixed(2)}. ${report.outcome}`);
    this.#onward();
    this.#compare();
  }

  #onward() {
    const link = newLink(this.card.game, { options: this.options, vs: String(this.card.beginner) });
    fill(
      this.onward,
      anchor("Play this", pathOf(link), "main"),
      button("Share this", () => void share(location.href, `${this.card.title} in the lab`, SHARED)),
      this.report &&
        button("Keep to compare", () => {
          this.kept = this.report;
          this.#compare();
        }),
    );
  }

  /** Shows all measures beside those of the rule set kept for comparison. */
  #compare() {
    const reports = [this.kept, this.report].filter((report) => report !== null);
    const [first] = reports;
    if (!first) return fill(this.compared);
    fill(
      this.compared,
      h("h2", reports.length > 1 ? "Side by side" : "All measures"),
      h(
        "table",
        h(
          "thead",
          h(
            "tr",
            h("td"),
            reports.map(({ label }) => h("th", { scope: "col" }, label)),
          ),
        ),
        h(
          "tbody",
          first.rows.map(({ name }, index) =>
            h(
              "tr",
              h("th", { scope: "row" }, name),
              reports.map((report) => {
                const better = reports.length > 1 && reports.every((other) => isBetter(name, report, other));
                return h("td", better && h("span.better", "▲ better "), report.rows[index]?.value);
              }),
            ),
          ),
        ),
      ),
      h(
        "details.fold",
        h("summary", "What the measures mean"),
        h(
          "dl",
          first.rows.filter(({ about }) => about).flatMap(({ name, about }) => [h("dt", name), h("dd", about)]),
        ),
      ),
    );
  }

  /** @param {LabStrip | null} strip */
  #showStrip(strip) {
    // Do not show a row of question marks.
    const cells = strip?.cells ?? [];
    const known = cells.filter(({ winner, value }) => winner !== null || value === strip?.here);
    this.others.hidden = known.every(({ winner }) => winner === null);
    if (!strip || this.others.hidden) return;
    const option = this.card.options.find(({ about }) => about === strip.about);
    const cell = (/** @type {LabCell} */ { value, winner }) => {
      const words = winner === null ? "these rules" : winner ? `Player ${winner} wins` : "a draw";
      const sign = winner === null ? "here" : winner ? `P${winner}` : "=";
      const choose = () => option && this.#set({ ...this.options, [option.name]: String(value) });
      return h(
        "li",
        h(
          "button",
          {
            type: "button",
            class: `quiet ${winner === 1 ? "one" : winner === 2 ? "two" : ""}`,
            "aria-pressed": String(value === strip.here),
            "aria-label": `${value}: ${words}`,
            onclick: choose,
          },
          String(value),
          h("small", sign),
        ),
      );
    };
    fill(
      this.strip,
      h("h2", `Who wins with another value of ${strip.about}`),
      h("ul.lab-strip", known.map(cell)),
      known.length < cells.length && h("p.soft", UNKNOWN),
    );
  }

  /** @param {Scores | null} map */
  #showMap(map) {
    this.mapped.hidden = !map;
    if (map) this.map.update(map, "Player 1", "Player 2");
  }
}

/**
 * Whether a report is better in a gauge than another one, or is that one.
 * @param {string} name
 * @param {LabReport} report
 * @param {LabReport} other
 */
function isBetter(name, report, other) {
  if (name !== "fair" && name !== "deep") return false;
  return report === other || report[name] > other[name];
}

/** @param {LabFinding} finding */
function showFinding({ severity, text, shown, measured, remedy }) {
  return h(
    `li.${severity}`,
    h("strong", `${severity.charAt(0).toUpperCase()}${severity.slice(1)}: `),
    text,
    measured && " This is a measurement with our levels.",
    shown && h("details.fold", h("summary", "A game that shows it"), h("p", `${shown}.`)),
    remedy && h("p.soft", `Not with ${remedy}.`),
  );
}

/**
 * @param {string} name
 * @param {number} value
 * @param {string} words
 */
function gauge(name, value, words) {
  const id = unique();
  return h(
    "div.lab-gauge",
    h("label", { for: id }, name),
    h("meter", { id, min: 0, max: 1, value: String(value) }),
    h("span", value.toFixed(2)),
    h("p", words),
  );
}
