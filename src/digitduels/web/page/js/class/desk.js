// The teacher's desk: who is there, what to do next, all boards, and the settings of the games to come.

import { games } from "../api.js";
import { ask } from "../dialog.js";
import { anchor, button, fill, h } from "../dom.js";
import { checkbox, field, group, radios } from "../form.js";
import { levelOptions } from "../levels.js";
import { go, setTitle } from "../router.js";
import { say } from "../status.js";
import { Boards, pupilNames } from "./boards.js";
import { ClassPage } from "./class-page.js";
import { invitation } from "./invitation.js";

const NEXT = "Games that are not over end now, and count half a point for both.";

/**
 * @param {Place} place
 * @param {TeacherClass} state
 * @param {string} token
 */
export function show({ main, signal }, state, token) {
  const desk = new ClassDesk(state, token, main, signal);
  setTitle(`Class ${state.code}`);
  fill(main, desk.element);
  desk.draw();
  void desk.offerGames();
}

class ClassDesk extends ClassPage {
  /**
   * @param {TeacherClass} state
   * @param {string} token
   * @param {HTMLElement} main
   * @param {AbortSignal} signal
   */
  constructor(state, token, main, signal) {
    super(state, token, main, signal);
    this.title = h("h1");
    this.sentence = h("p", { class: "lead" });
    this.actions = h("div", { class: "row steer", role: "group", "aria-label": "Steer the class" });
    this.boards = new Boards();
    this.roster = h("ul", { class: "roster" });
    this.removed = h("ul", { class: "roster", "aria-label": "Removed" });
    this.games = h("section", { "aria-label": "Boards" }, this.boards.element);
    this.settings = this.#settings();
    this.until = h("p", { class: "soft" });
    /** What is in the list of pupils, as text: it is drawn only when it changes, so that buttons keep the focus. */
    this.listed = "";
    this.steered = "";
    this.joining = h(
      "section",
      { class: "card", "aria-label": "How pupils join" },
      invitation(state.code),
      this.#ways(),
    );
    this.element = h(
      "article",
      { class: "class-desk" },
      h("header", null, this.title, this.sentence, this.actions, this.notice, this.line),
      this.joining,
      this.games,
      h("section", { class: "card", "aria-label": "Pupils" }, h("h2", null, "Pupils"), this.roster, this.removed),
      this.settings,
      h(
        "section",
        { class: "card", "aria-label": "Delete" },
        h("h2", null, "Delete the class"),
        this.until,
        h(
          "p",
          { class: "row" },
          button("Delete it now", () => void this.deleteClass()),
          anchor("What is stored", "/privacy"),
        ),
      ),
    );
  }

