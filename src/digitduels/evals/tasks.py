"""Tasks for Inspect: positions with one right move, whole games, and questions about the rules."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser, ModelOutput, get_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver
from inspect_ai.util import StoreModel
from pydantic import Field

from digitduels.arena.evidence import observations
from digitduels.arena.grading import Grade, share, skill
from digitduels.arena.tournament import names
from digitduels.core import IllegalMove, InvalidMove
from digitduels.evals import protocol
from digitduels.evals.leaderboard import ANSWER_KINDS, sample_performance
from digitduels.evals.protocol import RETRIES, STYLE, NoAnswer, Style
from digitduels.games import AnyGame, game
from digitduels.match import Match
from digitduels.players import OPPONENTS, player
from digitduels.position_json import position_to_json
from digitduels.record import replay, to_record
from digitduels.sentence import Count, Sentence
from digitduels.solver.solution_cache import solution_of
from digitduels.study.fair_starts import fair_start
from digitduels.study.positions import only_move
from digitduels.study.positions import positions as some_positions
from digitduels.text import clean, quoted

TASK_VERSION = 4
"""Increased whenever the prompts or the grading change."""
SKILL = "skill"
PART = "test"
"""The split of the positions, which training data must not contain."""


class Duel(StoreModel):
    """What a task logs: the record of the match, and the model's answers."""

    record: dict[str, Any] = Field(default_factory=dict)
    answers: list[dict[str, Any]] = Field(default_factory=list)


# The tasks


@task
def positions(
    game: str = "number-duel",
    positions: int = 200,
    distances: int | Sequence[int] | None = None,
    seed: int = 0,
    legal: str = "listed",
    history: bool = True,
    retries: int = RETRIES,
    options: dict[str, Any] | None = None,
) -> Task:
    """Single positions in which only one move keeps the win or the draw, evenly spread by distance."""
    rules, style = _game(game, options), protocol.check(Style(legal, history, retries))
    _check_count("positions", positions)
    solution, chosen = solution_of(rules), _distances(distances)
    samples = []
    for number, match in enumerate(some_positions(solution, positions, seed, only_move, chosen, part=PART), 1):
        judgement = solution.judge(match.state)
        keeping = list(map(str, judgement.keeping))
        samples.append(
            Sample(
                id=number,
                input=_conversation(match, protocol.question(match, style)),
                target=keeping,
                metadata={
                    **about(match, f"{number}"),
                    "distance": judgement.best_verdict.distance,
                    "chance": len(keeping) / len(judgement),
                },
            )
        )
    if not samples:
        raise ValueError(f"{rules.title} has no such positions in the {PART} split; try other options or distances.")
    return Task(
        MemoryDataset(samples, f"{rules.id} positions"),
        solver=decide(style),
        scorer=exact_position(),
        version=TASK_VERSION,
    )


@task
def match(
    game: str = "number-duel",
    opponent: str | int = "perfect",
    games: int = 20,
    start: str = "fair",
    seed: int = 0,
    legal: str = "listed",
    history: bool = True,
    retries: int = RETRIES,
    options: dict[str, Any] | None = None,
) -> Task:
    """Whole games against one of our players, each start once from either seat."""
    rules, style = _game(game, options), protocol.check(Style(legal, history, retries))
    opponent = str(opponent)
    if opponent not in OPPONENTS:
        raise ValueError(f"There is no opponent {quoted(opponent)}. The opponents are {', '.join(OPPONENTS)}.")
    if start not in ("fair", "book"):
        raise ValueError(f"start must be fair or book; {quoted(start)} is not.")
    _check_count("games", games)
    samples = []
    for number in range(games):
        pair, seat = divmod(number, 2)
        opening = fair_start(solution_of(rules), f"{seed} {pair}") if start == "fair" else ()
        prepared = Match(rules, opening=opening)
        prepared.seed = f"{seed} {start} {number}"
        samples.append(
            Sample(
                id=f"{pair + 1}-{seat + 1}",
                input=[ChatMessageSystem(content=protocol.rules(rules))],
                metadata={**about(prepared, f"{pair + 1}"), "seat": seat + 1, "opponent": opponent},
            )
        )
    return Task(
        MemoryDataset(samples, f"{rules.id} match"),
        solver=duel(opponent, style),
        scorer=exact_game(),
        version=TASK_VERSION,
    )


