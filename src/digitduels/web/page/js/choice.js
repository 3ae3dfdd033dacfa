// A move that is being chosen, field by field, by presses and by keys. It knows nothing of the screen.

/** What people type for the labels of operations. */
/** @type {Record<string, string[]>} */
const LABELS = { "+": ["+", "add"], "-": ["−", "subtract"], x: ["×", "multiply"], "/": ["÷", "divide"] };
/** Keys that mean the same as another one. */
/** @type {Record<string, string>} */
const KEYS = { "*": "x", X: "x", "×": "x", "·": "x", "÷": "/", ":": "/", "−": "-" };
/** @type {Record<string, string>} */
const SIGNS = { "×": "x", "÷": "/", "−": "-" };

/** What a key did: it finished a field, it is part of one, or it is impossible. */
/** @typedef {{picked: {field: number, choice: number}} | {typed: string} | {refused: string}} Effect */

export class Choice {
  /** @param {Field[]} fields */
  constructor(fields) {
    this.fields = fields;
    /** Legal moves; none while it is not the reader's turn. @type {LegalMove[]} */
    this.moves = [];
    /** The place of each field's value among its choices. @type {(number | null)[]} */
    this.picks = [];
    /** What is typed for the next field. @type {string} */
    this.typed = "";
    this.clear();
  }

  clear() {
    this.picks = this.fields.map(() => null);
    this.typed = "";
  }

  /** Whether anything is chosen or typed yet. */
  get started() {
    return this.typed !== "" || this.picks.some((pick) => pick !== null);
  }

  /** The first field without a value; -1 when there is none. */
  get open() {
    return this.picks.indexOf(null);
  }

  /** The chosen move; null while a field has no value. */
  get move() {
    return this.open < 0 ? (this.#legal(this.picks)[0] ?? null) : null;
  }

  /**
   * Gives a field a value; null takes it away.
   * @param {number} field
   * @param {number | null} choice
   */
  pick(field, choice) {
    this.picks = this.picks.with(field, choice);
    this.typed = "";
  }

  /** Takes back the last key, else the last value. */
  erase() {
    if (this.typed) this.typed = this.typed.slice(0, -1);
    else
      this.pick(
        this.picks.findLastIndex((pick) => pick !== null),
        null,
      );
  }

  /**
   * Legal moves that agree with what is chosen, if a field gets this value.
   * @param {number} field
   * @param {number} choice
   */
  movesWith(field, choice) {
    return this.waits(field) ? [] : this.#legal(this.picks.with(field, choice));
  }

  /**
   * Whether a field is chosen only after others that have no value yet.
   * @param {number} field
   */
  waits(field) {
    return this.fields[field]?.ordered === true && this.picks.slice(0, field).includes(null);
  }

  /**
   * @param {number} field
   * @param {number} choice
   */
  label(field, choice) {
    return this.fields[field]?.choices[choice] ?? "";
  }

  /**
   * The values from the first field up to a value, by which the server knows what is forbidden; null if one is missing.
   * @param {number} field
   * @param {number} choice
   * @returns {number[] | null}
   */
  upTo(field, choice) {
    const before = this.picks.slice(0, field);
    return before.includes(null) ? null : [.../** @type {number[]} */ (before), choice];
  }

  /**
   * A key that was pressed, as it is meant; null if it has nothing to do with a move.
   * @param {string} key
   */
  static sign(key) {
    const sign = KEYS[key] ?? key;
    return /^[0-9+\-x/]$/.test(sign) ? sign : null;
  }

  /**
   * Types a sign; an empty one says that what is typed is complete.
   * @param {string} sign
   * @returns {Effect}
   */
  type(sign) {
    const text = this.typed + sign;
    const possible = this.#possible();
    const exact = possible.find(({ texts }) => texts.includes(text));
    const longer = possible.some(({ texts }) => texts.some((known) => known !== text && known.startsWith(text)));
    if (exact && (!longer || sign === "")) return this.#picked(exact);
    if (exact || longer) {
      this.typed = text;
      return { typed: text };
    }
    // The sign may begin the next field: 1 and + are the number 1 and an operation.
    const before = sign === "" ? undefined : possible.find(({ texts }) => texts.includes(this.typed));
    this.typed = "";
    if (!before) return { refused: text };
    const picked = this.#picked(before);
    return this.move ? picked : this.type(sign);
  }

  /**
   * The field and value that a refused text names.
   * @param {string} text
   */
  find(text) {
    for (const [field, { choices }] of this.fields.entries()) {
      const choice = this.picks[field] === null ? choices.findIndex((label) => textsOf(label).includes(text)) : -1;
      if (choice >= 0) return { field, choice };
    }
    return null;
  }

  /** @param {{field: number, choice: number}} value */
  #picked({ field, choice }) {
    this.pick(field, choice);
    return { picked: { field, choice } };
  }

  /** @param {(number | null)[]} picks */
  #legal(picks) {
    return this.moves.filter((move) => picks.every((pick, field) => pick === null || move.picks[field] === pick));
  }

  /** Values that may still be chosen, and what people type for them. */
  #possible() {
    const legal = this.#legal(this.picks);
    return this.picks.flatMap((pick, field) => {
      if (pick !== null || this.waits(field)) return [];
      const choices = new Set(legal.map(({ picks }) => picks[field] ?? -1));
      return [...choices].map((choice) => ({ field, choice, texts: this.#texts(legal, field, choice) }));
    });
  }

  /**
   * @param {LegalMove[]} legal
   * @param {number} field
   * @param {number} choice
   */
  #texts(legal, field, choice) {
    const texts = textsOf(this.label(field, choice));
    if (this.fields.length > 1) return texts;
    // Where a move has one field, its token is a way to write it.
    return [...texts, ...legal.filter(({ picks }) => picks[0] === choice).map(({ move }) => move)];
  }
}

/**
 * The sign that a word stands for, as people write it; empty if there is none.
 * @param {string} label
 */
export function signFor(label) {
  const [shown = ""] = Object.values(LABELS).find(([, word]) => word === label) ?? [];
  return shown;
}

/**
 * What people type for a label.
 * @param {string} label
 */
function textsOf(label) {
  const signs = Object.keys(LABELS).filter((sign) => LABELS[sign]?.includes(label));
  return [label.replace(/[×÷−]/g, (sign) => SIGNS[sign] ?? sign), ...signs];
}
