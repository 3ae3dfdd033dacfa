"""The questions about a game in a link: a table of what can be asked, which values each takes, and what it answers.

A server makes its routes and their description from this table. `Workers` is all that a question needs of its
surroundings, so any program that can solve games can answer.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Awaitable, Callable
from typing import Any, Concatenate, NamedTuple, ParamSpec, Protocol, TypeVar, get_type_hints

from digitduels import asking
from digitduels.core import InvalidMove, notation_of
from digitduels.games import game_class, games
from digitduels.manual import COMMON, card, rulings, tokens, transcript
from digitduels.match import Match
from digitduels.players import COACH, COACH_LEVEL, OPPONENTS
from digitduels.rule_sets import house_rules
from digitduels.study.ideas import ideas
from digitduels.study.puzzles import TIERS, daily, order, today
from digitduels.text import clean, quoted
from digitduels.web.positions import analysis, answers, link
from digitduels.web.positions.view import effects_view, listing, view
from digitduels.web.positions.wire import wire
from digitduels.web.refusal import Refusal

LONGEST_SEED = 100
LARGEST_SHEET = 24
MAX_AGE = 3600  # seconds for which an answer may be cached
IMMUTABLE = 31_536_000  # seconds, for answers that depend only on the rules and the position
TODAY = 60  # seconds, for answers that change with the date

P = ParamSpec("P")
T = TypeVar("T")


class Workers(Protocol):
    """Computes on behalf of somebody who asks. Raises Refusal if it cannot."""

    async def ask(
        self,
        question: Callable[Concatenate[Match, analysis.Solve, P], T],
        match: Match,
        *arguments: P.args,
        **named: P.kwargs,
    ) -> T:
        """Answers with one of the functions of `analysis`."""

    async def aside(self, work: Callable[[], T]) -> T:
        """Does short work that may take longer than usual, such as reading a variant's rules."""


class Key(NamedTuple):
    """A key of a link besides those of every link: its description, its schema, and how its text is read."""

    about: str
    schema: dict[str, Any]
    read: Callable[[str, str], Any]
    """Takes the name and the text. Raises Refusal if the text is invalid."""


def integer(about: str, low: int, high: int) -> Key:
    """A key whose value is an integer."""
    schema = {"type": "integer", "minimum": low, "maximum": high}
    return Key(about, schema, lambda name, text: link.number({name: text}, name, low, high))


def word(about: str, *words: str) -> Key:
    """A key whose value is one of some words."""

    def read(name: str, text: str) -> str:
        if text not in words:
            raise Refusal(422, f"{name} must be {' or '.join(words)}; {quoted(text)} is not.")
        return text

    return Key(about, {"type": "string", "enum": list(words)}, read)


def _read_seed(_: str, text: str) -> str:
    if clean(text, LONGEST_SEED) != text:
        raise Refusal(422, f"A seed is a word of at most {LONGEST_SEED} characters.")
    return text


def _read_opponent(name: str, text: str) -> str:
    if text not in (*OPPONENTS, COACH):
        raise Refusal(422, f"{name} must be one of {', '.join((*OPPONENTS, COACH))}; {quoted(text)} is not.")
    return text


def _read_text(_: str, text: str) -> str:
    return text


TEXT = {"type": "string"}
MOVE = Key("the move, such as +5; in a query, write + as %2B", TEXT, _read_text)
SEED = Key("the seed of random choices", {"type": "string", "maxLength": LONGEST_SEED}, _read_seed)
TIER = integer("how far away the win is", 1, max(TIERS))
GAME = Key("the id of a game", {"type": "string", "enum": games()}, _read_text)
OPPONENT = Key("the computer player", {"type": "string", "enum": [*OPPONENTS, COACH]}, _read_opponent)
PICKS = "the index of the chosen value in each field, from the first field, separated by commas"
DATE = "YYYY-MM-DD. Default without a seed: today in UTC"
Pairs = list[tuple[str, str]]
Function = Callable[..., Awaitable[Any]]
F = TypeVar("F", bound=Function)


class Question(NamedTuple):
    """A question about a game in a link. `answer` is the type of the answer."""

    path: str
    summary: str
    function: Function
    answer: Any
    keys: dict[str, Key]
    max_age: int
    fixed_by: tuple[str, ...]
    """If there are such keys, the answer depends on the date unless the link has one of them."""

    async def ask(self, game: str | None, pairs: Pairs, workers: Workers) -> Any:
        """Answers the question about the game in a link. Raises Refusal if the link is invalid.

        If the path does not name the game, the link may. Without a name, the match is of any game.
        """
        name = game or next((value for key, value in pairs if key == "game"), None)

        def read() -> tuple[Match, dict[str, str]]:
            return link.read(order("")[0] if name is None else name, pairs, *self.keys)

        of_the_book = {key for key, _ in pairs} <= {*link.KEYS, *link.PAGE_ONLY, *self.keys}
        match, texts = read() if of_the_book else await workers.aside(read)
        if name is None and match.game.changes:
            raise Refusal(422, "Options belong to a game: name it with game=.")
        values = {key: self.keys[key].read(key, text) for key, text in texts.items() if text or key == "seed"}
        return await self.function(match, workers, **values)

    def max_age_of(self, pairs: Pairs) -> int:
        """Returns the seconds for which the answer to a link may be cached."""
        fixed = not self.fixed_by or any(key in self.fixed_by and value for key, value in pairs)
        return self.max_age if fixed else TODAY


