// Python in a worker: answers the requests of the page with the functions of a server's routes.

const HERE = new URL("../../", import.meta.url);

/** @typedef {(path: string, query: string, body?: string) => {toJs(): [number, string], destroy(): void}} Ask */

/** Starts Python with the package. @returns {Promise<Ask>} */
async function start() {
  const runtime = new URL("runtime/", HERE).href;
  const [{ loadPyodide }, archive] = await Promise.all([
    import(`${runtime}pyodide.mjs`),
    fetch(new URL("digitduels.zip", HERE)).then((answer) => answer.arrayBuffer()),
  ]);
  const python = await loadPyodide({ indexURL: runtime });
  python.unpackArchive(new Uint8Array(archive), "zip", { extractDir: "/digitduels" });
  return python.runPython(`
    import sys
    sys.path.insert(0, "/digitduels")
    from digitduels.web.local import LocalAnswers
    LocalAnswers()
  `);
}

const fail = (/** @type {unknown} */ error) => postMessage({ failed: String(error) });

// A runtime whose files cannot be loaded warns on the console and never ends, so every failed request counts.
const load = fetch;
globalThis.fetch = async (resource, options) => {
  const packed = String(resource).endsWith(".wasm");
  try {
    const answer = await load(packed ? `${String(resource)}.bin` : resource, options);
    if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
    return packed && answer.body ? unpacked(answer.body) : answer;
  } catch (error) {
    fail(error);
    throw error;
  }
};

/**
 * Returns the interpreter, which the site contains compressed, because many hosts compress nothing.
 * @param {ReadableStream<Uint8Array<ArrayBuffer>>} body
 */
function unpacked(body) {
  const { readable, writable } = new DecompressionStream("gzip");
  body.pipeTo(writable).catch(fail); // if the connection is lost, or the file is damaged
  return new Response(readable, { headers: { "Content-Type": "application/wasm" } });
}

const started = start();
started.then(() => postMessage("ready"), fail);
addEventListener("message", async ({ data: { id, path, query, body } }) => {
  const ask = await started;
  const answer = ask(path, query, body);
  const [status, text] = answer.toJs();
  answer.destroy();
  postMessage({ id, status, text });
});
