// How pupils join: the code, the address, and a QR code.

import { h } from "../dom.js";
import { qrImage } from "../qr.js";
import { reachable, unreachableNote } from "../origin.js";
import { joinUrl } from "./session.js";

/** @param {string} code */
export function invitation(code) {
  const url = joinUrl(code);
  const { host, pathname } = new URL(url);
  if (!reachable())
    return h(
      "div.invitation.unreachable",
      h("div", unreachableNote(), h("p.soft", `On this computer: ${host}${pathname}`)),
    );
  const element = h(
    "div.invitation",
    qrImage(url, `QR code for ${url}`),
    h(
      "div",
      h("p.soft", "Scan, or open"),
      h("p.join-url", host + pathname),
      h("p.soft", "The code is"),
      h("p.code", { "aria-label": [...code].join(" ") }, code),
    ),
  );
  element.style.setProperty("--letters", String(host.length + pathname.length));
  return element;
}
