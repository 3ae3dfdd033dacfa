// The end of a game: who won and why, which turn decided it, and what to do next.

import { Failure, getComputed } from "./api.js";
import { anchor, button, fill, h, paragraphs } from "./dom.js";
import { cutTo, pathOf, queryOf, withKeys } from "./link.js";
import { tell, tellAll, tellEach } from "./sentence.js";
import { WAIT } from "./status.js";

/**
 * Fills a section with the end of a game.
 * @param {HTMLElement} section
 * @param {View} view
 * @param {Link} link
 * @param {Seat | null} reader
 * @param {import("./dom.js").Child[]} next further buttons
 * @param {AbortSignal} signal
 */
export async function showEnd(section, view, link, reader, next, signal) {
  const mood = moodOf(view, reader);
  const title = h("h2", { tabindex: -1 }, headingOf(view, mood));
  const explanation = h("div.explanation");
  const row = h("p.row", next, anchor("Review", pathOf(link, "review")), mood === "win" && pictureButton(view, reader));
  section.className = `end ${mood}`;
  // The title says who has won; the rest says why.
  const reasons = view.ending.length > 1 ? view.ending.slice(0, -1) : view.ending;
  fill(section, title, paragraphs(tellEach(reasons, reader)), row, explanation);
  title.focus({ preventScroll: true });
  section.scrollIntoView({ block: "nearest" });
  try {
    const wait = () => (explanation.textContent = WAIT);
    /** @type {Review} */
    const review = await getComputed(`/api/review/${link.game}`, queryOf(link, named(view)), signal, wait);
    // A class sees only the turning point.
    const more = mood === "loss" && !inClass(view) ? review.resistance : null;
    const turning = tellAll(review.answer ? [review.sentence, review.answer] : [review.sentence], reader);
    fill(explanation, h("p", turning), more && h("p.soft", tell(more, reader)));
    const again = retry(review, link, reader);
    if (!again) return;
    // Only one button is the main one.
    if (again.matches(".main")) for (const other of row.children) other.classList.remove("main");
    row.prepend(again);
  } catch (error) {
    if (signal.aborted || !(error instanceof Error)) return;
    // A game too large to review still shows its end.
    explanation.textContent = error instanceof Failure && error.status === 413 ? "" : error.message;
  }
}

/**
 * Returns the names of friends, which a link does not contain.
 * @param {View | Room} view
 * @returns {Record<string, string>}
 */
function named(view) {
  return "seats" in view ? { names: view.names.join("\n") } : {};
}

/** @param {View | Room} view */
function inClass(view) {
  return "class" in view && view.class !== null;
}

/**
 * @param {View} view
 * @param {Seat | null} reader the winner
 */
function pictureButton(view, reader) {
  const picture = button("Picture", async () => {
    const { shareWin } = await import("./win-card.js");
    await shareWin(view, reader ?? 1);
  });
  picture.setAttribute("aria-label", "Picture of your win");
  return picture;
}

/**
 * @param {View} view
 * @param {Seat | null} reader
 */
function moodOf({ outcome }, reader) {
  const winner = outcome?.winner ?? null;
  if (winner === null) return "draw";
  if (reader === null) return "done";
  return winner === reader ? "win" : "loss";
}

/**
 * @param {View} view
 * @param {"draw" | "done" | "win" | "loss"} mood
 */
function headingOf({ names, outcome }, mood) {
  const winner = names[(outcome?.winner ?? 1) - 1];
  return { draw: "A draw", done: `${winner} wins`, win: "You win", loss: "You lose" }[mood];
}

/**
 * Returns a link back to the reader's last swing.
 * @param {Review} review
 * @param {Link} link
 * @param {Seat | null} reader
 */
function retry(review, link, reader) {
  const swings = review.turns.filter((turn) => turn.swing);
  const mine = swings.findLast((turn) => reader === null || turn.player === reader);
  // Without take-backs, the review is the only place to try again.
  if (!mine || !link.takebacks) return null;
  const moment = withKeys(pathOf(cutTo(link, mine.ply)), { find: mine.before.value });
  const decisive = mine === swings.at(-1);
  return decisive ? anchor("Try that moment again", moment, "main") : anchor("Try your mistake again", moment);
}
