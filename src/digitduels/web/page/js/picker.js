// The choice of a move on the screen: buttons in any order, or digits and signs on the keyboard.

import { left } from "./board.js";
import { Choice } from "./choice.js";
import { fill, h, set } from "./dom.js";
import { bestValue, SIGNS, WORDS } from "./verdict.js";

/**
 * @typedef {{
 *   play: (move: string) => void,
 *   explain: (picks: number[] | null) => void,
 *   say: (text: string) => void,
 *   confirm: boolean,
 * }} Hooks `explain`: says why values from the first field on are forbidden; `confirm`: a move needs one more press
 */

/** Choices in one row of buttons: two fields with the same choices share it. */
/** @typedef {{fields: number[], labels: string[], buttons: HTMLButtonElement[], element: HTMLElement}} Group */

const STEPS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

export class Picker {
  /**
   * @param {View} view
   * @param {Hooks} hooks
   */
  constructor(view, hooks) {
    this.view = view;
    this.hooks = hooks;
    this.choice = new Choice(view.fields);
    this.active = false;
    /** @type {Map<string, Value> | null} */
    this.values = null;
    this.slots = h("p", { class: "slots" });
    this.used = h("p", { class: "soft used", hidden: true });
    this.done = h("button", { type: "button", class: "main", hidden: true, onclick: () => this.#finish() }, "Play");
    this.groups = this.#groups();
    const single = view.fields.length === 1 && !hooks.confirm;
    this.element = h(
      "section",
      { class: "picker", "aria-label": "Your move" },
      this.groups.map((group) => group.element),
      this.used,
      h("div", { class: single ? "chosen single" : "chosen" }, this.slots, this.done),
    );
    this.element.addEventListener("keydown", (event) => this.#arrows(event));
  }

  /** Whether the numbers on the table are among the choices, with how many are left. */
  get showsPool() {
    const labels = this.view.board.table.stocks.map((stock) => stock.label);
    return labels.length > 0 && this.groups.some((group) => labels.every((label) => group.labels.includes(label)));
  }

  /** Whether a number is half typed. */
  get typing() {
    return this.choice.typed !== "";
  }

  /**
   * @param {View} view
   * @param {boolean} active whether it is the reader's turn
   */
  update(view, active) {
    this.view = view;
    this.active = active;
    this.values = null;
    this.choice.moves = active ? view.legal : [];
    const numbers = view.board.table.stocks.filter((stock) => stock.of === 1);
    const used = numbers.filter((stock) => stock.left === 0).map((stock) => stock.label);
    this.used.hidden = numbers.length === 0;
    this.used.textContent = `Used numbers: ${used.join(" ") || "none"}`;
    this.#clear();
  }

  /**
   * Shows what each choice can lead to; null hides it.
   * @param {JudgedMove[] | null} moves
   */
  judge(moves) {
    this.values = moves && new Map(moves.map(({ move, value }) => [move, value]));
    this.#draw();
  }

  /** Puts the focus on the first choice that is possible. */
  focus() {
    const all = this.#buttons();
    (all.find((button) => !button.hasAttribute("aria-disabled")) ?? all[0])?.focus({ preventScroll: true });
  }

  /**
   * Handles a key that was pressed anywhere on the page; false if it means nothing here.
   * @param {string} key
   */
  press(key) {
    if (!this.active) return false;
    const sign = Choice.sign(key);
    if (sign !== null) this.#type(sign);
    else if (key === "Enter" && this.typing) this.#type("");
    else if (key === "Enter" && !this.done.hidden) this.#finish();
    else if (key === "Backspace" && this.choice.started) this.#erase();
    else if (key === "Escape" && this.choice.started) this.#clear();
    else return false;
    return true;
  }

  #buttons() {
    return this.groups.flatMap((group) => group.buttons);
  }

  #groups() {
    /** @type {Group[]} */
    const groups = [];
    this.view.fields.forEach((field, place) => {
      const same = groups.find((group) => sorted(group.labels) === sorted(field.choices));
      if (same) same.fields.push(place);
      else groups.push(this.#group(field, place));
    });
    return groups;
  }

  /**
   * @param {Field} field
   * @param {number} place
   * @returns {Group}
   */
  #group({ prompt, choices }, place) {
    const buttons = choices.map((label) =>
      h("button", { type: "button", class: "tile", onclick: () => this.#press(group, label) }, label),
    );
    const wide = choices.some((choice) => choice.length > 3) ? " wide" : "";
    const signs = choices.every((choice) => !/^\d/.test(choice)) ? " signs" : "";
    const element = h("div", { class: `tiles${wide}${signs}`, role: "group", "aria-label": prompt }, buttons);
    const group = { fields: [place], labels: choices, buttons, element };
    return group;
  }

  /**
   * The field that a press on a group gives a value: the first without one, else the last.
   * @param {Group} group
   */
  #open(group) {
    const { picks } = this.choice;
    return group.fields.find((field) => picks[field] === null) ?? /** @type {number} */ (group.fields.at(-1));
  }

  /**
   * The field of a group in which a label is chosen.
   * @param {Group} group
   * @param {string} label
   */
  #chosen(group, label) {
    const { choice } = this;
    return group.fields.find((field) => {
      const pick = choice.picks[field] ?? null;
      return pick !== null && choice.label(field, pick) === label;
    });
  }

  /**
   * @param {number} field
   * @param {string} label
   */
  #place(field, label) {
    return this.view.fields[field]?.choices.indexOf(label) ?? -1;
  }

