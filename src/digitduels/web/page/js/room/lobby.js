// Before a game with a friend: the invitation to send, or the form to accept it. The board waits until both are there.

import { get } from "../api.js";
import { copy, share } from "../dialog.js";
import { button, fill, h } from "../dom.js";
import { copyInput, nameField, nameInput } from "../form.js";
import { emblem } from "../head.js";
import { qrImage } from "../qr.js";
import { reachable, shared, unreachableNote } from "../origin.js";
import { recall, recallSecret } from "../storage.js";
import { houseRules } from "../table.js";

export class Lobby {
  /**
   * @param {import("../pages/room.js").RoomPage} page
   * @param {() => void} leave called when the reader wants to see the board before both players are there
   */
  constructor(page, leave) {
    this.page = page;
    this.early = false;
    this.leave = () => {
      this.early = true;
      leave();
    };
    this.name = nameInput();
    this.name.value = recall("name") ?? "";
    this.element = h("div");
  }

  /** Shows the lobby, if there is one; returns whether it takes the place of the board. */
  draw() {
    // Keep a half-typed name and its cursor.
    const cursor = document.activeElement === this.name ? this.name.selectionStart : null;
    const content = this.#content();
    fill(this.element, content);
    if (cursor !== null) {
      this.name.focus();
      this.name.setSelectionRange(cursor, cursor);
    }
    return content !== null;
  }

  #content() {
    const { full, mine, reader, state } = this.page;
    if (full || this.early || state.closed || state.outcome) return null;
    if (reader !== null) return mine?.invite ? this.#invitation(mine.invite) : null;
    const invite = recallSecret(`invite:${state.id}`);
    return invite ? this.#form(invite) : null;
  }

  /** @param {string} invite */
  #invitation(invite) {
    const { id, title } = this.page.state;
    const url = `${shared()}/g/${id}#invite=${invite}`;
    const message = h("p.soft", { role: "alert" });
    const copied = async () => {
      message.textContent = (await copy(url)) ? "Copied. Send it to your friend." : "Select the link and copy it.";
    };
    const ways = reachable()
      ? [
          h("p", "Let them scan the code or send them the link. The game starts here as soon as they join."),
          qrImage(url, "QR code of the link"),
          copyInput("Invitation", url),
          h(
            "p.row",
            button("Copy the link", () => void copied(), "main"),
            "share" in navigator && button("Share…", () => void share(url, title)),
          ),
          message,
        ]
      : [unreachableNote(), h("p.soft", "On this computer, the link works:"), copyInput("Invitation", url)];
    return h(
      "section.card.lobby",
      { "aria-label": "Invite a friend" },
      h("h2", "Waiting for your friend…"),
      ...ways,
      h("p", button("Show the board", this.leave, "plain")),
    );
  }

  /** @param {string} invite */
  #form(invite) {
    const { acts, state } = this.page;
    const host = state.seats.find((chair) => chair.joined)?.name;
    const form = h(
      "form.card.lobby",
      emblem(state.look),
      h("h2", host ? `${host} invites you to ${state.title}` : `You're invited to ${state.title}`),
      this.#summary(),
      houseRules(state),
      state.moves.length > 0 && h("p.soft", `Moves played: ${state.moves.length}.`),
      nameField("Your name (optional)", this.name),
      h("button.main", "Join"),
      button("Just watch", this.leave, "plain"),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void acts.join(invite, this.name.value.trim());
    });
    return form;
  }

  /** The summary of the game with its options. */
  #summary() {
    const { link, signal } = this.page;
    const summary = h("p.about-game");
    get(`/api/learn/${link.game}`, { ...link.options, theory: "later" }, signal).then(
      (/** @type {Lesson} */ rules) => (summary.textContent = rules.summary),
      () => {},
    );
    return summary;
  }
}
