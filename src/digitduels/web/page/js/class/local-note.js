// A note for teachers who run the server on their own computer.

import { h } from "../dom.js";
import { coded } from "../study.js";

const LOCAL = /^(localhost|127\.|\[::1\])/;
const ONLY_HERE =
  "This address works on this computer only. Start the server with `duels serve --host 0.0.0.0`, then open this page " +
  "at the computer's address in your network, such as 192.168.1.20:8000.";

/** Says how others can reach this server, if the reader's own address does not work for them. */
export function localNote() {
  return LOCAL.test(location.hostname) && h("p.local", coded(ONLY_HERE));
}
