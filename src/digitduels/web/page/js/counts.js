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
 * 2½ of 4
 * @param {{points: number, games: number}} standing
 */
export function score({ points: number, games }) {
  return `${halves(number)} of ${games}`;
}

/**
 * 2nd
 * @param {number} number
 */
export function ordinal(number) {
  const teen = number % 100 > 10 && number % 100 < 14;
  return `${number}${(!teen && ["th", "st", "nd", "rd"][number % 10]) || "th"}`;
}

/**
 * 3 pupils
 * @param {number} number
 * @param {string} thing
 */
export function count(number, thing) {
  return `${number} ${thing}${number === 1 ? "" : "s"}`;
}
