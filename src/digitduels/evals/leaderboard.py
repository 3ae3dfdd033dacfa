"""Grades the models of Inspect logs by the exact solution, and makes a leaderboard.

A task logs the record of the match, the model's seat and its answers. Everything else is computed from these.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from digitduels.arena.evidence import observations
from digitduels.arena.grading import Grade, share, skill, summary, tally
from digitduels.core import State, TooLarge
from digitduels.evals.inspect_logs import Log, LogError
from digitduels.games import game
from digitduels.match import Match
from digitduels.players import OPPONENTS, PERFECT_PLAYERS
from digitduels.players.evaluation import ceilings
from digitduels.players.heuristics import greedy_chance
from digitduels.record import replay
from digitduels.solver.solution_cache import solution_of
from digitduels.study.decisions import REFUSED, Decision
from digitduels.study.decisions import decisions as decisions_of

LEADERBOARD_VERSION = 1
TASK_NAMES = ("positions", "match", "rules")
ANSWERED = "exact_answer"  # the scorer of questions about the rules
ANSWER_KINDS = ("legal", "asked_legal", "after", "asked_after")
_EXACT_CEILING = 15_000_000  # with more positions, the best response to a level is not computed
UNFINISHED = "The game was not played to its end."


class Performance(NamedTuple):
    """How a model played in a match, or in one position of it."""

    match: Match
    seat: int
    decisions: list[Decision]
    """The last answer of each turn."""
    answers: int
    refused: int
    """How many answers were refused, including those that the model could correct."""

    @property
    def points(self) -> float:
        """1 for a win, 0.5 for a draw, 0 for a loss or an unfinished game."""
        outcome = self.match.outcome
        return 0.0 if outcome is None else 0.5 if outcome.winner is None else float(outcome.winner == self.seat)

    def figures(self) -> dict[str, float]:
        """The counts that scores and leaderboards sum up."""
        outcome = self.match.outcome
        victory = None if outcome is None else outcome.winner == self.seat
        return {
            "games": 1,
            "points": self.points,
            **tally(self.decisions, victory)._asdict(),
            "answers": self.answers,
            "refused": self.refused,
        }


def performance(record: object, seat: int, answers: Sequence[Mapping[str, Any]], *, whole: bool) -> Performance:
    """Grades a model in a whole match, or in one position.

    An unfinished game counts as forfeited, whatever the cause.
    """
    match = replay(record)
    solution = solution_of(match.game)
    if match.outcome is None and (whole or len(match.moves) == match.opening):
        match.concede(seat, UNFINISHED)
    decisions = [decision for decision in decisions_of(match, solution) if decision.player == seat]
    last = answers[-1] if answers else None
    if decisions and decisions[-1].kind == "forfeited" and last and last["refused"] in REFUSED:
        decisions[-1] = decisions[-1]._replace(kind=last["refused"], reason=last["reason"])
    refused = sum(answer["refused"] is not None for answer in answers)
    return Performance(match, seat, decisions, len(answers), refused)


# Logs


class Done(NamedTuple):
    """A sample of a log that ended, with a result or with an error."""

    task: str
    version: int | str
    """The version of the task. Samples of different versions are not compared."""
    model: str
    game: str
    options: dict[str, Any]
    settings: dict[str, Any]
    """The task arguments that define a board, such as the opponent and the style of the prompts."""
    name: str
    """The id of the sample, with its epoch if that is not the first."""
    pair: str
    """The key of the samples that share its start."""
    played: Performance | None
    figures: Mapping[str, float] | None
    """Its counts; None if it ended with an error or without a score."""

    @property
    def start(self) -> Hashable:
        """The position in which it begins. Samples with the same start count as one observation."""
        return self.pair if self.played is None else self.played.match.states[self.played.match.opening]

    @property
    def course(self) -> Hashable:
        """The seat, the start and everything played after it. Equal games have equal courses."""
        if self.played is None:
            return self.pair
        match = self.played.match
        return self.played.seat, self.start, *match.moves[match.opening :], match.conceded


class GradedLogs(NamedTuple):
    """The contents of some logs."""

    done: list[Done]
    others: list[str]
    """The names of tasks of other packages."""


_SETTINGS = {
    "positions": ("distances", "legal", "history", "retries"),
    "match": ("opponent", "start", "legal", "history", "retries"),
    "rules": (),
}
_CONFIG = ("temperature", "top_p", "max_tokens", "reasoning_effort", "reasoning_tokens")


def grade_logs(logs: Iterable[Log]) -> GradedLogs:
    """Grades the samples of our tasks."""
    done, others = list[Done](), list[str]()
    for log in logs:
        task = log.spec.task.removeprefix("digitduels/")
        if task not in TASK_NAMES or not (log.spec.task_registry_name or log.spec.task).startswith("digitduels/"):
            others.append(log.spec.task)
            continue
        done += [_done(task, log.spec, log.config, sample) for sample in log.samples]
    return GradedLogs(done, others)


def _label(model: str, config: Any) -> str:
    """The name of a model, with the generation settings that differ from its defaults."""
    changed = [f"{name}={value}" for name in _CONFIG if (value := getattr(config, name, None)) is not None]
    return f"{model} ({', '.join(changed)})" if changed else model


def _done(task: str, spec: Any, config: Any, sample: Any) -> Done:
    about, store = sample.metadata, sample.store
    failed = sample.error is not None or not sample.scores
    try:
        rules = game(about["game"], **about["options"])
        played = None if failed or task == "rules" else sample_performance(task, about, store)
        figures = None if failed or played is None else played.figures()
        if not failed and played is None:  # users may have added scorers of their own
            figures = {name: float(sample.scores[ANSWERED].value[name]) for name in ANSWER_KINDS}
        return Done(
            task,
            spec.task_version,
            _label(spec.model, config),
            rules.id,
            rules.values,
            {name: spec.task_args.get(name) for name in _SETTINGS[task]},
            f"{sample.id}" if sample.epoch == 1 else f"{sample.id}-{sample.epoch}",
            f"{spec.task_args.get('seed')} {about['pair']}",
            played,
            figures,
        )
    except TooLarge:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise LogError(f"Sample {sample.id} of a log is not in the format of our tasks: {error}") from None


def sample_performance(task: str, about: Mapping[str, Any], store: Mapping[str, Any]) -> Performance:
    """Grades a model in a sample, from the sample's metadata and store."""
    # The store is empty if the sample ended before its first turn.
    record = store.get("Duel:record") or about["record"]
    return performance(record, about["seat"] - 1, store.get("Duel:answers", ()), whole=task == "match")


