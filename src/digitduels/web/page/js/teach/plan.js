// A lesson plan on one printed page.

import { get } from "../api.js";
import { anchor, button, fill, h } from "../dom.js";
import { setTitle } from "../router.js";
import { teachPath } from "./class-link.js";

/** @param {import("./class-link.js").Lesson} lesson */
export async function show({ main, card, link, signal }) {
  const { plans, steps } = /** @type {Lessons} */ (await get("/api/lessons", undefined, signal));
  if (signal.aborted) return;
  const plan = plans[card.game];
  setTitle(`Lesson plan: ${card.title}`);
  fill(
    main,
    h(
      "article",
      { class: "paper plan" },
      h(
        "p",
        { class: "row no-print" },
        button("Print", () => print(), "main"),
        anchor("Back", teachPath(link, { seed: null })),
      ),
      h("h1", null, `Lesson plan: ${card.title}`),
      h("p", null, `40 minutes${plan ? `, ${plan.age}` : ""}. ${card.summary}`),
      plan && h("p", null, h("strong", null, "Aim: "), plan.aim),
      h("h2", null, "The lesson"),
      h(
        "ol",
        { class: "timetable" },
        steps.map(({ time, what }) => h("li", null, h("strong", null, time), h("span", null, what))),
      ),
      plan && h("h2", null, "Three questions to ask"),
      plan &&
        h(
          "ol",
          { class: "questions" },
          plan.questions.map(({ ask, answer }) =>
            h("li", null, h("p", null, h("strong", null, ask)), h("p", { class: "soft" }, answer)),
          ),
        ),
      h("h2", null, "Before the lesson"),
      h(
        "ul",
        null,
        h(
          "li",
          null,
          "Start the server and open its address on one of the pupils' devices, to see that it is reachable.",
        ),
        h("li", null, "Print a puzzle sheet for pupils who finish early."),
      ),
    ),
  );
}
