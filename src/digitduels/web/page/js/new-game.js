// The dialog for a new game: the game, opponent, seat, start and rules.

import { games, getComputed } from "./api.js";
import { button, fill, h, unique } from "./dom.js";
import {
  field,
  group,
  nameField,
  nameInput,
  optionFields,
  radios,
  readOptions,
  readSeat,
  readText,
  seatRadios,
  trouble,
} from "./form.js";
import { emblem } from "./head.js";
import { levelOptions } from "./levels.js";
import { newLink, pathOf, randomSeed } from "./link.js";
import { challenge } from "./seats.js";
import { recall, remember } from "./storage.js";
import { hasServer } from "./transport.js";

/**
 * Opens the dialog. Returns the path of the new game, or null.
 * @param {Link} old the game that is selected at first
 * @param {string} [vs] the opponent that is selected at first
 * @returns {Promise<string | null>}
 */
export async function askForGame(old, vs = old.vs ?? "human") {
  const sheet = new Sheet(await games(), old, vs);
  return sheet.answer;
}

class Sheet {
  /**
   * @param {GameCard[]} cards
   * @param {Link} old
   * @param {string} vs
   */
  constructor(cards, old, vs) {
    this.cards = cards;
    this.old = old;
    this.vs = vs;
    const id = unique();
    this.opponents = h("select", { name: "vs" });
    this.rules = h("div.fields");
    const input = nameInput();
    input.value = recall("name") ?? "";
    this.name = nameField("Your name (optional)", input);
    this.trouble = trouble();
    this.start = h("button.main", "Start");
    this.seats = group("You are", seatRadios(old.seat));
    this.form = h(
      "form",
      { method: "dialog" },
      h("h2", { id }, "New game"),
      group("Game", gameRadios(cards, old.game)),
      field("Against", this.opponents),
      this.name,
      this.seats,
      group("Start", radios("start", STARTS, old.opening ? "fair" : "book")),
      h("details", h("summary", "Rules of this game"), this.rules),
      this.trouble,
      h(
        "p.row.last",
        button("Cancel", () => this.dialog.close()),
        this.start,
      ),
    );
    this.dialog = h("dialog.sheet", { "aria-labelledby": id }, this.form);
    /** @type {string | null} */
    this.path = null;
    this.answer = this.#open();
  }

  /** @returns {Promise<string | null>} */
  #open() {
    this.#offer();
    this.form.addEventListener("change", (event) => this.#change(event));
    this.form.addEventListener("submit", (event) => this.#submit(event));
    document.body.append(this.dialog);
    this.dialog.showModal();
    // By default the browser would focus the first game, not the selected one.
    const chosen = this.form.querySelector("[name=game]:checked");
    if (chosen instanceof HTMLElement) chosen.focus();
    return new Promise((resolve) => {
      this.dialog.addEventListener("close", () => {
        this.dialog.remove();
        resolve(this.path);
      });
    });
  }

  get card() {
    const game = new FormData(this.form).get("game");
    return /** @type {GameCard} */ (this.cards.find((card) => card.game === game) ?? this.cards[0]);
  }

  /** @param {Event} event */
  #change({ target }) {
    if (target === this.opponents) this.#hide();
    else if (target instanceof HTMLInputElement && target.name === "game") this.#offer();
  }

  /** Updates the form for the selected game. */
  #offer() {
    const { card, old, opponents } = this;
    const wanted = opponents.value || this.vs;
    fill(
      opponents,
      h("option", { value: "human" }, "Two players, one screen"),
      h(
        "option",
        { value: "friend", disabled: !hasServer },
        `A friend, by link${hasServer ? "" : " (needs a server)"}`,
      ),
      h("option", { value: "coach" }, "Coach. Warns you before a mistake."),
      levelOptions(card),
    );
    opponents.value = wanted;
    if (!opponents.value) opponents.value = String(card.beginner);
    fill(this.rules, optionFields(card.options, card.game === old.game ? old.options : {}));
    this.#hide();
  }

  #hide() {
    this.seats.hidden = this.opponents.value === "human";
    this.name.hidden = this.opponents.value !== "friend";
  }

  /** @param {Event} event */
  #submit(event) {
    event.preventDefault();
    this.trouble.textContent = "";
    this.start.disabled = true; // pressed twice, it would start two games
    begin(this.card, new FormData(this.form), this.old).then(
      (path) => {
        this.path = path;
        this.dialog.close();
      },
      (error) => {
        this.trouble.textContent = error.message;
        this.start.disabled = false;
      },
    );
  }
}

/** @type {[string, string][]} */
const STARTS = [
  ["book", "As in the book"],
  ["fair", "Balanced start"],
];

/**
 * Creates the list of games to choose from, each with its sign and what to expect.
 * @param {GameCard[]} cards
 * @param {string} game
 */
export function gameRadios(cards, game) {
  return radios("game", cards.map(gameChoice), game, "games");
}

/**
 * @param {GameCard} card
 * @returns {[string, import("./dom.js").Child[]]}
 */
function gameChoice({ game, title, look }) {
  const facts = [look.difficulty, look.length && `about ${look.length}`].filter(Boolean).join(", ");
  return [game, [emblem(look), h("span", h("b", title), h("small", facts))]];
}

/**
 * Returns the path of the game described by the form.
 * @param {GameCard} card
 * @param {FormData} data
 * @param {Link} old its settings for hints and take-backs are kept, because the link of a class may fix them
 */
async function begin(card, data, { hints, takebacks }) {
  const vs = readText(data, "vs");
  const seat = readSeat(data);
  const options = readOptions(card.options, data);
  const opponent = vs === "human" || vs === "friend" ? null : vs;
  const link = newLink(card.game, { options, seed: randomSeed(), seat, vs: opponent, hints, takebacks });
  const started = await withStart(link, data.get("start") === "fair");
  if (vs !== "friend") return pathOf(started);
  const name = readText(data, "name");
  remember("name", name);
  return challenge(started, name);
}

/**
 * Adds the opening moves of a balanced start, if the form asks for one. The server refuses rules it cannot play.
 * @param {Link} link
 * @param {boolean} fair
 * @returns {Promise<Link>}
 */
export async function withStart(link, fair) {
  const query = { ...link.options, kind: fair ? "fair" : "book", seed: link.seed };
  const { moves, opening } = /** @type {Start} */ (await getComputed(`/api/start/${link.game}`, query));
  return { ...link, moves, opening };
}
