// The types of the server's JSON, which `make docs` generates. Browsers do not load this file.

/** The result of an act. */
interface Acted {
  /** The version that it created. */
  accepted: number;
  state: RoomNews;
}

/** The result of a teacher's act; no state if the class was deleted. */
interface ActedClass {
  accepted: number;
  state: TeacherClass | null;
}

interface Alive {
  alive: boolean;
}

/** The result of trying a move in a puzzle. */
interface Attempt {
  kind: AttemptKind;
  sentences: Sentence[];
  /** The moves to play on the board. */
  moves: string[];
}

type AttemptKind = "right" | "slower" | "wrong";

interface Board {
  goal: Integer | null;
  hands: [Side, Side];
  table: Side;
}

interface Chair {
  name: string | null;
  kind: "human" | "computer";
  level: number | null;
  joined: boolean;
  away: boolean;
  substitute: boolean;
}

interface Character {
  name: string;
  about: string;
}

/** A game on the wall. */
interface ClassBoard {
  id: string;
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
  /** By seat; null is the computer. */
  pupils: (number | null)[];
}

type ClassMode = "pairs" | "computer" | "rounds";

/** A pupil's miss: a link to its review, and a description for paper. */
interface ClassMoment {
  move: number;
  /** Plies to the end with best play. */
  distance: number;
  position: string[];
  deed: string;
  quest: string;
  path: string;
  round: number;
  against: string;
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

interface ClassResults {
  code: string;
  title: string;
  /** Seconds since 1970. */
  began: number;
  mode: string;
  rounds: number;
  explained: string[];
  /** A link to a position that most pupils missed, on a large board. */
  discussion: Discussion | null;
  pupils: ResultRow[];
  games: ResultGame[];
}

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

type ClassStart = "book" | "fair";

/** The critical moves of a player, and how many of them a random mover would find on average. */
interface CriticalMoves {
  found: number;
  of: number;
  chance: number;
}

interface CurrentGame {
  id: string;
  seat: Seat;
  token: string;
}

interface Discussion {
  path: string;
  missed: number;
  times: number;
  position: string[];
  quest: string;
}

interface Effects {
  effects: MoveEffect[];
}

interface Exercise {
  game: string;
  title: string;
  tier: number;
  tiers: Record<string, string>;
  link: string;
  /** Of both players and of the table. */
  scores: (Integer | null)[];
  heading: string;
  position: string[];
  question: string;
  answer: string;
}

interface Field {
  prompt: string;
  choices: string[];
  /** The index of its value when the move is written. */
  slot: number;
  /** Whether the fields before it must be chosen first. */
  ordered: boolean;
}

interface GameCard {
  game: string;
  title: string;
  look: Look;
  summary: string;
  levels: number[];
  /** The level that a beginner can beat. */
  beginner: number;
  characters: Record<string, Character>;
  options: GameOption[];
}

interface GameOption {
  name: string;
  default: OptionValue;
  about: string;
  allowed: string;
  words: string[] | null;
  /** The lowest and highest useful value, if it is an integer. */
  around: number[] | null;
}

/** A newly assigned seat. */
interface GivenSeat {
  seat: Seat;
  token: string;
  state: RoomNews;
}

interface Hint {
  step: number;
  lines: Sentence[];
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

interface Idea {
  title: string;
  about: string;
  moves: string;
  example: Sentence;
}

type Integer = number | string;

interface JoinedClass {
  pupil: number;
  token: string;
  state: PupilClass;
}

/** How well a move defends a lost position. */
interface JsonDefence {
  found: boolean;
  error_chance: number;
  best_error_chance: number;
  best: string[];
  sooner: number;
}

interface JsonVerdict {
  value: Value;
  plies: number;
}

interface JudgedMove {
  value: Value;
  plies: number;
  move: string;
  shown: string;
  words: Sentence;
}

/** The value of one move and the reason. */
interface Judgement {
  value: Value;
  plies: number;
  keeps: boolean;
  warning: Sentence | null;
  words: Sentence;
  why: Sentence;
  line: LineStep[];
}

interface LabCell {
  value: number;
  winner: number | null;
}

/** The measures of a rule set. */
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

/** The winner for other values of an option. 0 is a draw, null unknown. */
interface LabStrip {
  about: string;
  here: number;
  cells: LabCell[];
}

interface LegalMove {
  move: string;
  shown: string;
  picks: number[];
}

/** The rules of a game and facts about it. */
interface Lesson {
  game: string;
  title: string;
  look: Look;
  summary: string;
  levels: number[];
  /** The level that a beginner can beat. */
  beginner: number;
  characters: Record<string, Character>;
  options: GameOption[];
  changed: Record<string, OptionValue>;
  house_rules: string;
  rules: string[];
  rulings: string[];
  moves: string;
  example: SampleGame;
  ideas: Idea[];
  /** Null if it has to be requested separately. */
  theory: Sentence[] | null;
}

interface LessonPlan {
  age: string;
  aim: string;
  questions: LessonQuestion[];
}

interface LessonPreset {
  title: string;
  reason: string;
  game: string;
  options: Record<string, OptionValue>;
  mode: ClassMode;
  start: ClassStart;
}

interface LessonQuestion {
  ask: string;
  answer: string;
}

interface LessonStep {
  time: string;
  what: string;
}

/** Suggestions for teachers. */
interface Lessons {
  presets: LessonPreset[];
  steps: LessonStep[];
  /** By game. */
  plans: Record<string, LessonPlan>;
}

/** A move in a line of best play. */
interface LineStep {
  move: string;
  player: Seat;
  shown: Sentence;
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

/** The effect of a move by the rules. */
interface MoveEffect {
  move: string;
  equation: string | null;
  result: Integer | null;
  scores: (Integer | null)[];
  note: Sentence | null;
  tone: string;
}

interface NewClass {
  code: string;
  token: string;
  state: TeacherClass;
}

interface NewRoom {
  seat: Seat;
  token: string;
  state: RoomNews;
  id: string;
  /** Null against the computer. */
  invite: string | null;
}

interface Objection {
  reason: Sentence | null;
}

/** The seat that a token opens. */
interface OpenedSeat {
  seat: Seat;
}

type OptionValue = number | string | number[];

interface Outcome {
  winner: Seat | null;
  reason: Sentence;
}

interface Permissions {
  hints: boolean;
  takebacks: boolean;
}

interface PositionView {
  game: string;
  title: string;
  look: Look;
  options: Record<string, OptionValue>;
  changed: Record<string, OptionValue>;
  /** The rules that differ from the book, in words; empty if none do. */
  house_rules: string;
  first: Seat;
  position: string | null;
  opening: number;
  names: [string, string];
  conceded: Seat | null;
  player: Seat | null;
  outcome: Outcome | null;
  board: Board;
  move_count: number;
  /** The last turn; null before the first. */
  last: Turn | null;
  hop: Hop | null;
  /** What happened last, then whose turn it is or how the game ended. */
  status: Sentence[];
  ending: Sentence[];
  /** By seat, how many moves remain after a take-back; null if there is nothing to take back. */
  back: [number | null, number | null];
  fields: Field[];
  legal: LegalMove[];
  moves: string[];
  history: Turn[];
  /** The position in the notation of links. */
  placed: string;
  /** The book's lines about the last move. */
  lines: Sentence[];
  /** If they were asked for. */
  effects?: MoveEffect[];
}

/** A class as a pupil sees it. */
interface PupilClass {
  code: string;
  version: number;
  round: number;
  rules: ClassRules;
  paused: string | null;
  ended: boolean;
  pupil_count: number;
  role: "pupil";
  pupil: number;
  name: string;
  game: CurrentGame | null;
  playing: boolean;
  points: number;
  games: PupilGame[];
}

/** A game from one pupil's point of view; without points while it is in progress. */
interface PupilGame {
  against: string;
  points: number | null;
  round: number;
}

interface PupilPoints {
  against: string;
  points: number | null;
}

interface Puzzle {
  game: string;
  title: string;
  tier: number;
  tiers: Record<string, string>;
  link: string;
  question: Sentence;
  date: string | null;
  seed: string;
}

interface Readiness {
  ready: boolean;
  tables: boolean;
  database: boolean;
  running: boolean;
}

interface RecordedOutcome {
  winner: Seat | null;
  reason: string;
}

/** An error: every response with a status of 400 or more. */
interface Refusal {
  detail: string;
  /** The latest state, after a version conflict. */
  state?: RoomNews | TeacherClass;
}

interface RemovedPupil {
  pupil: number;
  name: string;
}

interface Reply {
  move: string;
  /** The position after the move, with its effects. */
  position: PositionView;
}

interface Resistance {
  found: number;
  of: number;
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
  /** Critical moves found. */
  found: number;
  critical: number;
  /** The number of critical moves that a random mover would find. */
  chance: number;
  /** The pupil's own misses, to try again. */
  moments: ClassMoment[];
  rounds: PupilPoints[][];
}

interface Review {
  version: number;
  game: string;
  options: Record<string, OptionValue>;
  names: [string, string];
  first: Seat;
  opening: number;
  moves: string[];
  outcome: RecordedOutcome | null;
  start: StartVerdict;
  /** Who was winning at the start and after each turn. */
  winning: (Seat | null)[];
  critical: CriticalMoves[];
  resisted: Resistance[];
  turns: ReviewTurn[];
  sentence: Sentence;
  answer: Sentence | null;
  /** How the loser could have made it harder. */
  resistance: Sentence | null;
  story: Sentence;
  lines: Sentence[];
  ribbon: string;
  /** The kind of player in each seat. */
  players: string[];
  /** The help that the players asked for, from a record. */
  asked: unknown[][];
  link: string;
}

interface ReviewTurn {
  ply: number;
  player: Seat;
  /** Null when the player conceded. */
  move: string | null;
  before: JsonVerdict;
  after: JsonVerdict;
  critical: boolean;
  swing: boolean;
  best: string[];
  keeping: string[];
  /** Where some moves defend a lost position better than others. */
  defence: JsonDefence | null;
  words: string[];
  shown: Sentence;
  /** Why the best move at a swing was good. */
  reason: Sentence | null;
  defended: Sentence | null;
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

/** Some of the moves in words. */
interface RoomHistory {
  from: number;
  version: number;
  move_count: number;
  turns: Turn[];
}

/** A game between friends: the position, without the moves that led to it, and its players. */
interface RoomNews {
  game: string;
  title: string;
  look: Look;
  options: Record<string, OptionValue>;
  changed: Record<string, OptionValue>;
  /** The rules that differ from the book, in words; empty if none do. */
  house_rules: string;
  first: Seat;
  position: string | null;
  opening: number;
  names: [string, string];
  conceded: Seat | null;
  player: Seat | null;
  outcome: Outcome | null;
  board: Board;
  move_count: number;
  /** The last turn; null before the first. */
  last: Turn | null;
  hop: Hop | null;
  /** What happened last, then whose turn it is or how the game ended. */
  status: Sentence[];
  ending: Sentence[];
  /** By seat, how many moves remain after a take-back; null if there is nothing to take back. */
  back: [number | null, number | null];
  fields: Field[];
  legal: LegalMove[];
  /** In a game of a class; else null. */
  class: Permissions | null;
  id: string;
  version: number;
  seats: [Chair, Chair];
  takeback: Seat | null;
  rematch: string | null;
  closed: boolean;
  /** The teacher's message while the game is paused. */
  paused: string | null;
}

interface SampleGame {
  moves: string;
  lines: string[];
}

/** Who wins at which scores. A row per score of the waiting player, a letter per score of the mover. */
interface Scores {
  low: number;
  high: number;
  rows: string[];
  mine: number;
  theirs: number;
}

type Seat = 1 | 2;

/** A sentence for every reader: `you` for seat `of`, `them` for the opponent, `text` for all others. */
interface Sentence {
  text: string;
  you?: string;
  of?: Seat;
  them?: string;
}

/** Puzzles to print. */
interface Sheet {
  title: string;
  about: string[];
  goal: Integer | null;
  puzzles: Exercise[];
}

interface Side {
  score: Integer | null;
  lowest: number;
  stocks: Stock[];
}

/** The value of every move. */
interface Solved {
  game: string;
  options: Record<string, OptionValue>;
  moves: string[];
  player: Seat | null;
  outcome: RecordedOutcome | null;
  value: Value | null;
  plies: number | null;
  best: string[];
  each: JudgedMove[];
  standing: Sentence[];
}

/** The moves that open a game. */
interface Start {
  moves: string[];
  opening: number;
}

interface StartVerdict {
  value: Value;
  plies: number;
  player: Seat;
}

interface Stock {
  label: string;
  left: number;
  of: number;
}

/** A class as its teacher sees it. */
interface TeacherClass {
  code: string;
  version: number;
  round: number;
  rules: ClassRules;
  paused: string | null;
  ended: boolean;
  pupil_count: number;
  role: "teacher";
  /** The server's time, in seconds since 1970. */
  now: number;
  deleted: number;
  /** The number of seconds without a move after which a board counts as stuck. */
  stuck: number;
  pupils: ClassPupil[];
  /** The pupils that the teacher removed. */
  removed: RemovedPupil[];
  boards: ClassBoard[];
}

interface Turn {
  player: Seat;
  move: string;
  shown: Sentence;
  report: Sentence;
}

type Value = "win" | "draw" | "loss";

/** A position and the moves that led to it. */
interface View {
  game: string;
  title: string;
  look: Look;
  options: Record<string, OptionValue>;
  changed: Record<string, OptionValue>;
  /** The rules that differ from the book, in words; empty if none do. */
  house_rules: string;
  first: Seat;
  position: string | null;
  opening: number;
  names: [string, string];
  conceded: Seat | null;
  player: Seat | null;
  outcome: Outcome | null;
  board: Board;
  move_count: number;
  /** The last turn; null before the first. */
  last: Turn | null;
  hop: Hop | null;
  /** What happened last, then whose turn it is or how the game ended. */
  status: Sentence[];
  ending: Sentence[];
  /** By seat, how many moves remain after a take-back; null if there is nothing to take back. */
  back: [number | null, number | null];
  fields: Field[];
  legal: LegalMove[];
  moves: string[];
  history: Turn[];
}
