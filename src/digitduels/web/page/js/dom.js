// Helpers that create DOM elements. Text is always set as text, never as HTML.

import { outside } from "./transport.js";

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {(Child | Child[])[]} Children */
/** @typedef {Record<string, unknown>} Props */

/**
 * Creates an element: `h("p.soft", { id: "x", onclick }, "text", child)`. Classes follow the tag, and attributes and
 * listeners may be left out.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K | `${K}.${string}`} tag
 * @param {Props | Child | Child[]} [props]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props, ...children) {
  const [type, ...classes] = tag.split(".");
  const element = document.createElement(/** @type {K} */ (type));
  for (const [name, value] of Object.entries(isProps(props) ? props : {})) {
    if (typeof value === "function") element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else set(element, name, value);
  }
  element.classList.add(...classes);
  element.append(...nodes(isProps(props) ? children : [props, ...children]));
  return element;
}

/**
 * @param {Props | Child | Child[]} value
 * @returns {value is Props}
 */
function isProps(value) {
  return value?.constructor === Object;
}

/**
 * Sets or removes an attribute.
 * @param {Element} element
 * @param {string} name
 * @param {unknown} value
 */
export function set(element, name, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : addressed(name, String(value)));
}

/**
 * Returns the value of an attribute. A link to a page gets the URL of the page.
 * @param {string} name
 * @param {string} value
 */
function addressed(name, value) {
  return name === "href" && value.startsWith("/") ? outside(value) : value;
}

/**
 * Replaces the children of an element.
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
}

/**
 * @param {Children} children
 * @returns {(Node | string)[]}
 */
function nodes(children) {
  /** @type {(Node | string)[]} */
  const list = [];
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    list.push(child instanceof Node ? child : String(child));
  }
  return list;
}

/**
 * Creates a paragraph for each text.
 * @param {string[]} texts
 */
export function paragraphs(texts) {
  return texts.map((text) => h("p", text));
}

/**
 * Creates a button. `kind` is a CSS class: main, quiet, plain.
 * @param {string} label
 * @param {() => void} act
 * @param {string} [kind]
 */
export function button(label, act, kind = "quiet") {
  return h("button", { type: "button", class: kind, onclick: act }, label);
}

/**
 * Creates a link that looks like a button.
 * @param {string} label
 * @param {string} href
 * @param {string} [kind]
 */
export function anchor(label, href, kind = "quiet") {
  return h("a", { class: `button ${kind}`, href }, label);
}

/** Whether the reader's system asks for reduced motion. */
export function calm() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

let count = 0;

/** Returns an unused element id. */
export function unique() {
  count += 1;
  return `x${count}`;
}

/**
 * Resolves after a number of milliseconds.
 * @param {number} milliseconds
 */
export function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