  #ways() {
    const { code } = this.state;
    return h(
      "p",
      { class: "row" },
      h("a", { class: "button main", href: `/class/${code}/wall`, target: "_blank" }, "Open the wall"),
      anchor("Results", `/class/${code}/results`),
    );
  }

  #settings() {
    const { rules } = this.state;
    this.level = h("select", { name: "level" }, h("option", { value: String(rules.level) }, `Level ${rules.level}`));
    this.game = h("select", { name: "game" }, h("option", { value: "" }, "As now"));
    /** @type {[string, string][]} */
    const starts = [
      ["book", "As in the book"],
      ["fair", "Balanced start"],
    ];
    const form = h(
      "form",
      { class: "form" },
      field("Next game", this.game),
      field("Level of the computer", this.level),
      group("Start", radios("start", starts, rules.start)),
      group(
        "Help",
        h("div", null, checkbox("hints", "Hints", rules.hints), checkbox("takebacks", "Take-backs", rules.takebacks)),
      ),
      group("On the wall", checkbox("anonymous", "Numbers instead of names", rules.anonymous)),
      h("p", { class: "row whole" }, h("button", { class: "main" }, "Save settings")),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const data = new FormData(form);
      const game = String(data.get("game") ?? "");
      void this.act(
        "settings",
        {
          level: Number(data.get("level")),
          start: data.get("start"),
          hints: data.has("hints"),
          takebacks: data.has("takebacks"),
          anonymous: data.has("anonymous"),
          ...(game && { game }),
        },
        "Settings saved. They count for the games to come.",
      );
    });
    return h(
      "details",
      { class: "card fold" },
      h("summary", null, "Settings for the next games"),
      h("p", { class: "soft" }, "They count for games that begin after this. The wall changes at once."),
      form,
    );
  }

  /** The games to choose from, as soon as the server has told them. */
  async offerGames() {
    const { rules } = this.state;
    const cards = await games();
    this.game?.append(...cards.map((card) => h("option", { value: card.game }, card.title)));
    const card = cards.find(({ game }) => game === rules.game);
    if (!card || !this.level) return;
    fill(this.level, levelOptions(card));
    this.level.value = String(card.levels.findLast((level) => level <= rules.level) ?? rules.level);
  }

  draw() {
    const { state } = this;
    this.title.textContent = `Class ${state.code}`;
    this.sentence.textContent = this.#sentence();
    const when = moment(state.deleted);
    this.until.textContent = `It will be deleted on ${when}, with all names and games. You can also do it now.`;
    this.games.hidden = state.round === 0;
    this.joining.hidden = this.settings.hidden = state.ended;
    this.#steer();
    this.#list();
    super.draw();
  }

  #sentence() {
    const { state } = this;
    const rules = [state.rules.title, state.rules.house_rules].filter(Boolean);
    const open = state.boards.filter((board) => board.player !== null).length;
    const now = state.ended
      ? "The class is over."
      : state.paused !== null
        ? `Paused: ${state.paused}`
        : state.round === 0
          ? "Waiting for pupils. Pair them when everybody is here."
          : `Round ${state.round}: ${open} of ${state.boards.length} games in progress.`;
    return `${rules.join(": ")}. ${now}`;
  }

  #steer() {
    const { state } = this;
    const waiting = state.pupils.filter((pupil) => pupil.waiting && !pupil.absent).length;
    const open = state.boards.some((board) => board.player !== null);
    const drawn = JSON.stringify([state.round, state.paused, state.ended, waiting, open, state.rules.mode]);
    if (drawn === this.steered) return;
    this.steered = drawn;
    if (state.ended) {
      fill(this.actions, anchor("Results", `/class/${state.code}/results`, "main"));
      return;
    }
    const paused = state.paused !== null;
    const pair = state.round === 0 ? "Pair and start" : `Pair those who wait (${waiting})`;
    const first = state.round === 0;
    fill(
      this.actions,
      !paused && (first || waiting > 0) && button(pair, () => void this.act("pair"), "main"),
      !paused && !first && button("Next round", () => void this.nextRound(), open || waiting > 0 ? "quiet" : "main"),
      !first && !paused && button("Pause", () => void this.pause()),
      paused && button("Resume", () => void this.act("resume"), "main"),
      !first && button("End the class", () => void this.end()),
    );
  }

  #list() {
    const { state } = this;
    const drawn = JSON.stringify([state.pupils, state.removed, state.ended]);
    if (drawn === this.listed) return;
    this.listed = drawn;
    const row = (/** @type {ClassPupil} */ pupil) => {
      const like = state.pupils.find((other) => other.pupil === pupil.like);
      return h(
        "li",
        null,
        h("span", { class: "pupil-name" }, pupil.name),
        h(
          "span",
          { class: "soft" },
          [!state.ended && standing(pupil), state.round > 0 && points(pupil.points)].filter(Boolean).join(" · "),
        ),
        h(
          "span",
          { class: "row tight" },
          like && button(`This is ${like.name}`, () => void this.admit(pupil, like), "main"),
          pupil.away &&
            !pupil.waiting &&
            !pupil.absent &&
            button("Let the computer play", () => void this.act("substitute", { pupil: pupil.pupil })),
          h(
            "button",
            { type: "button", class: "plain", onclick: () => void this.edit(pupil) },
            "Edit",
            hidden(pupil.name),
          ),
        ),
      );
    };
    fill(this.roster, state.pupils.length ? state.pupils.map(row) : h("li", null, "Nobody has joined yet."));
    const out = (/** @type {{pupil: number, name: string}} */ { pupil, name }) =>
      h(
        "li",
        null,
        h("span", { class: "pupil-name" }, name),
        h("span", { class: "soft" }, "removed"),
        h(
          "span",
          { class: "row tight" },
          !state.ended &&
            button(`Let ${name} in again`, () =>
              this.act("restore", { pupil }, `${name} can join again on the same device.`),
            ),
        ),
      );
    fill(this.removed, state.removed.map(out));
  }

  tick() {
    const { state, now } = this;
    const path = (/** @type {string} */ id) => `/class/${state.code}/${id}`;
    const stuck = state.paused === null ? state.stuck : null;
    this.boards.update(state.boards, { names: pupilNames(state, false), now, path, stuck });
  }

  // What the teacher does.

  async nextRound() {
    const open = this.state.boards.some((board) => board.player !== null);
    const sure = [h("p", null, NEXT)];
    /** @type {[string, string][]} */
    const answers = [
      ["yes", "Next round"],
      ["", "Not yet"],
    ];
    if (!open || (await ask("Begin the next round?", sure, answers))) await this.act("next");
  }

  async pause() {
    const message = h("input", { name: "message", maxlength: 120, value: "Eyes to the front, please." });
    const answer = await ask(
      "Pause all boards",
      [field("What the boards say", message)],
      [
        ["yes", "Pause"],
        ["", "Cancel"],
      ],
    );
    if (answer) await this.act("pause", { message: message.value });
  }

  async end() {
    const answer = await ask(
      "End the class?",
      [h("p", null, `${NEXT} The results stay until the class is deleted.`)],
      [
        ["yes", "End the class"],
        ["", "Not yet"],
      ],
    );
    if (answer) await this.act("end");
  }

  /**
   * A pupil goes on under the name and at the board of another one.
   * @param {ClassPupil} newcomer
   * @param {ClassPupil} pupil
   */
  async admit(newcomer, pupil) {
    const device = `${pupil.name} then plays on the device of ${newcomer.name} only.`;
    const sure = `${newcomer.name} and ${pupil.name} become one pupil. ${device}`;
    const here = `${pupil.name} is still there on another device. Are they the same person?`;
    const answer =
      pupil.away ||
      (await ask(
        `Is ${newcomer.name} the same person as ${pupil.name}?`,
        [h("p", null, sure), h("p", null, here)],
        [
          ["yes", `This is ${pupil.name}`],
          ["", "Cancel"],
        ],
      ));
    if (answer) await this.act("admit", { pupil: pupil.pupil, device: newcomer.pupil });
  }

  /** @param {ClassPupil} pupil */
  async edit(pupil) {
    const name = h("input", { name: "name", maxlength: 20, value: pupil.name, autocomplete: "off" });
    const others = this.state.pupils.filter((other) => other.pupil !== pupil.pupil);
    const answers = /** @type {[string, string][]} */ ([
      ["rename", "Rename"],
      ...(others.length ? [["same", "This is another pupil…"]] : []),
      ["remove", "Remove…"],
      ["", "Cancel"],
    ]);
    const answer = await ask(pupil.name, [field("First name", name)], answers);
    if (answer === "rename") await this.act("rename", { pupil: pupil.pupil, name: name.value });
    if (answer === "same") await this.identify(pupil, others);
    if (answer === "remove") await this.remove(pupil);
  }

  /**
   * A pupil joined on a new device, and the teacher says who it is.
   * @param {ClassPupil} newcomer
   * @param {ClassPupil[]} others
   */
  async identify(newcomer, others) {
    const list = h(
      "select",
      { name: "same" },
      others.map(({ pupil, name }) => h("option", { value: String(pupil) }, name)),
    );
    list.value = String(newcomer.like ?? others.find(({ away }) => away)?.pupil ?? others[0]?.pupil);
    const answer = await ask(
      `Who is ${newcomer.name}?`,
      [
        h("p", null, "For a pupil who joined again on another device. The two become one, with all games of both."),
        field(`${newcomer.name} is`, list),
      ],
      [
        ["yes", "This is the same person"],
        ["", "Cancel"],
      ],
    );
    if (answer) await this.act("admit", { pupil: Number(list.value), device: newcomer.pupil });
  }

  /** @param {ClassPupil} pupil */
  async remove(pupil) {
    const answer = await ask(
      `Remove ${pupil.name}?`,
      [h("p", null, "Their game ends, and their device is out. You can let them in again.")],
      [
        ["yes", "Remove"],
        ["", "Cancel"],
      ],
    );
    if (answer) await this.act("remove", { pupil: pupil.pupil });
  }

  async deleteClass() {
    const answer = await ask(
      "Delete the class?",
      [h("p", null, "All names, games and results are gone at once. Save the results first if you want them.")],
      [
        ["yes", "Delete it"],
        ["", "Keep it"],
      ],
    );
    if (!answer) return;
    await this.act("delete");
    if (this.notice.childElementCount) return;
    await go("/teach");
    say("The class is deleted.");
  }
}

/** @param {string} text */
function hidden(text) {
  return h("span", { class: "hidden" }, ` ${text}`);
}

/** @param {number} number */
function points(number) {
  return number === 1 ? "1 point" : `${number} points`;
}

/** @param {ClassPupil} pupil */
function standing({ absent, away, waiting }) {
  if (absent) return "The computer plays";
  return [waiting ? "waits" : "plays", away && "away"].filter(Boolean).join(", ");
}

/** @param {number} seconds */
function moment(seconds) {
  const at = new Date(seconds * 1000);
  const day = at.toLocaleDateString([], { weekday: "long" });
  return `${day} at ${at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}`;
}
