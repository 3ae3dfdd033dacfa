// The page for teachers: start a class, make a link with settings, open a large board, print puzzles.

import { getComputed } from "../api.js";
import { count } from "../counts.js";
import { phoneCheck } from "../class/phone-check.js";
import { retention } from "../class/retention.js";
import { myClasses } from "../class/session.js";
import { startForm } from "../class/start-form.js";
import { share } from "../dialog.js";
import { anchor, button, fill, h } from "../dom.js";
import {
  checkbox,
  field,
  group,
  optionFields,
  radios,
  readOptions,
  readSeat,
  readText,
  seatRadios,
  trouble,
} from "../form.js";
import { levelOptions } from "../levels.js";
import { newLink } from "../link.js";
import { gameRadios } from "../new-game.js";
import { moveNote, reachable, shared, unreachableNote } from "../origin.js";
import { go, note } from "../router.js";
import { classUrl, describeLink, shortSeed, teachPath } from "./class-link.js";

const COUNT = "6"; // the default number of puzzles on a sheet
const ABOUT =
  "No accounts. Start a class with a code, send a link with your settings, play together on one large board, " +
  "or print puzzles.";
const CLASS =
  "Up to 60 pupils join with a code and a first name. You pair them, pause all boards, see who is stuck, and get " +
  "results.";
const WALL =
  "For the whole class together, readable from the last row. Show what every move is worth when you want to.";

/** @param {import("./class-link.js").TeachPlace} place */
export function show(place) {
  const overview = new Overview(place);
  fill(place.main, overview.element);
  void overview.update();
}

class Overview {
  /** @param {import("./class-link.js").TeachPlace} place */
  constructor({ cards, card, link, own, signal }) {
    this.cards = cards;
    this.card = card;
    this.link = link;
    this.own = own;
    this.signal = signal;
    this.trouble = trouble();
    this.url = h("p.url");
    this.sentence = h("p.soft");
    this.actions = h("p.row");
    this.form = this.#form();
    this.tiers = h("select", { name: "tier" }, h("option", { value: "" }, "Any"));
    const count = own["count"] ?? COUNT;
    this.count = h("input", { name: "count", type: "number", min: 1, max: 24, value: count, inputmode: "numeric" });
    this.running = h("section.card", { "aria-labelledby": "running", hidden: true });
    void this.#offerTiers();
    void this.#listClasses();
    this.element = h(
      "article.teach",
      h("header", h("h1", "Teach"), h("p.lead", ABOUT)),
      this.running,
      this.#classCard(),
      this.#linkCard(),
      this.#wallCard(),
      this.#paperCard(),
    );
  }

  /** Whether the class gets a balanced start. */
  get fair() {
    return new FormData(this.form).get("fair") === "on";
  }

  /** The start of the game with the rules in the form. */
  get rules() {
    return newLink(this.card.game, { options: readOptions(this.card.options, new FormData(this.form)) });
  }

  #form() {
    const { cards, card, link, own } = this;
    const opponents = h(
      "select",
      { name: "vs" },
      h("option", { value: "" }, "Two players, one screen"),
      h("option", { value: "coach" }, "Coach. Warns you before a mistake."),
      levelOptions(card),
    );
    opponents.value = link.vs ?? "";
    const hints = checkbox("hints", "Hints and values", link.hints);
    const takebacks = checkbox("takebacks", "Take-backs", link.takebacks);
    const changed = Object.keys(link.options).length > 0;
    /** @type {[string, string][]} */
    const starts = [
      ["", "As in the book"],
      ["on", "Balanced start"],
    ];
    const form = h(
      "form.form",
      { onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
      h("div.whole", group("Game", gameRadios(cards, card.game))),
      field("Against", opponents),
      group("The class plays as", seatRadios(link.seat)),
      group("Start", radios("fair", starts, own["fair"] ?? "")),
      group("Help", h("div", hints, takebacks)),
      h(
        "details.fold.whole",
        { open: changed },
        h("summary", "Rules of this game"),
        h("div.fields", optionFields(card.options, link.options)),
      ),
    );
    form.addEventListener("change", (event) => this.#change(event));
    return form;
  }

  #classCard() {
    const deleted = `Everything is deleted ${retention()} after the last move or your last action.`;
    const about = h("p.soft", `${CLASS} ${deleted} `, h("a", { href: "/privacy" }, "What is stored?"));
    const reach = reachable() ? [moveNote("/teach"), phoneCheck(this.signal)] : [unreachableNote()];
    return section("class", "Start a class", about, ...reach, startForm(this.cards, this.signal));
  }

