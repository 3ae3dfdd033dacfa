import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import { Failure, get, getPatiently, parse } from "../../src/digitduels/web/page/js/api.js";

const { fetch } = globalThis;
afterEach(() => {
  globalThis.fetch = fetch;
});

/** Answers requests one after the other. */
function serve(...answers) {
  const asked = [];
  globalThis.fetch = async (path) => {
    asked.push(path);
    const [status, body] = answers.shift();
    return new Response(body, { status });
  };
  return asked;
}

test("JSON is read", () => {
  assert.deepEqual(parse('{"score": 12, "names": ["Ann"]}'), { score: 12, names: ["Ann"] });
});

test("a refusal is a failure with the server's words", async () => {
  serve([422, '{"detail": "x99 is not a move."}'], [502, "<html>"]);
  await assert.rejects(get("/api/x"), { message: "x99 is not a move.", status: 422, temporary: false });
  await assert.rejects(get("/api/x"), { message: "Server error 502. Try again in a moment.", temporary: true });
});

test("a server that does not answer is a temporary failure", async () => {
  globalThis.fetch = async () => {
    throw new TypeError("refused");
  };
  await assert.rejects(get("/api/x"), (error) => error instanceof Failure && error.temporary && error.status === 0);
});

test("a busy server is asked again, and the reader is told once each time", async () => {
  const asked = serve([503, "{}"], [200, '{"move": "+5"}']);
  let waited = 0;
  const answer = await getPatiently("/api/reply", new URLSearchParams("seed=1"), new AbortController().signal, () => {
    waited += 1;
  });
  assert.deepEqual(answer, { move: "+5" });
  assert.deepEqual(asked, ["/api/reply?seed=1", "/api/reply?seed=1"]);
  assert.equal(waited, 1);
});