  /**
   * @param {Group} group
   * @param {string} label
   */
  #press(group, label) {
    const chosen = this.#chosen(group, label);
    if (chosen !== undefined) {
      this.choice.pick(chosen, null);
      this.#draw();
      return;
    }
    const field = this.#open(group);
    const place = this.#place(field, label);
    if (this.choice.movesWith(field, place).length) {
      this.choice.pick(field, place);
      this.#picked(field, place);
    } else if (this.active && this.choice.waits(field)) {
      this.hooks.say(this.view.fields[this.choice.open]?.prompt ?? "");
    } else if (this.active) {
      this.hooks.explain(this.choice.upTo(field, place) ?? [place]);
    }
  }

  /**
   * Goes on after a field got a value.
   * @param {number} field
   * @param {number} place
   */
  #picked(field, place) {
    this.#draw();
    const next = this.view.fields[this.choice.open];
    if (next) this.hooks.say(`${this.choice.label(field, place)}. ${next.prompt}`);
    else if (!this.hooks.confirm) this.#finish();
  }

  #finish() {
    const { move } = this.choice;
    if (!move) return;
    this.#clear();
    this.hooks.play(move.move);
  }

  #clear() {
    this.choice.clear();
    this.#draw();
  }

  #erase() {
    this.choice.erase();
    this.#draw();
  }

  /** @param {string} sign */
  #type(sign) {
    const effect = this.choice.type(sign);
    this.#draw();
    if ("picked" in effect) this.#picked(effect.picked.field, effect.picked.choice);
    if (!("refused" in effect)) return;
    const named = this.choice.find(effect.refused);
    this.hooks.explain(named && this.choice.upTo(named.field, named.choice));
  }

  /** @param {KeyboardEvent} event */
  #arrows(event) {
    const step = STEPS[/** @type {keyof typeof STEPS} */ (event.key)];
    const all = this.#buttons();
    const here = all.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    if (!step || here < 0) return;
    event.preventDefault();
    all[(here + step + all.length) % all.length]?.focus();
  }

  #draw() {
    for (const group of this.groups) {
      const field = this.#open(group);
      group.buttons.forEach((button, index) => {
        const label = /** @type {string} */ (group.labels[index]);
        this.#drawTile(button, label, field, this.#chosen(group, label) !== undefined);
      });
    }
    this.#drawSlots();
    this.done.hidden = !this.hooks.confirm || this.choice.open >= 0 || !this.active;
    this.element.classList.toggle("idle", !this.active);
  }

  /**
   * @param {HTMLButtonElement} button
   * @param {string} label
   * @param {number} field
   * @param {boolean} chosen
   */
  #drawTile(button, label, field, chosen) {
    const { values } = this;
    const moves = this.choice.movesWith(field, this.#place(field, label));
    const stock = this.#stock(label);
    const value = values && bestValue(moves.map(({ move }) => values.get(move)));
    set(button, "aria-pressed", String(chosen));
    set(button, "aria-disabled", chosen || moves.length ? null : "true");
    button.className = `tile${chosen ? " picked" : ""}${value ? ` ${value}` : ""}`;
    fill(
      button,
      h("span", { class: "label" }, label),
      stock && stock.of > 1 && left(stock),
      value &&
        h(
          "span",
          { class: "sign" },
          h("span", { "aria-hidden": "true" }, SIGNS[value]),
          h("span", { class: "hidden" }, ` ${WORDS[value]}`),
        ),
    );
  }

  /** @param {string} label */
  #stock(label) {
    const { player, board } = this.view;
    const own = player ? board.hands[player - 1]?.stocks : undefined;
    return [...board.table.stocks, ...(own ?? [])].find((stock) => stock.label === label);
  }

  #drawSlots() {
    const { choice, view } = this;
    const text = (/** @type {number | null} */ pick, /** @type {number} */ field) => {
      if (pick !== null) return choice.label(field, pick);
      return field === choice.open && choice.typed ? `${choice.typed}…` : "?";
    };
    this.slots.hidden = !this.active || (view.fields.length === 1 && !choice.typed && !this.hooks.confirm);
    fill(
      this.slots,
      choice.started
        ? [...choice.picks.entries()]
            .toSorted(([one], [two]) => (view.fields[one]?.slot ?? one) - (view.fields[two]?.slot ?? two))
            .map(([field, pick]) => h("span", { class: pick === null ? "slot empty" : "slot" }, text(pick, field)))
        : h("span", { class: "prompt" }, view.fields[0]?.prompt ?? ""),
    );
  }
}

/** @param {string[]} labels */
function sorted(labels) {
  return labels.toSorted().join("\n");
}
