// The bar at the foot of the screen while the server cannot be reached. All pages share it.

import { h } from "./dom.js";
import { whisper } from "./status.js";

const LOST = "Connection lost. Reconnecting… everything is safe.";

const bar = h("p.bar.connection", LOST);

export function showLost() {
  if (bar.isConnected) return;
  document.body.append(bar);
  // Screen readers announce only what changes in an element that was there before.
  whisper("The connection is lost. Reconnecting.");
}

export function hideLost() {
  if (!bar.isConnected) return;
  bar.remove();
  whisper("Connected again.");
}
