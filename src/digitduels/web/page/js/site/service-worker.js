// The service worker of a site without a server: stores the files of one version, and answers from them.

/** @typedef {Event & {waitUntil(done: Promise<unknown>): void}} Lasting */
/** @typedef {{claim(): Promise<void>}} Claiming */
/** @typedef {Event & {request: Request, respondWith(answer: Promise<Response>): void}} Fetching */

// `duels site` writes the version and the files of the site in front of this script.
const { version, files } = /** @type {{version: string, files: string[]}} */ (Reflect.get(globalThis, "SITE"));
const SCOPE = new URL("./", location.href);
const MINE = `digit-duels ${SCOPE.pathname} `;
const CACHE = MINE + version;

addEventListener("install", (event) => {
  const urls = files.map((file) => new Request(new URL(file, SCOPE), { cache: "no-cache" }));
  /** @type {Lasting} */ (event).waitUntil(caches.open(CACHE).then((cache) => cache.addAll(urls)));
});

addEventListener("activate", (event) => {
  // Answers the page of the first visit from now on, which may lose its network before the next one.
  const claiming = /** @type {Claiming} */ (Reflect.get(globalThis, "clients")).claim();
  /** @type {Lasting} */ (event).waitUntil(Promise.all([dropOlderVersions(), claiming]));
});

async function dropOlderVersions() {
  const old = (await caches.keys()).filter((name) => name.startsWith(MINE) && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
}

addEventListener("fetch", (event) => {
  const { request } = /** @type {Fetching} */ (event);
  if (request.method !== "GET" || !request.url.startsWith(SCOPE.href)) return;
  /** @type {Fetching} */ (event).respondWith(answer(request));
});

/** @param {Request} request */
async function answer(request) {
  const url = new URL(request.url);
  const cache = await caches.open(CACHE);
  const stored = await cache.match(url.origin + url.pathname);
  if (stored) return stored;
  const folder = `${url.origin}${url.pathname}/`;
  // Links between the pages are relative, so a page needs the slash at the end of its path.
  if (await cache.match(folder)) return Response.redirect(folder + url.search);
  return fetch(request);
}