QUESTIONS: dict[str, Question] = {}
"""All questions, by their path."""


def question(
    path: str, summary: str, *, max_age: int = MAX_AGE, fixed_by: tuple[str, ...] = (), **keys: Key
) -> Callable[[F], F]:
    """Adds a function to the table. It gets the match, the workers, and the values of the keys that the link has."""

    def add(function: F) -> F:
        answer = get_type_hints(function, include_extras=True)["return"]
        QUESTIONS[path] = Question(path, summary, function, answer, keys, max_age, fixed_by)
        return function

    return add


@question(
    "/api/position/{game}",
    "The position of a game, and its legal moves",
    effects=word("whether to say what every legal move does", "on", "off"),
)
async def position(match: Match, workers: Workers, effects: str = "off") -> answers.PositionView:
    return await _view(match, workers, effects == "on")


async def _view(match: Match, workers: Workers, effects: bool) -> answers.PositionView:
    """Returns the view of a match. A variant's may take long."""
    return await workers.aside(lambda: view(match, effects)) if match.game.changes else view(match, effects)


@question("/api/effects/{game}", "What every legal move does, by the rules", max_age=IMMUTABLE)
async def effects(match: Match, workers: Workers) -> answers.Effects:
    changed = bool(match.game.changes)
    return {"effects": await workers.aside(lambda: effects_view(match)) if changed else effects_view(match)}


@question(
    "/api/objection/{game}",
    "Why a move, or its first fields, cannot be played",
    picks=Key(PICKS, TEXT, _read_text),
)
async def objection(match: Match, _: Workers, picks: str = "") -> answers.Objection:
    choices = notation_of(match.game).columns
    indices = [int(pick) for pick in picks.split(",")] if re.fullmatch("[0-9]{1,6}(,[0-9]{1,6})*", picks) else []
    fields = list(zip(choices, indices, strict=False))
    if not 0 < len(indices) <= len(choices) or any(index >= len(column) for column, index in fields):
        raise Refusal(422, f"picks must be the index of a choice for each field, in order; {quoted(picks)} is not.")
    reason = asking.objection(match.game, match.state, [column[index] for column, index in fields])
    return {"reason": None if reason is None else wire(reason, match.names)}


@question(
    "/api/start/{game}",
    "The opening moves of a book start or a fair start",
    kind=word("what to start from; in a fair start the win is long and few moves keep it", "book", "fair"),
    seed=SEED,
)
async def start(match: Match, workers: Workers, kind: str = "book", seed: str = "0") -> answers.Start:
    moves = await workers.ask(analysis.start, Match(match.game), seed=seed) if kind == "fair" else []
    return {"moves": moves, "opening": len(moves)}


@question("/api/reply/{game}", "The move of a computer player, and the position after it", vs=OPPONENT, seed=SEED)
async def reply(match: Match, workers: Workers, vs: str = "", seed: str = "0") -> answers.Reply:
    _check_in_progress(match)
    who = COACH_LEVEL if vs == COACH else _read_opponent("vs", vs)
    move = await workers.ask(analysis.reply, match, who=who, seed=seed)
    match.play(match.game.read(move, match.state))
    return {"move": move, "position": await _view(match, workers, effects=True)}


@question("/api/solve/{game}", "Who wins, how soon, and what every move is worth")
async def solve(match: Match, workers: Workers) -> answers.Solved:
    return await workers.ask(analysis.position, match)


@question(
    "/api/hint/{game}",
    "A hint, in four steps from the standing to the move",
    step=integer("how much the hint reveals", 1, 4),
    takebacks=Key("whether the player can take back a move", {"enum": ["on", "off"]}, _read_text),
)
async def hint(match: Match, workers: Workers, step: int = 1, takebacks: str = "on") -> answers.Hint:
    _check_in_progress(match)
    lines = await workers.ask(analysis.hints, match, step=step, takebacks=takebacks != "off")
    return {"step": step, "lines": lines}


@question(
    "/api/judge/{game}",
    "What a move is worth and why, the coach's warning, and the verdict on a second try",
    move=MOVE,
    played=Key("the move that was played in the game, if another one is tried", TEXT, _read_text),
)
async def judge(match: Match, workers: Workers, move: str = "", played: str = "") -> answers.Judgement:
    moves = {"move": _legal_move(match, move), "played": _legal_move(match, played) if played else ""}
    return await workers.ask(analysis.judged_move, match, **moves)


@question("/api/review/{game}", "What decided a game")
async def review(match: Match, workers: Workers) -> answers.Review:
    return await workers.ask(analysis.game_review, match)


