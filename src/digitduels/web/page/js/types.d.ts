// The types of the server's JSON and of values shared by the pages. Browsers do not load this file;
// tests/test_page_types.py checks it against the answers of a running server.

type Seat = 1 | 2;
type Value = "win" | "draw" | "loss";

/** A sentence for every reader: `you` for the player in seat `of`, `them` for the opponent, `text` for all others. */
interface Sentence {
  text: string;
  you?: string;
  of?: Seat;
  them?: string;
}

interface Stock {
  label: string;
  left: number;
  of: number;
}
/** An integer; one that JavaScript would round is a string. */
type Integer = number | string;
interface Side {
  score: Integer | null;
  lowest: number;
  stocks: Stock[];
}
interface Field {
  prompt: string;
  choices: string[];
  /** The place of its value when the move is written. */
  slot: number;
  /** Whether the fields before it must be chosen first. */
  ordered: boolean;
}
interface LegalMove {
  move: string;
  shown: string;
  picks: number[];
}
interface Turn {
  player: Seat;
  move: string;
  shown: Sentence;
  report: Sentence;
}
interface Outcome {
  winner: Seat | null;
  reason: Sentence;
}

/** The sign of a game, its colours in light and dark mode, and what to expect. */
interface Look {
  emblem: string;
  light: string;
  dark: string;
  difficulty: string;
  length: string;
  /** The options of the recommended edition. */
  suggested: Record<string, string>;
}
/** The effect of the last move on the board. */
interface Hop {
  player: Seat;
  before: (Integer | null)[];
  result: Integer | null;
  after: (Integer | null)[];
  /** The labels of the numbers or operations it used. */
  taken: string[];
}

/** A position and the moves that led to it. */
interface View {
  game: string;
  title: string;
  look: Look;
  options: Record<string, OptionValue>;
  changed: Record<string, OptionValue>;
  /** The rules that differ from the book, in words; empty if none do. */
  house_rules: string;
  names: [string, string];
  first: Seat;
  position: string | null;
  opening: number;
  moves: string[];
  conceded: Seat | null;
  player: Seat | null;
  outcome: Outcome | null;
  board: { goal: Integer | null; hands: [Side, Side]; table: Side };
  move_count: number;
  /** The last turn; null before the first. */
  last: Turn | null;
  hop: Hop | null;
  fields: Field[];
  legal: LegalMove[];
  history: Turn[];
  /** What happened last, then whose turn it is or how the game ended. */
  status: Sentence[];
  ending: Sentence[];
  /** By seat, how many moves remain after a take-back; null if there is nothing to take back. */
  back: [number | null, number | null];
}

/** GET /api/position. */
interface PositionView extends View {
  /** The position in the notation of links. */
  placed: string;
  /** The book's lines about the last move. */
  lines: Sentence[];
  /** If they were asked for. */
  effects?: MoveEffect[];
}

/** A game between friends: the position and its players. GET /api/games/{id}. */
interface Room extends View {
  id: string;
  version: number;
  seats: [Chair, Chair];
  takeback: Seat | null;
  rematch: string | null;
  closed: boolean;
  /** The teacher's message while the game is paused. */
  paused: string | null;
  /** The permissions in a game of a class; else null. */
  class: { hints: boolean; takebacks: boolean } | null;
}
/** The state as the server sends it: the position without the moves that led to it. */
type RoomNews = Omit<Room, "moves" | "history">;
/** Some of the moves in words: GET /api/games/{id}/history. */
interface RoomHistory {
  version: number;
  move_count: number;
  from: number;
  turns: Turn[];
}
/** The seat that a token opens: GET /api/games/{id}/seat. */
interface OpenedSeat {
  seat: Seat;
}
interface Chair {
  name: string | null;
  kind: "human" | "computer";
  level: number | null;
  joined: boolean;
  away: boolean;
  substitute: boolean;
}
/** A newly assigned seat: POST /api/games and …/seats. */
interface GivenSeat {
  seat: Seat;
  token: string;
  state: RoomNews;
}
interface NewRoom extends GivenSeat {
  id: string;
  /** Null against the computer. */
  invite: string | null;
}
/** The result of an act: POST /api/games/{id}/moves and the like. */
interface Acted {
  /** The version that it created. */
  accepted: number;
  state: RoomNews;
}
/** An error: every response with a status of 400 or more. */
interface Refusal {
  detail: string;
  /** The latest state, after a version conflict. */
  state?: RoomNews;
}

