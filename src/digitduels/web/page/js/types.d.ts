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
  /** The goal in a few words; empty if no score wins. */
  aim: string;
  hands: [Side, Side];
  table: Side;
}

interface Chair {
  name: string | null;
  kind: "human" | "computer";
  level: number | null;
  joined: boolean;
  /** Whether they have not been seen for a while. */
  away: boolean;
  /** Whether the computer plays for a person. */
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
  /** The time of the last event, in seconds since 1970. */
  since: number;
  over: boolean;
  winner: Seat | null;
  closed: boolean;
  /** The computer's level, by seat. */
  levels: (number | null)[];
  /** By seat; null is the computer. */
  pupils: (number | null)[];
}

/** A link of the teacher for another device. */
interface ClassLink {
  link: number;
  kind: LinkKind;
  /** Seconds since 1970. */
  made: number;
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
  /** The moves that would have kept the result. */
  answer: string | null;
  path: string;
  round: number;
  against: string;
}

interface ClassPupil {
  pupil: number;
  name: string;
  points: number;
  /** Finished games that count. */
  games: number;
  /** In the standings. */
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
  /** Whether pupils who wait get their next game without the teacher. */
  auto_pairing: boolean;
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
  /** The position. */
  link: string;
  /** Of both players and of the table. */
  scores: (Integer | null)[];
  heading: string;
  position: string[];
  question: string;
  answer: string;
}

/** A part of a move. */
interface Field {
  /** The question to ask. */
  prompt: string;
  /** All values that it can ever have. */
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
  /** The name of each level and how it plays. */
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
  equation: string | null;
  /** What the rules make of the result. */
  note: Sentence | null;
  /** good, neutral or bad for the player who made it. */
  tone: string;
}

interface Idea {
  title: string;
  about: string;
  /** The moves to its position. */
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
  /** Whether the move keeps the value of the position. */
  keeps: boolean;
  /** What a coach says before a mistake. */
  warning: Sentence | null;
  /** The value of the move in words. */
  words: Sentence;
  why: Sentence;
  /** Whether it passes as a second try: in a lost position, whether no move is harder to answer. */
  kept: boolean;
  /** The verdict on it as a second try. */
  tried: Sentence;
  /** The move and the best play that follows. */
  line: LineStep[];
}

interface LabCell {
  value: number;
  /** 0 for a draw; null if the rules are invalid or too large, or if time ran out. */
  winner: number | null;
}

/** What the linter says about a rule set. */
interface LabFinding {
  severity: Severity;
  text: string;
  /** A line of play that shows it; may be empty. */
  shown: string;
  /** Whether it depends on how our levels play. */
  measured: boolean;
  /** The rules of the nearest rule set without it; empty if none is known. */
  remedy: string;
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
  /** How much the gauges depend on our levels; empty if unknown. */
  wobble: string;
  findings: LabFinding[];
  rows: LabRow[];
}

interface LabRow {
  name: string;
  value: string;
  /** Its meaning; empty if the name is clear. */
  about: string;
}

/** The winner for other values of the first option. */
interface LabStrip {
  about: string;
  here: number;
  cells: LabCell[];
}