async def review_record(record: object, workers: Workers) -> answers.Review:
    """Returns the review of a recorded game, given the JSON values of the record."""
    return await review(await workers.aside(lambda: link.read_record(record)), workers)


@question("/api/map/{game}", "Who wins at which scores; null without scores")
async def scores(match: Match, workers: Workers) -> answers.Scores | None:
    return await workers.ask(analysis.scores, match)


@question("/api/lab/{game}/report", "How fair, deep and tense a rule set is; for books and up to two million positions")
async def report(match: Match, workers: Workers) -> answers.LabReport:
    return await workers.ask(analysis.lab_report, Match(match.game))


@question("/api/lab/{game}/strip", "Who wins with other values of the first option")
async def strip(match: Match, workers: Workers) -> answers.LabStrip | None:
    return await workers.ask(analysis.lab_strip, Match(match.game))


@question(
    "/api/puzzle",
    "A daily puzzle, or a puzzle of a game",
    fixed_by=("date", "seed"),
    date=Key(DATE, {"type": "string", "format": "date"}, _read_text),
    game=GAME,
    tier=TIER,
    seed=SEED,
)
async def puzzle(
    match: Match,
    workers: Workers,
    game: str | None = None,
    date: str = "",
    tier: int | None = None,
    seed: str | None = None,
) -> answers.Puzzle:
    try:
        day = daily(datetime.date.fromisoformat(date) if date else today())
    except ValueError:
        raise Refusal(422, f"date must be a day such as {today()}; {quoted(date)} is not.") from None
    key = day if seed is None or date else seed
    chosen = await workers.ask(analysis.puzzle, Match(match.game), tier=tier, seed=key, everywhere=game is None)
    return {**chosen, "date": day if key == day else None, "seed": key}


@question("/api/attempt/{game}", "Try a move in a puzzle", move=MOVE, tier=TIER)
async def attempt(match: Match, workers: Workers, move: str = "", tier: int = max(TIERS)) -> answers.Attempt:
    return await workers.ask(analysis.attempt, match, move=_legal_move(match, move), tier=tier)


@question(
    "/api/sheet",
    "Puzzles to print, with an answer key",
    game=GAME,
    count=integer("how many puzzles", 1, LARGEST_SHEET),
    tier=TIER,
    seed=SEED,
)
async def sheet(
    match: Match,
    workers: Workers,
    game: str | None = None,
    count: int = 6,
    tier: int | None = None,
    seed: str = "0",
) -> answers.Sheet:
    if game is None:
        raise Refusal(422, f"game must be one of {', '.join(games())}.")
    return await workers.ask(analysis.sheet, Match(match.game), tier=tier, seed=seed, count=count)


@question(
    "/api/learn/{game}",
    "The rules of a game, and its theory",
    theory=word("with later, the answer comes without the theory, at once", "later"),
)
async def learn(match: Match, workers: Workers, theory: str = "") -> answers.Lesson:
    rules = match.game
    about, text = card(rules)
    return {
        **listing(type(rules), about),
        "changed": rules.changes,
        "house_rules": house_rules(rules),
        "rules": [" ".join(paragraph.split()) for paragraph in text.split("\n\n")],
        "rulings": [*rulings(rules), *COMMON],
        "moves": tokens(rules),
        "example": {"moves": rules.example, "lines": transcript(link.book(rules.id), rules.example).splitlines()},
        "ideas": [
            {
                "title": idea.title,
                "about": idea.about,
                "moves": idea.moves,
                "example": wire(idea.example(rules), match.names),
            }
            for idea in ideas(rules)
        ],
        "theory": None if theory else await _theory(match, workers),
    }


async def _theory(match: Match, workers: Workers) -> list[answers.Sentence]:
    try:
        return await workers.ask(analysis.theory_lines, Match(match.game, first=match.first))
    except Refusal as refusal:
        if refusal.again is not None:
            raise
        return [wire(f"There is no theory of these rules. {refusal}", match.names)]


def body_pairs(values: object) -> Pairs:
    """Returns the link in the body of a request. Raises Refusal unless the body is an object of strings."""
    if not isinstance(values, dict) or not all(isinstance(value, str) for value in values.values()):
        raise Refusal(422, "The request body must be a JSON object of strings.")
    return list(values.items())


def game_cards() -> list[answers.GameCard]:
    """Returns all games, with their options."""
    return [listing(game_class(name)) for name in games()]


def _check_in_progress(match: Match) -> None:
    """Raises Refusal if the game is over."""
    if match.outcome is not None:
        raise Refusal(422, f"The game is over. {match.outcome.reason}")


def _legal_move(match: Match, text: str) -> str:
    """Returns the token of a move. Raises Refusal if the move is invalid or illegal."""
    _check_in_progress(match)
    try:
        move = match.game.read(text, match.state)
    except InvalidMove as error:
        raise Refusal(422, str(error)) from None
    if reason := match.game.objection(match.state, move):
        raise Refusal(422, reason)
    return str(move)