@task
def rules(
    game: str = "number-duel", questions: int = 100, seed: int = 0, options: dict[str, Any] | None = None
) -> Task:
    """Questions about the rules: is this move legal, and what is the position after it?"""
    variant = _game(game, options)
    _check_count("questions", questions)
    rng = random.Random(f"rules {variant.id} {variant.values} {seed}")
    samples, asked = [], 0  # half the questions are about legality, and half of these about an illegal move
    for number, match in enumerate(some_positions(solution_of(variant), questions, seed, part=PART), 1):
        allowed = variant.legal_moves(match.state)
        barred = [move for move in variant.moves if move not in set(allowed)]
        kind = "legal" if barred and 2 * asked < number else "after"
        move = rng.choice(barred if kind == "legal" and asked % 2 else allowed)
        if kind == "legal":
            asked += 1
            text = protocol.legality_question(match, move)
            right: dict[str, Any] = {"legal": move in allowed}
        else:
            text = protocol.outcome_question(match, move)
            right = {"position": protocol.seen(variant, variant.play(match.state, move), match.state.player)}
        samples.append(
            Sample(
                id=number,
                input=_conversation(match, text, move=str(move), about=kind),
                target=json.dumps(right, ensure_ascii=False),
                metadata={**about(match, f"{number}"), "about": kind, "move": str(move)},
            )
        )
    return Task(
        MemoryDataset(samples, f"{variant.id} rules"),
        solver=generate(tool_calls="none"),  # there are no tools, and a model that calls one would loop forever
        scorer=exact_answer(),
        version=TASK_VERSION,
    )


def _game(name: str, options: dict[str, Any] | None) -> AnyGame:
    if not isinstance(options, dict | None):
        raise ValueError(f"Options are given by name, such as {{target: 100}}; {quoted(options)} is not.")
    return game(name, **(options or {}))


def _check_count(name: str, count: int) -> None:
    if type(count) is not int or count < 1:
        raise ValueError(f"{name} must be an integer from 1 up; {quoted(count)} is not.")


def _distances(distances: int | Sequence[int] | None) -> list[int] | None:
    """Parses the distances. From the command line they are a list of strings."""
    if distances is None:
        return None
    try:
        return [int(distance) for distance in ([distances] if isinstance(distances, int | str) else distances)]
    except (TypeError, ValueError):
        raise ValueError(f"distances must be integers, such as [3,5]; {quoted(distances)} is not.") from None


def about(match: Match, pair: str) -> dict[str, Any]:
    """The metadata of every sample. Samples with the same start are one observation. The model's seat is 1 or 2."""
    return {
        "game": match.game.id,
        "options": match.game.values,
        "record": to_record(match),
        "pair": pair,
        "start": json.dumps(position_to_json(match.game, match.state)),
        "seat": match.state.player + 1,
    }


def _conversation(match: Match, text: str, **about: Any) -> list[ChatMessage]:
    """The messages of a new conversation: the rules and a question."""
    return [ChatMessageSystem(content=protocol.rules(match.game)), _message(match, text, **about)]


def _message(match: Match, text: str, **about: Any) -> ChatMessageUser:
    """A message with the match in its metadata, which our own players read. Models only see the text."""
    return ChatMessageUser(content=text, metadata={"record": to_record(match) | {"words": []}, **about})


# Playing