# The leaderboard


def leaderboard(logs: GradedLogs) -> dict[str, Any]:
    """The results as JSON values: a board for each task, game and settings, the best model first."""
    boards: dict[str, list[Done]] = defaultdict(list)
    for sample in logs.done:
        key = [TASK_NAMES.index(sample.task), sample.game, sample.options, sample.settings, sample.version]
        boards[json.dumps(key, sort_keys=True, default=str)].append(sample)
    return {
        "version": LEADERBOARD_VERSION,
        "boards": [_board(boards[key]) for key in sorted(boards)],
        "failed": sum(sample.figures is None for sample in logs.done),
        "others": sorted(set(logs.others)),
    }


def _board(done: list[Done]) -> dict[str, Any]:
    first = done[0]
    models: dict[str, list[Done]] = defaultdict(list)
    for sample in done:
        models[sample.model].append(sample)
    rows = [{"model": model, **_row(first.task, samples)} for model, samples in models.items()]
    games = [sample.played for sample in done if sample.played is not None]
    chances = {_start(played): played.decisions[0].chance for played in games if played.decisions}
    return {
        "task": first.task,
        "version": first.version,
        "game": first.game,
        "options": first.options,
        "settings": first.settings,
        "chance": round(sum(chances.values()) / len(chances), 4) if chances and first.task == "positions" else None,
        "models": sorted(rows, key=lambda row: (-_merit(first.task, row), row["model"])),
    }


def _row(task: str, done: list[Done]) -> dict[str, Any]:
    """The results of one model. Samples that ended with an error appear only in `errors`."""
    counted = [sample for sample in done if sample.figures is not None]
    groups = observations(
        counted, lambda sample: sample.start, lambda sample: sample.pair, lambda sample: sample.course
    )
    row: dict[str, Any] = {
        "samples": len(counted),
        "different": len({sample.course if task == "match" else sample.start for sample in counted}),
        "starts": len({sample.start for sample in counted}),
        "errors": len(done) - len(counted),
    }

    def part(numerator: str, denominator: str, seat: int | None = None) -> dict[str, Any]:
        parts = [
            [
                sample.figures
                for sample in group
                if sample.figures and seat in (None, sample.played and sample.played.seat)
            ]
            for group in groups
        ]
        return share(
            (sum(figures[numerator] for figures in part), sum(figures[denominator] for figures in part))
            for part in parts
        )

    if task == "rules":
        return {**row, "legal": part("legal", "asked_legal"), "after": part("after", "asked_after")}
    if task == "match":
        row |= {
            "points": part("points", "games"),
            "ceiling": _ceiling(counted),
            "seats": [part("points", "games", seat) for seat in (0, 1)],
            "thrown": part("thrown", "won"),
        }
    moves = summary(
        [decision for sample in group if sample.played for decision in sample.played.decisions] for group in groups
    )
    moves["over_greedy"] = skill(_over_greedy([sample.played for sample in group if sample.played]) for group in groups)
    return {**row, "forfeits": part("forfeits", "games"), "refused": part("refused", "answers"), "moves": moves}


def _over_greedy(games: Iterable[Performance]) -> Grade:
    """The critical moves of some games, with what the greedy player finds in the place of a random mover."""
    grade = Grade()
    for played in games:
        for decision in played.decisions:
            if decision.critical:
                match, keeping = played.match, set(map(str, decision.keeping))
                chance = greedy_chance(match.game, match.states[decision.ply], keeping)
                grade = grade.plus(Grade(critical=1, found=int(decision.found), chance=chance))
    return grade


def _ceiling(done: Sequence[Done]) -> float | None:
    """The highest possible score per game against this opponent from these starts; None if unknown."""
    games = [sample.played for sample in done if sample.played]
    if not games or (opponent := str(done[0].settings["opponent"])) not in OPPONENTS:
        return None
    rules = games[0].match.game
    starts = list(dict.fromkeys(_start(played) for played in games))
    if opponent in PERFECT_PLAYERS:
        values = [solution_of(rules).probe(start).value for start in starts]
        best = [((1 + value) / 2, (1 - value) / 2) for value in values]
    elif solution_of(rules).counts().positions <= _EXACT_CEILING:
        best = ceilings(opponent, rules, starts)
    else:
        return None
    most = dict(zip(starts, best, strict=True))
    points = [most[_start(played)][_start(played).player != played.seat] for played in games]
    return round(sum(points) / len(points), 4)


def _start(played: Performance) -> State[Any, Any]:
    return played.match.states[played.match.opening]


def _merit(task: str, row: dict[str, Any]) -> float:
    """The sort key of the models on a board."""
    value = row["legal" if task == "rules" else "moves"]
    value = (value if task == "rules" else value["skill"])["value"]
    return -math.inf if value is None else float(value)
