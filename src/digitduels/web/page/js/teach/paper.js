// Puzzles to print, with the answers on a separate page.

import { getComputed } from "../api.js";
import { anchor, button, fill, h, paragraphs } from "../dom.js";
import { setTitle } from "../router.js";
import { say, sayWait } from "../status.js";
import { shortSeed, teachPath } from "./class-link.js";
import { numberLine } from "./number-line.js";

const LONGEST_LINE = 1000;

/** @param {import("./class-link.js").TeachPlace} place */
export async function show({ main, card, link, own, signal }) {
  const { tier, count = "6", sheet: seed = "1" } = own;
  const query = new URLSearchParams({ ...link.options, game: card.game, count, seed, ...(tier && { tier }) });
  const sheet = /** @type {Sheet} */ (await getComputed("/api/sheet", query, signal, sayWait));
  if (signal.aborted) return;
  say("");
  setTitle(sheet.title);
  const again = teachPath(link, { show: "sheet", seed: null, tier, count: own["count"], sheet: shortSeed() });
  const answers = sheet.puzzles.map((puzzle) => h("li", puzzle.answer));
  fill(
    main,
    h(
      "article.paper.sheet-page",
      h(
        "p.row.no-print",
        button("Print", () => print(), "main"),
        anchor("Another sheet", again),
        anchor("Back", teachPath(link, { seed: null })),
      ),
      h("h1", sheet.title),
      paragraphs(sheet.about),
      h("p", `On the number lines, ${marks(sheet.puzzles)}.`),
      h("p.names", h("span", "Name: ", blank()), h("span", "Date: ", blank())),
      sheet.puzzles.map((puzzle) => exercise(puzzle, sheet.goal)),
      h("section.answers", { "aria-label": "Answers" }, h("h2", `Answers: ${sheet.title}`), h("ol", answers)),
    ),
  );
}

/**
 * @param {Exercise} puzzle
 * @param {Integer | null} goal
 */
function exercise({ heading, position, question, scores }, goal) {
  return h(
    "section.exercise",
    { "aria-label": heading },
    h("h2", heading),
    h("div.position", paragraphs(position.filter(Boolean))),
    h("p", question),
    goal !== null && Number(goal) <= LONGEST_LINE && numberLine(Number(goal), scores),
    h("p.working", "Working:"),
    h("p", "Answer: ", blank()),
  );
}

/**
 * Explains the marks on the number lines.
 * @param {Exercise[]} puzzles
 */
function marks(puzzles) {
  const shared = puzzles.some(({ scores }) => scores[2] !== null);
  return shared ? "▼ is the number that both players share" : "● is Player 1 and ○ is Player 2";
}

function blank() {
  return h("span.blank");
}
