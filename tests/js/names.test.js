import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import { get, identify, post, qrCode } from "../../src/digitduels/web/page/js/api.js";
import * as link from "../../src/digitduels/web/page/js/link.js";

const NAMES = "Ann\nBo Li";
const TOKEN = "t".repeat(32);
const { fetch } = globalThis;
afterEach(() => {
  globalThis.fetch = fetch;
  identify(null);
});

/** Answers every request, and returns the requests. */
function serve(body, status = 200) {
  const asked = [];
  globalThis.fetch = async (path, request) => {
    asked.push({ path, method: request.method ?? "GET", headers: request.headers, body: request.body });
    return new Response(body, { status });
  };
  return asked;
}

test("a question with names is asked in the body, and one without in the query", async () => {
  const asked = serve("{}");
  identify(TOKEN);
  await get("/api/solve/x", { moves: "+5 x2", names: NAMES });
  await get("/api/solve/x", new URLSearchParams({ moves: "+5 x2" }));
  const [named, plain] = asked;
  assert.deepEqual([named.path, named.method], ["/api/solve/x", "POST"]);
  assert.deepEqual(JSON.parse(named.body), { moves: "+5 x2", names: NAMES });
  assert.deepEqual([plain.path, plain.method, plain.body], ["/api/solve/x?moves=%2B5+x2", "GET", undefined]);
  for (const { headers } of asked) assert.equal(headers.Authorization, `Bearer ${TOKEN}`);
});

test("an act is sent with the token of its seat and no other", async () => {
  const asked = serve("{}");
  identify(TOKEN);
  await post("/api/games/x/moves", { move: "+5" });
  await post("/api/games/x/moves", { move: "+5" }, "another");
  assert.deepEqual(
    asked.map(({ headers }) => headers.Authorization),
    [undefined, "Bearer another"],
  );
});

test("the text of a QR code is sent in the body", async () => {
  const asked = serve("<svg>#</svg>");
  assert.equal(await qrCode("https://x.example/g/1#invite=2"), "data:image/svg+xml,%3Csvg%3E%23%3C%2Fsvg%3E");
  assert.deepEqual(
    [asked[0].path, asked[0].method, asked[0].body],
    ["/api/qr", "POST", '{"text":"https://x.example/g/1#invite=2"}'],
  );
  serve('{"detail": "text must be a link of this server."}', 422);
  await assert.rejects(qrCode("x"), { message: "text must be a link of this server." });
});

test("names are in the fragment of a link, and are read from there or from the query of an older link", () => {
  const read = (text) => link.readLink("some-game", link.readQuery(new URL(text, "https://x.example")));
  const named = { ...read("/review/some-game?target=60&moves=%2B5"), names: NAMES };
  const path = link.pathOf(named, "review");
  assert.equal(path, "/review/some-game?target=60&moves=%2B5#names=Ann%0ABo+Li");
  assert.deepEqual(read(path), named);
  assert.deepEqual(read("/review/some-game?target=60&moves=%2B5&names=Ann%0ABo+Li"), named);
  assert.equal(link.withKeys(path, { at: 3 }), "/review/some-game?target=60&moves=%2B5&at=3#names=Ann%0ABo+Li");
  assert.equal(link.queryOf(named).get("names"), NAMES);
  assert.equal(link.continuation(named, "2", 1).names, "");
});
