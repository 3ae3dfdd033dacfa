// The head of a game on its page: what it is about, and which rules differ from the book.

import { gameCard } from "./api.js";
import { h } from "./dom.js";
import { houseRules } from "./table.js";

/**
 * @param {View} view
 * @param {...import("./dom.js").Child} content what follows the title
 */
export function gameHead(view, ...content) {
  const about = h("p", { class: "about" });
  // A page does without it until it is there.
  gameCard(view.game).then(
    (card) => {
      const summary = card?.summary ?? "";
      about.textContent = summary && view.house_rules ? `In the book: ${summary}` : summary;
    },
    () => {},
  );
  return h("header", { class: "title" }, h("h1", null, view.title), ...content, about, houseRules(view));
}
