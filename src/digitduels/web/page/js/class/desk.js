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
  const desk = new ClassDesk(state, token, signal);
  setTitle(`Class ${state.code}`);
  fill(main, desk.element);
  desk.draw();
  void desk.offerGames();
}

class ClassDesk extends ClassPage {
  /**
   * @param {TeacherClass} state
   * @param {string} token
   * @param {AbortSignal} signal
   */
  constructor(state, token, signal) {
    super(state, token, signal);
    this.title = h("h1");
    this.sentence = h("p", { class: "lead" });
    this.actions = h("div", { class: "row steer", role: "group", "aria-label": "Steer the class" });
    this.boards = new Boards();
    this.roster = h("ul", { class: "roster" });
    this.games = h("section", { "aria-label": "Boards" }, this.boards.element);
    this.settings = this.#settings();
    this.until = h("p", { class: "soft" });
    /** What is in the list of pupils, as text: it is drawn only when it changes, so that buttons keep the focus. */
    this.listed = "";
    this.steered = "";
    const { code } = state;
    this.element = h(
      "article",
      { class: "class-desk" },
      h("header", null, this.title, this.sentence, this.actions, this.notice, this.line),
      h("section", { class: "card", "aria-label": "How pupils join" }, invitation(code), this.#ways()),
      this.games,
      h("section", { class: "card", "aria-label": "Pupils" }, h("h2", null, "Pupils"), this.roster),
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
    this.until.textContent = `It is deleted ${moment(state.deleted)}, with all names and games. You can do it now.`;
    this.games.hidden = state.round === 0;
    this.#steer();
    this.#list();
    super.draw();
  }

  #sentence() {
    const { state } = this;
    const rules = [state.rules.title, state.rules.house_rules && `with ${state.rules.house_rules}`].filter(Boolean);
    const open = state.boards.filter((board) => board.player !== null).length;
    const now = state.ended
      ? "The class is over."
      : state.paused !== null
        ? `Paused: ${state.paused}`
        : state.round === 0
          ? "Waiting for pupils. Pair them when everybody is here."
          : `Round ${state.round}: ${open} of ${state.boards.length} games go on.`;
    return `${rules.join(" ")}. ${now}`;
  }

  #steer() {
    const { state } = this;
    const waiting = state.pupils.filter((pupil) => pupil.waiting && !pupil.absent).length;
    const drawn = JSON.stringify([state.round, state.paused, state.ended, waiting, state.rules.mode]);
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
      !paused && !first && button("Next round", () => void this.nextRound(), waiting > 0 ? "quiet" : "main"),
      !first && !paused && button("Pause", () => void this.pause()),
      paused && button("Resume", () => void this.act("resume"), "main"),
      !first && button("End the class", () => void this.end()),
    );
  }

  #list() {
    const { state } = this;
    const names = pupilNames(state, false);
    const drawn = JSON.stringify([state.pupils, state.ended]);
    if (drawn === this.listed) return;
    this.listed = drawn;
    const row = (/** @type {ClassPupil} */ pupil) => {
      const like = pupil.like === null ? null : (names.get(pupil.like) ?? null);
      return h(
        "li",
        null,
        h("span", { class: "pupil-name" }, pupil.name),
        h("span", { class: "soft" }, standing(pupil), state.round > 0 && ` · ${points(pupil.points)}`),
        h(
          "span",
          { class: "row tight" },
          like !== null && button(`This is ${like}`, () => void this.admit(pupil), "main"),
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

  /** @param {ClassPupil} newcomer */
  async admit(newcomer) {
    await this.act("admit", { pupil: newcomer.like, device: newcomer.pupil });
  }

  /** @param {ClassPupil} pupil */
  async edit(pupil) {
    const name = h("input", { name: "name", maxlength: 20, value: pupil.name, autocomplete: "off" });
    const answer = await ask(
      pupil.name,
      [field("First name", name)],
      [
        ["rename", "Rename"],
        ["remove", "Remove from the class"],
        ["", "Cancel"],
      ],
    );
    if (answer === "rename") await this.act("rename", { pupil: pupil.pupil, name: name.value });
    if (answer === "remove") await this.act("remove", { pupil: pupil.pupil });
  }

  async deleteClass() {
    const answer = await ask(
      "Delete the class?",
      [h("p", null, "All names, games and results are gone at once. Save the results first if you want them.")],
      [
        ["", "Keep it"],
        ["yes", "Delete it"],
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
  return at.toLocaleString([], { weekday: "long", hour: "2-digit", minute: "2-digit" });
}
