import assert from "node:assert/strict";
import { test } from "node:test";

import { readOptions, readSeat, readText } from "../../src/digitduels/web/page/js/form.js";
import { describeLink } from "../../src/digitduels/web/page/js/teach/class-link.js";
import { newLink } from "../../src/digitduels/web/page/js/link.js";

const OPTIONS = [
  { name: "target", default: 50 },
  { name: "uses", default: [3, 2] },
  { name: "tie", default: "draw" },
];

function form(values) {
  const data = new FormData();
  for (const [name, value] of Object.entries(values)) data.set(name, value);
  return data;
}

test("options that differ from the book are read, and only those", () => {
  const data = form({ "option-target": " 60 ", "option-uses": "3,2", "option-tie": "" });
  assert.deepEqual(readOptions(OPTIONS, data), { target: "60" });
});

test("a seat and a text are read", () => {
  assert.equal(readSeat(form({ seat: "2" })), 2);
  assert.equal(readSeat(form({})), 1);
  assert.equal(readText(form({ name: " Ann " }), "name"), "Ann");
});

test("a class link is described", () => {
  const link = newLink("x", { vs: "7", options: { target: "60" }, hints: false });
  assert.equal(
    describeLink({ title: "A Game" }, link, true),
    "A Game: against level 7, balanced start, target=60, no hints.",
  );
});
