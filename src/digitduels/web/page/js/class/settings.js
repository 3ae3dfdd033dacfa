// The settings of a class that can change from game to game.

import { h } from "../dom.js";
import { checkbox, field, group, radios } from "../form.js";

/** @type {[string, string][]} */
const STARTS = [
  ["book", "As in the book"],
  ["fair", "Balanced start"],
];
const LEVEL =
  "The computer plays if everyone plays against it, if the number of pupils is odd, or if you let it take over.";

const PAIRING = "Two who have not met play at once. After ten seconds, a pupil meets somebody again, or the computer.";

/**
 * @param {HTMLSelectElement} level
 * @param {Pick<ClassRules, "start" | "hints" | "takebacks" | "anonymous" | "auto_pairing">} rules
 */
export function settingFields(level, { start, hints, takebacks, anonymous, auto_pairing: automatic }) {
  const help = [
    checkbox("class-hints", "Hints", hints),
    checkbox("class-takebacks", "Take-backs, if the other player agrees", takebacks),
  ];
  return [
    group("Pairing", checkbox("auto-pairing", "Pair pupils who wait automatically", automatic), h("small", PAIRING)),
    field("Level of the computer", level, h("small", LEVEL)),
    group("Start", radios("start", STARTS, start)),
    group("Help", h("div", help)),
    group("On the wall", checkbox("anonymous", "Numbers instead of names", anonymous)),
  ];
}

/** @param {FormData} data */
export function readSettings(data) {
  return {
    level: Number(data.get("level")),
    start: data.get("start"),
    hints: data.has("class-hints"),
    takebacks: data.has("class-takebacks"),
    anonymous: data.has("anonymous"),
    auto_pairing: data.has("auto-pairing"),
  };
}
