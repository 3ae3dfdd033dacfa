// The list of pupils on the desk, with their points and the teacher's actions.

import { changeDetector } from "../change-detector.js";
import { ask, confirm } from "../dialog.js";
import { button, fill, h } from "../dom.js";
import { field, nameField } from "../form.js";
import { count, ordinal, score } from "../counts.js";

/** @typedef {(act: string, more?: Record<string, unknown>, done?: string) => Promise<void>} Act */

export class Roster {
  /** @param {Act} act sends an act of the teacher */
  constructor(act) {
    this.act = act;
    this.lock = h("input", { type: "checkbox", role: "switch", "aria-describedby": "admits" });
    this.lock.addEventListener("change", () => void this.setLock());
    this.removal = button("Remove newcomers…", () => void this.removeNewcomers());
    this.admits = h("p.soft", { id: "admits" });
    this.admission = h(
      "div.admission",
      h("div", h("label.check", this.lock, "Lock the class"), this.admits),
      this.removal,
    );
    this.list = h("ul.roster");
    this.removed = h("ul.roster", { "aria-label": "Removed" });
    this.element = h(
      "section.card",
      { "aria-label": "Pupils" },
      h("h2", "Pupils"),
      this.admission,
      this.list,
      this.removed,
    );
    this.changed = changeDetector();
    /** @type {ClassPupil[]} */
    this.pupils = [];
    this.ended = false;
    this.locked = false;
  }

  /** The pupils who have not played. */
  get newcomers() {
    return this.pupils.filter((pupil) => pupil.newcomer);
  }

  /** @param {TeacherClass} state */
  update({ pupils, removed, round, ended, rules: { locked } }) {
    if (!this.changed(pupils, removed, round, ended, locked)) return;
    Object.assign(this, { pupils, ended, locked });
    this.lock.checked = locked;
    this.admits.textContent = locked ? "Nobody else can join." : "Anyone with the code can join.";
    this.admission.hidden = ended;
    this.removal.hidden = !this.newcomers.length;
    const order = ended ? pupils.toSorted((one, two) => one.place - two.place) : pupils;
    const rows = order.map((pupil) => this.#row(pupil, round > 0));
    fill(this.list, rows.length ? rows : h("li", "Nobody has joined yet."));
    fill(
      this.removed,
      removed.map((pupil) => this.#out(pupil)),
    );
  }

  /**
   * @param {ClassPupil} pupil
   * @param {boolean} begun whether anyone has played, so that there are points
   */
  #row(pupil, begun) {
    const { ended } = this;
    const like = this.pupils.find((other) => other.pupil === pupil.like);
    const left = pupil.away && pupil.playing && !pupil.absent;
    const edit = h(
      "button.plain",
      { type: "button", onclick: () => void this.edit(pupil) },
      "Edit",
      h("span.hidden", ` ${pupil.name}`),
    );
    return h(
      "li",
      h("span.pupil-name", pupil.name),
      h(
        "span.soft",
        [ended ? pupil.games > 0 && ordinal(pupil.place) : doing(pupil), begun && `${score(pupil)} points`]
          .filter(Boolean)
          .join(" · "),
      ),
      h(
        "span.row.tight",
        !ended && like && button(`This is ${like.name}`, () => void this.admit(pupil, like), "main"),
        !ended && left && button("Let the computer play", () => void this.act("substitute", { pupil: pupil.pupil })),
        edit,
      ),
    );
  }

  /** @param {{pupil: number, name: string}} pupil the removed pupil */
  #out({ pupil, name }) {
    const done = `${name} can join again on the same device.`;
    const back = button(`Let ${name} in again`, () => void this.act("restore", { pupil }, done));
    return h("li", h("span.pupil-name", name), h("span.soft", "removed"), h("span.row.tight", !this.ended && back));
  }

  /** @param {ClassPupil} pupil */
  async edit(pupil) {
    const name = h("input", { name: "name", maxlength: 20, value: pupil.name, autocomplete: "off" });
    const others = this.pupils.filter((other) => other !== pupil);
    const answers = /** @type {[string, string][]} */ (
      [
        ["rename", "Rename"],
        !this.ended && others.length && ["same", "This is another pupil…"],
        !this.ended && ["remove", "Remove…"],
        ["", "Cancel"],
      ].filter(Boolean)
    );
    const answer = await ask(pupil.name, [nameField("First name", name)], answers);
    if (answer === "rename") await this.act("rename", { pupil: pupil.pupil, name: name.value });
    if (answer === "same") await this.identify(pupil, others);
    if (answer === "remove") await this.remove(pupil);
  }

  /**
   * Asks whether a newcomer is a pupil who joined before on another device.
   * @param {ClassPupil} newcomer
   * @param {ClassPupil} pupil
   */
  async admit(newcomer, pupil) {
    const same =
      pupil.away ||
      (await confirm(
        `Is ${newcomer.name} the same person as ${pupil.name}?`,
        [
          `${pupil.name} is still here on another device. You may have two pupils with this name.`,
          `If they are the same person, ${pupil.name} plays on the new device only.`,
        ],
        `This is ${pupil.name}`,
      ));
    if (same) await this.act("admit", { pupil: pupil.pupil, device: newcomer.pupil });
  }

  /**
   * Lets the teacher choose which pupil a newcomer is, if they joined again under another name.
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
        h("p", "For a pupil who joined again on another device. They are merged, with the games of both."),
        field(`${newcomer.name} is`, list),
      ],
      [
        ["yes", "They are the same person"],
        ["", "Cancel"],
      ],
    );
    if (answer) await this.act("admit", { pupil: Number(list.value), device: newcomer.pupil });
  }

  async setLock() {
    const locked = this.lock.checked;
    const done = locked ? "The class is locked. Nobody else can join." : "The class is open again.";
    await this.act("settings", { locked }, done);
    // If the server refused, the switch goes back.
    this.lock.checked = this.locked;
  }

  async removeNewcomers() {
    const { newcomers } = this;
    const all = newcomers.length === this.pupils.length ? "Nobody in this class has played yet. " : "";
    const sure = await confirm(
      `Remove ${count(newcomers.length, "pupil")} who ${newcomers.length === 1 ? "has" : "have"} not played?`,
      [
        newcomers.map(({ name }) => name).join(", "),
        `${all}They leave the class, and you can let each of them in again.`,
        !this.locked && "Anyone with the code can still join. To stop that, lock the class first.",
      ],
      "Remove",
    );
    if (sure) await this.act("remove-newcomers");
  }

  /** @param {ClassPupil} pupil */
  async remove(pupil) {
    const text = "Their game ends, and they leave the class. You can let them in again.";
    if (await confirm(`Remove ${pupil.name}?`, [text], "Remove")) await this.act("remove", { pupil: pupil.pupil });
  }
}

/** @param {ClassPupil} pupil */
function doing({ absent, away, playing, waiting }) {
  if (absent) return "the computer plays";
  return [playing ? "playing" : waiting ? "waiting" : "finished", away && "away"].filter(Boolean).join(", ");
}
