// A solo game is its address: reloading, going back and sharing need nothing else.

const OURS = ["moves", "first", "position", "opening", "conceded", "vs", "seat", "seed", "hints", "takebacks"];

/**
 * The game that an address tells. Keys that are not ours are options of the game.
 * @param {string} game
 * @param {URLSearchParams} query
 * @returns {Address}
 */
export function read(game, query) {
  const text = (/** @type {string} */ name) => query.get(name) ?? "";
  return {
    game,
    moves: text("moves").split(/\s+/).filter(Boolean),
    options: Object.fromEntries([...query].filter(([name]) => !OURS.includes(name))),
    first: text("first") === "2" ? 2 : 1,
    position: query.get("position"),
    opening: Number.parseInt(text("opening"), 10) || 0,
    conceded: seat(text("conceded")),
    vs: text("vs") || null,
    seat: seat(text("seat")) ?? 1,
    seed: text("seed") || "1",
    hints: text("hints") !== "off",
    takebacks: text("takebacks") !== "off",
  };
}

/**
 * A game at its beginning.
 * @param {string} game
 * @param {Partial<Address>} [rest]
 * @returns {Address}
 */
export function begun(game, rest = {}) {
  return { ...read(game, new URLSearchParams()), ...rest };
}

/**
 * The address of a game that the server has shown.
 * @param {View} view
 * @returns {Address}
 */
export function of(view) {
  const options = Object.fromEntries(Object.entries(view.changed).map(([name, value]) => [name, String(value)]));
  const { first, position, opening, moves, conceded } = view;
  return begun(view.game, { options, first, position, opening, moves, conceded });
}

/**
 * What the server is asked about the game.
 * @param {Address} address
 */
export function asked(address) {
  const query = new URLSearchParams(address.options);
  if (address.position !== null) query.set("position", address.position);
  else if (address.first === 2) query.set("first", "2");
  if (address.opening) query.set("opening", String(address.opening));
  if (address.moves.length) query.set("moves", address.moves.join(" "));
  if (address.conceded) query.set("conceded", String(address.conceded));
  return query;
}

/**
 * The address of the game on a page: play, explore, review.
 * @param {Address} address
 * @param {string} [page]
 */
export function path(address, page = "play") {
  const query = asked(address);
  if (address.vs) {
    query.set("vs", address.vs);
    query.set("seat", String(address.seat));
    query.set("seed", address.seed);
  }
  if (!address.hints) query.set("hints", "off");
  if (!address.takebacks) query.set("takebacks", "off");
  const text = query.toString();
  return `/${page}/${address.game}${text ? `?${text}` : ""}`;
}

/**
 * What may be asked along with the address, for the page's own keys never go to the server by accident.
 * @param {Address} address
 * @param {Record<string, string>} more
 */
export function plus(address, more) {
  const query = asked(address);
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  return query;
}

/** A seed that nobody has chosen. */
export function chance() {
  return String(crypto.getRandomValues(new Uint32Array(1))[0]);
}

/**
 * @param {string} text
 * @returns {Seat | null}
 */
function seat(text) {
  return text === "1" ? 1 : text === "2" ? 2 : null;
}
