import assert from "node:assert/strict";
import { test } from "node:test";

import { streakOf } from "../../src/digitduels/web/page/js/mine.js";

test("a streak of daily puzzles forgives one day without a puzzle, and no more", () => {
  const today = "2026-03-02";
  assert.equal(streakOf([], today), 0);
  assert.equal(streakOf(["12345", "seed"], today), 0);
  assert.equal(streakOf(["2026-03-02", "2026-03-01", "2026-02-28"], today), 3);
  assert.equal(streakOf(["2026-03-02", "2026-02-28", "2026-02-27"], today), 3);
  assert.equal(streakOf(["2026-03-02", "2026-02-27"], today), 1);
  assert.equal(streakOf(["2026-02-27"], today), 0);
  assert.equal(streakOf(["2026-02-28", "2026-02-28", "2026-03-03"], today), 1);
});
