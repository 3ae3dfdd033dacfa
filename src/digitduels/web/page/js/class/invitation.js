// How pupils join: the code, the address, and a QR code.

import { h } from "../dom.js";
import { qrImage } from "../qr.js";
import { localNote } from "./local-note.js";
import { joinUrl } from "./session.js";

/** @param {string} code */
export function invitation(code) {
  const url = joinUrl(code);
  const address = location.host + new URL(url).pathname;
  const element = h(
    "div.invitation",
    qrImage(url, `QR code for ${url}`),
    h(
      "div",
      h("p.soft", "Scan, or open"),
      h("p.join-url", address),
      h("p.soft", "The code is"),
      h("p.code", { "aria-label": [...code].join(" ") }, code),
      localNote(),
    ),
  );
  element.style.setProperty("--letters", String(address.length));
  return element;
}
