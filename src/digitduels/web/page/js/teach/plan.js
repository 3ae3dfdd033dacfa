// A lesson plan on one printed page.

import { get } from "../api.js";
import { anchor, button, fill, h } from "../dom.js";
import { setTitle } from "../router.js";
import { teachPath } from "./class-link.js";

/** @param {import("./class-link.js").TeachPlace} place */
export async function show({ main, card, link, signal }) {
  const { plans, steps } = /** @type {Lessons} */ (await get("/api/lessons", undefined, signal));
  if (signal.aborted) return;
  const plan = plans[card.game];
  setTitle(`Lesson plan: ${card.title}`);
  fill(
    main,
    h(
      "article.paper.plan",
      h(
        "p.row.no-print",
        button("Print", () => print(), "main"),
        anchor("Back", teachPath(link, { seed: null })),
      ),
      h("h1", `Lesson plan: ${card.title}`),
      h("p", `40 minutes${plan ? `, ${plan.age}` : ""}. ${card.summary}`),
      plan && h("p", h("strong", "Aim: "), plan.aim),
      h("h2", "The lesson"),
      h(
        "ol.timetable",
        steps.map(({ time, what }) => h("li", h("strong", time), h("span", what))),
      ),
      plan && h("h2", "Three questions to ask"),
      plan &&
        h(
          "ol.questions",
          plan.questions.map(({ ask, answer }) => h("li", h("p", h("strong", ask)), h("p.soft", answer))),
        ),
      h("h2", "Before the lesson"),
      h(
        "ul",
        h("li", "Start the server, and press “Can a phone reach me?” under Teach."),
        h("li", "Print a puzzle sheet for pupils who finish early."),
      ),
    ),
  );
}