@solver
def decide(style: Style = STYLE, asked: bool = False) -> Solver:
    """Asks for one move. With `asked`, the sample already contains the question."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        match = replay(state.metadata["record"])
        conversation = list(state.messages) if asked else None
        del state.messages[1:]
        # Rule sets of a suite may have names of their own.
        named = Style(*style)._replace(words=state.metadata.get("words", ()))
        await turn(state, match, named, conversation)
        return state

    return solve


@solver
def duel(opponent: str, style: Style = STYLE) -> Solver:
    """Plays a game to the end."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        prepared = replay(state.metadata["record"])
        seat = state.metadata["seat"] - 1
        players = (str(state.model), opponent) if seat == 0 else (opponent, str(state.model))
        match = Match(prepared.game, names=names(players, prepared.game.id), opening=prepared.moves)
        match.seed, match.players = prepared.seed, players
        other = player(opponent, match.game, solution_of, match.seed)
        while match.outcome is None:
            if match.state.player == seat:
                await turn(state, match, Style(*style))
            else:
                match.play(other.choose(match))
                _log_record(state, match)
        return state

    return solve


async def turn(state: TaskState, match: Match, style: Style, conversation: list[ChatMessage] | None = None) -> None:
    """Asks the model for its move and plays it. A model that gives no legal move forfeits the game."""
    seat, reason = match.state.player, ""
    _log_record(state, match)
    conversation = conversation or _conversation(match, protocol.question(match, style))
    for _ in range(1 + style.retries):
        # The log shows all turns, but the model only gets the conversation of this one.
        state.messages.append(conversation[-1])
        output = await get_model().generate(conversation)
        state.output = ModelOutput.from_content(output.model, "") if output.empty else output
        state.messages.append(state.output.message)
        text = state.output.completion
        match.say(text)
        chosen: str | None = None
        try:
            chosen = protocol.chosen(text)
            move = protocol.legal(match.game, match.state, protocol.original(chosen, style))
        except (InvalidMove, IllegalMove) as error:
            reason = protocol.objection(error, seat, cut_off=state.output.stop_reason == "max_tokens")
            kind = "illegal" if isinstance(error, IllegalMove) else "invalid"
            _log_answer(state, match, chosen, kind, reason)
            again = _message(match, protocol.refusal(reason, match, style), words=[list(pair) for pair in style.words])
            conversation += [state.output.message, again]
        else:
            _log_answer(state, match, chosen)
            match.play(move)
            _log_record(state, match)
            return
    answers = Count(1 + style.retries, "answer")
    match.concede(
        seat, Sentence("No legal move in {answers}. The last reason: {reason}", answers=answers, reason=reason)
    )
    _log_record(state, match)


def _log_record(state: TaskState, match: Match) -> None:
    """Logs the record so far, so that an interrupted game is in the log too."""
    state.store_as(Duel).record = to_record(match)


def _log_answer(
    state: TaskState, match: Match, chosen: str | None, kind: str | None = None, reason: str | None = None
) -> None:
    """Logs an answer; if it was refused, with the kind and reason of the refusal."""
    answer = {
        "ply": len(match.moves),
        "answer": None if chosen is None else clean(chosen, 100),
        "refused": kind,
        "reason": None if reason is None else str(reason),
    }
    log = state.store_as(Duel)
    log.answers = [*log.answers, answer]


# Scoring


@metric
def shares(wanted: list[str]) -> Metric:
    """Skill and ratios of counts, such as "found/critical", with 95 % confidence intervals.

    Samples that begin in the same position count as one observation. Samples with a denominator of 0 are left out.
    """

    def shared(scores: list[SampleScore]) -> Value:
        groups = observations(scores, _start, _pair, _course)
        values: dict[str, float | None] = {}
        for quotient in wanted:
            name, _, of = quotient.partition("/")
            if name == SKILL:
                estimate = skill(_grade(group) for group in groups)
            else:
                estimate = share((_sum(group, name), _sum(group, of)) for group in groups)
            values |= {name: estimate["value"], f"{name}_low": estimate["low"], f"{name}_high": estimate["high"]}
        return values

    return shared


