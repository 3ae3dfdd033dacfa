// Help: how to play, the keys, and their settings.

import { confirmWish, setConfirm } from "../confirm.js";
import { fill, h } from "../dom.js";
import { group, radios } from "../form.js";
import { keyList } from "../keys.js";
import { setTitle } from "../router.js";
import { say } from "../status.js";
import { recall, remember } from "../storage.js";
import { loadStyle } from "../style.js";

/** @type {[string, string][]} */
const ANSWERS = [
  ["What do I do?", "Pick a number, then an operation. The buttons say what you get. Land on the target to win."],
  ["What is the line with the dots?", "Both scores. Player 1 is a dot, Player 2 a ring, the target is the gate."],
  ["Is my game safe?", "A game against the computer is saved in its link. Games with friends are saved on the server."],
  ["How do I play a friend?", "Press Play a friend on the first page, and send the link or show the code."],
  ["Who is winning?", "Press Values. Until you ask, nothing is given away. Hint tells a little more each time."],
];

/** @param {Place} place */
export async function show({ main }) {
  await loadStyle("study");
  setTitle("Help");
  say("");
  const onOff = (/** @type {string} */ name) => {
    /** @type {[string, string][]} */
    const choices = [
      ["", "On"],
      ["off", "Off"],
    ];
    const element = radios(name, choices, recall(name) === "off" ? "off" : "");
    element.addEventListener("change", (event) => remember(name, valueOf(event)));
    return element;
  };
  const confirm = radios(
    "confirm",
    [
      ["", "With friends and in a class"],
      ["on", "Always"],
      ["off", "Never"],
    ],
    confirmWish(),
  );
  confirm.addEventListener("change", (event) => setConfirm(valueOf(event)));
  fill(
    main,
    h(
      "article.help",
      h("h1", "Help"),
      h(
        "dl",
        ANSWERS.flatMap(([question, answer]) => [h("dt", question), h("dd", answer)]),
      ),
      h("h2", "Keys"),
      keyList(),
      h("h2", "Settings of this browser"),
      group("Digits and signs as keys", onOff("keys")),
      group("A chosen move waits for Play", confirm),
      group("Sound and vibration", onOff("sound")),
    ),
  );
}

/** @param {Event} event */
function valueOf({ target }) {
  return target instanceof HTMLInputElement ? target.value : "";
}