type ClassMode = "pairs" | "computer" | "rounds";
type ClassStart = "book" | "fair";
/** The settings of a class. */
interface ClassRules {
  game: string;
  title: string;
  options: Record<string, OptionValue>;
  summary: string;
  house_rules: string;
  mode: ClassMode;
  level: number;
  hints: boolean;
  takebacks: boolean;
  start: ClassStart;
  anonymous: boolean;
  /** Whether nobody else can join. */
  locked: boolean;
}
interface ClassBasics {
  code: string;
  version: number;
  round: number;
  rules: ClassRules;
  paused: string | null;
  ended: boolean;
  pupil_count: number;
}
/** A class as its teacher sees it: GET /api/classes/{code} with the teacher's token. */
interface TeacherClass extends ClassBasics {
  role: "teacher";
  /** The server's time, in seconds since 1970. */
  now: number;
  deleted: number;
  /** The number of seconds without a move after which a board counts as stuck. */
  stuck: number;
  pupils: ClassPupil[];
  /** The pupils that the teacher removed. */
  removed: { pupil: number; name: string }[];
  boards: ClassBoard[];
}
interface ClassPupil {
  pupil: number;
  name: string;
  points: number;
  place: number;
  away: boolean;
  playing: boolean;
  /** Whether the computer plays for them because they have left. */
  absent: boolean;
  waiting: boolean;
  /** Whether they have not had a game. */
  newcomer: boolean;
  /** The pupil who may be the same person, on another device. */
  like: number | null;
}
/** A game on the wall. */
interface ClassBoard {
  id: string;
  /** By seat; null is the computer. */
  pupils: (number | null)[];
  scores: (Integer | null)[];
  table: Integer | null;
  goal: Integer | null;
  player: Seat | null;
  moves: number;
  since: number;
  over: boolean;
  winner: Seat | null;
  closed: boolean;
  levels: (number | null)[];
}
/** A class as a pupil sees it. */
interface PupilClass extends ClassBasics {
  role: "pupil";
  pupil: number;
  name: string;
  game: { id: string; seat: Seat; token: string } | null;
  playing: boolean;
  points: number;
  games: PupilGame[];
}
/** A game from one pupil's point of view; without points while it is in progress. */
interface PupilGame {
  round: number;
  against: string;
  points: number | null;
}
/** POST /api/classes. */
interface NewClass {
  code: string;
  token: string;
  state: TeacherClass;
}
/** POST /api/classes/{code}/pupils. */
interface JoinedClass {
  pupil: number;
  token: string;
  state: PupilClass;
}
/** POST /api/classes/{code}/acts; no state if the class was deleted. */
interface ActedClass {
  accepted: number;
  state: TeacherClass | null;
}
/** GET /api/classes/{code}/results. */
interface ClassResults {
  code: string;
  title: string;
  /** Seconds since 1970. */
  began: number;
  mode: string;
  rounds: number;
  explained: string[];
  /** A link to a position that most pupils missed, on a large board. */
  discussion: { path: string; missed: number; times: number; position: string[]; quest: string } | null;
  pupils: ResultRow[];
  games: ResultGame[];
}
interface ResultRow {
  pupil: number;
  name: string;
  place: number;
  points: number;
  /** The sum of the opponents' points. */
  opponents: number;
  games: number;
  won: number;
  drawn: number;
  lost: number;
  /** Critical moves found, the number of critical moves, and the number that a random mover would find. */
  found: number;
  critical: number;
  chance: number;
  /** The pupil's own misses, to try again. */
  moments: ClassMoment[];
  rounds: { against: string; points: number | null }[][];
}
/** A pupil's miss: a link to its review, and a description for paper. */
interface ClassMoment {
  round: number;
  against: string;
  move: number;
  /** Plies to the end with best play. */
  distance: number;
  position: string[];
  deed: string;
  quest: string;
  path: string;
}
interface ResultGame {
  id: string;
  round: number;
  names: string[];
  over: boolean;
  /** Null while it is in progress, and for a game without a move, which does not count. */
  points: number[] | null;
  review: string | null;
}

type OptionValue = number | string | number[];
interface GameOption {
  name: string;
  default: OptionValue;
  about: string;
  allowed: string;
  words: string[] | null;
  /** The lowest and highest useful value, if it is an integer. */
  around: number[] | null;
}
interface GameCard {
  game: string;
  title: string;
  look: Look;
  summary: string;
  levels: number[];
  /** The level that a beginner can beat. */
  beginner: number;
  characters: Record<string, { name: string; about: string }>;
  options: GameOption[];
}

/** The effect of a move by the rules. */
interface MoveEffect {
  move: string;
  equation: string | null;
  result: Integer | null;
  scores: (Integer | null)[];
  note: Sentence | null;
  tone: string;
}
/** GET /api/effects. */
interface Effects {
  effects: MoveEffect[];
}
/** GET /api/objection. */
interface Objection {
  reason: Sentence | null;
}
/** GET /api/reply. */
interface Reply {
  move: string;
  /** After the move, with its effects. */
  position: PositionView;
}
/** The moves that open a game: GET /api/start. */
interface Start {
  moves: string[];
  opening: number;
}

interface RecordedOutcome {
  winner: Seat | null;
  reason: string;
}
interface Verdict {
  value: Value;
  plies: number;
}
interface JudgedMove extends Verdict {
  move: string;
  shown: string;
  words: Sentence;
}
/** The value of every move: GET /api/solve. */
interface Solved {
  game: string;
  options: Record<string, OptionValue>;
  moves: string[];
  outcome: RecordedOutcome | null;
  player: Seat | null;
  value: Value | null;
  plies: number | null;
  best: string[];
  each: JudgedMove[];
  standing: Sentence[];
}

