// Animation, sound and vibration when a move is played and when a game ends.

import { sideOf } from "./board.js";
import { celebrate, travel } from "./motion.js";
import { ring } from "./sound.js";

/**
 * @param {import("./table.js").Table} table which already shows the new position
 * @param {import("./motion.js").Taken[]} taken the parts of the move
 * @param {boolean} ended whether the game has just ended
 */
export function feel({ board, view, lively, silent, reader }, taken, ended) {
  const player = view.hop?.player ?? 1;
  const winner = view.outcome?.winner ?? null;
  const won = winner !== null && (reader() ?? winner) === winner;
  travel(taken, board.changed, sideOf(player, reader()));
  if (!lively()) return;
  if (ended && won) celebrate([view.look.emblem, ...view.fields.flatMap(({ choices }) => choices)]);
  if (silent() || (ended && winner === null)) return;
  if (ended) ring(won ? "win" : "loss");
  else ring(player === reader() ? "move" : "reply");
}
