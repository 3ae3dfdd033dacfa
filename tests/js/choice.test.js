import assert from "node:assert/strict";
import { test } from "node:test";

import { Choice } from "../../src/digitduels/web/page/js/choice.js";

const NUMBERS = ["1", "2", "10"];

/** Numbers and operations, as in a game with a pool; ×10 is forbidden. */
function pool(operations = ["+", "×"]) {
  const choice = new Choice([
    { prompt: "Pick a number", choices: NUMBERS },
    { prompt: "Pick an operation", choices: operations },
  ]);
  choice.moves = NUMBERS.flatMap((number, first) =>
    operations.map((sign, second) => ({ move: sign + number, shown: sign + number, picks: [first, second] })),
  ).filter(({ picks }) => picks.join() !== "2,1");
  return choice;
}

/** One field, as in a game with a menu. */
function menu() {
  const choice = new Choice([{ prompt: "Choose your move", choices: ["Add 1", "Multiply by 2"] }]);
  choice.moves = [
    { move: "+1", shown: "+1", picks: [0] },
    { move: "x2", shown: "×2", picks: [1] },
  ];
  return choice;
}

const type = (choice, keys) => [...keys].map((key) => choice.type(choice.sign(key))).at(-1);

test("a move is complete when every field has a value", () => {
  const choice = pool();
  choice.pick(1, 1);
  assert.equal(choice.move, null);
  assert.equal(choice.open, 0);
  choice.pick(0, 1);
  assert.equal(choice.move.move, "×2");
});

test("only legal moves agree with what is chosen", () => {
  const choice = pool();
  choice.pick(1, 1);
  assert.deepEqual(choice.movesWith(0, 2), []);
  assert.equal(choice.movesWith(0, 0).length, 1);
});

test("a number that may go on waits for the next key", () => {
  const choice = pool();
  assert.deepEqual(type(choice, "1"), { typed: "1" });
  assert.deepEqual(type(choice, "0"), { picked: { field: 0, choice: 2 } });
});

test("a sign ends the number before it, and Enter does too", () => {
  const choice = pool();
  assert.deepEqual(type(choice, "1+"), { picked: { field: 1, choice: 0 } });
  assert.equal(choice.move.move, "+1");
  choice.clear();
  type(choice, "1");
  assert.deepEqual(choice.type(""), { picked: { field: 0, choice: 0 } });
});

test("many keys mean one operation, whatever its label is", () => {
  for (const operations of [
    ["+", "×"],
    ["add", "multiply"],
  ]) {
    for (const key of ["x", "X", "*", "×", "·"]) {
      assert.deepEqual(type(pool(operations), key), { picked: { field: 1, choice: 1 } });
    }
  }
  assert.equal(pool().sign("÷"), "/");
  assert.equal(pool().sign("−"), "-");
  assert.equal(pool().sign("q"), null);
  assert.equal(pool().sign("Enter"), null);
});

test("a choice of several words is typed by its initials", () => {
  const choice = new Choice([{ prompt: "Choose your move", choices: ["+1", "reset mine", "reset theirs"] }]);
  choice.moves = [
    { move: "+1", shown: "+1", picks: [0] },
    { move: "reset-mine", shown: "reset mine", picks: [1] },
    { move: "reset-theirs", shown: "reset theirs", picks: [2] },
  ];
  assert.deepEqual(type(choice, "r"), { typed: "r" });
  assert.deepEqual(type(choice, "t"), { picked: { field: 0, choice: 2 } });
  assert.equal(pool().sign("r"), null);
});

test("a token writes a move that is one choice", () => {
  assert.deepEqual(type(menu(), "x2"), { picked: { field: 0, choice: 1 } });
  assert.deepEqual(type(menu(), "+1"), { picked: { field: 0, choice: 0 } });
});

test("what is impossible is refused, and found so that the server can say why", () => {
  const choice = pool();
  assert.deepEqual(type(choice, "7"), { refused: "7" });
  assert.equal(choice.typed, "");
  assert.equal(choice.find("7"), null);
  type(choice, "10");
  assert.deepEqual(type(choice, "x"), { refused: "x" });
  assert.deepEqual(choice.find("x"), { field: 1, choice: 1 });
  assert.deepEqual(choice.upTo(1, 1), [2, 1]);
});

test("a value is explained only with all fields before it", () => {
  assert.equal(pool().upTo(1, 1), null);
  assert.deepEqual(pool().upTo(0, 2), [2]);
});

test("erasing takes back the last key, then the last value", () => {
  const choice = pool();
  choice.pick(1, 0);
  type(choice, "1");
  choice.erase();
  assert.equal(choice.typed, "");
  assert.ok(choice.started);
  choice.erase();
  assert.ok(!choice.started);
});

test("nothing can be chosen while there are no legal moves", () => {
  const choice = pool();
  choice.moves = [];
  assert.deepEqual(type(choice, "2"), { refused: "2" });
});

test("a move can be typed as it is written, also where its fields have an order", () => {
  const numbers = { ordered: true, choices: ["6", "7"] };
  const choice = new Choice([
    { ...numbers, prompt: "Pick two numbers", slot: 0 },
    { ...numbers, prompt: "Pick your second number", slot: 2 },
    { ordered: true, prompt: "Pick a sign", choices: ["+", "×"], slot: 1 },
  ]);
  choice.moves = [{ move: "6x7", shown: "6×7", picks: [0, 1, 1] }];
  type(choice, "6*7");
  assert.equal(choice.move.move, "6x7");
  choice.clear();
  type(choice, "67*");
  assert.equal(choice.move.move, "6x7");
});

test("an ordered field waits for those before it", () => {
  const field = { slot: 0, ordered: true };
  const choice = new Choice([
    { ...field, prompt: "Pick your first number", choices: ["1", "2"] },
    { ...field, prompt: "Pick your second number", choices: ["1", "2"] },
    { ...field, prompt: "Pick an operation", choices: ["+"] },
  ]);
  choice.moves = [{ move: "1+2", shown: "1+2", picks: [0, 1, 0] }];
  choice.pick(0, 0);
  assert.equal(choice.waits(2), true);
  assert.deepEqual(choice.movesWith(2, 0), []);
  choice.pick(1, 1);
  assert.equal(choice.waits(2), false);
  assert.equal(choice.movesWith(2, 0).length, 1);
});
