// The reader's games and puzzles, stored in this browser only.

import { forget, isObject, recallObject, remember } from "./storage.js";

const NAME = "mine";
const MOST = 60; // stored games, the latest first
const MISSED = "missed";
const MOST_MISSED = 20; // puzzles in progress
const GAME = {
  key: "string",
  path: "string",
  game: "string",
  title: "string",
  against: "string",
  result: "string",
  moves: "number",
  at: "number",
};
const BEST = { title: "string", level: "number" };
const PUZZLE = { key: "string", title: "string", path: "string", missed: "number", at: "number" };

/**
 * @typedef {{
 *   key: string,
 *   path: string,
 *   game: string,
 *   title: string,
 *   against: string,
 *   result: "" | "won" | "lost" | "drawn" | "over",
 *   moves: number,
 *   at: number,
 * }} MyGame `key`: identifies a game, so that it is stored once, in its latest state
 */
/** @typedef {{key: string, title: string, path: string, missed: number, at: number}} MyPuzzle */
/** @typedef {{games: MyGame[], best: Record<string, {title: string, level: number}>, puzzles: MyPuzzle[]}} Mine */

/**
 * Returns everything stored.
 * @returns {Mine}
 */
export function mine() {
  const { games, best, puzzles } = recallObject(NAME);
  const levels = Object.entries(isObject(best) ? best : {}).filter(([, value]) => fits(value, BEST));
  return {
    games: items(games).filter((item) => fits(item, GAME)),
    best: /** @type {Mine["best"]} */ (Object.fromEntries(levels)),
    puzzles: items(puzzles).filter((item) => fits(item, PUZZLE)),
  };
}

/**
 * @param {unknown} value
 * @returns {any[]}
 */
function items(value) {
  return Array.isArray(value) ? value : [];
}

/**
 * Whether a stored value is an object with these fields of these types.
 * @param {unknown} value
 * @param {Record<string, string>} fields
 */
function fits(value, fields) {
  return isObject(value) && Object.entries(fields).every(([name, type]) => typeof value[name] === type);
}

/**
 * Stores a game in its latest state.
 * @param {Omit<MyGame, "at">} game
 * @param {number | null} [level] of the computer, if it has been beaten
 */
export function keepGame(game, level = null) {
  const all = mine();
  const games = [{ ...game, at: Date.now() }, ...all.games.filter(({ key }) => key !== game.key)].slice(0, MOST);
  const best = { ...all.best };
  if (level !== null && level > (best[game.game]?.level ?? 0)) best[game.game] = { title: game.title, level };
  remember(NAME, JSON.stringify({ ...all, games, best }));
}

/**
 * Stores a solved puzzle; only the first time counts.
 * @param {Omit<MyPuzzle, "at">} puzzle
 */
export function keepPuzzle(puzzle) {
  const all = mine();
  if (all.puzzles.some(({ key }) => key === puzzle.key)) return;
  remember(NAME, JSON.stringify({ ...all, puzzles: [{ ...puzzle, at: Date.now() }, ...all.puzzles] }));
}

const DAY = 86_400_000; // milliseconds

/**
 * Counts the daily puzzles solved in a row until today. A single day without one is forgiven.
 * @param {string[]} dates of solved puzzles, such as 2026-01-31; other texts are ignored
 * @param {string} today
 */
export function streakOf(dates, today) {
  const ago = dates.map((date) => (Date.parse(today) - Date.parse(date)) / DAY).filter((days) => days >= 0);
  const days = [...new Set(ago)].toSorted((one, two) => one - two);
  const end = days.findIndex((day, index) => day - (days[index - 1] ?? 0) > 2);
  return end < 0 ? days.length : end;
}

/**
 * Returns the number of wrong attempts at a puzzle in progress.
 * @param {string} key
 */
export function missedOf(key) {
  return Number(recallObject(MISSED)[key]) || 0;
}

/**
 * Stores the number of wrong attempts at a puzzle in progress, so that a reload does not reset it.
 * @param {string} key
 * @param {number} missed
 */
export function keepMissed(key, missed) {
  const others = Object.entries(recallObject(MISSED)).filter(([name]) => name !== key);
  remember(MISSED, JSON.stringify(Object.fromEntries([...others, [key, missed]].slice(-MOST_MISSED))));
}

/** Deletes everything stored. */
export function clearMine() {
  remember(NAME, "{}");
  forget(MISSED);
}

/**
 * Returns how a game ended for its reader.
 * @param {View} view
 * @param {Seat | null} reader
 * @returns {MyGame["result"]}
 */
export function resultOf({ outcome }, reader) {
  if (!outcome) return "";
  if (outcome.winner === null) return "drawn";
  if (reader === null) return "over";
  return outcome.winner === reader ? "won" : "lost";
}
