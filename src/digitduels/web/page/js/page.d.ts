// The types of values that the pages share. Those of the server's JSON are in types.d.ts. Browsers load neither file.

/** A game between friends, with the moves that led to its position. */
interface Room extends RoomNews {
  moves: string[];
  history: Turn[];
}

/** A game in a URL. */
interface Link {
  game: string;
  moves: string[];
  options: Record<string, string>;
  first: Seat;
  position: string | null;
  opening: number;
  conceded: Seat | null;
  /** A level, "coach", or null for two people at one screen. */
  vs: string | null;
  seat: Seat;
  /** Of both players, separated by a line break; empty if they have none. */
  names: string;
  seed: string;
  hints: boolean;
  takebacks: boolean;
}

/** The arguments that the router passes to a page. */
interface Place {
  main: HTMLElement;
  /** The variable parts of the route's path. */
  parts: string[];
  query: URLSearchParams;
  /** The fragment of the URL. */
  fragment: string;
  /** Aborted when the reader leaves the page. */
  signal: AbortSignal;
}
