// Formats counts for people.

/**
 * 2½
 * @param {number} number
 */
export function halves(number) {
  const whole = Math.floor(number);
  return number === whole ? String(whole) : `${whole || ""}½`;
}

/**
 * 2½ points
 * @param {number} number
 */
export function points(number) {
  return `${halves(number)} ${number > 0 && number <= 1 ? "point" : "points"}`;
}

/**
 * 3 pupils
 * @param {number} number
 * @param {string} thing
 */
export function count(number, thing) {
  return `${number} ${thing}${number === 1 ? "" : "s"}`;
}
