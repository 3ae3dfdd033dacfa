// Joining a class with its code and a first name. Afterwards this is the pupil's page.

import { Failure, getAs } from "../api.js";
import { PupilPage } from "../class/pupil.js";
import { classPath, joinClass, member } from "../class/session.js";
import { anchor, fill, h } from "../dom.js";
import { field, nameField, trouble } from "../form.js";
import { note } from "../router.js";
import { say } from "../status.js";
import { recall, remember } from "../storage.js";
import { loadStyle } from "../style.js";

const ABOUT = "Your first name is enough. Your teacher sees it, and it may be shown in the room.";

/** @param {Place} place */
export async function show({ main, parts, signal }) {
  await loadStyle("study", "class");
  const code = (parts[0] ?? "").trim().toUpperCase();
  say("");
  const token = code && member(code, "pupil");
  if (token) {
    try {
      const state = /** @type {PupilClass} */ (await getAs(classPath(code), token, signal));
      if (!signal.aborted) enter(main, state, token, signal);
      return;
    } catch (error) {
      if (!(error instanceof Failure) || error.temporary) throw error;
      ask(main, code, signal, error.message);
      return;
    }
  }
  ask(main, code, signal, "");
}

/**
 * @param {HTMLElement} main
 * @param {string} given
 * @param {AbortSignal} signal
 * @param {string} wrong
 */
function ask(main, given, signal, wrong) {
  const letters = {
    name: "code",
    maxlength: 8,
    autocapitalize: "characters",
    autocomplete: "off",
    spellcheck: "false",
  };
  const code = h("input.code-input", { ...letters, value: given, required: true });
  const name = h("input", { name: "name", maxlength: 20, required: true, autocomplete: "given-name" });
  name.value = recall("name") ?? "";
  const problem = trouble();
  problem.textContent = wrong;
  const form = h(
    "form.sheet.narrow.join",
    h("h1", "Join your class"),
    field("Code on the wall", code),
    nameField("Your first name", name),
    h("p.soft", ABOUT, " ", h("a", { href: "/privacy" }, "What is stored?")),
    problem,
    h("p.row", h("button.main", "Join")),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void join(main, code.value.replace(/\s/g, "").toUpperCase(), name.value.trim(), signal, problem);
  });
  fill(main, form);
  (given && !wrong ? name : code).focus();
}

/**
 * @param {HTMLElement} main
 * @param {string} code
 * @param {string} name
 * @param {AbortSignal} signal
 * @param {HTMLElement} problem
 */
async function join(main, code, name, signal, problem) {
  try {
    const state = await joinClass(code, name);
    if (signal.aborted) return;
    remember("name", name);
    note(`/j/${code}`, true);
    enter(main, state, member(code, "pupil") ?? "", signal, name);
  } catch (error) {
    if (!signal.aborted && error instanceof Error) problem.textContent = error.message;
  }
}

/**
 * @param {HTMLElement} main
 * @param {PupilClass} state
 * @param {string} token
 * @param {AbortSignal} signal
 * @param {string} [typed] the name that the reader has typed
 */
function enter(main, state, token, signal, typed) {
  const page = new PupilPage(state, token, signal, (failure) => gone(main, failure), typed);
  fill(main, page.element);
  page.draw();
}

/**
 * Says why the reader is no longer in the class: it was deleted, or the server's reason.
 * @param {HTMLElement} main
 * @param {Failure} failure
 */
function gone(main, { status, message }) {
  const deleted = status === 404;
  say("");
  fill(
    main,
    h(
      "section.sheet.narrow",
      { role: "alert" },
      h("h1", deleted ? "This class has been deleted" : "You are not in this class any more"),
      h("p", deleted ? "It is over, and its names, games and results are gone." : message),
      h("p.row", anchor("Join again", "/j", "main"), anchor("See the games", "/")),
    ),
  );
}
