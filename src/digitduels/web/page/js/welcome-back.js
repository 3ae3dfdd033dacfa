// For somebody who has been here before: the unfinished game, the best level, the streak of daily puzzles.

import { anchor, h } from "./dom.js";
import { mine, streakOf } from "./mine.js";

/** Returns the section; null for a new visitor. */
export function welcomeBack() {
  const { games, best, puzzles } = mine();
  if (!games.length && !puzzles.length) return null;
  const unfinished = games.find(({ result }) => result === "");
  const [top] = Object.values(best).toSorted((one, two) => two.level - one.level);
  const days = streakOf(
    puzzles.map(({ key }) => key.slice(-10)),
    new Date().toISOString().slice(0, 10),
  );
  const facts = [
    top && `Best level beaten: ${top.level}, in ${top.title}.`,
    days > 0 && `Daily puzzles in a row: ${days}.`,
  ];
  return h(
    "section.card.back",
    { "aria-labelledby": "back" },
    h("h2", { id: "back" }, "Welcome back"),
    unfinished && h("p", `${unfinished.title} against ${unfinished.against} is unfinished.`),
    h("p", facts.filter(Boolean).join(" ")),
    h(
      "p.row",
      unfinished && anchor("Continue", unfinished.path, "main"),
      anchor("Today's puzzle", "/puzzle"),
      anchor("My games", "/review"),
    ),
  );
}
