"""The results of the suite: of models, from Inspect logs, and of our own players, exactly."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from digitduels.arena.grading import Grade, skill
from digitduels.core import State
from digitduels.evals.leaderboard import LogError
from digitduels.evals.suite import DISTANCES, Suite, band
from digitduels.players import OPPONENTS
from digitduels.players.levels import tuning
from digitduels.solver import Progress
from digitduels.solver.library import solution_of
from digitduels.solver.solution import Solution

DEPTHS = (2, 4)  # plies that the searches of the reference rows look ahead
RESULTS_VERSION = 1
Policy = Callable[[Solution, State[Any, Any]], Mapping[Any, float]]


class Answer(NamedTuple):
    """What became of one position: how likely a move that keeps its value was, and what went wrong."""

    position: int
    found: float
    refused: int = 0
    answers: int = 1
    forfeit: bool = False


def results(suite: Suite, label: str, answers: Sequence[Answer], errors: int = 0) -> dict[str, Any]:
    """The row of a model or player as JSON values. Epochs of a position are averaged, so that it counts once."""
    items = {item["id"]: item for item in suite.positions}
    groups: dict[int, list[Answer]] = defaultdict(list)
    for answer in answers:
        groups[answer.position].append(answer)

    def part(wanted: Callable[[Mapping[str, Any]], bool]) -> dict[str, Any]:
        return skill(_grade(items[place], group) for place, group in groups.items() if wanted(items[place]))

    def of_game(name: str) -> dict[str, Any]:
        return part(lambda item: bool(suite.variants[item["variant"]]["game"] == name))

    def of_distance(place: int) -> dict[str, Any]:
        return part(lambda item: band(item["distance"], DISTANCES) == place)

    book = [variant["book"] for variant in suite.variants]
    games = dict.fromkeys(variant["game"] for variant in suite.variants)
    return {
        "model": label,
        "positions": len(groups),
        "of": len(items),
        "answers": len(answers),
        "errors": errors,
        "forfeits": sum(answer.forfeit for answer in answers),
        "refused": sum(answer.refused for answer in answers),
        "skill": part(lambda _: True),
        "book": part(lambda item: book[item["variant"]]),
        "variants": part(lambda item: not book[item["variant"]]),
        "games": {name: of_game(name) for name in games},
        "distances": [of_distance(place) for place in range(len(DISTANCES) + 1)],
    }


def _grade(item: Mapping[str, Any], group: Sequence[Answer]) -> Grade:
    found: Any = sum(answer.found for answer in group) / len(group)
    return Grade(critical=1, found=found, chance=len(item["keeping"]) / item["legal"])


# Our own players, exactly


def reference(suite: Suite, progress: Progress | None = None) -> list[dict[str, Any]]:
    """The rows of our players, from their exact probabilities: no dice, so that the values have no error."""
    policies: dict[str, Policy] = {"random": _uniform, **{f"level {level}": _level(level) for level in range(2, 7)}}
    policies |= {f"search, {depth} plies": _search(depth) for depth in DEPTHS}
    policies |= {"perfect": _level(7)}
    answers: dict[str, list[Answer]] = defaultdict(list)
    for done, item in enumerate(suite.positions):
        if progress is not None:
            progress("asking our players", done / len(suite.positions))
        state, solution = suite.match(item).state, solution_of(suite.game(item))
        keeping = set(item["keeping"])
        for name, policy in policies.items():
            likely = policy(solution, state)
            kept = sum(chance for move, chance in likely.items() if str(move) in keeping)
            answers[name].append(Answer(item["id"], kept))
    return [results(suite, name, found) for name, found in answers.items()]


def _uniform(solution: Solution, state: State[Any, Any]) -> Mapping[Any, float]:
    moves = solution.game.legal_moves(state)
    return dict.fromkeys(moves, 1 / len(moves))


def _level(level: int) -> Policy:
    def likely(solution: Solution, state: State[Any, Any]) -> Mapping[Any, float]:
        from digitduels.players.levels import Level
        from digitduels.players.perfect import Perfect

        assert str(level) in OPPONENTS
        if level == 7:
            return Perfect(solution, seed=0).probabilities(state)
        offered = max(each for each in tuning(solution.game).levels if each <= level)
        return Level(offered, solution, seed=0).probabilities(state) if offered > 1 else _uniform(solution, state)

    return likely


def _search(depth: int) -> Policy:
    """Plays the quickest win that it sees, else any move that it does not see losing, else the slowest loss."""

    def likely(solution: Solution, state: State[Any, Any]) -> Mapping[Any, float]:
        near = solution.within(state, depth)
        wins = [verdict for verdict in near.values() if verdict is not None and verdict.value > 0]
        if wins:
            chosen = [move for move, verdict in near.items() if verdict == max(wins)]
        else:
            chosen = [move for move, verdict in near.items() if verdict is None or verdict.value == 0]
            if not chosen:
                longest = max(verdict for verdict in near.values() if verdict is not None)
                chosen = [move for move, verdict in near.items() if verdict == longest]
        return dict.fromkeys(chosen, 1 / len(chosen))

    return likely


# Models, from logs


def read_results(suite: Suite, paths: Iterable[Path]) -> list[dict[str, Any]]:
    """The rows of all models in Inspect logs of this suite, the best first; raises LogError for other files."""
    from inspect_ai.log import list_eval_logs, read_eval_log

    files = [
        file
        for path in paths
        for file in (sorted(info.name for info in list_eval_logs(str(path))) if path.is_dir() else [str(path)])
    ]
    answers: dict[str, dict[str, Answer]] = defaultdict(dict)
    errors: dict[str, int] = defaultdict(int)
    for file in files:
        try:
            log = read_eval_log(file, exclude_fields={"messages", "events", "attachments"})
        except Exception as error:  # Inspect's reader raises many kinds
            raise LogError(f"{file} is not an Inspect log: {error}") from None
        if (log.eval.metadata or {}).get("suite") != suite.sha256:
            continue
        for sample in log.samples or ():
            if sample.error is not None or not sample.scores:
                errors[log.eval.model] += 1
                continue
            value: Any = sample.scores["exact_position"].value
            answers[log.eval.model][sample.uuid or f"{log.eval.eval_id} {sample.id} {sample.epoch}"] = Answer(
                int(sample.id), value["found"], int(value["refused"]), int(value["answers"]), bool(value["forfeits"])
            )
    rows = [results(suite, model, list(answers[model].values()), errors[model]) for model in {*answers, *errors}]
    return sorted(rows, key=lambda row: (-(row["skill"]["value"] or 0), row["model"]))


# For people


def markdown(suite: Suite, rows: Sequence[Mapping[str, Any]], exact: bool = False) -> str:
    """The rows as a table: skill overall, by book and variants, and by game; what went wrong, unless they are exact."""
    games = list(dict.fromkeys(variant["game"] for variant in suite.variants))
    head = ["", "skill", "95 % interval", "book", "variants", "gap", *games]
    head += [] if exact else ["positions", "forfeits", "errors"]
    lines = [f"| {' | '.join(head)} |", "|---|" + "---:|" * (len(head) - 1)]
    for row in rows:
        told, gap = row["skill"], "–"
        if row["book"]["value"] is not None and row["variants"]["value"] is not None:
            gap = f"{row['book']['value'] - row['variants']['value']:+z.2f}"
        interval = "–" if told["value"] is None else f"{told['low']:z.2f} to {told['high']:z.2f}"
        parts = [_value(told, 3), interval, _value(row["book"]), _value(row["variants"]), gap]
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


def page(suite: Suite, rows: Sequence[Mapping[str, Any]]) -> str:
    """The page of results: the tables, and the plot beside it."""
    parts = [
        f"# Results of {suite.name}",
        f"SHA-256: `{suite.sha256}`. Written by `duels suite report LOGS --out FOLDER`.",
        markdown(suite, rows).rstrip(),
        "![Skill](skill.svg)",
        "Skill by the distance from the end:",
        by_distance(rows).rstrip(),
    ]
    return "\n\n".join(parts) + "\n"


def _value(told: Mapping[str, Any], digits: int = 2) -> str:
    return "–" if told["value"] is None else f"{told['value']:z.{digits}f}"


def plot(suite: Suite, rows: Sequence[Mapping[str, Any]]) -> str:
    """Skill with its interval, one line per row, as SVG."""
    left, width, line = 220, 480, 26
    height = line * len(rows) + 60
    low: float = min([-0.2, *(row["skill"]["low"] for row in rows if row["skill"]["low"] is not None)])

    def x(value: float) -> float:
        return left + width * (value - low) / (1 - low)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 60} {height}" '
        'font-family="sans-serif" font-size="13" role="img">',
        f"<title>Skill on {escape(suite.name)}</title>",
        f'<rect width="{left + width + 60}" height="{height}" fill="white"/>',
    ]
    for tick in (0, 0.25, 0.5, 0.75, 1):
        parts.append(f'<path d="M{x(tick):.1f} 20V{height - 35}" stroke="#CCC"/>')
        parts.append(f'<text x="{x(tick):.1f}" y="{height - 18}" text-anchor="middle">{tick:g}</text>')
    for place, row in enumerate(rows):
        told, y = row["skill"], 36 + place * line
        parts.append(f'<text x="{left - 12}" y="{y + 4}" text-anchor="end">{escape(row["model"])}</text>')
        if told["value"] is not None:
            ends = f"M{x(told['low']):.1f} {y}H{x(told['high']):.1f}"
            parts.append(f'<path d="{ends}" stroke="#0072B2" stroke-width="2"/>')
            parts.append(f'<circle cx="{x(told["value"]):.1f}" cy="{y}" r="4" fill="#0072B2"/>')
    parts.append(f'<text x="{left}" y="{height - 3}">skill: 0 is a random mover, 1 is no mistake</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"
