// What the server sends, and what the pages hand to each other. Only the type checker reads this file.

type Seat = 1 | 2;
type Value = "win" | "draw" | "loss";

interface Stock { label: string; left: number; of: number }
/** A whole number; one that JavaScript would round is a text. */
type Whole = number | string;
interface Side { score: Whole | null; lowest: number; stocks: Stock[] }
interface Field { prompt: string; choices: string[] }
interface Turn { player: Seat; move: string; lines: string[] }
interface Outcome { winner: Seat | null; reason: string }

/** A position, as GET /api/position answers. */
interface View {
  game: string;
  title: string;
  options: Record<string, unknown>;
  changed: Record<string, unknown>;
  names: [string, string];
  first: Seat;
  position: string | null;
  opening: number;
  moves: string[];
  conceded: Seat | null;
  player: Seat | null;
  outcome: Outcome | null;
  board: { goal: Whole | null; hands: [Side, Side]; table: Side };
  placed: string;
  fields: Field[];
  legal: { move: string; picks: number[] }[];
  history: Turn[];
  status: string;
  ending: string[];
}

/** A game between friends: the position and who sits there. */
interface Room extends View {
  id: string;
  version: number;
  seats: [Chair, Chair];
  takeback: Seat | null;
  rematch: string | null;
  closed: boolean;
}
interface Chair { name: string | null; kind: "human" | "computer"; level: number | null; joined: boolean; away: boolean; substitute: boolean }

interface GameOption {
  name: string;
  default: number | string | number[];
  about: string;
  allowed: string;
  words: string[] | null;
}
interface GameCard { game: string; title: string; summary: string; levels: number[]; options: GameOption[] }

interface Judged { move: string; value: Value; plies: number; words: string }
interface Solved {
  player: Seat | null;
  value: Value | null;
  plies: number | null;
  best: string[];
  each: Judged[];
  standing: string;
}

/** What GET /api/judge tells of a move: its verdict, whether it keeps what there was, and why. */
interface JudgedMove { keeps: boolean; question: string | null; value: Value; plies: number; words: string; why: string }

interface ReviewTurn {
  ply: number;
  player: Seat;
  /** Null when the player gave up. */
  move: string | null;
  before: { value: Value; plies: number };
  after: { value: Value; plies: number };
  swing: boolean;
  critical: boolean;
  best: string[];
  keeping: string[];
  words: string[];
  lesson?: string;
  refutation?: string;
}
interface Reviewed {
  game: string;
  names: string[];
  opening: number;
  turns: ReviewTurn[];
  /** Who was winning at the start and after each turn. */
  winning: (Seat | null)[];
  critical: { found: number; of: number }[];
  sentence: string;
  story: string;
  address: string;
}

interface Puzzle {
  game: string;
  title: string;
  tier: number;
  tiers: Record<string, string>;
  question: string;
  address: string;
  date: string | null;
  seed: string;
}

/** A game to read about, as GET /api/learn answers. */
interface Lesson extends GameCard {
  changed: Record<string, unknown>;
  rules: string[];
  rulings: string[];
  moves: string;
  example: { moves: string; lines: string[] };
  /** Null when it is told later. */
  theory: string[] | null;
}

/** Puzzles to print, as GET /api/sheet answers. */
interface Sheet { title: string; about: string[]; puzzles: { heading: string; position: string[]; question: string; answer: string }[] }

/** A solo game, as its address tells it. */
interface Address {
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
  seed: string;
  hints: boolean;
  takebacks: boolean;
}

/** Where a page is shown: what the router hands to it. */
interface Place {
  main: HTMLElement;
  /** The parts of the path that a route leaves open. */
  parts: string[];
  query: URLSearchParams;
  /** What stands behind # in the address. */
  fragment: string;
  /** Aborted when the page is left. */
  signal: AbortSignal;
}
