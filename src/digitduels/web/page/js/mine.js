// The games and puzzles of this browser: kept here only, to go on with, to look back on, and to take away or clear.

import { recall, remember } from "./storage.js";

const NAME = "mine";
const MOST = 60; // games that are kept, the latest first

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
 * }} MyGame `key`: the same game is kept once, where it stands
 */
/** @typedef {{key: string, title: string, path: string, missed: number, at: number}} MyPuzzle */
/** @typedef {{games: MyGame[], best: Record<string, {title: string, level: number}>, puzzles: MyPuzzle[]}} Mine */

/**
 * All of it.
 * @returns {Mine}
 */
export function mine() {
  try {
    return { games: [], best: {}, puzzles: [], ...JSON.parse(recall(NAME) ?? "{}") };
  } catch {
    return { games: [], best: {}, puzzles: [] };
  }
}

/**
 * Keeps a game where it stands.
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
 * Keeps a puzzle that was solved; the first time counts.
 * @param {Omit<MyPuzzle, "at">} puzzle
 */
export function keepPuzzle(puzzle) {
  const all = mine();
  if (all.puzzles.some(({ key }) => key === puzzle.key)) return;
  remember(NAME, JSON.stringify({ ...all, puzzles: [{ ...puzzle, at: Date.now() }, ...all.puzzles] }));
}

/** Forgets all of it. */
export function clearMine() {
  remember(NAME, "{}");
}

/**
 * How a game ended for its reader.
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
