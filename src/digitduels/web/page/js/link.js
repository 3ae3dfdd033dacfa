// A solo game is stored in its link alone: reloading, going back and sharing need nothing else. Names are in its
// fragment, which browsers send to no server.

const KEYS = ["moves", "first", "position", "opening", "conceded", "vs", "seat", "names", "seed", "hints", "takebacks"];

/**
 * Parses a game from a query. Unknown keys are options of the game.
 * @param {string} game
 * @param {URLSearchParams} query
 * @returns {Link}
 */
export function readLink(game, query) {
  const text = (/** @type {string} */ name) => query.get(name) ?? "";
  return {
    game,
    moves: words(text("moves")),
    options: Object.fromEntries([...query].filter(([name]) => !KEYS.includes(name))),
    first: text("first") === "2" ? 2 : 1,
    position: query.get("position"),
    opening: Number.parseInt(text("opening"), 10) || 0,
    conceded: seat(text("conceded")),
    vs: text("vs") || null,
    seat: seat(text("seat")) ?? 1,
    names: text("names"),
    seed: text("seed") || "1",
    hints: text("hints") !== "off",
    takebacks: text("takebacks") !== "off",
  };
}

/**
 * Returns the link of a new game.
 * @param {string} game
 * @param {Partial<Link>} [rest]
 * @returns {Link}
 */
export function newLink(game, rest = {}) {
  return { ...readLink(game, new URLSearchParams()), ...rest };
}

/**
 * Returns the link of a game in the server's response.
 * @param {View} view
 * @returns {Link}
 */
export function linkOf(view) {
  const options = Object.fromEntries(Object.entries(view.changed).map(([name, value]) => [name, String(value)]));
  const { first, position, opening, moves, conceded } = view;
  return newLink(view.game, { options, first, position, opening, moves, conceded });
}

/**
 * Serializes the game as a query for the server, with further keys.
 * @param {Link} link
 * @param {Record<string, string>} [more]
 */
export function queryOf(link, more = {}) {
  const query = new URLSearchParams(link.options);
  if (link.position !== null) query.set("position", link.position);
  else if (link.first === 2) query.set("first", "2");
  if (link.opening) query.set("opening", String(link.opening));
  if (link.moves.length) query.set("moves", link.moves.join(" "));
  if (link.conceded) query.set("conceded", String(link.conceded));
  if (link.vs) {
    query.set("vs", link.vs);
    query.set("seat", String(link.seat));
  }
  if (link.names) query.set("names", link.names);
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  return query;
}

/**
 * Returns the path of the game on a page: play, explore, review, learn.
 * @param {Link} link
 * @param {string} [page]
 */
export function pathOf(link, page = "play") {
  const query = queryOf(link);
  query.delete("names");
  if (link.vs) query.set("seed", link.seed);
  if (!link.hints) query.set("hints", "off");
  if (!link.takebacks) query.set("takebacks", "off");
  const path = query.size ? `/${page}/${link.game}?${query}` : `/${page}/${link.game}`;
  return link.names ? `${path}#${new URLSearchParams({ names: link.names })}` : path;
}

/**
 * Returns the query of a page's URL, with the names in its fragment. Older links have them in the query.
 * @param {{search: string, hash: string}} url
 */
export function readQuery({ search, hash }) {
  const query = new URLSearchParams(search);
  const names = new URLSearchParams(hash.slice(1)).get("names");
  if (names) query.set("names", names);
  return query;
}

/**
 * Returns the game with one more move.
 * @param {Link} link
 * @param {...string} moves
 * @returns {Link}
 */
export function withMoves(link, ...moves) {
  return { ...link, moves: [...link.moves, ...moves] };
}

/**
 * Returns the game after its first moves, without a concession.
 * @param {Link} link
 * @param {number} length
 * @returns {Link}
 */
export function cutTo(link, length) {
  return { ...link, conceded: null, moves: link.moves.slice(0, length) };
}

/**
 * Returns a new game from this position against the computer, with the moves so far as its opening.
 * @param {Link} link
 * @param {string} vs
 * @param {Seat} reader
 */
export function continuation(link, vs, reader) {
  const rest = { conceded: null, names: "", hints: true, takebacks: true };
  return { ...link, ...rest, opening: link.moves.length, vs, seat: reader };
}

/**
 * Returns a position with other scores: the player to move, then the numbers of both hands and the table.
 * @param {string} placed
 * @param {number} mine of the player to move
 * @param {number} theirs
 */
export function withScores(placed, mine, theirs) {
  const [player = "1", ...sides] = placed.split(";");
  const scores = player === "1" ? [mine, theirs] : [theirs, mine];
  const numbers = sides.map((side, index) => {
    const score = scores[index];
    return score === undefined ? side : [score, ...side.split(",").slice(1)].join(",");
  });
  return [player, ...numbers].join(";");
}

/**
 * Returns a rematch with the seats swapped. Two people at one screen swap by themselves.
 * @param {Link} link
 * @returns {Link}
 */
export function rematchOf(link) {
  const seat = link.vs === null ? link.seat : other(link.seat);
  return { ...link, moves: [], opening: 0, conceded: null, seed: randomSeed(), seat };
}

/**
 * Returns the other seat.
 * @param {Seat} player
 * @returns {Seat}
 */
export function other(player) {
  return player === 1 ? 2 : 1;
}

/**
 * Splits a query into the page's own keys and the game.
 * @param {URLSearchParams} query
 * @param {string[]} names
 * @returns {[Record<string, string>, URLSearchParams]}
 */
export function splitQuery(query, names) {
  const own = [...query].filter(([name]) => names.includes(name));
  const rest = [...query].filter(([name]) => !names.includes(name));
  return [Object.fromEntries(own), new URLSearchParams(rest)];
}

/**
 * Returns a path with the page's own keys; empty ones are left out.
 * @param {string} path
 * @param {Record<string, string | number | null | undefined>} keys
 */
export function withKeys(path, keys) {
  const [address = "", fragment] = path.split("#");
  const [way = "", text = ""] = address.split("?");
  const query = new URLSearchParams(text);
  for (const [name, value] of Object.entries(keys)) {
    if (value !== null && value !== undefined && value !== "") query.set(name, String(value));
  }
  const whole = query.size ? `${way}?${query}` : way;
  return fragment ? `${whole}#${fragment}` : whole;
}

/** Returns a random seed. */
export function randomSeed() {
  return String(crypto.getRandomValues(new Uint32Array(1))[0]);
}

/**
 * Splits a text at its spaces.
 * @param {string} text
 */
export function words(text) {
  return text.split(/\s+/).filter(Boolean);
}

/**
 * @param {string} text
 * @returns {Seat | null}
 */
function seat(text) {
  return text === "1" ? 1 : text === "2" ? 2 : null;
}
