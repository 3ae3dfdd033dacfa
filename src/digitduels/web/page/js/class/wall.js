// The wall, readable from the last row: the code while pupils join, then all boards, and at the end a podium.

import { changeDetector } from "../change-detector.js";
import { anchor, button, fill, h } from "../dom.js";
import { setTitle } from "../router.js";
import { Boards, pupilNames } from "./boards.js";
import { ClassPage } from "./class-page.js";
import { count, score } from "../counts.js";
import { invitation } from "./invitation.js";

const TIES = "Ties: tougher opponents count more. You see your own place on your own screen.";
const LINGER = 10; // seconds for which a finished board stays
const MOST_NAMES = 4; // on a step of the podium; a larger tie is a number, so that nobody is left out

/** @typedef {TeacherClass | WallClass} Shown */

/**
 * @param {Place} place
 * @param {Shown} state
 * @param {string} token
 */
export function show({ main, signal }, state, token) {
  const wall = new ClassWall(state, token, main, signal);
  setTitle(`Wall ${state.code}`);
  fill(main, wall.element);
  wall.draw();
}

/** @extends {ClassPage<Shown>} */
class ClassWall extends ClassPage {
  /**
   * @param {Shown} state
   * @param {string} token
   * @param {HTMLElement} main
   * @param {AbortSignal} signal
   */
  constructor(state, token, main, signal) {
    super(state, token, main, signal);
    this.boards = new Boards();
    this.title = h("h1");
    this.list = h("ul.names");
    this.standings = h("section.final", { "aria-label": "Standings" });
    this.restingChanged = changeDetector();
    this.count = h("p.count");
    this.banner = h("p.banner", { role: "status", hidden: true });
    this.invited = invitation(state.code);
    this.arrivals = h("div.arrivals", this.count, this.list);
    this.head = h("div.bar-row", this.title, this.#buttons());
    this.element = h(
      "article.projector.class-wall",
      this.head,
      this.banner,
      this.arrivals,
      this.boards.element,
      this.standings,
    );
  }

  #buttons() {
    return h(
      "div.row.no-print",
      button("Full screen", () => void document.documentElement.requestFullscreen().catch(() => {})),
      this.state.role === "teacher" && anchor("Desk", `/class/${this.state.code}`),
    );
  }

  get names() {
    return pupilNames(this.state, this.state.rules.anonymous);
  }

  draw() {
    const { state } = this;
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
    const { names } = this;
    const here = `${count(state.pupil_count, "pupil")} ${state.pupil_count === 1 ? "is" : "are"} here`;
    this.count.textContent = state.pupil_count ? here : "Waiting for pupils…";
    this.list.style.setProperty("--count", String(Math.max(1, names.size)));
    fill(
      this.list,
      [...names.values()].map((name) => h("li", name)),
    );
    super.draw();
  }

  tick() {
    const { state, now, names } = this;
    const hidden = state.role === "wall" && state.rules.anonymous;
    const path = (/** @type {string} */ id) => (hidden ? null : `/class/${state.code}/${id}`);
    const shown = state.boards.filter((board) => board.player !== null || now - board.since < LINGER);
    this.boards.update(shown, { names, now, path, stuck: null });
    // Between rounds, when all games are over.
    const resting = state.round > 0 && (state.ended || !shown.length);
    this.boards.element.hidden = state.round === 0 || resting;
    this.standings.hidden = !resting;
    if (!resting || !this.restingChanged(state.ended, state.standings, state.together, [...names])) return;
    fill(this.standings, state.ended ? podium(state, names) : ranking(state, names), together(state));
  }
}

/**
 * The best three places. Pupils with equal results share one.
 * @param {Shown} state
 * @param {Map<number, string>} names
 */
function podium({ standings, pupil_count: pupils }, names) {
  if (!standings.length) return h("p", "No game was finished.");
  const steps = [1, 2, 3].map((place) => {
    const here = standings.filter((row) => row.place === place);
    // The list may end within a tie.
    const further = standings.length < pupils && here.at(-1) === standings.at(-1) ? " or more" : "";
    const many = here.length > MOST_NAMES && h("span", `${here.length}${further} pupils`);
    return (
      here[0] &&
      h(
        `li.step.step-${place}`,
        h("p.who", many || here.map(({ pupil }) => h("span", names.get(pupil) ?? ""))),
        h("p.points", here.length === 1 && score(here[0])),
        h("p.place", `${place}`),
      )
    );
  });
  return h("ol.podium", { "aria-label": "Podium" }, steps);
}

/**
 * The best pupils so far.
 * @param {Shown} state
 * @param {Map<number, string>} names
 */
function ranking({ standings }, names) {
  const row = (/** @type {ShownStanding} */ standing) =>
    h(
      "li",
      h("span.place", `${standing.place}.`),
      h("span.who", names.get(standing.pupil) ?? ""),
      h("span.points", score(standing)),
    );
  const list = h("ol.standings", { "aria-label": "Standings" }, standings.map(row));
  list.style.setProperty("--rows", String(Math.ceil(standings.length / 2)));
  return [list, h("p.soft", TIES)];
}

/**
 * What the class has done together.
 * @param {Shown} state
 */
function together({ pupil_count: pupils, together: { games, moves, pairs } }) {
  const met = pairs > 1 && `${pairs} different pairs`;
  const facts = [count(pupils, "pupil"), count(games, "game"), count(moves, "move"), met];
  return h("p.together", `Together: ${facts.filter(Boolean).join(" · ")}`);
}
