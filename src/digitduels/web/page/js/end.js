// The end of a game: who won and why, on which turn it was decided, and what next.

import { patiently } from "./api.js";
import { asked, path } from "./address.js";
import { fill, h, link } from "./dom.js";
import { prose } from "./verdict.js";

/**
 * Fills a section with the end of a game.
 * @param {HTMLElement} section
 * @param {View} view
 * @param {Address} address of the game, by which its moments are tried again
 * @param {Seat | null} you
 * @param {import("./dom.js").Child[]} next further buttons
 * @param {AbortSignal} signal
 */
export async function conclude(section, view, address, you, next, signal) {
  const winner = view.outcome?.winner ?? null;
  const mood = winner === null ? "draw" : you === null ? "done" : winner === you ? "win" : "loss";
  const heading = { draw: "A draw", done: `${view.names[(winner ?? 1) - 1]} wins`, win: "You win", loss: "You lose" }[mood];
  const title = h("h2", { tabindex: -1 }, heading);
  const lesson = h("p", { class: "lesson" });
  const row = h("p", { class: "row" }, next, link("Review", path(address, "review")));
  section.className = `end ${mood}`;
  fill(section, title, view.ending.map((line) => h("p", null, line)), lesson, row);
  title.focus({ preventScroll: true });
  section.scrollIntoView({ block: "nearest" });
  try {
    const wait = (/** @type {string} */ sentence) => (lesson.textContent = sentence);
    const query = asked(address);
    if (you) query.set("you", String(you));
    const reviewed = /** @type {Reviewed} */ (await patiently(`/api/review/${address.game}`, query, signal, wait));
    lesson.textContent = prose(reviewed.sentence).replace(/Player ([12])/g, (_, seat) => view.names[seat - 1] ?? "");
    const swings = reviewed.turns.filter((turn) => turn.swing);
    const mine = swings.findLast((turn) => you === null || turn.player === you);
    // Without take-backs the moment is tried again in the review alone.
    if (mine && address.takebacks) {
      const moment = path({ ...address, conceded: null, moves: address.moves.slice(0, mine.ply) });
      row.prepend(mine === swings.at(-1) ? link("Try that moment again", moment, "main") : link("Try your slip again", moment));
    }
  } catch (error) {
    if (!signal.aborted && error instanceof Error) lesson.textContent = error.message;
  }
}
