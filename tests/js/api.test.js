import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { Failure, get, getComputed, parse } from "../../src/digitduels/web/page/js/api.js";
import { sendAct } from "../../src/digitduels/web/page/js/send-act.js";

const { fetch, setTimeout } = globalThis;
beforeEach(() => {
  globalThis.setTimeout = (done) => queueMicrotask(done); // nobody waits
});
afterEach(() => {
  Object.assign(globalThis, { fetch, setTimeout });
});

/** Answers requests one after the other, the last answer again and again; null is no response. */
function serve(...answers) {
  const asked = [];
  globalThis.fetch = async (path, request) => {
    asked.push(request.body ? JSON.parse(request.body) : path);
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (!answer) throw new TypeError("refused");
    return new Response(answer[1], { status: answer[0] });
  };
  return asked;
}

test("JSON is read", () => {
  assert.deepEqual(parse('{"score": 12, "names": ["Ann"]}'), { score: 12, names: ["Ann"] });
});

test("a refusal is a failure with the server's words, and is not repeated", async () => {
  const asked = serve([422, '{"detail": "x99 is not a move."}']);
  await assert.rejects(get("/api/x"), { message: "x99 is not a move.", status: 422, temporary: false });
  assert.equal(asked.length, 1);
});

test("a request without a proper response is sent three times, and then fails temporarily", async () => {
  for (const [answer, message] of [
    [null, /^Can't reach the server/],
    [[502, "<html>"], /^Server error 502\. Try again in a moment\.$/],
  ]) {
    const asked = serve(answer);
    const failed = (error) => error instanceof Failure && error.temporary && message.test(error.message);
    await assert.rejects(get("/api/x"), failed);
    assert.equal(asked.length, 3);
  }
});

test("a busy server is asked again, whatever the question, and the reader is told each time", async () => {
  const signal = new AbortController().signal;
  let waited = 0;
  const waiting = () => {
    waited += 1;
  };
  const busy = Array(9).fill([503, "{}"]);
  for (const ask of [get, getComputed]) {
    const asked = serve(...busy, [200, '{"move": "+5"}']);
    assert.deepEqual(await ask("/api/reply", { seed: "1" }, signal, waiting), { move: "+5" });
    assert.deepEqual(asked, Array(10).fill("/api/reply?seed=1"));
  }
  assert.equal(waited, 2 * busy.length);
});

test("a request that the reader no longer needs is not repeated", async () => {
  const left = new AbortController();
  const asked = serve([503, "{}"]);
  await assert.rejects(getComputed("/api/x", {}, left.signal, () => left.abort()));
  assert.equal(asked.length, 1);
});

test("an act is repeated with the same key, and after a conflict with the newer version", async () => {
  const asked = serve(null, [503, "{}"], [409, '{"state": {"version": 7}}'], [201, '{"accepted": 8}']);
  const newer = [];
  const done = await sendAct("/x", null, { version: 5, move: "+5" }, { conflict: (state) => newer.push(state) });
  assert.deepEqual(done, { accepted: 8 });
  assert.deepEqual(newer, [{ version: 7 }]);
  assert.deepEqual(
    asked.map(({ version, move }) => [version, move]),
    [
      [5, "+5"],
      [5, "+5"],
      [5, "+5"],
      [7, "+5"],
    ],
  );
  assert.equal(new Set(asked.map(({ key }) => key)).size, 1);
});

test("an act that makes no sense any more is not sent again", async () => {
  const asked = serve([409, '{"state": {"version": 7}}']);
  const conflict = () => {
    throw new Error("The game has moved on.");
  };
  await assert.rejects(sendAct("/x", null, { version: 5 }, { conflict }), { message: "The game has moved on." });
  assert.equal(asked.length, 1);
});
