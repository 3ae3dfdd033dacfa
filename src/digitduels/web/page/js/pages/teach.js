// For a class: a link that carries its settings, a board for the projector, and sheets to print.

import { games, get, patiently } from "../api.js";
import { asked, begun, chance, path, read } from "../address.js";
import { share } from "../dialog.js";
import { button, fill, h, link } from "../dom.js";
import { dress, keyed, parted, seats, Stepper, work } from "../lesson.js";
import { entitle, go, note } from "../router.js";
import { beginner, fresh, group, LEVELS, radios, ruled } from "../setup.js";
import { say } from "../status.js";
import { Table, told } from "../table.js";
import { prose } from "../verdict.js";

const DRAWN = 10_000; // seeds, so that a link and a sheet stay short
const OWN = ["show", "game", "fair", "values", "tier", "count", "sheet"];
const ALONE = /^(localhost|127\.|\[::1\])/;

/** @param {Place} place */
export async function show({ main, query, signal }) {
  await dress();
  const cards = await games();
  const [own, rest] = parted(query, OWN);
  const shown = cards.find((each) => each.game === own["game"]) ?? /** @type {GameCard} */ (cards[0]);
  const found = read(shown.game, rest);
  const address = rest.has("seed") || rest.has("vs") ? found : { ...found, vs: rest.size ? found.vs : beginner(shown), seed: drawn() };
  if (signal.aborted) return;
  say("");
  if (own["show"] === "board") return projector(main, found, own, signal);
  if (own["show"] === "sheet") return paper(main, shown, found, own, signal);
  if (own["show"] === "link") return large(main, shown, address, own["fair"] === "on", signal);
  desk(main, cards, shown, address, own, signal);
}

/** A short seed that nobody has chosen. */
function drawn() {
  return String(Number(chance()) % DRAWN);
}

/**
 * The address of the teacher's own page.
 * @param {Address} address
 * @param {Record<string, string | number | null>} own
 */
function taught(address, own) {
  const text = path(address).split("?")[1] ?? "";
  const keys = { game: address.game, seed: address.seed, ...own };
  return keyed(`/teach${text ? `?${text}` : ""}`, keys);
}

/**
 * What a class gets, in a sentence.
 * @param {GameCard} card
 * @param {Address} address
 * @param {boolean} fair
 */
function described(card, address, fair) {
  const against = address.vs === null ? "two at one screen" : address.vs === "coach" ? "with the coach" : `against level ${address.vs}`;
  const rules = Object.entries(address.options).map(([name, value]) => `${name} ${value}`);
  const parts = [against, fair && "a fair start", ...rules, !address.hints && "no hints", !address.takebacks && "no take-backs"];
  return `${card.title}: ${parts.filter(Boolean).join(", ")}.`;
}

/**
 * The link of a class, a fair start given with it.
 * @param {Address} address
 * @param {boolean} fair
 */
async function linked(address, fair) {
  const game = await fresh({ ...address }, fair);
  return location.origin + path(game);
}

/**
 * @param {HTMLElement} main
 * @param {GameCard[]} cards
 * @param {GameCard} card
 * @param {Address} address
 * @param {Record<string, string>} own
 * @param {AbortSignal} signal
 */
