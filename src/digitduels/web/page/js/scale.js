// Where numbers lie on a line: evenly up to a few hundred, by their size beyond. It knows nothing of the screen.

const EVEN = 400; // a longer line is drawn by the size of the numbers
const STEPS = [1, 2, 5, 10, 20, 25, 50, 100];
const MARKS = 6; // numbers along the line, at most

/** What a line has to show: its target, if there is one, the lowest score to be seen and the highest. */
/** @typedef {{goal: number | null, low: number, high: number}} Range */

/**
 * The range of a line on which these numbers can be seen. What passes the target has a place of its own.
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
 * The place of a number between 0 and 1; more than 1 if it passes the target.
 * @param {Range} range
 * @param {number} number
 */
export function placeOf({ low, high }, number) {
  if (number > high) return 2;
  const size = high - low > EVEN ? grown : (/** @type {number} */ each) => each;
  const share = (size(number) - size(low)) / (size(high) - size(low));
  return Math.min(1, Math.max(0, Number.isFinite(share) ? share : 0));
}

/**
 * Round numbers along the line, without its target.
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
  // The target has a mark of its own, which needs room.
  return marks.filter((mark) => placeOf(range, mark) < 0.93);
}

/**
 * A number in a few characters.
 * @param {number} number
 */
export function shortly(number) {
  if (Math.abs(number) < 1e5) return String(number).replace("-", "−");
  return number < 1e15
    ? new Intl.NumberFormat("en", { notation: "compact" }).format(number)
    : number.toExponential(0).replace("e+", "e");
}

/**
 * The step between marks on an even line; null on one that is not even.
 * @param {number} span
 */
function stepOf(span) {
  return span > EVEN ? null : (STEPS.find((step) => span / step <= MARKS) ?? null);
}

/**
 * A number by its size: each digit takes the same room.
 * @param {number} number
 */
function grown(number) {
  return Math.sign(number) * Math.log10(1 + Math.abs(number));
}
