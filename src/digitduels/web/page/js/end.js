// The end of a game: who won and why, which turn decided it, and what to do next.

import { Failure, gameCard, getComputed } from "./api.js";
import { anchor, button, fill, h } from "./dom.js";
import { cutTo, pathOf, queryOf, rematchOf, withKeys } from "./link.js";
import { tell } from "./sentence.js";
import { WAIT } from "./status.js";

/** @typedef {"draw" | "done" | "win" | "loss"} Mood */

/**
 * Fills a section with the end of a game: at once with the result, then with what decided it, in a place kept for it.
 * @param {HTMLElement} section
 * @param {View} view
 * @param {Link} link
 * @param {Seat | null} reader
 * @param {HTMLElement | false} rematch the button, which comes first
 * @param {AbortSignal} signal
 */
export async function showEnd(section, view, link, reader, rematch, signal) {
  const mood = moodOf(view, reader);
  const title = h("h2", { tabindex: -1 }, headingOf(view, mood));
  const explanation = h("div.explanation", h("p.soft.wait", "Looking for the move that decided it…"));
  const review = anchor("Review", pathOf(link, "review"));
  section.className = `end ${mood}`;
  fill(
    section,
    h("div.outcome", title, h("p", view.outcome && tell(view.outcome.reason, reader))), // the title says who has won
    h("p.row", rematch, review, mood === "win" && pictureButton(view, reader)),
    explanation,
  );
  title.focus({ preventScroll: true });
  section.scrollIntoView({ block: "nearest" });
  try {
    const wait = () => (explanation.textContent = WAIT);
    const asked = getComputed(`/api/review/${link.game}`, queryOf(link, named(view)), signal, wait);
    const [told, next] = await Promise.all([asked, mood === "win" ? nextLevel(link) : null]);
    fill(explanation, explain(/** @type {Review} */ (told), view, link, reader), next && h("p.row", next));
  } catch (error) {
    if (signal.aborted || !(error instanceof Error)) return;
    // A game too large to review still shows its end.
    review.hidden = error instanceof Failure && error.tooLarge;
    explanation.textContent = review.hidden ? "" : error.message;
  }
}

/**
 * Says what decided the game. The better move stays hidden until the reader asks for it.
 * @param {Review} review
 * @param {View} view
 * @param {Link} link
 * @param {Seat | null} reader
 */
function explain(review, view, link, reader) {
  const moment = momentOf(review, reader);
  const swing = moment?.swing ?? false;
  const hidden = swing
    ? review.answer && tell(review.answer, reader)
    : moment?.defended && tell(moment.defended, reader);
  const answer = h("p.soft", { hidden: true, tabindex: -1 }, hidden);
  const show = button("Show me", () => {
    show.hidden = true;
    answer.hidden = false;
    answer.focus({ preventScroll: true });
  });
  // Without take-backs, the review is the only place to try again. A class sees only what decided the game.
  const row = h("p.row", moment && link.takebacks && retry(moment, link), hidden && !inClass(view) && show);
  return [h("p", tell(review.sentence, reader)), row.hasChildNodes() && row, answer];
}

/**
 * Returns the moment that the reader should try again: their last slip, or else their weakest defence.
 * @param {Review} review
 * @param {Seat | null} reader
 */
function momentOf({ turns, moments }, reader) {
  const plies = reader === null ? moments.flat() : moments[reader - 1];
  return turns.findLast(({ ply, swing }) => plies?.includes(ply) && (swing || reader !== null));
}

/**
 * @param {ReviewTurn} moment
 * @param {Link} link
 */
function retry({ ply, move, swing, before }, link) {
  const path = withKeys(pathOf(cutTo(link, ply)), { find: before.value, played: move });
  return anchor(swing ? "Try that moment again" : "Try your best chance again", path);
}

/**
 * Returns a link to a game against the next level; null if there is none.
 * @param {Link} link
 */
async function nextLevel(link) {
  const card = await gameCard(link.game);
  const level = card?.levels.find((each) => each > Number(link.vs));
  const name = level && card?.characters[level]?.name;
  if (!level || !name) return null;
  const path = pathOf({ ...rematchOf(link), seat: link.seat, vs: String(level) });
  return anchor(`Try Level ${level}, ${name}`, path);
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
 * @returns {Mood}
 */
function moodOf({ outcome }, reader) {
  const winner = outcome?.winner ?? null;
  if (winner === null) return "draw";
  if (reader === null) return "done";
  return winner === reader ? "win" : "loss";
}

/**
 * @param {View} view
 * @param {Mood} mood
 */
function headingOf({ names, outcome }, mood) {
  const winner = names[(outcome?.winner ?? 1) - 1];
  return { draw: "A draw", done: `${winner} wins`, win: "You win", loss: "You lose" }[mood];
}
