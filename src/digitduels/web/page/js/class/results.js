// The results of a lesson: on the screen, on paper, and as a table for a spreadsheet.

import { bearer, getAs } from "../api.js";
import { anchor, button, fill, h, paragraphs } from "../dom.js";
import { setTitle } from "../router.js";
import { say, sayWait } from "../status.js";
import { count, halves } from "./counts.js";
import { classPath } from "./session.js";

const PRIVATE = "Show this to your class with care: it has names and results.";

/**
 * @param {Place} place
 * @param {TeacherClass} state
 * @param {string} token
 */
export async function show({ main, signal }, state, token) {
  sayWait();
  const path = `${classPath(state.code)}/results`;
  const results = /** @type {ClassResults} */ (await getAs(path, token, signal));
  if (signal.aborted) return;
  say("");
  setTitle(`Results ${state.code}`);
  const rounds = Array.from({ length: results.rounds }, (_, index) => index + 1);
  fill(
    main,
    h(
      "article.paper.class-results",
      h(
        "p.row.no-print",
        button("Print", () => print(), "main"),
        button("Save as CSV", () => void save(`${path}.csv`, token, `class-${state.code}.csv`)),
        anchor("Desk", `/class/${state.code}`),
        anchor("Wall", `/class/${state.code}/wall`),
      ),
      h("h1", `Results: ${results.title}`),
      h(
        "p.soft",
        `Class ${results.code}, ${date(results.began)}, ${count(results.rounds, "round")}. `,
        h("span.no-print", PRIVATE),
      ),
      h(
        "div.scroll",
        { tabindex: 0, role: "region", "aria-label": "Standings" },
        h(
          "table",
          h("caption", "Standings"),
          h(
            "thead",
            h(
              "tr",
              [
                "Place",
                "Pupil",
                "Points",
                "Opponents' points",
                "Won",
                "Drawn or broken off",
                "Lost",
                "Critical moves found",
                "At random",
              ].map((text) => h("th", { scope: "col" }, text)),
              h("th.no-print", { scope: "col" }, "Moments to try again"),
            ),
          ),
          h("tbody", results.pupils.map(row)),
        ),
      ),
      results.discussion && discussion(results.discussion),
      h("h2", "How to read it"),
      paragraphs(results.explained),
      h("h2", "Round by round"),
      rounds.map((round) =>
        roundList(
          results.games.filter((game) => game.round === round),
          round,
        ),
      ),
      momentSheet(results.pupils),
    ),
  );
}

/** @param {ResultRow} row */
function row(row) {
  const moments = row.moments.map(({ path }, index) =>
    h("a", { href: path, target: "_blank", "aria-label": `Moment ${index + 1}` }, `${index + 1}`),
  );
  return h(
    "tr",
    h("td", String(row.place)),
    h("th", { scope: "row" }, row.name),
    [row.points, row.opponents].map((value) => h("td", halves(value))),
    [row.won, row.drawn, row.lost].map((value) => h("td", String(value))),
    h("td", row.critical ? `${row.found} of ${row.critical}` : "–"),
    h("td", row.critical ? String(row.chance) : "–"),
    h(
      "td.no-print",
      moments.flatMap((moment) => [moment, " "]),
    ),
  );
}

/**
 * @param {ResultGame[]} games
 * @param {number} round
 */
function roundList(games, round) {
  const result = (/** @type {ResultGame} */ { over, points }) =>
    points ? points.map(halves).join(" – ") : over ? "no move, does not count" : "not over";
  const game = (/** @type {ResultGame} */ played) =>
    h(
      "li",
      `${played.names[0]} – ${played.names[1]}: ${result(played)} `,
      played.review && h("a.no-print", { href: played.review, target: "_blank" }, "review"),
    );
  return h("section.round", h("h3", `Round ${round}`), h("ul", games.map(game)));
}

/** @param {NonNullable<ClassResults["discussion"]>} moment */
function discussion({ path, missed, times, position, quest }) {
  return [
    h("h2", "A moment to discuss"),
    h("p", `This position came up ${times} times, and the right move was missed ${missed} times. ${quest}`),
    h("div.position", paragraphs(position)),
    h("p.row.no-print", h("a.button", { href: path, target: "_blank" }, "Show it large")),
  ];
}

/**
 * Creates the printed exercises: positions to cut out and hand back.
 * @param {ResultRow[]} pupils
 */
function momentSheet(pupils) {
  const moment = (/** @type {string} */ name) => (/** @type {ClassMoment} */ moment) =>
    h(
      "section.exercise",
      h("h3", `${name}: round ${moment.round}, move ${moment.move} against ${moment.against}`),
      h("div.position", paragraphs(moment.position)),
      h("p", `${moment.deed} ${moment.quest}`),
    );
  const missed = pupils.filter(({ moments }) => moments.length);
  if (!missed.length) return null;
  return h(
    "section.moments",
    { "aria-label": "Moments to try again" },
    h("h2", "Moments to try again"),
    missed.flatMap(({ name, moments }) => moments.map(moment(name))),
  );
}

/** @param {number} seconds */
function date(seconds) {
  return new Date(seconds * 1000).toLocaleDateString([], { day: "numeric", month: "long", year: "numeric" });
}

/**
 * Downloads a file that only the teacher may read.
 * @param {string} path
 * @param {string} token
 * @param {string} name
 */
async function save(path, token, name) {
  const answer = await fetch(path, { headers: bearer(token) });
  if (!answer.ok) {
    say("The table could not be saved. Try again in a moment.");
    return;
  }
  const href = URL.createObjectURL(await answer.blob());
  const link = h("a", { href, download: name });
  link.click();
  URL.revokeObjectURL(href);
  say(`Saved as ${name}.`);
}
