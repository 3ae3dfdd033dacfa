// The link of a class, readable from the last row.

import { anchor, fill, h } from "../dom.js";
import { unreachableNote } from "../origin.js";
import { classUrl, describeLink, teachPath } from "./class-link.js";

/** @param {import("./class-link.js").TeachPlace} place */
export async function show({ main, card, link, own, signal }) {
  const fair = own["fair"] === "on";
  const url = await classUrl(link, fair);
  if (signal.aborted) return;
  fill(
    main,
    h(
      "article.projector",
      h("h1", card.title),
      h("p.quest", describeLink(card, link, fair)),
      unreachableNote() ?? h("p.url", url),
      h("p.row", anchor("Back", teachPath(link, { fair: own["fair"] }))),
    ),
  );
}
