// The bar at the foot of the screen while the server cannot be reached. All pages share it.

import { h } from "./dom.js";

const LOST = "Connection lost. Reconnecting… everything is safe.";

const bar = h("p.bar.connection", { role: "status" });

export function showLost() {
  document.body.append(bar);
  bar.textContent = LOST;
}

export function hideLost() {
  bar.remove();
}
