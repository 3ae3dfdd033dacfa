import assert from "node:assert/strict";
import { test } from "node:test";

import { mapWords, outline, ranges, ticks } from "../../src/digitduels/web/page/js/score-map.js";
import { bestValue, sameVerdict } from "../../src/digitduels/web/page/js/verdict.js";

test("the best of some values is found in any order", () => {
  assert.equal(bestValue(["loss", "win", "draw"]), "win");
  assert.equal(bestValue(["loss", undefined, "draw"]), "draw");
  assert.equal(bestValue([undefined]), null);
});

test("moves with the same words are together, in their order", () => {
  const judged = (move, text) => ({
    move,
    shown: move,
    value: "win",
    plies: 1,
    words: { text, you: `you: ${text}`, of: 1 },
  });
  const moves = [judged("+1", "now"), judged("+2", "later"), judged("+3", "now")];
  assert.deepEqual(
    [...sameVerdict(moves, 1)].map(([words, same]) => [words, same.map(({ move }) => move)]),
    [
      ["you: now", ["+1", "+3"]],
      ["you: later", ["+2"]],
    ],
  );
});

test("a row of the map is told in ranges", () => {
  assert.equal(ranges("wwwl.w", "w", 0), "0–2 and 5");
  assert.equal(ranges("wwl", "w", -3), "−3 to −2");
  assert.equal(ranges("lll", "w", 0), "");
});

test("an axis has round numbers, and few of them", () => {
  assert.deepEqual(ticks(0, 50), [0, 10, 20, 30, 40, 50]);
  assert.deepEqual(ticks(-3, 3), [-3, -2, -1, 0, 1, 2, 3]);
});

test("a run of cells is one box of the map", () => {
  assert.equal(outline(["wwl", "lww"], "win", 6), "M0 3h4v3h-4zM2 0h4v3h-4z");
});

test("the map is told in words", () => {
  const map = { low: 0, high: 2, rows: ["wwl", "lw.", "dd."], mine: 0, theirs: 2 };
  assert.deepEqual(mapWords(map, "Ann", "Bob"), [
    "With everything else unchanged, Ann to move wins at 3 of 7 pairs of scores and draws at 2.",
    "While Bob has 2: Ann draws at 0–1.",
  ]);
});
