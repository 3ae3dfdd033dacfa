// The teacher's desk: the pupils, the next step, all boards, and the settings of the next games.

import { games } from "../api.js";
import { changeDetector } from "../change-detector.js";
import { ask, confirm } from "../dialog.js";
import { anchor, button, fill, h } from "../dom.js";
import { field } from "../form.js";
import { levelOptions } from "../levels.js";
import { moveNote } from "../origin.js";
import { go, setTitle } from "../router.js";
import { say } from "../status.js";
import { Boards, pupilNames } from "./boards.js";
import { ClassPage } from "./class-page.js";
import { count } from "../counts.js";
import { invitation } from "./invitation.js";
import { Links } from "./links.js";
import { Roster } from "./roster.js";
import { forgetClass, makeLink } from "./session.js";
import { readSettings, settingFields } from "./settings.js";

const BROKEN_OFF =
  "Games in progress end now and give both players half a point. A game without a move does not count.";

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
  desk.offerGames().catch(() => {}); // the settings of the game in progress can still be changed
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
    this.sentence = h("p.lead");
    this.actions = h("div.row.steer", { role: "group", "aria-label": "Steer the class" });
    this.steeringChanged = changeDetector();
    this.joining = h(
      "section.card",
      { "aria-label": "How pupils join" },
      invitation(state.code),
      moveNote(`${this.path}#token=${token}`),
      h(
        "p.row",
        h("a.button.main", { href: `${this.path}/wall`, target: "_blank" }, "Open the wall"),
        anchor("Results", `${this.path}/results`),
      ),
    );
    this.boards = new Boards();
    this.round = h("section", { "aria-label": "Boards" }, this.boards.element);
    this.roster = new Roster((act, more, done) => this.act(act, more, done));
    this.links = new Links(
      (kind) => this.makeLink(kind),
      (act, more, done) => this.act(act, more, done),
    );
    this.settings = this.#settings();
    this.until = h("p.soft");
    this.element = h(
      "article.class-desk",
      h("header", h("h1", `Class ${state.code}`), this.sentence, this.actions, this.notice),
      this.joining,
      this.round,
      this.roster.element,
      this.links.element,
      this.settings,
      h(
        "section.card",
        { "aria-label": "Delete" },
        h("h2", "Delete the class"),
        this.until,
        h(
          "p.row",
          button("Delete it now", () => void this.deleteClass()),
          anchor("What is stored", "/privacy"),
        ),
      ),
    );
  }

  /** The address of the class, for its teacher. */
  get path() {
    return `/class/${this.state.code}`;
  }

  #settings() {
    const { rules } = this.state;
    this.level = h("select", { name: "level" }, h("option", { value: String(rules.level) }, `Level ${rules.level}`));
    this.game = h("select", { name: "game" }, h("option", { value: "" }, "The same as now"));
    const form = h(
      "form.form",
      field("Next game", this.game),
      settingFields(this.level, rules),
      h("p.row.whole", h("button.main", "Save settings")),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const data = new FormData(form);
      const game = data.get("game");
      const settings = { ...readSettings(data), ...(game && { game }) };
      void this.act("settings", settings, "Settings saved. They apply to the next games.");
    });
    return h(
      "details.card.fold",
      h("summary", "Settings for the next games"),
      h("p.soft", "Games in progress stay as they are. The names on the wall change at once."),
      form,
    );
  }

  /** Fills in the games and levels once the server has sent them. */
  async offerGames() {
    const { rules } = this.state;
    const cards = await games();
    this.game?.append(...cards.map((card) => h("option", { value: card.game }, card.title)));
    const card = cards.find(({ game }) => game === rules.game);
    if (!card || !this.level) return;
    fill(this.level, levelOptions(card));
    this.level.value = String(card.levels.findLast((level) => level <= rules.level) ?? rules.level);
  }

  /** The number of games in progress. */
  get open() {
    return this.state.boards.filter((board) => board.player !== null).length;
  }

  draw() {
    const { state } = this;
    this.sentence.textContent = this.#sentence();
    const at = moment(state.deleted);
    this.until.textContent = `If nothing more happens in it, it is deleted on ${at}, with all names and games.`;
    this.round.hidden = state.round === 0;
    this.joining.hidden = this.settings.hidden = state.ended;
    this.#steer();
    this.roster.update(state);
    this.links.update(state.links);
    super.draw();
  }

  #sentence() {
    const { title, house_rules: changes } = this.state.rules;
    return `${changes ? `${title}: ${changes}` : title}. ${this.#stage()}`;
  }

  #stage() {
    const { ended, paused, round, rules, together } = this.state;
    if (ended) return "The class is over.";
    if (paused !== null) return `Paused: ${paused}`;
    if (round === 0) return "Waiting for pupils. Pair them when everybody is here.";
    const automatic = rules.auto_pairing ? " Pupils who wait are paired automatically." : "";
    return `Round ${round}: ${count(this.open, "game")} in progress, ${together.games} finished.${automatic}`;
  }

  #steer() {
    const { ended, paused, pupils, round, rules } = this.state;
    const waiting = pupils.filter((pupil) => pupil.waiting && !pupil.absent).length;
    const urgent = waiting > 0 && !rules.auto_pairing;
    if (!this.steeringChanged(round, paused, ended, waiting, this.open > 0, urgent)) return;
    const pair = () => void this.act("pair");
    const end = round > 0 && button("End the class", () => void this.end());
    if (ended)
      fill(this.actions, anchor("Results", `${this.path}/results`, "main"), anchor("Wall", `${this.path}/wall`));
    else if (paused !== null)
      fill(
        this.actions,
        button("Resume", () => void this.act("resume"), "main"),
        end,
      );
    else if (round === 0) fill(this.actions, button("Pair and start", pair, "main"));
    else
      fill(
        this.actions,
        waiting > 0 && button(`Pair those who wait (${waiting})`, pair, urgent ? "main" : "quiet"),
        button("Next round", () => void this.nextRound(), urgent || this.open ? "quiet" : "main"),
        button("Pause", () => void this.pause()),
        end,
      );
  }

  tick() {
    const { state, now } = this;
    const path = (/** @type {string} */ id) => `${this.path}/${id}`;
    const stuck = state.paused === null ? state.stuck : null;
    this.boards.update(state.boards, { names: pupilNames(state, false), now, path, stuck });
  }

  // The teacher's acts

  async nextRound() {
    const sure = !this.open || (await confirm("Begin the next round?", [BROKEN_OFF], "Next round", "Not yet"));
    if (sure) await this.act("next");
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
    const stay = "The results stay until the class is deleted.";
    const text = this.open ? `${BROKEN_OFF} ${stay}` : stay;
    if (await confirm("End the class?", [text], "End the class", "Not yet")) await this.act("end");
  }

  /** @param {LinkKind} kind */
  async makeLink(kind) {
    fill(this.notice);
    try {
      const { url, state } = await makeLink(this.state.code, this.token, kind);
      this.hear(state);
      return url;
    } catch (error) {
      if (error instanceof Error) fill(this.notice, h("p", error.message));
      return null;
    }
  }

  async deleteClass() {
    const text = "All names, games and results will be gone at once. Save the results first if you want to keep them.";
    if (!(await confirm("Delete the class?", [text], "Delete it", "Keep it"))) return;
    await this.act("delete");
    if (this.notice.childElementCount) return;
    forgetClass(this.state.code);
    await go("/teach");
    say("The class is deleted.");
  }
}

/** @param {number} seconds */
function moment(seconds) {
  const at = new Date(seconds * 1000);
  const day = at.toLocaleDateString([], { weekday: "long", day: "numeric", month: "long" });
  return `${day} at ${at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}`;
}
