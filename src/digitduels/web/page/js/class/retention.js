// How long the server stores a class after the last thing that happened in it.

/** Returns the time in words, such as "2 days". */
export function retention() {
  const meta = /** @type {HTMLMetaElement | null} */ (document.querySelector('meta[name="class-retention"]'));
  return duration(Number(meta?.content));
}

/**
 * @param {number} hours
 */
export function duration(hours) {
  if (hours < 1) return amount(Math.max(1, Math.round(hours * 60)), "minute", "a");
  if (hours < 48 && hours !== 24) return amount(Math.round(hours * 10) / 10, "hour", "an");
  return amount(Math.round((hours / 24) * 10) / 10, "day", "a");
}

/**
 * @param {number} number
 * @param {string} unit
 * @param {string} article
 */
function amount(number, unit, article) {
  return number === 1 ? `${article} ${unit}` : `${number} ${unit}s`;
}
