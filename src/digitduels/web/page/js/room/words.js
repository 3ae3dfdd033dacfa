// What a page says about a game on a server: who is there, and what happened last.

import { tellAll } from "../sentence.js";

const CLOSED = "This game was closed because nobody had played for a long time.";
const BROKEN_OFF = "Your teacher has ended this game.";

/**
 * Returns the labels of both seats.
 * @param {Room} room
 * @param {Seat | null} reader
 * @returns {import("../board.js").Labels}
 */
export function roomLabels({ names, seats: [one, two] }, reader) {
  const label = (/** @type {Chair} */ chair, /** @type {Seat} */ seat) => {
    const mine = seat === reader;
    return { name: names[seat - 1] ?? "", note: [mine && "you", presence(chair, mine)].filter(Boolean).join(", ") };
  };
  return [label(one, 1), label(two, 2)];
}

/**
 * @param {Chair} chair
 * @param {boolean} mine
 */
function presence(chair, mine) {
  if (!chair.joined) return "not joined yet";
  if (chair.kind === "computer") return chair.substitute ? `computer, level ${chair.level}` : "computer";
  return chair.away && !mine ? "away" : "";
}

/**
 * Returns the text of the status line.
 * @param {Room} room
 * @param {Seat | null} reader
 * @param {string} [request] of the opponent to the reader
 */
export function roomStatus(room, reader, request = "") {
  if (room.paused !== null) return room.paused;
  if (room.closed) return room.class ? BROKEN_OFF : CLOSED;
  return [tellAll(room.status, reader), request].filter(Boolean).join(" ");
}