/** GET /api/hint. */
interface Hint {
  step: number;
  lines: Sentence[];
}

/** The value of one move and the reason: GET /api/judge. */
interface Judgement extends Verdict {
  keeps: boolean;
  warning: Sentence | null;
  words: Sentence;
  why: Sentence;
  line: LineStep[];
}
/** A move in a line of best play. */
interface LineStep {
  move: string;
  player: Seat;
  shown: Sentence;
}

interface ReviewTurn {
  ply: number;
  player: Seat;
  /** Null when the player conceded. */
  move: string | null;
  shown: Sentence;
  before: Verdict;
  after: Verdict;
  swing: boolean;
  critical: boolean;
  best: string[];
  keeping: string[];
  words: string[];
  /** How well the move defends a lost position, where some moves defend better than others. */
  defence: { found: boolean; error_chance: number; best_error_chance: number; best: string[]; sooner: number } | null;
  defended: Sentence | null;
  /** Why the best move at a swing was good. */
  reason: Sentence | null;
  lesson?: Sentence;
  /** The task for trying the moment again. */
  quest?: Sentence;
  /** The moves that would have kept the result. */
  answer?: Sentence | null;
  /** The move and the best play that follows; null when the player conceded. */
  line?: LineStep[] | null;
  /** The same after the best move. */
  better?: LineStep[] | null;
}
/** The critical moves of a player, and how many of them a random mover would find on average. */
interface CriticalMoves {
  found: number;
  of: number;
  chance: number;
}
/** GET /api/review and POST /api/review. */
interface Review {
  version: number;
  game: string;
  options: Record<string, OptionValue>;
  names: [string, string];
  /** The kind of player in each seat. */
  players: string[];
  first: Seat;
  opening: number;
  moves: string[];
  outcome: RecordedOutcome | null;
  start: Verdict & { player: Seat };
  turns: ReviewTurn[];
  /** Who was winning at the start and after each turn. */
  winning: (Seat | null)[];
  critical: CriticalMoves[];
  resisted: { found: number; of: number }[];
  sentence: Sentence;
  answer: Sentence | null;
  /** How the loser could have made it harder. */
  resistance: Sentence | null;
  story: Sentence;
  lines: Sentence[];
  ribbon: string;
  /** The help that the players asked for, from a record. */
  asked: unknown[][];
  link: string;
}

/** Who wins at which scores: GET /api/map. A row per score of the waiting player, a letter per score of the mover. */
interface Scores {
  low: number;
  high: number;
  rows: string[];
  mine: number;
  theirs: number;
}

/** The measures of a rule set: GET /api/lab/{game}/report. */
interface LabReport {
  label: string;
  outcome: string;
  first_moves: string;
  fair: number;
  deep: number;
  balance: string;
  ladder: string;
  rows: LabRow[];
}
interface LabRow {
  name: string;
  value: string;
  /** Its meaning; empty if the name is clear. */
  about: string;
}
/** The winner for other values of an option: GET /api/lab/{game}/strip. 0 is a draw, null unknown. */
interface LabStrip {
  about: string;
  here: number;
  cells: LabCell[];
}
interface LabCell {
  value: number;
  winner: number | null;
}

interface PuzzleText {
  game: string;
  title: string;
  tier: number;
  tiers: Record<string, string>;
  link: string;
}
/** GET /api/puzzle. */
interface Puzzle extends PuzzleText {
  question: Sentence;
  date: string | null;
  seed: string;
}
/** The result of trying a move in a puzzle: GET /api/attempt. */
interface Attempt {
  kind: "right" | "slower" | "wrong";
  sentences: Sentence[];
  /** The moves to play on the board. */
  moves: string[];
}

/** The rules of a game and facts about it: GET /api/learn. */
interface Lesson extends GameCard {
  changed: Record<string, OptionValue>;
  house_rules: string;
  rules: string[];
  rulings: string[];
  moves: string;
  example: { moves: string; lines: string[] };
  ideas: { title: string; about: string; moves: string; example: Sentence }[];
  /** Null if it has to be requested separately. */
  theory: Sentence[] | null;
}

/** Puzzles to print: GET /api/sheet. */
interface Sheet {
  title: string;
  about: string[];
  goal: Integer | null;
  puzzles: Exercise[];
}
interface Exercise extends PuzzleText {
  /** Of both players and of the table. */
  scores: (Integer | null)[];
  heading: string;
  position: string[];
  question: string;
  answer: string;
}

/** Suggestions for teachers: GET /api/lessons. */
interface Lessons {
  presets: LessonPreset[];
  steps: { time: string; what: string }[];
  /** By game. */
  plans: Record<string, LessonPlan>;
}
interface LessonPreset {
  title: string;
  reason: string;
  game: string;
  options: Record<string, OptionValue>;
  mode: ClassMode;
  start: ClassStart;
}
interface LessonPlan {
  age: string;
  aim: string;
  questions: { ask: string; answer: string }[];
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
