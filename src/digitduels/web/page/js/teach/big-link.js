// The link of a class, readable from the last row.

import { anchor, fill, h } from "../dom.js";
import { classUrl, describeLink, teachPath } from "./class-link.js";

/** @param {import("./class-link.js").Lesson} lesson */
export async function show({ main, card, link, own, signal }) {
  const fair = own["fair"] === "on";
  const url = await classUrl(link, fair);
  if (signal.aborted) return;
  fill(
    main,
    h(
      "article",
      { class: "projector" },
      h("h1", null, card.title),
      h("p", { class: "quest" }, describeLink(card, link, fair)),
      h("p", { class: "url" }, url),
      h("p", { class: "row" }, anchor("Back", teachPath(link, { fair: own["fair"] }))),
    ),
  );
}
