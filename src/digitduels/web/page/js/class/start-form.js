// The form that starts a class: with a suggestion, or with custom settings.

import { get } from "../api.js";
import { fill, h } from "../dom.js";
import { field, group, optionFields, radios, readOptions, trouble } from "../form.js";
import { levelOptions } from "../levels.js";
import { go } from "../router.js";
import { startClass } from "./session.js";
import { readSettings, settingFields } from "./settings.js";

/** @type {[ClassMode, string][]} */
const MODES = [
  ["pairs", "Pairs: two pupils at a board"],
  ["rounds", "Tournament: rounds, paired by results"],
  ["computer", "Everyone against the computer"],
];

const BEGIN = /** @type {const} */ ({
  start: "book",
  hints: false,
  takebacks: false,
  anonymous: false,
  auto_pairing: true,
});

/**
 * @param {GameCard[]} cards
 * @param {AbortSignal} signal
 */
export function startForm(cards, signal) {
  const form = new StartForm(cards);
  form.suggest(signal).catch(() => {}); // the form works without suggestions
  return form.element;
}

class StartForm {
  /** @param {GameCard[]} cards */
  constructor(cards) {
    this.cards = cards;
    this.card = /** @type {GameCard} */ (cards[0]);
    this.trouble = trouble();
    this.presets = h("ul.presets", { "aria-label": "Suggestions" });
    this.game = h(
      "select",
      { name: "class-game" },
      cards.map((card) => h("option", { value: card.game }, card.title)),
    );
    this.level = h("select", { name: "level" });
    this.options = h("div.fields");
    this.start = h("button.main", "Start the class");
    this.element = h(
      "form.start-class",
      this.presets,
      h("details.fold", h("summary", "Settings"), this.#settings()),
      this.trouble,
      h("p.row", this.start),
    );
    this.game.addEventListener("change", () => this.#choose(this.game.value, {}));
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.begin();
    });
    this.#choose(this.card.game, {});
  }

  #settings() {
    return h(
      "div.form",
      field("Game", this.game),
      group("The class plays", radios("mode", MODES, "pairs")),
      settingFields(this.level, BEGIN),
      group("Rules of this game", this.options),
    );
  }

  /** @param {AbortSignal} signal */
  async suggest(signal) {
    const { presets } = /** @type {Lessons} */ (await get("/api/lessons", undefined, signal));
    const item = (/** @type {LessonPreset} */ preset) =>
      h(
        "li",
        h(
          "button.preset",
          { type: "button", "aria-pressed": "false", onclick: () => this.take(preset) },
          h("strong", preset.title),
          h("span", preset.reason),
        ),
      );
    const known = presets.filter(({ game }) => this.cards.some((card) => card.game === game));
    fill(this.presets, known.map(item));
    if (known[0]) this.take(known[0]);
  }

  /** @param {LessonPreset} preset */
  take(preset) {
    const { game, options, mode, start } = preset;
    for (const button of this.presets.querySelectorAll("button"))
      button.setAttribute("aria-pressed", String(button.firstChild?.textContent === preset.title));
    const texts = Object.fromEntries(Object.entries(options).map(([name, value]) => [name, String(value)]));
    this.#choose(game, texts);
    for (const [name, value] of [
      ["mode", mode],
      ["start", start],
    ]) {
      const radio = this.element.querySelector(`input[name="${name}"][value="${value}"]`);
      if (radio instanceof HTMLInputElement) radio.checked = true;
    }
  }

  /**
   * @param {string} game
   * @param {Record<string, string>} options
   */
  #choose(game, options) {
    this.card = this.cards.find((card) => card.game === game) ?? this.card;
    this.game.value = this.card.game;
    fill(this.level, levelOptions(this.card));
    this.level.value = String(this.card.beginner);
    fill(this.options, optionFields(this.card.options, options));
  }

  async begin() {
    const data = new FormData(this.element);
    this.start.disabled = true;
    try {
      const code = await startClass({
        game: this.card.game,
        options: readOptions(this.card.options, data),
        mode: data.get("mode"),
        ...readSettings(data),
      });
      await go(`/class/${code}`);
    } catch (error) {
      if (error instanceof Error) this.trouble.textContent = error.message;
    } finally {
      this.start.disabled = false;
    }
  }
}
