// The first page: a game ready to play, all games, today's puzzle.

import { games, get } from "../api.js";
import { characterOf, seatLabels } from "../board.js";
import { anchor, button, fill, h, pause } from "../dom.js";
import { gameItem } from "../game-item.js";
import { GamePage, getFirstPosition } from "../game-page.js";
import { fillHead } from "../head.js";
import { newLink, pathOf, randomSeed, withMoves } from "../link.js";
import { showMarks } from "../marks.js";
import { go } from "../router.js";
import { tell, unbroken } from "../sentence.js";
import { recall } from "../storage.js";
import { hasServer } from "../transport.js";

const NOTES = [
  "Every position is solved. Ask for a hint or for the value of every move at any time. " +
    "Until you ask, nothing is given away.",
  "Between two perfect players, the seat decides. That's why some opponents make human mistakes, and why there are " +
    "balanced starts.",
  "No account. A game is its link: bookmark it, reload it, send it to a friend.",
];

const FRIEND = "Start a game and send the link. It works on every phone, and nobody signs up.";
const NO_FRIEND = "A game by link needs a server, and this copy runs without one. Two people can play at one screen.";

/** @param {Place} place */
export async function show({ main, signal }) {
  // Only somebody who has been here needs this module.
  const returning = recall("mine") ? import("../welcome-back.js").catch(() => null) : null;
  const [cards, back] = await Promise.all([games(), returning]);
  // The game with the most options has the most to discover.
  const card = cards.reduce((best, each) => (each.options.length > best.options.length ? each : best));
  const link = newLink(card.game, { vs: String(card.beginner), seed: randomSeed() });
  const view = await getFirstPosition(link, signal);
  if (signal.aborted) return;
  const page = new FirstMove(link, view, signal);
  fillHead(card.look, h("div.hero", h("h1", "Your move."), h("p", "Five quick number games for two.")));
  fill(main, h("div.welcome.game", page.table.element, aside(card, link, view, back?.welcomeBack() ?? null)));
  page.draw();
  showMarks(page.table);
  // Show the board before the rest of the page.
  await pause(0);
  if (signal.aborted) return;
  const puzzle = h("p", "One position, one winning move.");
  main.append(gameCards(cards, puzzle), notes());
  get("/api/puzzle", {}, signal).then(
    (/** @type {Puzzle} */ today) => {
      puzzle.textContent = `${today.title}: ${tell(today.question)}`;
    },
    () => {},
  );
}

/** The game on the first page. Its first move leads to the page of the game. */
class FirstMove extends GamePage {
  get reader() {
    return this.link.seat;
  }

  get labels() {
    return seatLabels(this.view, this.reader, characterOf(this.view));
  }

  /** @param {string} move */
  async play(move) {
    await go(pathOf(withMoves(this.link, move)));
  }
}

/**
 * Says what is played, and shows links to everything else, beside the board.
 * @param {GameCard} card
 * @param {Link} link
 * @param {View} view
 * @param {HTMLElement | null} back for somebody who has been here
 */
function aside(card, link, { names: [, computer] }, back) {
  const invite = async () => {
    const { askForGame } = await import("../new-game.js");
    const path = await askForGame({ ...link, seat: 1 }, "friend");
    if (path) await go(path);
  };
  return h(
    "div.side",
    back,
    h("p.intro", unbroken(`You're playing ${card.title} against ${computer}: `), card.summary),
    h(
      "section.card",
      { "aria-labelledby": "friend" },
      h("h2", { id: "friend" }, "Play a friend"),
      h("p", hasServer ? FRIEND : NO_FRIEND),
      h(
        "p.row",
        hasServer
          ? button("Play a friend", () => void invite())
          : anchor("Play side by side", pathOf(newLink(card.game))),
      ),
    ),
    h(
      "p.soft.about-links",
      h("a", { href: `/learn/${card.game}` }, "The rules"),
      h("a", { href: "/puzzle" }, "Today's puzzle"),
      h("a", { href: "/j" }, "Join a class"),
      h("a", { href: "/help" }, "Help and keys"),
    ),
  );
}

/**
 * @param {GameCard[]} cards
 * @param {HTMLElement} puzzle
 */
function gameCards(cards, puzzle) {
  const today = h(
    "li.card.puzzle",
    h("h3", "Today's puzzle"),
    puzzle,
    h("p.row", anchor("Solve it", "/puzzle", "main")),
  );
  return h(
    "section",
    { "aria-labelledby": "games" },
    h("h2", { id: "games" }, "The games"),
    h("ul.cards", cards.map(item), today),
  );
}

/** @param {GameCard} card */
function item(card) {
  const seat = { vs: String(card.beginner), seed: randomSeed() };
  const options = card.look.suggested;
  /** @type {[string, string][]} */
  const repaired = [["Fairer rules", pathOf(newLink(card.game, { ...seat, options }))]];
  return gameItem("h3", card, [
    ["Play", pathOf(newLink(card.game, seat))],
    ...(Object.keys(options).length > 0 ? repaired : []),
    ["Rules", `/learn/${card.game}`],
  ]);
}

function notes() {
  return h(
    "section.honest",
    { "aria-labelledby": "honest" },
    h("h2", { id: "honest" }, "Good to know"),
    h(
      "ul",
      NOTES.map((text) => h("li", text)),
    ),
  );
}
