// A move, chosen field by field: by buttons in any order, or by digits and signs on the keyboard.

import { fill, h, set } from "./dom.js";
import { left } from "./board.js";
import { pretty, SIGNS, WORDS } from "./verdict.js";

/**
 * @typedef {{
 *   play: (move: string) => void,
 *   explain: (picks: number[]) => void,
 *   say: (text: string) => void,
 *   confirm: boolean,
 * }} Hooks `confirm`: whether a chosen move waits for a further press
 */

/** Words for signs, so that a key finds the choice that is written out. */
/** @type {Record<string, string[]>} */
const SPELLED = { "+": ["+", "add"], "-": ["-", "subtract"], x: ["*", "x", "×", "multiply"], "/": ["/", "divide"] };
/** @type {Record<string, string>} */
const KEYS = { "*": "x", X: "x", "×": "x", "·": "x", "÷": "/", ":": "/", "−": "-" };

/** Choices that one row of buttons shows: two fields that choose from the same things share it. */
/** @typedef {{fields: number[], labels: string[], buttons: HTMLButtonElement[], element: HTMLElement}} Group */

export class Picker {
  /**
   * @param {View} view
   * @param {Hooks} hooks
   */
  constructor(view, hooks) {
    this.view = view;
    this.hooks = hooks;
    /** @type {(number | null)[]} */
    this.picks = view.fields.map(() => null);
    this.typed = "";
    this.active = false;
    /** @type {Map<string, Value> | null} */
    this.values = null;
    this.slots = h("p", { class: "slots" });
    this.done = h("button", { type: "button", class: "main", hidden: true, onclick: () => this.#finish() }, "Play");
    this.groups = this.#grouped();
    this.element = h(
      "section",
      { class: "picker", "aria-label": "Your move" },
      this.groups.map((group) => group.element),
      h("div", { class: `chosen${view.fields.length > 1 || hooks.confirm ? "" : " single"}` }, this.slots, this.done),
    );
    this.element.addEventListener("keydown", (event) => this.#arrows(event));
  }

  /** Whether the numbers on the table are among the choices, with how many are left. */
  get showsPool() {
    const labels = this.view.board.table.stocks.map((stock) => stock.label);
    return labels.length > 0 && this.groups.some((group) => labels.every((label) => group.labels.includes(label)));
  }

  /**
   * @param {View} view
   * @param {boolean} active whether it is for the reader to move
   */
  update(view, active) {
    this.view = view;
    this.active = active;
    this.values = null;
    this.#clear();
  }

  /**
   * Shows what each choice can lead to; null hides it.
   * @param {Judged[] | null} each
   */
  judge(each) {
    this.values = each && new Map(each.map(({ move, value }) => [move, value]));
    this.#draw();
  }

  /** Puts the focus on the first choice that is possible. */
  focus() {
    const all = this.groups.flatMap((group) => group.buttons);
    (all.find((button) => !button.hasAttribute("aria-disabled")) ?? all[0])?.focus({ preventScroll: true });
  }

  /**
   * A key that was pressed anywhere on the page; whether it was one of ours.
   * @param {string} key
   */
  press(key) {
    if (!this.active) return false;
    const sign = KEYS[key] ?? key;
    if (/^[0-9+\-x/]$/.test(sign)) this.#type(sign);
    else if (key === "Enter" && this.typed) this.#type("");
    else if (key === "Enter" && !this.done.hidden) this.#finish();
    else if (key === "Backspace" && (this.typed || this.picks.some((pick) => pick !== null))) this.#erase();
    else if (key === "Escape" && (this.typed || this.picks.some((pick) => pick !== null))) this.#clear();
    else return false;
    return true;
  }

  /** @returns {Group[]} */
  #grouped() {
    /** @type {Group[]} */
    const groups = [];
    this.view.fields.forEach((field, place) => {
      const same = groups.find((group) => group.labels.toSorted().join("\n") === field.choices.toSorted().join("\n"));
      if (same) {
        same.fields.push(place);
        return;
      }
      const buttons = field.choices.map((label) =>
        h("button", { type: "button", class: "tile", onclick: () => this.#press(group, label) }, pretty(label)),
      );
      const wide = field.choices.some((choice) => choice.length > 3);
      const signs = field.choices.every((choice) => !/^\d/.test(choice));
      const element = h("div", { class: `tiles${wide ? " wide" : ""}${signs ? " signs" : ""}`, role: "group", "aria-label": field.prompt }, buttons);
      const group = { fields: [place], labels: field.choices, buttons, element };
      groups.push(group);
    });
    return groups;
  }

  /**
   * Legal moves that agree with picks.
   * @param {(number | null)[]} picks
   */
  #legal(picks) {
    if (!this.active) return [];
    return this.view.legal.filter((each) => picks.every((pick, field) => pick === null || each.picks[field] === pick));
  }

  /**
   * The picks with one more.
   * @param {number} field
   * @param {number | null} choice
   */
  #with(field, choice) {
    return this.picks.map((pick, place) => (place === field ? choice : pick));
  }

  /**
   * The field that a press on a choice of a group would answer: the first that is open, else the last.
   * @param {Group} group
   */
  #open(group) {
    return group.fields.find((field) => this.picks[field] === null) ?? /** @type {number} */ (group.fields.at(-1));
  }

  /**
   * The field of a group in which a label is picked.
   * @param {Group} group
   * @param {string} label
   */
  #picked(group, label) {
    return group.fields.find((field) => this.picks[field] !== null && this.#label(field, this.picks[field] ?? -1) === label);
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
    const chosen = this.#picked(group, label);
    if (chosen !== undefined) {
      this.#pick(chosen, null);
      return;
    }
    const field = this.#open(group);
    const choice = this.#place(field, label);
    if (this.#legal(this.#with(field, choice)).length) {
      this.#pick(field, choice);
    } else if (this.active) {
      const before = this.picks.slice(0, field);
      const told = before.every((pick) => pick !== null);
      this.hooks.explain([.../** @type {number[]} */ (told ? before : []), choice]);
    }
  }

  /**
   * @param {number} field
   * @param {number | null} choice
   */
  #pick(field, choice) {
    this.picks = this.#with(field, choice);
    this.typed = "";
    this.#draw();
    if (choice === null) return;
    const missing = this.picks.findIndex((pick) => pick === null);
    if (missing < 0) {
      if (!this.hooks.confirm) this.#finish();
    } else {
      const next = /** @type {Field} */ (this.view.fields[missing]);
      this.hooks.say(`${pretty(this.#label(field, choice))}. ${next.prompt}.`);
    }
  }

