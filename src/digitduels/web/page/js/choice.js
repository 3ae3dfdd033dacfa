// A partly chosen move, field by field, by buttons and by keys. Independent of the DOM.

/** The words and signs that people type for each operation. */
/** @type {Record<string, string[]>} */
const LABELS = { "+": ["+", "add"], "-": ["−", "subtract"], x: ["×", "multiply"], "/": ["÷", "divide"] };
/** Keys that are aliases of another one. */
/** @type {Record<string, string>} */
const KEYS = { "*": "x", X: "x", "×": "x", "·": "x", "÷": "/", ":": "/", "−": "-" };
/** @type {Record<string, string>} */
const SIGNS = { "×": "x", "÷": "/", "−": "-" };

/** The effect of a key: it completed a field, it is part of one, or it is impossible. */
/** @typedef {{picked: {field: number, choice: number}} | {typed: string} | {refused: string}} Effect */

export class Choice {
  /** @param {Field[]} fields */
  constructor(fields) {
    this.fields = fields;
    /** Legal moves; none while it is not the reader's turn. @type {LegalMove[]} */
    this.moves = [];
    /** The index of each field's value among its choices. @type {(number | null)[]} */
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

  /** The index of the first field without a value, or -1. */
  get open() {
    return this.picks.indexOf(null);
  }

  /** The chosen move; null while a field has no value. */
  get move() {
    return this.open < 0 ? (this.#legal(this.picks)[0] ?? null) : null;
  }

  /**
   * Sets the value of a field; null clears it.
   * @param {number} field
   * @param {number | null} choice
   */
  pick(field, choice) {
    this.picks = this.picks.with(field, choice);
    this.typed = "";
  }

  /** Removes the last typed key, else the last value. */
  erase() {
    if (this.typed) this.typed = this.typed.slice(0, -1);
    else
      this.pick(
        this.picks.findLastIndex((pick) => pick !== null),
        null,
      );
  }

  /**
   * Returns the legal moves that match the chosen values if a field gets this value.
   * @param {number} field
   * @param {number} choice
   */
  movesWith(field, choice) {
    return this.waits(field) ? [] : this.#legal(this.picks.with(field, choice));
  }

  /**
   * Whether a field has to wait for others that have no value yet.
   * @param {number} field
   */
  waits(field) {
    return this.fields[field]?.ordered === true && this.picks.slice(0, field).includes(null);
  }

  /**
   * Whether a field cannot be typed yet. A move may be typed as it is written, too: "6×7".
   * @param {number} field
   */
  #waitsForKeys(field) {
    const slot = (/** @type {number} */ index) => this.fields[index]?.slot ?? index;
    return this.waits(field) && this.picks.some((pick, index) => pick === null && slot(index) < slot(field));
  }

  /**
   * @param {number} field
   * @param {number} choice
   */
  label(field, choice) {
    return this.fields[field]?.choices[choice] ?? "";
  }

  /**
   * Returns the values from the first field up to this one, for the server to explain; null if one is missing.
   * @param {number} field
   * @param {number} choice
   * @returns {number[] | null}
   */
  upTo(field, choice) {
    const before = this.picks.slice(0, field);
    return before.includes(null) ? null : [.../** @type {number[]} */ (before), choice];
  }

  /**
   * Normalises a pressed key; null if it is not part of a move.
   * @param {string} key
   */
  sign(key) {
    const sign = KEYS[key] ?? key;
    if (/^[0-9+\-x/]$/.test(sign)) return sign;
    const initial = this.fields.some(({ choices }) => choices.some((label) => initialsOf(label).includes(sign)));
    return initial ? sign : null;
  }

  /**
   * Types a character; an empty one completes the typed text.
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
    // The character may begin the next field: "1" and "+" are a number and an operation.
    const before = sign === "" ? undefined : possible.find(({ texts }) => texts.includes(this.typed));
    this.typed = "";
    if (!before) return { refused: text };
    const picked = this.#picked(before);
    return this.move ? picked : this.type(sign);
  }

  /**
   * Returns the field and value that a refused text names.
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

  /** The values that can still be chosen, with the texts that people type for them. */
  #possible() {
    const legal = this.#legal(this.picks);
    return this.picks.flatMap((pick, field) => {
      if (pick !== null || this.#waitsForKeys(field)) return [];
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
    // If a move has a single field, its token is accepted too.
    return [...texts, ...legal.filter(({ picks }) => picks[0] === choice).map(({ move }) => move)];
  }
}

/**
 * Returns the sign for an operation's word; an empty string if there is none.
 * @param {string} label
 */
export function signFor(label) {
  const [shown = ""] = Object.values(LABELS).find(([, word]) => word === label) ?? [];
  return shown;
}

/**
 * Returns the texts that people type for a label.
 * @param {string} label
 */
function textsOf(label) {
  const signs = Object.keys(LABELS).filter((sign) => LABELS[sign]?.includes(label));
  const initials = initialsOf(label);
  return [label.replace(/[×÷−]/g, (sign) => SIGNS[sign] ?? sign), ...signs, ...(initials ? [initials] : [])];
}

/**
 * Returns the initials of a label of several words, such as "rm" for "reset mine"; empty for any other label.
 * @param {string} label
 */
function initialsOf(label) {
  const words = label.split(" ");
  return words.length > 1 && words.every((word) => /^[a-z]/.test(word)) ? words.map((word) => word[0]).join("") : "";
}