function desk(main, cards, card, address, own, signal) {
  const trouble = h("p", { class: "trouble", role: "alert" });
  const output = h("p", { class: "address" });
  const sentence = h("p", { class: "soft" });
  const actions = h("p", { class: "row" });
  const opponents = h(
    "select",
    { name: "vs" },
    h("option", { value: "" }, "Two at one screen"),
    h("option", { value: "coach" }, "The coach: asks before a result is thrown away"),
    card.levels.map((level) => h("option", { value: String(level) }, `Level ${level}: ${LEVELS[level] ?? ""}`)),
  );
  opponents.value = address.vs ?? "";
  const form = h(
    "form",
    { class: "form", onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
    h("div", { class: "whole" }, group("Game", radios("game", cards.map((each) => [each.game, each.title]), card.game))),
    h("label", { class: "field" }, h("span", null, "Against"), opponents),
    group("They are", radios("seat", [["1", "Player 1, who begins"], ["2", "Player 2"]], String(address.seat))),
    group("Start", radios("fair", [["", "As in the book"], ["on", "A fair one"]], own["fair"] ?? "")),
    group("Help", h("div", null, check("hints", "Hints and values", address.hints), check("takebacks", "Take-backs", address.takebacks))),
    h("details", { class: "fold whole", open: Object.keys(address.options).length > 0 }, h("summary", null, "Rules of this game"), h("div", { class: "fields" }, card.options.map((option) => ruled(option, address.options[option.name])))),
  );
  const tiers = h("select", { name: "tier" }, h("option", { value: "" }, "Any"));
  patiently("/api/puzzle", new URLSearchParams(), signal, () => {}).then(
    (/** @type {Puzzle} */ puzzle) => {
      tiers.append(...Object.entries(puzzle.tiers).map(([tier, words]) => h("option", { value: tier }, words)));
      tiers.value = own["tier"] ?? "";
    },
    () => {},
  );
  const count = h("input", { name: "count", type: "number", min: 1, max: 24, value: own["count"] ?? "6", inputmode: "numeric" });
  let current = address;
  let fair = own["fair"] === "on";

  const options = () => {
    const data = new FormData(form);
    return Object.fromEntries(
      card.options
        .map((option) => /** @type {[string, string]} */ ([option.name, String(data.get(`option-${option.name}`) ?? "").trim()]))
        .filter(([name, text]) => text && text !== String(card.options.find((option) => option.name === name)?.default)),
    );
  };
  const update = async () => {
    const data = new FormData(form);
    fair = data.get("fair") === "on";
    const vs = String(data.get("vs") ?? "");
    current = { ...current, options: options(), vs: vs || null, seat: data.get("seat") === "2" ? 2 : 1, hints: data.has("hints"), takebacks: data.has("takebacks") };
    note(taught(current, { fair: fair ? "on" : null, tier: tiers.value || (own["tier"] ?? null), count: count.value === "6" ? null : count.value }), true);
    sentence.textContent = described(card, current, fair);
    try {
      const url = await linked(current, fair);
      if (signal.aborted) return;
      trouble.textContent = "";
      output.textContent = url;
      fill(
        actions,
        button("Copy the link", () => void share(url, card.title).then((done) => done && say(done)), "main"),
        link("Show it big", taught(current, { show: "link", fair: fair ? "on" : null })),
        link("Try it", url.slice(location.origin.length)),
        fair && button("Another start", () => void again()),
      );
    } catch (error) {
      if (signal.aborted || !(error instanceof Error)) return;
      trouble.textContent = error.message;
      output.textContent = "";
      fill(actions);
    }
  };
  const again = async () => {
    current = { ...current, seed: drawn() };
    await update();
  };
  form.addEventListener("change", (event) => {
    const target = event.target;
    if (target instanceof HTMLInputElement && target.name === "game") {
      const other = cards.find((each) => each.game === target.value) ?? card;
      const same = current.vs === null || current.vs === "coach" || other.levels.includes(Number(current.vs));
      go(taught(begun(other.game, { ...current, game: other.game, options: {}, vs: same ? current.vs : beginner(other) }), { fair: fair ? "on" : null }));
    } else {
      void update();
    }
  });
  const sheet = (/** @type {Event} */ event) => {
    event.preventDefault();
    go(taught(begun(card.game, { options: options() }), { show: "sheet", seed: null, tier: tiers.value, count: count.value, sheet: drawn() }));
  };
  fill(
    main,
    h(
      "article",
      { class: "teach" },
      h("header", null, h("h1", null, "Teach"), h("p", { class: "lead" }, "No accounts. A link carries the settings to every screen of the class, the board goes on the wall, and puzzles go on paper.")),
      h(
        "section",
        { class: "card", "aria-labelledby": "class-link" },
        h("h2", { id: "class-link" }, "A link for the class"),
        form,
        trouble,
        h("div", null, output, sentence, ALONE.test(location.hostname) && h("p", { class: "soft" }, "This address works on this computer alone. ", h("code", null, "duels serve --host 0.0.0.0"), " opens it to the others in your network."), actions),
      ),
      h(
        "section",
        { class: "card", "aria-labelledby": "wall" },
        h("h2", { id: "wall" }, "A board on the wall"),
        h("p", { class: "soft" }, "Large enough for the last row. Play it together; what every move is worth is shown when you ask for it."),
        h("p", { class: "row" }, button("Open the board", () => go(taught(begun(card.game, { options: options() }), { show: "board", seed: null })), "main")),
      ),
      h(
        "section",
        { class: "card", "aria-labelledby": "paper" },
        h("h2", { id: "paper" }, "Puzzles on paper"),
        h("p", { class: "soft" }, `Of ${card.title}, by the rules above; the answers stand on a page of their own.`),
        h("form", { class: "form", onsubmit: sheet }, h("label", { class: "field" }, h("span", null, "Kind"), tiers), h("label", { class: "field" }, h("span", null, "How many"), count), h("p", { class: "row whole" }, h("button", { class: "main" }, "Make a sheet"))),
      ),
    ),
  );
  void update();
}

/**
 * @param {string} name
 * @param {string} label
 * @param {boolean} checked
 */
function check(name, label, checked) {
  return h("label", { class: "check" }, h("input", { type: "checkbox", name, checked }), label);
}

/**
 * The link, read from the last row.
 * @param {HTMLElement} main
 * @param {GameCard} card
 * @param {Address} address
 * @param {boolean} fair
 * @param {AbortSignal} signal
 */
async function large(main, card, address, fair, signal) {
  const url = await linked(address, fair);
  if (signal.aborted) return;
  fill(
    main,
    h(
      "article",
      { class: "projector" },
      h("h1", null, card.title),
      h("p", { class: "quest" }, described(card, address, fair)),
      h("p", { class: "address" }, url),
      h("p", { class: "row" }, link("Back", taught(address, { fair: fair ? "on" : null }))),
    ),
  );
}

/**
 * A board for the whole class.
 * @param {HTMLElement} main
 * @param {Address} begun
 * @param {Record<string, string>} own
 * @param {AbortSignal} signal
 */
async function projector(main, begun, own, signal) {
  let address = { ...begun, vs: null };
  let line = address.moves;
  let view = /** @type {View} */ (await get(`/api/position/${address.game}`, asked(address), signal));
  let values = own["values"] === "on";
  if (signal.aborted) return;
  entitle(view.title);
  const quest = h("p", { class: "quest" });
  const stand = async (/** @type {string[]} */ moves) => {
    address = { ...address, moves };
    try {
      view = await get(`/api/position/${address.game}`, asked(address), signal);
      if (moves.some((move, ply) => line[ply] !== move)) line = moves;
      await draw();
    } catch (error) {
      if (!signal.aborted && error instanceof Error) say(error.message);
    }
  };
  const table = new Table({ view, signal, query: () => asked(address), play: (move) => void stand([...address.moves, move]) });
  const stepper = new Stepper((at) => void stand(line.slice(0, at)), signal);
  const toggle = h("button", { type: "button", class: "quiet", onclick: () => ((values = !values), void draw()) }, "Values");
  const draw = async () => {
    const shown = view;
    table.update(view, seats(view), view.outcome === null);
    stepper.update(address.moves.length, line.length);
    toggle.setAttribute("aria-pressed", String(values));
    note(taught(address, { show: "board", seed: null, values: values ? "on" : null }), true);
    quest.textContent = "";
    say(told(view, null), view.outcome ? "over" : "turn");
    if (!values || view.outcome) return;
    const solved = /** @type {Solved} */ (await work("solve", address, signal));
    if (signal.aborted || shown !== view || !values) return;
    table.picker.judge(solved.each);
    quest.textContent = prose(solved.standing);
    say(told(view, null), "turn");
  };
  fill(
    main,
    h(
      "article",
      { class: "projector" },
      h("div", { class: "bar-row" }, h("h1", null, view.title), h("div", { class: "row" }, stepper.element, toggle, link("Leave", `/teach?game=${address.game}`))),
      table.element,
      quest,
    ),
  );
  await draw().catch((error) => say(error.message));
}

/**
 * Puzzles to print.
 * @param {HTMLElement} main
 * @param {GameCard} card
 * @param {Address} address
 * @param {Record<string, string>} own
 * @param {AbortSignal} signal
 */
async function paper(main, card, address, own, signal) {
  const seed = own["sheet"] ?? "1";
  const query = new URLSearchParams({ ...address.options, game: card.game, count: own["count"] ?? "6", seed, ...(own["tier"] ? { tier: own["tier"] } : {}) });
  const sheet = /** @type {Sheet} */ (await patiently("/api/sheet", query, signal, (sentence) => say(sentence, "wait")));
  if (signal.aborted) return;
  say("");
  entitle(sheet.title);
  const again = taught(address, { show: "sheet", seed: null, tier: own["tier"] ?? null, count: own["count"] ?? null, sheet: drawn() });
  const blank = () => h("span", { class: "blank" });
  fill(
    main,
    h(
      "article",
      { class: "paper" },
      h("p", { class: "row no-print" }, button("Print", () => print(), "main"), link("Another sheet", again), link("Back", taught(address, { seed: null }))),
      h("h1", null, sheet.title),
      sheet.about.map((text) => h("p", null, text)),
      h("p", { class: "names" }, h("span", null, "Name: ", blank()), h("span", null, "Date: ", blank())),
      sheet.puzzles.map((puzzle) =>
        h(
          "section",
          { class: "exercise", "aria-label": puzzle.heading },
          h("h2", null, puzzle.heading),
          h("div", { class: "position" }, puzzle.position.filter(Boolean).map((text) => h("p", null, text))),
          h("p", null, puzzle.question),
          h("p", null, "Answer: ", blank()),
        ),
      ),
      h("section", { class: "answers", "aria-label": "Answers" }, h("h2", null, "Answers"), h("ol", null, sheet.puzzles.map((puzzle) => h("li", null, prose(puzzle.answer))))),
    ),
  );
}
