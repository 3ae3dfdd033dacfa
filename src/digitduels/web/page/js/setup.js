// The sheet on which a game is set up: which one, against whom, from which seat and start, by which rules.

import { games, get } from "./api.js";
import { begun, chance, path } from "./address.js";
import { fill, h, unique } from "./dom.js";
import { challenge, recall, remember } from "./seats.js";

/** What the levels are like, in every game. */
/** @type {Record<number, string>} */
export const LEVELS = {
  1: "plays at random",
  2: "takes what is at hand",
  3: "guards the next move",
  4: "looks a little ahead",
  5: "looks ahead",
  6: "looks far ahead",
  7: "perfect, and sets traps",
};

/**
 * The opponent for somebody who has just read the rules: level 2, or the nearest lower one that the game has.
 * @param {GameCard} card
 */
export function beginner(card) {
  return String(card.levels.findLast((level) => level <= 2) ?? card.levels[0] ?? 1);
}

/**
 * Asks how to play; answers with the address of the game, or null.
 * @param {Address} old the game that the sheet shows at first
 * @param {string} [vs] the opponent that it shows at first
 * @returns {Promise<string | null>}
 */
export async function setup(old, vs = old.vs ?? "human") {
  const cards = await games();
  return new Promise((resolve) => {
    let answer = /** @type {string | null} */ (null);
    const title = unique();
    const opponents = h("select", { name: "vs" });
    const rules = h("div", { class: "fields" });
    const name = h(
      "label",
      { class: "field" },
      h("span", null, "Your name, if you like"),
      h("input", { name: "name", value: recall("name") ?? "", maxlength: 40, autocomplete: "nickname" }),
    );
    const trouble = h("p", { class: "trouble", role: "alert" });
    const seats = radios("seat", [["1", "Player 1, who begins"], ["2", "Player 2"]], String(old.seat));
    const starts = radios("start", [["book", "As in the book"], ["fair", "A fair one: not yet decided in sight"]], old.opening ? "fair" : "book");
    const form = h(
      "form",
      { method: "dialog" },
      h("h2", { id: title }, "A new game"),
      group("Game", radios("game", cards.map((card) => [card.game, card.title]), old.game)),
      h("label", { class: "field" }, h("span", null, "Against"), opponents),
      name,
      group("You are", seats),
      group("Start", starts),
      h("details", null, h("summary", null, "Rules of this game"), rules),
      trouble,
      h(
        "p",
        { class: "row last" },
        h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, "Cancel"),
        h("button", { class: "main" }, "Start"),
      ),
    );
    const dialog = h("dialog", { class: "sheet", "aria-labelledby": title }, form);
    const data = () => new FormData(form);
    const card = () => /** @type {GameCard} */ (cards.find((each) => each.game === data().get("game")) ?? cards[0]);

    const offer = () => {
      const { levels } = card();
      const wanted = opponents.value || vs;
      fill(
        opponents,
        h("option", { value: "human" }, "Somebody beside you, on this screen"),
        h("option", { value: "friend" }, "A friend elsewhere, by link"),
        h("option", { value: "coach" }, "The coach: asks before you throw a result away"),
        levels.map((level) => h("option", { value: String(level) }, `Level ${level}: ${LEVELS[level] ?? ""}`)),
      );
      opponents.value = wanted;
      if (!opponents.value) opponents.value = beginner(card());
      fill(rules, card().options.map((option) => ruled(option, card().game === old.game ? old.options[option.name] : undefined)));
      hide();
    };
    const hide = () => {
      /** @type {HTMLElement} */ (seats.parentElement).hidden = opponents.value === "human";
      name.hidden = opponents.value !== "friend";
    };
    form.addEventListener("change", (event) => {
      if (event.target === opponents) hide();
      else if (event.target instanceof HTMLInputElement && event.target.name === "game") offer();
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      trouble.textContent = "";
      begin(card(), data(), old).then(
        (found) => {
          answer = found;
          dialog.close();
        },
        (error) => {
          trouble.textContent = error.message;
        },
      );
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(answer);
    });
    offer();
    document.body.append(dialog);
    dialog.showModal();
  });
}

/**
 * The address of a game as the form says.
 * @param {GameCard} card
 * @param {FormData} data
 * @param {Address} old whose help, or lack of it, stays: a class keeps what its link has settled
 */
async function begin(card, data, { hints, takebacks }) {
  const vs = String(data.get("vs"));
  const seat = data.get("seat") === "2" ? 2 : 1;
  /** @type {Record<string, string>} */
  const options = {};
  for (const option of card.options) {
    const text = String(data.get(`option-${option.name}`) ?? "").trim();
    if (text && text !== String(option.default)) options[option.name] = text;
  }
  const address = begun(card.game, { options, seed: chance(), seat, vs: vs === "human" || vs === "friend" ? null : vs, hints, takebacks });
  await fresh(address, data.get("start") === "fair");
  if (vs !== "friend") return path(address);
  const name = String(data.get("name") ?? "").trim();
  remember("name", name);
  return challenge(address, name);
}

/**
 * Gives a game its first moves, if it is to have a fair start; asks the server whether it may be played at all.
 * @param {Address} address
 * @param {boolean} fair
 */
export async function fresh(address, fair) {
  const query = new URLSearchParams({ ...address.options, kind: fair ? "fair" : "book", seed: address.seed });
  const start = await get(`/api/start/${address.game}`, query);
  address.moves = start.moves;
  address.opening = start.opening;
  return address;
}

/**
 * @param {string} legend
 * @param {HTMLElement} content
 */
export function group(legend, content) {
  return h("fieldset", null, h("legend", null, legend), content);
}

/**
 * @param {string} name
 * @param {[string, string][]} choices
 * @param {string} chosen
 */
export function radios(name, choices, chosen) {
  return h(
    "div",
    { class: "radios" },
    choices.map(([value, label]) => h("label", null, h("input", { type: "radio", name, value, checked: value === chosen }), h("span", null, label))),
  );
}

/**
 * The field of an option.
 * @param {GameOption} option
 * @param {string | undefined} value
 */
export function ruled(option, value) {
  const name = `option-${option.name}`;
  const current = value ?? String(option.default);
  const about = unique();
  const control =
    option.words
      ? h("select", { name, "aria-describedby": about }, option.words.map((word) => h("option", { value: word, selected: word === current }, word.replaceAll("-", " "))))
      : h("input", { name, value: current, inputmode: typeof option.default === "number" ? "numeric" : "text", autocomplete: "off", "aria-describedby": about });
  return h("label", { class: "field" }, h("span", null, option.name), control, h("small", { id: about }, option.about));
}
