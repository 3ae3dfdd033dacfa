// A check before the lesson: a code to scan, and the news that a device has opened it.

import { get, post } from "../api.js";
import { button, fill, h } from "../dom.js";
import { qrImage } from "../qr.js";
import { shared } from "../origin.js";

const PAUSE = 1000; // milliseconds between two looks
const ASK = "Scan this with a phone, in the network of the pupils. This page says when the phone has opened it.";
const HERE = "This computer has opened it itself. Now scan it with a phone.";
const YES = "Yes. Another device has opened it: pupils in that network can join.";

/**
 * Creates the check, which begins with a press.
 * @param {AbortSignal} signal
 */
export function phoneCheck(signal) {
  const code = h("div");
  const answer = h("p", { role: "status" });
  const begin = async () => {
    start.disabled = true;
    try {
      const { id } = /** @type {NewCheck} */ (await post("/api/reach", {}, null, { signal }));
      const url = `${shared()}/reach/${id}`;
      fill(code, qrImage(url, `QR code for ${url}`), h("p.soft", new URL(url).host + new URL(url).pathname));
      answer.textContent = ASK;
      await watch(id);
      fill(code);
      answer.textContent = YES;
    } catch (error) {
      if (error instanceof Error && !signal.aborted) answer.textContent = error.message;
    } finally {
      start.disabled = false;
    }
  };
  const watch = async (/** @type {string} */ id) => {
    for (;;) {
      const { devices, here } = /** @type {ReachCheck} */ (await get(`/api/reach/${id}`, undefined, signal));
      if (devices) return;
      if (here) answer.textContent = HERE;
      await new Promise((wake) => setTimeout(wake, PAUSE));
      signal.throwIfAborted();
    }
  };
  const start = button("Can a phone reach me?", () => void begin());
  return h("div.phone-check", h("p.row", start), answer, code);
}
