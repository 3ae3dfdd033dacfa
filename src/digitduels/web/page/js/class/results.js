// The results of a lesson: on the screen, on paper, and as a table for a spreadsheet.

import { bearer, getAs } from "../api.js";
import { anchor, button, fill, h, paragraphs } from "../dom.js";
import { setTitle } from "../router.js";
import { say, sayWait } from "../status.js";
import { count, halves } from "../counts.js";
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
        results.pupils.some(({ moments }) => moments.length) && button("Print moments to try again", printMoments),
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
                "Games",
                "Opponents' points",
                "Won",
                "Drawn or ended early",
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
      h("section.explained", h("h2", "How to read it"), paragraphs(results.explained)),
      h(
        "section.no-print",
        h("h2", "Round by round"),
        rounds.map((round) =>
          roundList(
            results.games.filter((game) => game.round === round),
            round,
          ),
        ),
      ),
      h("section.games-on-paper", h("h2", "All games"), h("ul", results.pupils.map(gamesOf))),
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
    h("td", halves(row.points)),
    h("td", String(row.games)),
    h("td", halves(row.opponents)),
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
 * All games of a pupil in one line, for paper.
 * @param {ResultRow} row
 */
function gamesOf({ name, rounds }) {
  const played = rounds.flat().filter(({ points }) => points !== null);
  const game = (/** @type {PupilPoints} */ { against, points }, /** @type {number} */ index) => [
    `${index ? ", " : ": "}${halves(points ?? 0)} `,
    h("bdi", against),
  ];
  return h("li", h("bdi.pupil-name", name), played.length ? played.flatMap(game) : ": no game");
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
      h("bdi", played.names[0]),
      " – ",
      h("bdi", played.names[1]),
      `: ${result(played)} `,
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

/** Prints the moments to try again without the results. */
function printMoments() {
  const page = document.querySelector(".class-results");
  page?.classList.add("only-moments");
  addEventListener("afterprint", () => page?.classList.remove("only-moments"), { once: true });
  print();
}

/**
 * Creates the printed exercises: positions to cut out and hand back, and the answers for the teacher.
 * @param {ResultRow[]} pupils
 */
function momentSheet(pupils) {
  const all = pupils.flatMap(({ name, moments }) => moments.map((moment) => ({ name, moment })));
  if (!all.length) return null;
  const exercises = all.map(({ name, moment }, index) =>
    h(
      "section.exercise",
      h("h3", `${index + 1}. ${name}: round ${moment.round}, move ${moment.move} against ${moment.against}`),
      h("div.position", paragraphs(moment.position)),
      h("p", `${moment.deed} ${moment.quest}`),
    ),
  );
  const answers = all.map(({ name, moment }) => h("li", h("bdi", name), `: ${moment.answer ?? "–"}`));
  return h(
    "section.moments",
    { "aria-label": "Moments to try again" },
    h("h2", "Moments to try again"),
    h("div.exercises", exercises),
    h("section.answers", h("h2", "Answers, for the teacher"), h("ol", answers)),
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
