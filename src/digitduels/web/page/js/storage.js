// What this browser remembers.

/** For browsers without storage: until the page is left. */
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
    // Then the memory must do.
  }
}

/** @param {string} name */
export function forget(name) {
  memory.delete(name);
  try {
    localStorage.removeItem(name);
  } catch {
    // Then there is nothing to forget.
  }
}

/**
 * The names that begin with a prefix, without it.
 * @param {string} prefix
 */
export function recallNames(prefix) {
  let stored = /** @type {string[]} */ ([]);
  try {
    stored = Object.keys(localStorage);
  } catch {
    // Then the memory must do.
  }
  const names = new Set([...stored, ...memory.keys()]);
  return [...names].filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
}
