// The privacy page: what is stored about people, in plain words.

import { retention } from "../class/retention.js";
import { fill, h, paragraphs } from "../dom.js";
import { say } from "../status.js";
import { loadStyle } from "../style.js";
import { hasServer } from "../transport.js";

/** @typedef {[title: string, texts: string[]]} Part */

const ALONE =
  "A game against the computer is in its address and in your browser, and nowhere else. There are no accounts, no " +
  "cookies and no advertising, and nothing is loaded from other sites.";

/** @type {Part[]} */
const WITHOUT_SERVER = [
  [
    "Nothing outside your browser",
    [
      "This copy of Digit Duels runs without a server. The computer plays in your browser, and nobody collects " +
        "games or names.",
      ALONE,
      "The host of this copy may log which pages a browser loads, as every website may.",
    ],
  ],
];

/** @type {() => Part[]} */
const withServer = () => [
  [
    "In a class",
    [
      "You type a first name. Any name will do. Your teacher and your class see it, and it can be on the wall. Your " +
        "teacher can change it, and can show numbers instead.",
      "The server stores the first names of the class, who played whom, and the moves with their times. It stores no " +
        "surname, no address, no e-mail, no password and no picture.",
      `Everything about a class is deleted ${retention()} after the last thing that happened in it, or at once when ` +
        "the teacher says so. Afterwards the links of the class say that there is no such class.",
      "Your browser keeps a secret for your seat, so that you can come back after a reload. It is sent to this " +
        "server only. To remove it, clear the site's data in your browser.",
    ],
  ],
  [
    "In a game with a friend",
    [
      "The server stores the names you typed, if any, and the moves. A game that has ended is deleted " +
        "after some months.",
    ],
  ],
  [
    "Everything else",
    [
      ALONE,
      "The server's log has the time, the kind of a request and the network address that it came from. It " +
        "has no names, " +
        "codes or moves.",
    ],
  ],
];

/** @param {Place} place */
export async function show({ main }) {
  await loadStyle("study");
  say("");
  fill(
    main,
    h(
      "article.reading",
      h("h1", "What is stored about you"),
      (hasServer ? withServer() : WITHOUT_SERVER).map(([title, texts]) =>
        h("section", h("h2", title), paragraphs(texts)),
      ),
    ),
  );
}