  #finish() {
    const [found] = this.#legal(this.picks);
    if (found && this.picks.every((pick) => pick !== null)) {
      this.#clear();
      this.hooks.play(found.move);
    }
  }

  #clear() {
    this.picks = this.picks.map(() => null);
    this.typed = "";
    this.#draw();
  }

  #erase() {
    if (this.typed) {
      this.typed = this.typed.slice(0, -1);
      this.#draw();
      return;
    }
    const last = this.picks.findLastIndex((pick) => pick !== null);
    this.#pick(last, null);
  }

  /**
   * @param {number} field
   * @param {number} choice
   */
  #label(field, choice) {
    return this.view.fields[field]?.choices[choice] ?? "";
  }

  /**
   * What may still be chosen, and what people type for it.
   * @returns {{field: number, choice: number, texts: string[]}[]}
   */
  #possible() {
    const legal = this.#legal(this.picks);
    const found = [];
    for (let field = 0; field < this.picks.length; field += 1) {
      if (this.picks[field] !== null) continue;
      for (const choice of new Set(legal.map((each) => each.picks[field]))) {
        if (choice === undefined) continue;
        const label = this.#label(field, choice);
        const sign = Object.keys(SPELLED).filter((key) => SPELLED[key]?.includes(label));
        // Where a move is one choice, its token is a way to write it.
        const tokens = this.picks.length === 1 ? legal.filter((each) => each.picks[0] === choice).map((each) => each.move) : [];
        found.push({ field, choice, texts: [label.replaceAll("×", "x"), ...sign, ...tokens] });
      }
    }
    return found;
  }

  /** @param {string} sign the next one typed; none when what is typed is complete */
  #type(sign) {
    const text = this.typed + sign;
    const possible = this.#possible();
    const exact = possible.find((each) => each.texts.includes(text));
    const longer = possible.some((each) => each.texts.some((known) => known.length > text.length && known.startsWith(text)));
    if (exact && (!longer || sign === "")) {
      this.#pick(exact.field, exact.choice);
    } else if (exact || longer) {
      this.typed = text;
      this.#draw();
    } else if (this.typed && sign) {
      const before = possible.find((each) => each.texts.includes(this.typed));
      this.typed = "";
      if (before) {
        this.#pick(before.field, before.choice);
        this.#type(sign);
      } else {
        this.#refuse(text);
      }
    } else {
      this.#refuse(text);
    }
  }

  /** @param {string} text */
  #refuse(text) {
    this.typed = "";
    this.#draw();
    const place = this.view.fields.findIndex((field, index) => this.picks[index] === null && field.choices.includes(text));
    const choice = this.view.fields[place]?.choices.indexOf(text) ?? -1;
    const before = this.picks.slice(0, Math.max(0, place));
    if (choice >= 0 && before.every((pick) => pick !== null)) {
      this.hooks.explain([.../** @type {number[]} */ (before), choice]);
    } else {
      this.hooks.say(`${pretty(text)} is not possible here.`);
    }
  }

  /** @param {KeyboardEvent} event */
  #arrows(event) {
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    const all = this.groups.flatMap((group) => group.buttons);
    const here = all.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    if (!step || here < 0) return;
    event.preventDefault();
    all[(here + step + all.length) % all.length]?.focus();
  }

  #draw() {
    const { view } = this;
    for (const group of this.groups) {
      const field = this.#open(group);
      group.buttons.forEach((button, index) => {
        const label = /** @type {string} */ (group.labels[index]);
        const picked = this.#picked(group, label) !== undefined;
        const legal = this.#legal(this.#with(field, this.#place(field, label)));
        const own = view.player ? view.board.hands[view.player - 1]?.stocks : undefined;
        const stock = [...view.board.table.stocks, ...(own ?? [])].find((each) => each.label === label);
        const value = this.values && legal.length ? best(legal.map((each) => this.values?.get(each.move))) : null;
        set(button, "aria-pressed", String(picked));
        set(button, "aria-disabled", picked || legal.length ? null : "true");
        button.className = `tile${picked ? " picked" : ""}${value ? ` ${value}` : ""}`;
        fill(
          button,
          h("span", { class: "label" }, pretty(label)),
          stock && stock.of > 1 && left(stock),
          value && h("span", { class: "sign" }, h("span", { "aria-hidden": "true" }, SIGNS[value]), h("span", { class: "hidden" }, ` ${WORDS[value]}`)),
        );
      });
    }
    const several = view.fields.length > 1;
    const shown = this.typed || this.picks.some((pick) => pick !== null);
    const open = this.picks.findIndex((pick) => pick === null);
    this.slots.hidden = !several && !this.typed && !this.hooks.confirm;
    fill(
      this.slots,
      shown || !this.active
        ? this.picks.map((pick, field) =>
            h(
              "span",
              { class: `slot${pick === null ? " empty" : ""}` },
              pick === null ? (field === open && this.typed ? `${pretty(this.typed)}…` : "?") : pretty(this.#label(field, pick)),
            ),
          )
        : h("span", { class: "prompt" }, view.fields[0]?.prompt ?? ""),
    );
    this.slots.hidden ||= !this.active;
    this.done.hidden = !this.hooks.confirm || open >= 0 || !this.active;
    this.element.classList.toggle("idle", !this.active);
  }
}

/**
 * The best of some values.
 * @param {(Value | undefined)[]} values
 * @returns {Value | null}
 */
function best(values) {
  return /** @type {Value[]} */ (["win", "draw", "loss"]).find((value) => values.includes(value)) ?? null;
}
