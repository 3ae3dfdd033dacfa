// The list of this browser's games and puzzles, with a button to open a saved game.

import { anchor, button, fill, h } from "./dom.js";
import { clearMine, mine } from "./mine.js";
import { recordOpener } from "./opener.js";

const ABOUT = "Your games are kept in this browser only. Nobody else sees them.";
/** @type {Record<string, string>} */
const RESULTS = { "": "unfinished", won: "▲ you won", lost: "▼ you lost", drawn: "= a draw", over: "finished" };

/**
 * @param {HTMLElement} main
 * @param {AbortSignal} signal
 */
export function showMyGames(main, signal) {
  const { games, best, puzzles } = mine();
  const levels = Object.values(best).map(({ title, level }) => h("li", `${title}: Level ${level}`));
  const solved = puzzles.map(({ title, path, missed, at }) =>
    h("li", h("a", { href: path }, title), ` ${missed ? "" : "on the first try, "}${day(at)}`),
  );
  const clear = async () => {
    const { confirm } = await import("./dialog.js");
    const [text, stay] = ["Games that you have a link to stay where they are.", "Keep them"];
    if (!(await confirm("Clear this list?", [text], "Clear", stay, stay))) return;
    clearMine();
    showMyGames(main, signal);
  };
  fill(
    main,
    h("h1", "My games"),
    h("p.lead", ABOUT),
    games.length ? gameList(games) : h("p.nothing", "You have not played here yet."),
    levels.length > 0 && part("Best level beaten", levels),
    solved.length > 0 && part(`Puzzles solved: ${puzzles.length}`, solved),
    h(
      "p.row",
      games.length === 0 && anchor("Play", "/", "main"),
      recordOpener(signal),
      games.length + puzzles.length > 0 && button("Export", download),
      games.length + puzzles.length > 0 && button("Clear", () => void clear()),
    ),
  );
}

/**
 * Lists this browser's games of one kind, with links to their reviews.
 * @param {{game: string, title: string}} game
 */
export function recentGames({ game, title }) {
  const games = mine().games.filter((stored) => stored.game === game);
  if (!games.length) return h("p.lead", `Play ${title}, then come back to see which move decided it.`);
  return [h("p.lead", `Your games of ${title}. A review shows which move decided a game.`), gameList(games)];
}

/** @param {import("./mine.js").MyGame[]} games */
function gameList(games) {
  return h("ul.my-games", games.map(item));
}

/** @param {import("./mine.js").MyGame} game */
function item({ path, title, against, result, moves, at }) {
  const facts = [against, `${moves} ${moves === 1 ? "move" : "moves"}`, RESULTS[result], day(at)];
  const solo = path.startsWith("/play/");
  return h(
    "li.card",
    h("div", h("b", title), h("p.soft", facts.filter(Boolean).join(" · "))),
    h(
      "p.row",
      solo && anchor("Review", path.replace("/play/", "/review/")),
      !result && anchor("Continue", path, "main"),
      result && !solo && anchor("View", path),
    ),
  );
}

/**
 * @param {string} title
 * @param {HTMLElement[]} items
 */
function part(title, items) {
  return h("section", { "aria-label": title }, h("h2", title), h("ul", items));
}

/** @param {number} at */
function day(at) {
  return new Date(at).toLocaleDateString("en", { day: "numeric", month: "short" });
}

/** Downloads everything stored as a file. */
function download() {
  const file = new Blob([JSON.stringify(mine(), null, 2)], { type: "application/json" });
  const link = h("a", { href: URL.createObjectURL(file), download: "digit-duels.json" });
  link.click();
  URL.revokeObjectURL(link.href);
}
