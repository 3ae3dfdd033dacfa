import assert from "node:assert/strict";
import { test } from "node:test";

import { tell, tellAll, tellEach, unbroken } from "../../src/digitduels/web/page/js/sentence.js";

const RESET = {
  text: "Bob resets Ann's score.",
  you: "You reset Ann's score.",
  of: 2,
  them: "Bob resets your score.",
};

test("each reader gets their own form, and everybody else the third person", () => {
  assert.equal(tell(RESET, 2), "You reset Ann's score.");
  assert.equal(tell(RESET, 1), "Bob resets your score.");
  assert.equal(tell(RESET), "Bob resets Ann's score.");
});

test("a form that is missing is the text", () => {
  assert.equal(tell({ text: "Ann's turn.", you: "Your turn.", of: 1 }, 2), "Ann's turn.");
  assert.equal(tell({ text: "A draw." }, 1), "A draw.");
});

test("names are never rewritten or split", () => {
  const odd = { text: "Ann; Lee played Player 1's x2/3.", you: "You played it.", of: 1 };
  assert.equal(tell(odd, 2), odd.text);
});

test("several sentences are a list or a line, without empty ones", () => {
  const sentences = [RESET, { text: "" }, { text: "Ann's turn.", you: "Your turn.", of: 1 }];
  assert.deepEqual(tellEach(sentences, 1), ["Bob resets your score.", "Your turn."]);
  assert.equal(tellAll(sentences), "Bob resets Ann's score. Ann's turn.");
});

test("an equation and a numbered name stay on one line", () => {
  assert.equal(
    unbroken("Level 3: 9 + 2 = 11. Player 1's turn. You have 2 left."),
    "Level\u00a03: 9\u00a0+\u00a02\u00a0=\u00a011. Player\u00a01's turn. You have 2 left.",
  );
});
