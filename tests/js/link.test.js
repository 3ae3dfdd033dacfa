import assert from "node:assert/strict";
import { test } from "node:test";

import * as link from "../../src/digitduels/web/page/js/link.js";

const GAME = "some-game";
const read = (text) => link.readLink(GAME, new URLSearchParams(text));

test("a link survives being written and read", () => {
  const texts = [
    "",
    "target=60&moves=%2B5+x2",
    "first=2&moves=%2B1",
    "position=1%3B49%3B0%3B2&moves=%2B1&conceded=2",
    "uses=3%2C2&opening=2&moves=%2B1+%2B2&vs=7&seat=2&seed=12&hints=off&takebacks=off",
  ];
  for (const text of texts) {
    const [path, query = ""] = link.pathOf(read(text), "play").split("?");
    assert.equal(path, `/play/${GAME}`);
    assert.deepEqual(link.readLink(GAME, new URLSearchParams(query)), read(text));
  }
});

test("keys that are not the page's own are options of the game", () => {
  assert.deepEqual(read("target=60&vs=2&moves=%2B5").options, { target: "60" });
});

test("the server is told who plays, which gives the computer its name, and nothing else of the page", () => {
  const query = link.queryOf(read("target=60&vs=2&seat=2&seed=9&hints=off&moves=%2B5"), { step: "2" });
  assert.equal(query.toString(), "target=60&moves=%2B5&vs=2&seat=2&step=2");
});

test("a rematch against the computer swaps the seats, and the first player stays", () => {
  const rematch = link.rematchOf(read("moves=%2B5&vs=7&seat=1&seed=1&conceded=1&opening=1"));
  assert.deepEqual({ ...rematch, seed: "" }, { ...read("vs=7&seat=2"), seed: "" });
  assert.equal(link.rematchOf(read("first=2&vs=7")).first, 2);
});

test("a rematch of two people at one screen is the game from its start", () => {
  assert.equal(link.pathOf(link.rematchOf(read("target=60&moves=%2B5"))), `/play/${GAME}?target=60`);
});

test("a game is cut, continued and played on", () => {
  const whole = read("moves=%2B1+%2B2+%2B3&conceded=1&hints=off");
  assert.deepEqual(link.cutTo(whole, 1).moves, ["+1"]);
  assert.equal(link.cutTo(whole, 3).conceded, null);
  assert.deepEqual(link.withMoves(read("moves=%2B1"), "+2", "+3").moves, whole.moves);
  const next = link.continuation(whole, "3", 2);
  assert.deepEqual([next.opening, next.vs, next.seat, next.hints, next.conceded], [3, "3", 2, true, null]);
});

test("the link of a view has the changed options as text", () => {
  const view = {
    game: GAME,
    changed: { uses: [3, 2] },
    first: 1,
    position: null,
    opening: 0,
    moves: [],
    conceded: null,
  };
  assert.deepEqual(link.linkOf(view).options, { uses: "3,2" });
});

test("scores are set for the player to move and the other one", () => {
  assert.equal(link.withScores("1;10;20;3,4", 5, 6), "1;5;6;3,4");
  assert.equal(link.withScores("2;10,1;20,2;3", 5, 6), "2;6,1;5,2;3");
});

test("a page's own keys are split off and put back", () => {
  const [own, rest] = link.splitQuery(new URLSearchParams("at=3&moves=%2B1"), ["at"]);
  assert.deepEqual(own, { at: "3" });
  assert.equal(rest.toString(), "moves=%2B1");
  assert.equal(link.withKeys("/review/x?moves=%2B1", { at: 0, tier: null, seed: "" }), "/review/x?moves=%2B1&at=0");
  assert.equal(link.withKeys("/puzzle", {}), "/puzzle");
});

test("a seed is a number, and another one each time", () => {
  assert.match(link.randomSeed(), /^\d+$/);
  assert.notEqual(link.randomSeed(), link.randomSeed());
});
