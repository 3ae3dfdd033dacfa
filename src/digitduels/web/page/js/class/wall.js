// The wall, readable from the last row: the code while pupils join, then all boards, at the end the standings.

import { anchor, button, fill, h } from "../dom.js";
import { setTitle } from "../router.js";
import { Boards, pupilNames } from "./boards.js";
import { ClassPage } from "./class-page.js";
import { count, points } from "./counts.js";
import { invitation } from "./invitation.js";

const TIES = "Equal points: the pupil whose opponents have more points together comes first.";
const MOST_ROWS = 15; // of the standings in a column

/**
 * @param {Place} place
 * @param {TeacherClass} state
 * @param {string} token
 */
export function show({ main, signal }, state, token) {
  const wall = new ClassWall(state, token, main, signal);
  setTitle(`Wall ${state.code}`);
  fill(main, wall.element);
  wall.draw();
}

class ClassWall extends ClassPage {
  /**
   * @param {TeacherClass} state
   * @param {string} token
   * @param {HTMLElement} main
   * @param {AbortSignal} signal
   */
  constructor(state, token, main, signal) {
    super(state, token, main, signal);
    this.boards = new Boards();
    this.title = h("h1");
    this.names = h("ul.names");
    this.standings = h("ul.standings", { "aria-label": "Standings" });
    this.final = h("section.final", { "aria-label": "The end" }, this.standings, h("p.soft", TIES));
    this.count = h("p.count");
    this.banner = h("p.banner", { role: "status", hidden: true });
    this.invited = invitation(state.code);
    this.arrivals = h("div.arrivals", this.count, this.names);
    this.head = h("div.bar-row", this.title, this.#buttons());
    this.element = h(
      "article.projector.class-wall",
      this.head,
      this.banner,
      this.arrivals,
      this.boards.element,
      this.final,
    );
  }

  #buttons() {
    return h(
      "div.row.no-print",
      button("Full screen", () => void document.documentElement.requestFullscreen().catch(() => {})),
      anchor("Desk", `/class/${this.state.code}`),
    );
  }

  draw() {
    const { state } = this;
    const { anonymous } = state.rules;
    const gathering = state.round === 0;
    this.element.classList.toggle("gathering", gathering);
    // Large at first, later beside the title for latecomers.
    if (gathering) this.arrivals.prepend(this.invited);
    else this.title.after(this.invited);
    this.invited.hidden = state.ended;
    this.arrivals.hidden = !gathering;
    const where = gathering ? "Join the class" : `Round ${state.round}`;
    this.title.textContent = `${state.rules.title} · ${state.ended ? "The end" : where}`;
    this.banner.hidden = state.paused === null;
    if (this.banner.textContent !== state.paused) this.banner.textContent = state.paused ?? "";
    const names = pupilNames(state, anonymous);
    this.count.textContent = `${count(state.pupil_count, "pupil")} ${state.pupil_count === 1 ? "is" : "are"} here`;
    this.names.style.setProperty("--count", String(Math.max(1, names.size)));
    fill(
      this.names,
      [...names.values()].map((name) => h("li", name)),
    );
    this.boards.element.hidden = gathering || state.ended;
    this.final.hidden = !state.ended;
    if (state.ended) this.#drawStandings(names);
    super.draw();
  }

  /** @param {Map<number, string>} names */
  #drawStandings(names) {
    const pupils = this.state.pupils.toSorted((one, two) => one.place - two.place);
    const columns = Math.ceil(pupils.length / MOST_ROWS);
    this.standings.style.setProperty("--columns", String(columns));
    this.standings.style.setProperty("--rows", String(Math.ceil(pupils.length / columns)));
    const row = (/** @type {ClassPupil} */ pupil) =>
      h(
        "li",
        h("span.place", `${pupil.place}.`),
        h("span.who", names.get(pupil.pupil)),
        h("span.points", points(pupil.points)),
      );
    fill(this.standings, pupils.map(row));
  }

  tick() {
    const { state, now } = this;
    const names = pupilNames(state, state.rules.anonymous);
    const path = (/** @type {string} */ id) => `/class/${state.code}/${id}`;
    this.boards.update(state.boards, { names, now, path, stuck: null });
  }
}
