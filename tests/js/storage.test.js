import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { confirmWish } from "../../src/digitduels/web/page/js/confirm.js";
import { keepGame, keepPuzzle, mine } from "../../src/digitduels/web/page/js/mine.js";
import { mine as seatIn } from "../../src/digitduels/web/page/js/seats.js";
import { recallSecret } from "../../src/digitduels/web/page/js/storage.js";

const TOKEN = "t".repeat(32);
const DAMAGED = ["", "x", "{", "null", "5", '"x"', "[]", "[null]", "{}", "\u0000", '{"seat":1', "undefined"];
const stored = new Map();
globalThis.localStorage = /** @type {any} */ ({
  getItem: (name) => stored.get(name) ?? null,
  setItem: (name, text) => stored.set(name, text),
  removeItem: (name) => stored.delete(name),
});
beforeEach(() => stored.clear());

test("a damaged seat counts as missing", () => {
  const wrong = [{ seat: 3, token: TOKEN }, { seat: "1", token: TOKEN }, { seat: 1 }, { seat: 1, token: "a\nb" }];
  for (const text of [...DAMAGED, ...wrong.map((value) => JSON.stringify(value))]) {
    stored.set("seat:x", text);
    assert.equal(seatIn("x"), null, text);
  }
  stored.set("seat:x", JSON.stringify({ seat: 2, token: TOKEN, invite: 7 }));
  assert.deepEqual(seatIn("x"), { seat: 2, token: TOKEN, invite: null });
});

test("a damaged secret counts as missing", () => {
  for (const text of [...DAMAGED, "short", `${TOKEN}\n`, "t".repeat(100), "ü".repeat(32)]) {
    stored.set("class:pupil:KFMTX", text);
    assert.equal(recallSecret("class:pupil:KFMTX"), null, text);
  }
  stored.set("class:pupil:KFMTX", TOKEN);
  assert.equal(recallSecret("class:pupil:KFMTX"), TOKEN);
});

test("a damaged list of games counts as empty, and its readable games are kept", () => {
  const game = { key: "a", path: "/", game: "x", title: "X", against: "", result: "won", moves: 1 };
  const lists = [{ games: 5 }, { games: [null, 5, {}] }, { best: 5, puzzles: "x" }, { best: { x: null } }];
  for (const text of [...DAMAGED, ...lists.map((value) => JSON.stringify(value))]) {
    stored.set("mine", text);
    assert.deepEqual(mine(), { games: [], best: {}, puzzles: [] }, text);
    keepGame(/** @type {any} */ (game), 3);
    keepPuzzle({ key: "p", title: "P", path: "/", missed: 0 });
    assert.deepEqual([mine().games.length, mine().best["x"]?.level, mine().puzzles.length], [1, 3, 1], text);
  }
  stored.set("mine", JSON.stringify({ games: [null, { ...game, at: 1 }] }));
  assert.equal(mine().games.length, 1);
});

test("a damaged preference counts as missing", () => {
  for (const text of DAMAGED) {
    stored.set("confirm", text);
    assert.equal(confirmWish(), "", text);
  }
});
