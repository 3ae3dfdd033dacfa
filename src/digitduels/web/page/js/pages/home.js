// The first page: a game ready to play. The rest of it, below the board, is loaded later.

import { games } from "../api.js";
import { characterOf, seatLabels } from "../board.js";
import { anchor, button, fill, h } from "../dom.js";
import { GamePage, getFirstPosition } from "../game-page.js";
import { fillHead } from "../head.js";
import { newLink, pathOf, randomSeed, withMoves } from "../link.js";
import { showMarks } from "../marks.js";
import { go } from "../router.js";
import { unbroken } from "../sentence.js";
import { recall } from "../storage.js";
import { hasServer } from "../transport.js";

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
  // The board comes before the rest of the page, and does without it.
  import("../home-rest.js").then(
    ({ showRest }) => signal.aborted || showRest(main, cards, signal),
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
