// The scale of the number line: linear up to a few hundred, logarithmic beyond. Independent of the DOM.

const EVEN = 400; // a longer line has a logarithmic scale
const STEPS = [1, 2, 5, 10, 20, 25, 50, 100];
const MARKS = 6; // the maximum number of marks along the line

/** The range of a line: the target, if there is one, and the lowest and highest score to show. */
/** @typedef {{goal: number | null, low: number, high: number}} Range */

/**
 * Returns the range of a line that shows these numbers. Numbers past the target have their own place.
 * @param {number | null} goal
 * @param {number[]} numbers
 * @returns {Range}
 */
export function rangeOf(goal, numbers) {
  const known = numbers.filter(Number.isFinite);
  const low = Math.min(0, ...known);
  const high = goal === null || !Number.isFinite(goal) ? Math.max(10, ...known) : Math.max(goal, low + 1);
  const step = stepOf(high - low);
  return { goal, low: low < 0 && step ? Math.floor(low / step) * step : low, high };
}

/**
 * Returns the place of a number from 0 to 1; more than 1 if it is past the target.
 * @param {Range} range
 * @param {number} number
 */
export function placeOf({ low, high }, number) {
  if (number > high) return 2;
  const size = high - low > EVEN ? grown : (/** @type {number} */ value) => value;
  const share = (size(number) - size(low)) / (size(high) - size(low));
  return Math.min(1, Math.max(0, Number.isFinite(share) ? share : 0));
}

/**
 * Returns round numbers along the line, except the target.
 * @param {Range} range
 */
export function marksOf(range) {
  const { low, high } = range;
  const marks = [];
  const step = stepOf(high - low);
  if (step) for (let mark = low; mark < high; mark += step) marks.push(mark);
  else {
    const powers = Math.floor(Math.log10(high));
    const stride = Math.ceil((powers + 1) / (MARKS - 1));
    marks.push(0);
    for (let power = 0; power <= powers; power += stride) marks.push(10 ** power);
  }
  // Leave room for the mark of the target.
  return marks.filter((mark) => placeOf(range, mark) < 0.93);
}

/**
 * Formats a number in a few characters.
 * @param {number} number
 */
export function shortly(number) {
  if (Math.abs(number) < 1e5) return String(number).replace("-", "−");
  return number < 1e15
    ? new Intl.NumberFormat("en", { notation: "compact" }).format(number)
    : number.toExponential(0).replace("e+", "e");
}

/**
 * Returns the step between the marks of a linear scale; null on a logarithmic one.
 * @param {number} span
 */
function stepOf(span) {
  return span > EVEN ? null : (STEPS.find((step) => span / step <= MARKS) ?? null);
}

/**
 * Returns the signed logarithm of a number, so that each digit takes the same space.
 * @param {number} number
 */
function grown(number) {
  return Math.sign(number) * Math.log10(1 + Math.abs(number));
}
