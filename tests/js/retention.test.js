import assert from "node:assert/strict";
import { test } from "node:test";

import { duration } from "../../src/digitduels/web/page/js/class/retention.js";

test("a duration is said in words", () => {
  const words = [0.01, 0.5, 1, 1.5, 24, 36, 48, 168].map(duration);
  const expected = ["a minute", "30 minutes", "an hour", "1.5 hours", "a day", "36 hours", "2 days", "7 days"];
  assert.deepEqual(words, expected);
});
