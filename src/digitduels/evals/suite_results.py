"""The results of the suite: models from Inspect logs, and exact values for our own players."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from digitduels.arena.grading import Grade, skill
from digitduels.evals.inspect_logs import LogError, read_logs
from digitduels.evals.suite import DISTANCES, Suite, band
from digitduels.players import player
from digitduels.players.heuristics import First, Greedy, MostNatural, NotGreedy, RunnerUp, Searcher, greedy_chance
from digitduels.players.levels import LEVELS_VERSION
from digitduels.players.policy import Policy, PolicyPlayer
from digitduels.solver import Progress
from digitduels.solver.solution import Solution
from digitduels.solver.solution_cache import solution_of

_TASKS, _SCORER = ("suite_v1", "suite_v2"), "exact_position"
DEPTHS = (2, 4)  # the search depths of the reference rows, in plies


class Answer(NamedTuple):
    """The result in one position: the probability of a move that keeps its value, and what went wrong."""

    position: int
    found: float
    refused: int = 0
    answers: int = 1
    forfeit: bool = False


def results(
    suite: Suite, label: str, answers: Sequence[Answer], errors: int = 0, levels: int | None = None
) -> dict[str, Any]:
    """The row of a model or player as JSON values. Epochs of a position are averaged and count once.

    `levels` is the version of our levels if the row is for one of our players.
    """
    items = {item["id"]: item for item in suite.positions}
    groups: dict[int, list[Answer]] = defaultdict(list)
    for answer in answers:
        groups[answer.position].append(answer)

    def over_greedy() -> dict[str, Any]:
        chances = {index: _greedy(suite, items[index]) for index in groups}
        return skill(_grade(items[index], group)._replace(chance=chances[index]) for index, group in groups.items())

    def part(include: Callable[[Mapping[str, Any]], bool]) -> dict[str, Any]:
        return skill(_grade(items[index], group) for index, group in groups.items() if include(items[index]))

    def of_game(name: str) -> dict[str, Any]:
        return part(lambda item: bool(suite.variants[item["variant"]]["game"] == name))

    def of_distance(index: int) -> dict[str, Any]:
        return part(lambda item: band(item["distance"], DISTANCES) == index)

    book = [variant["book"] for variant in suite.variants]
    by_the_book, variants = part(lambda item: book[item["variant"]]), part(lambda item: not book[item["variant"]])
    games = dict.fromkeys(variant["game"] for variant in suite.variants)
    return {
        "model": label,
        "levels": levels,
        "positions": len(groups),
        "of": len(items),
        "answers": len(answers),
        "errors": errors,
        "forfeits": sum(answer.forfeit for answer in answers),
        "refused": sum(answer.refused for answer in answers),
        "skill": part(lambda _: True),
        "over_greedy": over_greedy(),
        "book": by_the_book,
        "variants": variants,
        "gap": gap(by_the_book, variants),
        "games": {name: of_game(name) for name in games},
        "distances": [of_distance(index) for index in range(len(DISTANCES) + 1)],
    }


def gap(book: Mapping[str, Any], variants: Mapping[str, Any]) -> dict[str, float | None]:
    """Skill by the book minus skill in the variants. Its interval combines those of both."""
    if book["value"] is None or variants["value"] is None:
        return {"value": None, "low": None, "high": None}
    value = book["value"] - variants["value"]
    below = math.hypot(book["value"] - book["low"], variants["high"] - variants["value"])
    above = math.hypot(book["high"] - book["value"], variants["value"] - variants["low"])
    return {"value": round(value, 4), "low": round(value - below, 4), "high": round(value + above, 4)}


def _grade(item: Mapping[str, Any], group: Sequence[Answer]) -> Grade:
    found: Any = sum(answer.found for answer in group) / len(group)
    return Grade(critical=1, found=found, chance=len(item["keeping"]) / item["legal"])


def _greedy(suite: Suite, item: Mapping[str, Any]) -> float:
    """The probability that the greedy player finds a move that keeps the value of a position."""
    match = suite.match(item)
    return greedy_chance(match.game, match.state, item["keeping"])


# Our own players, exactly


def reference(suite: Suite, progress: Progress | None = None) -> list[dict[str, Any]]:
    """The rows of our players, computed from exact move probabilities and therefore without sampling error."""
    answers: dict[str, list[Answer]] = defaultdict(list)
    for done, item in enumerate(suite.positions):
        if progress is not None:
            progress("asking our players", done / len(suite.positions))
        state, keeping = suite.match(item).state, set(item["keeping"])
        for name, policy in _policies(solution_of(suite.game(item))).items():
            found = sum(chance for move, chance in policy.probabilities(state).items() if str(move) in keeping)
            answers[name].append(Answer(item["id"], found))
    return [results(suite, name, rows, levels=LEVELS_VERSION) for name, rows in answers.items()]


def _policies(solution: Solution) -> dict[str, Policy]:
    """Our players by the names of their rows."""

    def named(name: str) -> Policy:
        policy = player(name, solution.game, lambda _: solution, seed=0)
        assert isinstance(policy, PolicyPlayer)
        return policy

    return {
        "random": named("random"),
        "natural": MostNatural(solution.game, seed=0),
        "greedy": Greedy(solution.game, seed=0),
        **{rule.name: rule(solution.game, seed=0) for rule in (NotGreedy, RunnerUp, First)},
        **{f"level {level}": named(str(level)) for level in range(2, 7)},
        **{f"search, {depth} plies": Searcher(solution, depth) for depth in DEPTHS},
        **{f"search, {depth} plies, else random": Searcher(solution, depth, natural=False) for depth in DEPTHS},
        "perfect": named("perfect"),
    }


# Models, from logs


def read_results(suite: Suite, paths: Iterable[Path]) -> list[dict[str, Any]]:
    """The rows of all models in Inspect logs of this suite, best first; raises LogError if a file is not a log."""
    answers: dict[str, list[Answer]] = defaultdict(list)
    errors: dict[str, int] = defaultdict(int)
    for log in read_logs(paths):
        about, model = log.spec.metadata or {}, log.spec.model
        if about.get("suite") != suite.sha256 or log.spec.task.removeprefix("digitduels/") not in _TASKS:
            continue
        if _ours(model) and (played := about.get("levels")) != LEVELS_VERSION:
            raise LogError(
                f"{log.file} was made with levels of version {played}, not {LEVELS_VERSION}. Run {model} again."
            )
        for sample in log.samples:
            if sample.error is not None or not sample.scores:
                errors[model] += 1
                continue
            if _SCORER not in sample.scores:  # users may have replaced it
                raise LogError(f"Sample {sample.id} of {log.file} has no score of {_SCORER}.")
            value = sample.scores[_SCORER].value
            answers[model].append(
                Answer(
                    int(sample.id),
                    value["found"],
                    int(value["refused"]),
                    int(value["answers"]),
                    bool(value["forfeits"]),
                )
            )
    rows = [
        results(suite, model, answers[model], errors[model], LEVELS_VERSION if _ours(model) else None)
        for model in {*answers, *errors}
    ]
    return sorted(rows, key=lambda row: (-(row["skill"]["value"] or 0), row["model"]))


def _ours(model: str) -> bool:
    return model.startswith("digitduels/")


# Tables and pages


def markdown(suite: Suite, rows: Sequence[Mapping[str, Any]], exact: bool = False) -> str:
    """The rows as a table of skill: overall, book and variants, by game. Counts of failures follow unless `exact`."""
    games = list(dict.fromkeys(variant["game"] for variant in suite.variants))
    head = ["", "skill", "95 % interval", "over greedy", "book", "variants", "gap", *games]
    head += [] if exact else ["positions", "forfeits", "errors"]
    lines = [f"| {' | '.join(head)} |", "|---|" + "---:|" * (len(head) - 1)]
    for row in rows:
        overall = row["skill"]
        interval = "–" if overall["value"] is None else f"{overall['low']:z.2f} to {overall['high']:z.2f}"
        parts = [
            _value(overall, 3),
            interval,
            _value(row["over_greedy"]),
            _value(row["book"]),
            _value(row["variants"]),
            _value(row["gap"], sign="+"),
        ]
        parts += [_value(row["games"][name]) for name in games]
        if not exact:
            parts += [f"{row['positions']} of {row['of']}", str(row["forfeits"]), str(row["errors"])]
        lines.append(f"| {' | '.join([row['model'], *parts])} |")
    return "\n".join(lines) + "\n"


def by_distance(rows: Sequence[Mapping[str, Any]]) -> str:
    """Skill by the distance from the end, as a table."""
    ends = [f"up to {end} plies" for end in DISTANCES]
    lines = [f"|  | {' | '.join([*ends, 'further'])} |", "|---|" + "---:|" * (len(DISTANCES) + 1)]
    lines += [f"| {' | '.join([row['model'], *map(_value, row['distances'])])} |" for row in rows]
    return "\n".join(lines) + "\n"


def gaps(rows: Sequence[Mapping[str, Any]]) -> str:
    """The gap between book and variants with its interval, as a table."""
    lines = ["|  | gap | 95 % interval |", "|---|---:|---:|"]
    for row in rows:
        estimate = row["gap"]
        interval = "–" if estimate["value"] is None else f"{estimate['low']:+z.2f} to {estimate['high']:+z.2f}"
        lines.append(f"| {row['model']} | {_value(estimate, sign='+')} | {interval} |")
    return "\n".join(lines) + "\n"


def page(suite: Suite, rows: Sequence[Mapping[str, Any]]) -> str:
    """The results page, with tables and links to the plots."""
    ours = [row["levels"] for row in rows if row["levels"] is not None]
    parts = [
        f"# Results of {suite.name}",
        f"SHA-256: `{suite.sha256}`. Written by `duels suite report LOGS --out FOLDER`.",
        markdown(suite, rows).rstrip(),
        *([f"Models called digitduels/… are our own players, with levels of version {max(ours)}."] if ours else []),
        "## Skill by game",
        "![Skill of each model, overall and in each game](skill.svg)",
        "## Book and variants",
        "![Skill by the book, in variants, and the gap between them](gap.svg)",
        gaps(rows).rstrip(),
        "## Skill by distance",
        "Skill by the distance from the end, with best play:",
        by_distance(rows).rstrip(),
    ]
    return "\n\n".join(parts) + "\n"


def _value(estimate: Mapping[str, Any], digits: int = 2, sign: str = "-") -> str:
    return "–" if estimate["value"] is None else f"{estimate['value']:{sign}z.{digits}f}"