def _start(sample: SampleScore) -> str:
    return str((sample.sample_metadata or {})["start"])


def _pair(sample: SampleScore) -> str:
    return str((sample.sample_metadata or {})["pair"])


def _course(sample: SampleScore) -> str:
    return str((sample.score.metadata or {}).get("course"))


def _sum(samples: Sequence[SampleScore], name: str) -> float:
    values: list[Any] = [sample.score.value for sample in samples]
    return float(sum(value[name] for value in values))


def _grade(samples: Sequence[SampleScore]) -> Grade:
    """The grade of some samples, with the counts that skill needs."""
    found, critical = (int(_sum(samples, name)) for name in ("found", "critical"))
    return Grade(found=found, critical=critical, chance=_sum(samples, "chance"))


@scorer(metrics=[shares([SKILL, "found/critical", "forfeits/turns", "refused/answers"])])
def exact_position() -> Scorer:
    """Scores whether the move is one of the target's, which keep the value of a critical position."""

    async def score(state: TaskState, target: Target) -> Score:
        log = state.store_as(Duel)
        moves = log.record.get("moves", [])[state.metadata["record"]["opening"] :]
        found = bool(moves) and moves[0] in set(target)
        value = {
            "found": float(found),
            "critical": 1.0,
            "chance": state.metadata["chance"],
            "turns": 1.0,
            "forfeits": float(not moves),
            "refused": float(sum(answer["refused"] is not None for answer in log.answers)),
            "answers": float(len(log.answers)),
        }
        reason = log.answers[-1]["reason"] if log.answers and not moves else None
        return Score(
            value=value,
            answer=moves[0] if moves else None,
            explanation=reason or ("kept" if found else "threw" if moves else "forfeited"),
            metadata={"course": " ".join(moves)},
        )

    return score


@scorer(
    metrics=[
        shares(
            [SKILL, "found/critical", "points/games", "thrown/won", "detour/turns", "forfeits/games", "refused/answers"]
        )
    ]
)
def exact_game() -> Scorer:
    """Scores the points of a game and the quality of its moves."""

    async def score(state: TaskState, target: Target) -> Score:
        performance = sample_performance("match", state.metadata, dict(state.store.items()))
        decisions, match = performance.decisions, performance.match
        last, outcome = decisions[-1] if decisions else None, match.outcome
        reasons = [str(part.reason) for part in (last, outcome) if part is not None and part.reason]
        return Score(
            value={name: float(value) for name, value in performance.figures().items()},
            answer=str(match.moves[-1]) if match.moves else None,
            explanation=" ".join(dict.fromkeys(reasons)) or (last.kind if last else None),
            metadata={
                "kinds": [decision.kind for decision in decisions],
                "course": " ".join([str(performance.seat), *map(str, match.moves)]),
            },
        )

    return score


@scorer(metrics=[shares(["legal/asked_legal", "after/asked_after"])])
def exact_answer() -> Scorer:
    """Scores whether an answer about the rules is right."""

    async def score(state: TaskState, target: Target) -> Score:
        about, text = state.metadata["about"], state.output.completion
        right = right_answer(text, json.loads(target.text))
        value = dict.fromkeys(ANSWER_KINDS, 0.0)
        return Score(value={**value, about: float(right), f"asked_{about}": 1.0}, answer=clean(text[-200:], 200))

    return score


def right_answer(text: str, right: dict[str, Any]) -> bool:
    """Whether a reply gives the right answer, ignoring case and extra spaces."""
    try:
        answer = protocol.answer(text)
    except NoAnswer:
        return False
    return all(_plain(answer.get(key)) == _plain(value) for key, value in right.items())


def _plain(value: object) -> object:
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return [" ".join(line.split()).casefold() for line in value if line.strip()]
    return value if isinstance(value, bool) else None
