// The first page: a game already begun, the games there are, today's puzzle.

import { games, get } from "../api.js";
import { asked, begun, chance, path } from "../address.js";
import { button, fill, h, link, pause } from "../dom.js";
import { go } from "../router.js";
import { beginner, fresh, setup } from "../setup.js";
import { say } from "../status.js";
import { Table, told } from "../table.js";

const HURRY = 800; // milliseconds

/** @param {Place} place */
export async function show({ main, signal }) {
  const cards = await games();
  // The game with the most to vary has the most to discover; it is the one to meet first.
  const card = cards.reduce((best, each) => (each.options.length > best.options.length ? each : best));
  const book = begun(card.game, { vs: beginner(card), seed: chance() });
  // A fair start if it is at hand; a stranger does not wait for one to be worked out.
  const address = await Promise.race([fresh({ ...book }, true).catch(() => book), pause(HURRY).then(() => book)]);
  const view = /** @type {View} */ (await get(`/api/position/${card.game}`, asked(address), signal));
  if (signal.aborted) return;
  const seat = (address.seat = view.player ?? 1);
  const puzzle = h("p", null, "One position, one move that wins.");
  const table = new Table({
    view,
    signal,
    query: () => asked(address),
    play: (move) => go(path({ ...address, moves: [...address.moves, move] })),
  });
  fill(
    main,
    h(
      "div",
      { class: "welcome" },
      h(
        "section",
        { class: "hero", "aria-labelledby": "hero" },
        h("h1", { id: "hero" }, "Your move."),
        h("p", { class: "lead" }, card.summary),
        h("p", { class: "soft" }, `This is ${card.title}${address.opening ? ", a few moves in," : ""} against level ${address.vs}. There is nothing to sign up for: just play.`),
        h("p", { class: "row" }, button("Play a friend", () => void invite(address))),
      ),
      table.element,
    ),
    h(
      "section",
      { "aria-labelledby": "games" },
      h("h2", { id: "games" }, "The games"),
      h("ul", { class: "cards" }, cards.map(shown), h(
        "li",
        { class: "card puzzle" },
        h("h3", null, "Today's puzzle"),
        puzzle,
        h("p", { class: "row" }, link("Solve it", "/puzzle", "main")),
      )),
    ),
    h(
      "section",
      { class: "honest", "aria-labelledby": "honest" },
      h("h2", { id: "honest" }, "Good to know"),
      h(
        "ul",
        null,
        h("li", null, "Every position is solved. Ask for hints or for the value of every move whenever you like; until then nothing is given away."),
        h("li", null, "Between two perfect players the seat decides. So there are opponents that err like people, and fair starts."),
        h("li", null, "No account. A game is its address: bookmark it, reload it, send it to a friend."),
      ),
    ),
  );
  const note = (/** @type {Seat} */ each) => (each === seat ? "you" : `level ${address.vs}`);
  table.update(view, [{ name: view.names[0], note: note(1) }, { name: view.names[1], note: note(2) }], true);
  say(told(view, seat), "turn");
  get("/api/puzzle", {}, signal).then(
    (today) => {
      puzzle.textContent = today.question;
    },
    () => {},
  );
}

/** @param {Address} address */
async function invite(address) {
  const found = await setup({ ...address, opening: 0, seat: 1 }, "friend");
  if (found) go(found);
}

/** @param {GameCard} card */
function shown(card) {
  const play = path(begun(card.game, { vs: beginner(card), seed: chance() }));
  return h(
    "li",
    { class: "card" },
    h("h3", null, card.title),
    h("p", null, card.summary),
    h(
      "p",
      { class: "row" },
      named(link("Play", play, "main"), card),
      named(link("Explore", `/explore/${card.game}`), card),
      named(link("Learn", `/learn/${card.game}`), card),
    ),
  );
}

/**
 * A link whose name also says of which game.
 * @param {HTMLElement} element
 * @param {GameCard} card
 */
function named(element, card) {
  element.append(h("span", { class: "hidden" }, ` ${card.title}`));
  return element;
}
