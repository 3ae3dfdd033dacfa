// The controls for choosing a move: buttons in any order, or digits and signs on the keyboard.

import { left, scoresOf, sideOf } from "./board.js";
import { Choice, signFor } from "./choice.js";
import { fill, h, set } from "./dom.js";
import { outcomeOf, Preview, TONES } from "./preview.js";
import { tell } from "./sentence.js";
import { bestValue, SIGNS, WORDS } from "./verdict.js";

/**
 * @typedef {{
 *   play: (move: string) => Promise<void>,
 *   explain: (picks: number[] | null) => void,
 *   say: (text: string) => void,
 *   settle: () => void,
 *   foresee: (effect: MoveEffect | null) => void,
 *   confirm: () => boolean,
 *   reader: () => Seat | null,
 * }} Hooks `explain`: says why these values, from the first field on, are forbidden; `foresee`: previews a move on the
 * board; `confirm`: whether a move has to be confirmed with "Play"; `settle`: takes back what `explain` said
 */

/** A row of buttons. Two fields with the same choices share one. */
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
    /** What each move does, once it is known. @type {Map<string, MoveEffect>} */
    this.effects = new Map();
    /** The value under the pointer. @type {{group: Group, label: string} | null} */
    this.pointed = null;
    /** The move that is on its way. @type {string | null} */
    this.sent = null;
    /** A rule that beginners overlook, before the first move. */
    this.tip = "";
    /** The last move, until the next one is begun. @type {import("./preview.js").Report | null} */
    this.report = null;
    this.preview = new Preview(() => this.#finish());
    this.groups = this.#groups();
    this.element = h(
      "section.picker",
      { "aria-label": "Your move" },
      this.preview.element,
      h(
        "div.choices",
        this.groups.map((group) => group.element),
      ),
    );
    this.element.addEventListener("keydown", (event) => this.#arrows(event));
  }

  /** Whether the buttons also show how many of each number are left in the pool. */
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
    this.effects = new Map();
    this.pointed = null;
    this.sent = null;
    this.report = this.#lastMove();
    this.tip = "";
    this.choice.moves = active ? view.legal : [];
    this.#clear();
  }

  /**
   * Shows what each move does.
   * @param {MoveEffect[]} effects
   */
  foretell(effects) {
    this.effects = new Map(effects.map((effect) => [effect.move, effect]));
    if (!this.sent) this.#draw();
  }

  /**
   * Shows what each choice can lead to; null hides it.
   * @param {JudgedMove[] | null} moves
   */
  judge(moves) {
    this.values = moves && new Map(moves.map(({ move, value }) => [move, value]));
    this.#draw();
  }

  /**
   * Shows the verdict on a move that was tried, until the next one is begun.
   * @param {string} move
   * @param {string} verdict
   */
  refuse(move, verdict) {
    const text = this.effects.get(move)?.equation ?? this.view.legal.find((each) => each.move === move)?.shown ?? "";
    this.report = { text, note: verdict, tone: "bad", side: null };
    this.#clear();
  }

  /** The last move as its reader sees it: what is bad for the opponent is not shown as a failure. */
  #lastMove() {
    const { hop, last } = this.view;
    const reader = this.hooks.reader();
    if (!hop || !last) return null;
    const note = hop.note ? tell(hop.note, reader) : "";
    const theirs = reader !== null && hop.player !== reader;
    const text = hop.equation ?? tell(last.shown, reader);
    return { text, note, tone: theirs ? "neutral" : hop.tone, side: sideOf(hop.player, reader) };
  }

  /**
   * Shows a tip until the first part of a move is chosen.
   * @param {string} tip
   */
  advise(tip) {
    this.tip = tip;
    if (!this.sent) this.#draw();
  }

  /** Redraws after a setting has changed. */
  refresh() {
    this.#draw();
  }

  /**
   * Returns the buttons of a move's parts, with their current places.
   * @param {LegalMove} move
   * @returns {import("./motion.js").Taken[]}
   */
  partsOf({ picks }) {
    return picks.flatMap((pick, field) => {
      const label = this.view.fields[field]?.choices[pick] ?? "";
      const group = this.groups.find(({ fields }) => fields.includes(field));
      const button = group?.buttons[group.labels.indexOf(label)];
      return button ? [{ label, box: button.getBoundingClientRect() }] : [];
    });
  }

  /** Focuses the first possible choice. */
  focus() {
    const all = this.#buttons();
    (all.find((button) => !button.hasAttribute("aria-disabled")) ?? all[0])?.focus({ preventScroll: true });
  }

  /**
   * Handles a key pressed anywhere on the page; returns false if it means nothing here.
   * @param {string} key
   */
  press(key) {
    if (!this.active || this.sent) return false;
    const sign = this.choice.sign(key);
    if (sign !== null) this.#type(sign);
    else if (key === "Enter" && this.typing) this.#type("");
    else if (key === "Enter" && this.choice.move && this.hooks.confirm()) this.#finish();
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
    this.view.fields.forEach((field, index) => {
      const same = groups.find((group) => sorted(group.labels) === sorted(field.choices));
      if (same) same.fields.push(index);
      else groups.push(this.#group(field, index));
    });
    return groups;
  }

  /**
   * @param {Field} field
   * @param {number} index
   * @returns {Group}
   */
  #group({ prompt, choices }, index) {
    const buttons = choices.map((label) => {
      const point = () => this.#point(group, label);
      const leave = () => this.#point(null, label);
      const pointing = { onpointerenter: point, onfocus: point, onpointerleave: leave, onblur: leave };
      const press = () => this.#press(group, label);
      return h("button.tile", { type: "button", ...pointing, onclick: press }, label);
    });
    const wide = choices.some((choice) => choice.length > 3) ? " wide" : "";
    const words = wide && choices.every((choice) => !/^\W/.test(choice)) ? " verbs" : "";
    const signs = choices.every((choice) => !/^\d/.test(choice)) ? " signs" : "";
    const count = wide && !words ? "" : ` of-${choices.length}`;
    const element = h(
      "div",
      { class: `tiles${wide}${words}${signs}${count}`, role: "group", "aria-label": prompt },
      buttons,
    );
    const group = { fields: [index], labels: choices, buttons, element };
    return group;
  }

  /**
   * Returns the field that a press on a group sets: the first without a value, else the last.
   * @param {Group} group
   */
  #open(group) {
    const { picks } = this.choice;
    return group.fields.find((field) => picks[field] === null) ?? /** @type {number} */ (group.fields.at(-1));
  }

  /**
   * Returns the field of a group whose chosen value is this label.
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
  #index(field, label) {
    return this.view.fields[field]?.choices.indexOf(label) ?? -1;
  }

  /**
   * Previews the move that a press would complete.
   * @param {Group | null} group
   * @param {string} label
   */
  #point(group, label) {
    if (group === null && this.pointed?.label !== label) return;
    this.pointed = group && { group, label };
    if (!this.sent) this.#drawPreview();
  }

  /** The chosen move, or the one that a press on the value under the pointer would complete. */
  #foreseen() {
    const { choice, pointed, active } = this;
    if (!active) return null;
    if (choice.move || !pointed) return choice.move;
    const field = this.#open(pointed.group);
    if (choice.picks.some((pick, index) => pick === null && index !== field)) return null;
    return choice.movesWith(field, this.#index(field, pointed.label))[0] ?? null;
  }

  /**
   * @param {Group} group
   * @param {string} label
   */
  #press(group, label) {
    if (this.sent) return;
    const chosen = this.#chosen(group, label);
    if (chosen !== undefined) {
      this.choice.pick(chosen, null);
      this.#draw();
      return;
    }
    const field = this.#open(group);
    const index = this.#index(field, label);
    if (this.choice.movesWith(field, index).length) {
      this.choice.pick(field, index);
      this.#picked(field, index);
    } else if (this.active && this.choice.waits(field)) {
      this.#askFirst();
    } else if (this.active) {
      this.hooks.explain(this.choice.upTo(field, index) ?? [index]);
    }
  }

  /**
   * Asks for the next field, or plays the complete move, unless it has to be confirmed.
   * @param {number} field
   * @param {number} index
   */
  #picked(field, index) {
    this.hooks.settle();
    this.#draw();
    const next = this.view.fields[this.choice.open];
    if (next) this.hooks.say(`${this.choice.label(field, index)}. ${next.prompt}`);
    else if (!this.hooks.confirm()) this.#finish();
    else this.hooks.say(`${this.preview.element.innerText} Press Enter to play.`);
  }

  /** Says which field has to be chosen first. */
  #askFirst() {
    this.hooks.settle();
    this.hooks.say(`${this.view.fields[this.choice.open]?.prompt}.`);
    this.preview.insist();
  }

  /** Sends the move. It stays selected and locked until the server responds. */
  #finish() {
    const { move } = this.choice;
    if (!move || this.sent) return;
    this.sent = move.move;
    this.#draw();
    this.preview.send();
    this.element.dispatchEvent(new Event("played"));
    void this.hooks.play(move.move).finally(() => {
      // A new position has already unlocked it. After a refusal, the reader can change the move or send it again.
      if (this.sent !== move.move) return;
      this.sent = null;
      this.#draw();
    });
  }

  #clear() {
    this.hooks.settle();
    this.choice.clear();
    this.#draw();
  }

  #erase() {
    this.hooks.settle();
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
    if (named && this.choice.waits(named.field)) this.#askFirst();
    else this.hooks.explain(named && this.choice.upTo(named.field, named.choice));
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
    this.#drawPreview();
    this.element.classList.toggle("idle", !this.active);
    this.element.classList.toggle("sent", this.sent !== null);
  }

  /**
   * @param {HTMLButtonElement} button
   * @param {string} label
   * @param {number} field
   * @param {boolean} chosen
   */
  #drawTile(button, label, field, chosen) {
    const { values, view } = this;
    const moves = this.choice.movesWith(field, this.#index(field, label));
    const stock = this.#stock(label);
    const value = values && bestValue(moves.map(({ move }) => values.get(move)));
    const taker = this.#taker(label);
    const gone = stock?.left === 0;
    const sign = signFor(label);
    const result = this.#result(moves, field);
    set(button, "aria-pressed", String(chosen));
    set(button, "aria-disabled", (chosen || moves.length) && !this.sent ? null : "true");
    button.className = [
      "tile",
      label.length > 3 && "phrase",
      chosen && "picked",
      value,
      gone && "gone",
      taker && `taken by-${sideOf(taker, this.hooks.reader())}`,
      result?.tone,
    ]
      .filter(Boolean)
      .join(" ");
    fill(
      button,
      h("span.label", sign && h("span.sign-of", { "aria-hidden": "true" }, `${sign} `), label),
      result ? h("span.result", result.text) : stock && stock.of > 1 && left(stock),
      stock?.of === 1 && gone && h("span.hidden", ", gone"),
      taker && h("span.hidden", `, just taken by ${view.names[taker - 1]}`),
      value && h("span.sign", h("span", { "aria-hidden": "true" }, SIGNS[value]), h("span.hidden", ` ${WORDS[value]}`)),
    );
  }

  /**
   * Returns what a choice leads to, if it completes the move.
   * @param {LegalMove[]} moves that agree with it
   * @param {number} field
   */
  #result(moves, field) {
    const others = this.choice.picks.some((pick, index) => pick === null && index !== field);
    const effect = others || moves.length !== 1 ? undefined : this.effects.get(moves[0]?.move ?? "");
    const text = effect && outcomeOf(effect, this.view.player ?? 1, scoresOf(this.view));
    if (!effect || !text) return null;
    const sign = TONES[effect.tone];
    // A drop in the opponent's score is good, but an arrow up would be misleading.
    const seen = sign ? text.replace(sign === TONES["bad"] ? /[=→]/ : "=", sign) : text;
    const shown = seen === text ? text : [h("span", { "aria-hidden": "true" }, seen), h("span.hidden", text)];
    return { text: shown, tone: effect.tone === "bad" ? "harmful" : "" };
  }

  /**
   * Returns the seat that has just taken this number from the pool, if any.
   * @param {string} label
   */
  #taker(label) {
    const { hop, board, player } = this.view;
    if (!hop?.taken.includes(label)) return null;
    const open = board.table.stocks.some((stock) => stock.label === label);
    return open || hop.player === player ? hop.player : null;
  }

  /** @param {string} label */
  #stock(label) {
    const { player, board } = this.view;
    const own = player ? board.hands[player - 1]?.stocks : undefined;
    return [...board.table.stocks, ...(own ?? [])].find((stock) => stock.label === label);
  }

  /** Says whose turn it is while the reader waits. */
  #waiting() {
    const { names, player } = this.view;
    return player === null || player === this.hooks.reader() ? "" : `Waiting for ${names[player - 1]}…`;
  }

  #drawPreview() {
    const { choice, view, preview, active } = this;
    const move = this.#foreseen();
    const effect = move ? this.effects.get(move.move) : undefined;
    const prompt = view.fields[choice.open]?.prompt ?? "";
    if (move) preview.foretell(move.shown, effect, view.player ?? 1, this.hooks.reader());
    else if (choice.started) preview.build(this.#parts(), prompt);
    else if (this.report) preview.recall(this.report, this.report.side && active ? prompt : this.#waiting());
    else preview.ask(active ? prompt : this.#waiting(), active ? this.tip : "");
    preview.button.hidden = !choice.move || !active || !this.hooks.confirm() || this.sent !== null;
    this.hooks.foresee(effect ?? null);
  }

  /** The parts of the move in the order in which it is written. */
  #parts() {
    const { choice, view } = this;
    const text = (/** @type {number | null} */ pick, /** @type {number} */ field) => {
      if (pick !== null) return choice.label(field, pick);
      return field === choice.open && choice.typed ? `${choice.typed}…` : null;
    };
    return [...choice.picks.entries()]
      .toSorted(([one], [two]) => (view.fields[one]?.slot ?? one) - (view.fields[two]?.slot ?? two))
      .map(([field, pick]) => text(pick, field));
  }
}

/** @param {string[]} labels */
function sorted(labels) {
  return labels.toSorted().join("\n");
}
