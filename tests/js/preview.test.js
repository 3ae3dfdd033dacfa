import assert from "node:assert/strict";
import { test } from "node:test";

import { outcomeOf } from "../../src/digitduels/web/page/js/preview.js";

/** @type {(result: number | null, scores: number[], before: number[]) => string} */
const told = (result, scores, before) =>
  outcomeOf({ move: "", equation: null, result, scores, note: null, tone: "neutral" }, 1, before);

test("a button says what its move leads to", () => {
  assert.equal(told(17, [17, 8], [14, 8]), "= 17");
  assert.equal(told(450, [0, 8], [45, 8]), "450 → 0"); // the rules change the result
  assert.equal(told(3, [45, 8], [42, 8]), "→ 45"); // the result is added to the score
  assert.equal(told(null, [0, 14], [13, 14]), "13 → 0");
  assert.equal(told(null, [13, 0], [13, 14]), "14 → 0"); // the other player's
  assert.equal(told(null, [13, 14], [13, 14]), "→ 13");
});