interface LegalMove {
  move: string;
  /** As people write it. */
  shown: string;
  /** The index of each part of the move among its choices. */
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
  /** The name of each level and how it plays. */
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

type LinkKind = "desk" | "wall";

/** The sign of a game, its colours in light and dark mode, and what to expect. */
interface Look {
  emblem: string;
  light: string;
  dark: string;
  difficulty: string;
  length: string;
  /** A rule that beginners overlook. */
  tip: string;
  /** The options of the recommended edition. */
  suggested: Record<string, string>;
}

/** The effect of a move by the rules. */
interface MoveEffect {
  move: string;
  equation: string | null;
  result: Integer | null;
  /** The scores after it. */
  scores: (Integer | null)[];
  note: Sentence | null;
  tone: string;
}

interface NamedPupil {
  pupil: number;
  name: string;
}

interface NewCheck {
  id: string;
}

interface NewClass {
  code: string;
  token: string;
  state: TeacherClass;
}

/** A new link for another device of the teacher. Its token belongs in the fragment of a URL. */
interface NewLink {
  link: number;
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
  /** Why the move is not legal; null if it is. */
  reason: Sentence | null;
}

/** The seat that a token opens. */
interface OpenedSeat {
  seat: Seat;
}

type OptionValue = number | string | number[];

interface Outcome {
  /** Null for a draw. */
  winner: Seat | null;
  reason: Sentence;
}

/** What a class allows. */
interface Permissions {
  hints: boolean;
  takebacks: boolean;
}

interface PositionView {
  /** The id of the game. */
  game: string;
  /** Its name. */
  title: string;
  look: Look;
  /** All options. */
  options: Record<string, OptionValue>;
  /** The options that differ from the book. */
  changed: Record<string, OptionValue>;
  /** The rules that differ from the book, in words; empty if none do. */
  house_rules: string;
  /** The player who moved first. */
  first: Seat;
  /** The position at the start, in the notation of links, if it was set up. */
  position: string | null;
  /** How many of the moves were part of the start. */
  opening: number;
  names: [string, string];
  /** The player who conceded. */
  conceded: Seat | null;
  /** The player to move; null when the game is over. */
  player: Seat | null;
  /** Null while the game goes on. */
  outcome: Outcome | null;
  board: Board;
  /** The number of moves so far. */
  move_count: number;
  /** The last turn; null before the first. */
  last: Turn | null;
  hop: Hop | null;
  /** What happened last, then whose turn it is or how the game ended. */
  status: Sentence[];
  /** The sentences that end the game. */
  ending: Sentence[];
  /** By seat, how many moves remain after a take-back; null if there is nothing to take back. */
  back: [number | null, number | null];
  /** The parts of a move. */
  fields: Field[];
  /** The legal moves. */
  legal: LegalMove[];
  /** All moves so far, as tokens. */
  moves: string[];
  /** The same in words. */
  history: Turn[];
  /** The position in the notation of links. */
  placed: string;
  /** The name of the level that plays, such as Careful. */
  character: string | null;
  /** The book's lines about the last move. */
  lines: Sentence[];
  /** If they were asked for. */
  effects?: MoveEffect[];
}

/** A class as a pupil sees it. */
interface PupilClass {
  /** The code to join with. */
  code: string;
  /** The number of events so far. */
  version: number;
  /** 0 before the first round. */
  round: number;
  rules: ClassRules;
  /** The teacher's message while the class is paused. */
  paused: string | null;
  /** Whether the class is over. */
  ended: boolean;
  pupil_count: number;
  role: "pupil";
  pupil: number;
  name: string;
  /** The game to play. */
  game: CurrentGame | null;
  /** Whether it is in progress. */
  playing: boolean;
  points: number;
  /** In the standings so far; null without a finished game. */
  place: number | null;
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
  /** The position. */
  link: string;
  question: Sentence;
  date: string | null;
  seed: string;
}

interface ReachCheck {
  /** How many other devices have opened the link. */
  devices: number;
  /** Whether this machine has opened it itself. */
  here: boolean;
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
  /** By seat, the plies at which the player could have done better: swings, or else the weakest defence. */
  moments: [number[], number[]];
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
  /** How well the move defended a lost position. */
  defended: Sentence | null;
  lesson?: Sentence;
  /** The task for trying the moment again. */
  quest?: Sentence;
  /** The moves that would have kept the result. */
  answer?: Sentence | null;
  /** The move and the best play that follows; null when the player conceded. */
  line?: LineStep[] | null;
  /** The same for the best move; null after a concession out of turn. */
  better?: LineStep[] | null;
}

/** Up to 100 of the moves in words, `from` a number of moves on. */
interface RoomHistory {
  from: number;
  version: number;
  move_count: number;
  turns: Turn[];
}

/** A game between friends: the position, without the moves that led to it, and its players. */
interface RoomNews {
  /** The id of the game. */
  game: string;
  /** Its name. */
  title: string;
  look: Look;
  /** All options. */
  options: Record<string, OptionValue>;
  /** The options that differ from the book. */
  changed: Record<string, OptionValue>;
  /** The rules that differ from the book, in words; empty if none do. */
  house_rules: string;
  /** The player who moved first. */
  first: Seat;
  /** The position at the start, in the notation of links, if it was set up. */
  position: string | null;
  /** How many of the moves were part of the start. */
  opening: number;
  names: [string, string];
  /** The player who conceded. */
  conceded: Seat | null;
  /** The player to move; null when the game is over. */
  player: Seat | null;
  /** Null while the game goes on. */
  outcome: Outcome | null;
  board: Board;
  /** The number of moves so far. */
  move_count: number;
  /** The last turn; null before the first. */
  last: Turn | null;
  hop: Hop | null;
  /** What happened last, then whose turn it is or how the game ended. */
  status: Sentence[];
  /** The sentences that end the game. */
  ending: Sentence[];
  /** By seat, how many moves remain after a take-back; null if there is nothing to take back. */
  back: [number | null, number | null];
  /** The parts of a move. */
  fields: Field[];
  /** The legal moves. */
  legal: LegalMove[];
  /** In a game of a class; else null. */
  class: Permissions | null;
  id: string;
  /** The number of events so far; also the ETag. */
  version: number;
  seats: [Chair, Chair];
  /** The player who asks for a take-back. */
  takeback: Seat | null;
  /** The id of the rematch. Each token opens the other seat in it. */
  rematch: string | null;
  /** Whether the game was closed, because nobody played or by a teacher. */
  closed: boolean;
  /** The teacher's message while the game is paused; every act then gets 423. */
  paused: string | null;
}

interface SampleGame {
  moves: string;
  lines: string[];
}

/** Who wins at which scores: a row for each score of the waiting player from `low` to `high`. */
interface Scores {
  low: number;
  high: number;
  /** A letter for each score of the player to move: w, d or l, or a dot if there is no such position. */
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

type Severity = "note" | "warning" | "error";

/** Puzzles to print. */
interface Sheet {
  title: string;
  about: string[];
  goal: Integer | null;
  puzzles: Exercise[];
}

/** A pupil's place, as the wall may show it. */
interface ShownStanding {
  pupil: number;
  place: number;
  points: number;
  games: number;
}

/** A hand or the table: its score, if it has one, and what can be taken from it. */
interface Side {
  score: Integer | null;
  /** The lowest possible score. */
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
  /** Every legal move, the best first. */
  each: JudgedMove[];
  /** The value of the position in words. */
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
  /** How many are left. */
  left: number;
  /** How many there were at the start. */
  of: number;
}

/** A class as its teacher sees it. */
interface TeacherClass {
  /** The code to join with. */
  code: string;
  /** The number of events so far. */
  version: number;
  /** 0 before the first round. */
  round: number;
  rules: ClassRules;
  /** The teacher's message while the class is paused. */
  paused: string | null;
  /** Whether the class is over. */
  ended: boolean;
  pupil_count: number;
  /** The server's time, in seconds since 1970. */
  now: number;
  /** The games of this round. */
  boards: ClassBoard[];
  /** The best pupils so far. */
  standings: ShownStanding[];
  together: Together;
  role: "teacher";
  /** When the class will be deleted if nothing more happens in it. */
  deleted: number;
  /** The number of seconds without a move after which a board counts as stuck. */
  stuck: number;
  pupils: ClassPupil[];
  /** The pupils that the teacher removed. */
  removed: NamedPupil[];
  /** The links for other devices that are valid. */
  links: ClassLink[];
}

/** What the class has done together so far. */
interface Together {
  /** Finished games that count. */
  games: number;
  moves: number;
  /** Different pairs of pupils who have met. */
  pairs: number;
}

interface Turn {
  player: Seat;
  move: string;
  /** The move. */
  shown: Sentence;
  /** What it did. */
  report: Sentence;
}

type Value = "win" | "draw" | "loss";

/** A position and the moves that led to it. */
interface View {
  /** The id of the game. */
  game: string;
  /** Its name. */
  title: string;
  look: Look;
  /** All options. */
  options: Record<string, OptionValue>;
  /** The options that differ from the book. */
  changed: Record<string, OptionValue>;
  /** The rules that differ from the book, in words; empty if none do. */
  house_rules: string;
  /** The player who moved first. */
  first: Seat;
  /** The position at the start, in the notation of links, if it was set up. */
  position: string | null;
  /** How many of the moves were part of the start. */
  opening: number;
  names: [string, string];
  /** The player who conceded. */
  conceded: Seat | null;
  /** The player to move; null when the game is over. */
  player: Seat | null;
  /** Null while the game goes on. */
  outcome: Outcome | null;
  board: Board;
  /** The number of moves so far. */
  move_count: number;
  /** The last turn; null before the first. */
  last: Turn | null;
  hop: Hop | null;
  /** What happened last, then whose turn it is or how the game ended. */
  status: Sentence[];
  /** The sentences that end the game. */
  ending: Sentence[];
  /** By seat, how many moves remain after a take-back; null if there is nothing to take back. */
  back: [number | null, number | null];
  /** The parts of a move. */
  fields: Field[];
  /** The legal moves. */
  legal: LegalMove[];
  /** All moves so far, as tokens. */
  moves: string[];
  /** The same in words. */
  history: Turn[];
}

/** A class as a wall sees it that was opened with a link: what it shows, and nothing else. */
interface WallClass {
  /** The code to join with. */
  code: string;
  /** The number of events so far. */
  version: number;
  /** 0 before the first round. */
  round: number;
  rules: ClassRules;
  /** The teacher's message while the class is paused. */
  paused: string | null;
  /** Whether the class is over. */
  ended: boolean;
  pupil_count: number;
  /** The server's time, in seconds since 1970. */
  now: number;
  /** The games of this round. */
  boards: ClassBoard[];
  /** The best pupils so far. */
  standings: ShownStanding[];
  together: Together;
  role: "wall";
  /** With numbers instead of names on an anonymous wall. */
  pupils: NamedPupil[];
}
