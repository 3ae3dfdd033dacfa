// Local storage, with a fallback in memory.

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
