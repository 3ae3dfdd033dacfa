// Form controls, and how to read their values.

import { h, unique } from "./dom.js";

/** @typedef {import("./dom.js").Child} Child */

/**
 * Creates a control with its label.
 * @param {string} label
 * @param {...Child} content the control and anything after it
 */
export function field(label, ...content) {
  return h("label.field", h("span", label), ...content);
}

/**
 * Groups controls in a fieldset.
 * @param {string} legend
 * @param {...Child} content
 */
export function group(legend, ...content) {
  return h("fieldset", h("legend", legend), ...content);
}

/**
 * @param {string} name
 * @param {[value: string, label: Child | Child[]][]} choices
 * @param {string} chosen
 * @param {string} [kind] a class
 */
export function radios(name, choices, chosen, kind = "") {
  const radio = (/** @type {string} */ value, /** @type {Child | Child[]} */ label) => {
    const input = h("input", { type: "radio", name, value, checked: value === chosen });
    return h("label", input, h("span.option", label));
  };
  return h(
    "div",
    { class: `radios ${kind}` },
    choices.map(([value, label]) => radio(value, label)),
  );
}

/**
 * @param {string} name
 * @param {string} label
 * @param {boolean} checked
 */
export function checkbox(name, label, checked) {
  return h("label.check", h("input", { type: "checkbox", name, checked }), label);
}

/** Which seat the reader takes. @param {Seat} seat */
export function seatRadios(seat) {
  /** @type {[string, string][]} */
  const choices = [
    ["1", "Player 1 (moves first)"],
    ["2", "Player 2"],
  ];
  return radios("seat", choices, String(seat));
}

/** Creates the field for the reader's name. */
export function nameInput() {
  return h("input", { name: "name", maxlength: 40, autocomplete: "nickname" });
}

/**
 * Creates a field for a name, which says when the name cannot be longer.
 * @param {string} label
 * @param {HTMLInputElement} input
 */
export function nameField(label, input) {
  const note = h("small", { role: "status" });
  input.addEventListener("input", () => {
    note.textContent = input.value.length < input.maxLength ? "" : `A name has at most ${input.maxLength} characters.`;
  });
  return field(label, input, note);
}

/**
 * Creates a read-only field with a text to copy.
 * @param {string} label
 * @param {string} url
 */
export function copyInput(label, url) {
  const input = h("input", { type: "url", value: url, readonly: true, "aria-label": label });
  input.addEventListener("focus", () => input.select());
  return input;
}

/** Creates the element for a form's error message. */
export function trouble() {
  return h("p.trouble", { role: "alert" });
}

/**
 * Creates fields for the options of a game.
 * @param {GameOption[]} options
 * @param {Record<string, string>} values those that differ from the book
 */
export function optionFields(options, values) {
  return options.map((option) => optionField(option, values[option.name] ?? String(option.default)));
}

/**
 * @param {GameOption} option
 * @param {string} value
 */
function optionField(option, value) {
  const id = unique();
  const shared = { name: optionName(option), "aria-describedby": id };
  const inputmode = typeof option.default === "number" ? "numeric" : "text";
  const choice = (/** @type {string} */ word) =>
    h("option", { value: word, selected: word === value }, word.replaceAll("-", " "));
  const control = option.words
    ? h("select", shared, option.words.map(choice))
    : h("input", { ...shared, value, inputmode, autocomplete: "off" });
  return field(option.name, control, h("small", { id }, option.about));
}

/**
 * Returns the options in the form that differ from the book.
 * @param {GameOption[]} options
 * @param {FormData} data
 * @returns {Record<string, string>}
 */
export function readOptions(options, data) {
  /** @type {Record<string, string>} */
  const values = {};
  for (const option of options) {
    const text = readText(data, optionName(option));
    if (text && text !== String(option.default)) values[option.name] = text;
  }
  return values;
}

/**
 * @param {FormData} data
 * @param {string} name
 */
export function readText(data, name) {
  return String(data.get(name) ?? "").trim();
}

/**
 * @param {FormData} data
 * @returns {Seat}
 */
export function readSeat(data) {
  return data.get("seat") === "2" ? 2 : 1;
}

/** @param {GameOption} option */
function optionName(option) {
  return `option-${option.name}`;
}