  /** Lists the classes that this browser runs. */
  async #listClasses() {
    const classes = await myClasses(this.signal);
    if (this.signal.aborted || !classes.length) return;
    const item = (/** @type {TeacherClass} */ { code, ended, pupil_count: pupils, round, rules }) => {
      const stage = ended ? "over" : round ? `round ${round}` : "not begun";
      const about = `${rules.title}, ${count(pupils, "pupil")}, ${stage}`;
      return h("li", anchor(`Class ${code}`, `/class/${code}`, ended ? "quiet" : "main"), h("span", about));
    };
    fill(this.running, h("h2", { id: "running" }, "Your classes"), h("ul.roster", classes.map(item)));
    this.running.hidden = false;
  }

  #linkCard() {
    return section(
      "class-link",
      "A link for the class",
      this.form,
      this.trouble,
      h("div", unreachableNote() ?? this.url, this.sentence, this.actions),
    );
  }

  #wallCard() {
    const open = () => void go(teachPath(this.rules, { show: "board", seed: null }));
    const row = h("p.row", button("Open the board", open, "main"));
    return section("wall", "One large board", h("p.soft", WALL), row);
  }

  #paperCard() {
    const print = (/** @type {Event} */ event) => {
      event.preventDefault();
      const own = { tier: this.tiers.value, count: this.count.value, sheet: shortSeed() };
      void go(teachPath(this.rules, { show: "sheet", seed: null, ...own }));
    };
    const about = `${this.card.title}, as chosen under “A link for the class”. The answers are on a separate page.`;
    const form = h(
      "form.form",
      { onsubmit: print },
      field("Kind", this.tiers),
      field("How many", this.count),
      h("p.row.whole", h("button.main", "Make a sheet")),
    );
    const plan = anchor("Lesson plan", teachPath(this.rules, { show: "plan", seed: null }));
    return section("paper", "On paper", h("p.soft", about), form, h("p.row", plan));
  }

  /** Fills in the kinds of puzzles once the server has sent them. */
  async #offerTiers() {
    try {
      const { tiers } = /** @type {Puzzle} */ (await getComputed("/api/puzzle", {}, this.signal));
      this.tiers.append(...Object.entries(tiers).map(([tier, about]) => h("option", { value: tier }, about)));
      this.tiers.value = this.own["tier"] ?? "";
    } catch {
      // Without them, the sheet has puzzles of any kind.
    }
  }

  /** Shows the link for the settings in the form. */
  async update() {
    const data = new FormData(this.form);
    const { card, fair } = this;
    this.link = {
      ...this.link,
      options: readOptions(card.options, data),
      vs: readText(data, "vs") || null,
      seat: readSeat(data),
      hints: data.has("hints"),
      takebacks: data.has("takebacks"),
    };
    note(teachPath(this.link, this.#keys()), true);
    this.sentence.textContent = describeLink(card, this.link, fair);
    try {
      const url = await classUrl(this.link, fair);
      if (this.signal.aborted) return;
      this.trouble.textContent = "";
      this.url.textContent = url;
      fill(this.actions, this.#ways(url));
    } catch (error) {
      if (this.signal.aborted || !(error instanceof Error)) return;
      this.trouble.textContent = error.message;
      this.url.textContent = "";
      fill(this.actions);
    }
  }

  /** The keys of this page. */
  #keys() {
    const count = this.count.value === COUNT ? null : this.count.value;
    return { fair: this.fair ? "on" : null, tier: this.tiers.value || this.own["tier"], count };
  }

  /** @param {string} url */
  #ways(url) {
    const { card, fair, link } = this;
    return [
      reachable() && button("Copy the link", () => void share(url, card.title), "main"),
      reachable() && anchor("Show it large", teachPath(link, { show: "link", fair: fair ? "on" : null })),
      anchor("Try it", url.slice(shared().length)),
      fair && button("Another start", () => void this.#restart()),
    ];
  }

  async #restart() {
    this.link = { ...this.link, seed: shortSeed() };
    await this.update();
  }

  /** @param {Event} event */
  #change({ target }) {
    if (target instanceof HTMLInputElement && target.name === "game") this.#switch(target.value);
    else void this.update();
  }

  /** @param {string} game */
  #switch(game) {
    const { link } = this;
    const card = this.cards.find((option) => option.game === game) ?? this.card;
    const known = link.vs === null || link.vs === "coach" || card.levels.includes(Number(link.vs));
    const next = { ...link, game, options: {}, vs: known ? link.vs : String(card.beginner) };
    void go(teachPath(next, { fair: this.fair ? "on" : null }));
  }
}

/**
 * @param {string} id
 * @param {string} title
 * @param {...import("../dom.js").Child} content
 */
function section(id, title, ...content) {
  return h("section.card", { "aria-labelledby": id }, h("h2", { id }, title), ...content);
}
