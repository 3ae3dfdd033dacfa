// The links for the teacher's other devices: a second desk, and a wall that only shows the class.

import { changeDetector } from "../change-detector.js";
import { ask, confirm, copy } from "../dialog.js";
import { button, fill, h } from "../dom.js";
import { copyInput } from "../form.js";
import { qrImage } from "../qr.js";
import { say } from "../status.js";

/** @type {Record<LinkKind, {name: string, about: string}>} */
const KINDS = {
  desk: { name: "Second desk", about: "It can do everything that you can do here. Keep it to yourself." },
  wall: {
    name: "Wall",
    about: "It shows the wall, for example on the computer at the projector, and can only show it.",
  },
};

export class Links {
  /**
   * @param {(kind: LinkKind) => Promise<string | null>} make makes a link and returns its URL
   * @param {(act: string, more: Record<string, unknown>, done: string) => Promise<void>} act sends a teacher's act
   */
  constructor(make, act) {
    this.make = make;
    this.act = act;
    this.changed = changeDetector();
    this.list = h("ul.roster", { "aria-label": "Links" });
    this.element = h(
      "section.card",
      { "aria-label": "Other devices" },
      h("h2", "Other devices"),
      h("p.soft", "Open the desk on your phone too, and a dead laptop does not end the lesson."),
      h(
        "p.row",
        button("Link for a second desk", () => void this.show("desk")),
        button("Link for the wall", () => void this.show("wall")),
      ),
      this.list,
    );
  }

  /** @param {ClassLink[]} links */
  update(links) {
    if (!this.changed(links)) return;
    fill(
      this.list,
      links.map((link) => this.#row(link)),
    );
  }

  /** @param {ClassLink} link */
  #row({ link, kind, made }) {
    const at = new Date(made * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    const { name } = KINDS[kind];
    return h(
      "li",
      h("span.pupil-name", name),
      h("span.soft", `since ${at}`),
      h(
        "span.row.tight",
        button("Withdraw…", () => void this.revoke(link, name)),
      ),
    );
  }

  /** @param {LinkKind} kind */
  async show(kind) {
    const url = await this.make(kind);
    if (!url) return;
    const { name, about } = KINDS[kind];
    const content = [h("p", `Scan this, or open the link there. ${about}`), qrImage(url, "QR code of the link")];
    const answers = /** @type {[string, string][]} */ ([
      ["copy", "Copy the link"],
      ["", "Done"],
    ]);
    const answer = await ask(`${name}: link for another device`, [...content, copyInput("Link", url)], answers);
    if (answer && (await copy(url))) say("Link copied.");
  }

  /**
   * @param {number} link
   * @param {string} name
   */
  async revoke(link, name) {
    const text = "The device that uses it no longer sees the class.";
    const sure = await confirm(`Withdraw this link (${name})?`, [text], "Withdraw", "Keep it");
    if (sure) await this.act("revoke", { link }, "The link is withdrawn.");
  }
}
