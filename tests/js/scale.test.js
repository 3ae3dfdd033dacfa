import assert from "node:assert/strict";
import { test } from "node:test";

import { marksOf, placeOf, rangeOf, shortly } from "../../src/digitduels/web/page/js/scale.js";

test("a line goes from 0 to the target, and what passes the target has a place beyond it", () => {
  const range = rangeOf(50, [45, 11, 450]);
  assert.deepEqual(range, { goal: 50, low: 0, high: 50 });
  assert.equal(placeOf(range, 0), 0);
  assert.equal(placeOf(range, 25), 0.5);
  assert.equal(placeOf(range, 50), 1);
  assert.ok(placeOf(range, 450) > 1);
  assert.deepEqual(marksOf(range), [0, 10, 20, 30, 40]);
});

test("scores below zero are on the line", () => {
  const range = rangeOf(50, [-7, 3]);
  assert.ok(range.low <= -7);
  assert.ok(placeOf(range, -7) > 0);
  assert.ok(placeOf(range, -7) < placeOf(range, 0));
  assert.ok(marksOf(range).includes(0));
});

test("on the way to a big target small scores can still be told apart", () => {
  const range = rangeOf(1_000_000, [5, 10]);
  assert.ok(placeOf(range, 10) - placeOf(range, 5) > 0.03);
  assert.ok(marksOf(range).length <= 6);
  assert.equal(placeOf(range, 1_000_000), 1);
});

test("a line without a target, or with one beyond all numbers, still has places", () => {
  for (const goal of [null, Number.POSITIVE_INFINITY]) {
    const range = rangeOf(goal, [3, 70]);
    assert.equal(placeOf(range, 70), 1);
    assert.ok(marksOf(range).every(Number.isFinite));
  }
});

test("numbers are written shortly", () => {
  assert.deepEqual([-20, 50, 12_345, 1_000_000, 1e30].map(shortly), ["−20", "50", "12345", "1M", "1e30"]);
});
