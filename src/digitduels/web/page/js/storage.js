// Local storage, with a fallback in memory. A damaged value counts as missing.

const SECRET = /^[\w-]{16,64}$/;

/** The fallback for browsers without storage. */
/** @type {Map<string, string>} */
const memory = new Map();

/** @param {string} name */
export function recall(name) {
  try {
    return localStorage.getItem(name) ?? memory.get(name) ?? null;
  } catch {
    return memory.get(name) ?? null;
  }
}

/**
 * Returns a stored secret: a token, an invitation or an idempotency key.
 * @param {string} name
 */
export function recallSecret(name) {
  const text = recall(name);
  return isSecret(text) ? text : null;
}

/**
 * @param {unknown} value
 * @returns {value is string}
 */
export function isSecret(value) {
  return typeof value === "string" && SECRET.test(value);
}

/**
 * Returns a stored object; an empty one if it is missing.
 * @param {string} name
 * @returns {Record<string, unknown>}
 */
export function recallObject(name) {
  try {
    const value = JSON.parse(recall(name) ?? "{}");
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * @param {string} name
 * @param {string} text
 */
export function remember(name, text) {
  memory.set(name, text);
  try {
    localStorage.setItem(name, text);
  } catch {
    // Use the fallback.
  }
}

/** @param {string} name */
export function forget(name) {
  memory.delete(name);
  try {
    localStorage.removeItem(name);
  } catch {
    // Without storage there is nothing to remove.
  }
}

/**
 * Returns the names that begin with a prefix, without the prefix.
 * @param {string} prefix
 */
export function recallNames(prefix) {
  let stored = /** @type {string[]} */ ([]);
  try {
    stored = Object.keys(localStorage);
  } catch {
    // Use the fallback.
  }
  const names = new Set([...stored, ...memory.keys()]);
  return [...names].filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
}
