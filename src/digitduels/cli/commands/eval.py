"""`duels eval`: the leaderboard of language models, from Inspect logs."""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from digitduels.cli.columns import columns, part, skill
from digitduels.cli.console import Console
from digitduels.cli.errors import FAILURE, FILE, Failure, quoted_path
from digitduels.cli.extras import require
from digitduels.cli.file_arguments import write_errors
from digitduels.cli.parser import Parser
from digitduels.cli.progress import show_progress
from digitduels.games import game
from digitduels.options import settings
from digitduels.players import offered_player
from digitduels.record import save
from digitduels.sentence import Count
from digitduels.text import clean, percent

if TYPE_CHECKING:
    from digitduels.evals.leaderboard import Done

RANGES = ((1, 1), (2, 3), (4, 6), (7, 10), (11, None))  # ranges of distances, in plies
TASKS = {
    "positions": "positions with one right move",
    "match": "games",
    "rules": "questions about the rules",
}
NOTES = (
    "Skill compares the critical moves found with what a random mover finds in the same positions: 0 is chance, 1 is "
    "no mistake. Over greedy, the comparison is with a player that takes a win, does not lose at once and otherwise "
    "plays for its highest score.",
    "Intervals are 95 % confidence intervals. Samples that begin in the same position count as one observation. If all "
    "do, identical games count as one.",
    "A model that gives no legal move forfeits. That counts as a loss and, in a critical position, as a missed move.",
    "Errors are samples that ended with an error of the provider or without a score. They count in no other column.",
)
EXAMPLES = (
    "duels eval logs",
    "duels eval logs --json",
    "duels eval logs/one.eval logs/two.eval --records games",
)


def add_arguments(parser: Parser) -> None:
    parser.add_argument("logs", nargs="+", type=Path, metavar="LOG", help="an Inspect log, or a folder of logs")
    parser.add_argument("--records", type=Path, metavar="FOLDER", help="write every game into this new folder")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    require("inspect_ai", "Reading logs")
    from digitduels.evals.inspect_logs import LogError, read_logs
    from digitduels.evals.leaderboard import grade_logs, leaderboard

    for path in arguments.logs:
        if not path.exists():
            raise Failure(FILE, f"{quoted_path(path)} does not exist.")
    if arguments.records is not None:
        _check_empty(arguments.records)
    try:
        with show_progress("Grading"):
            logs = grade_logs(read_logs(arguments.logs))
    except LogError as error:
        raise Failure(FILE, clean(str(error), 500)) from None
    results = leaderboard(logs)
    console = Console()
    count = None if arguments.records is None else _export(logs.done, arguments.records)
    if arguments.json:
        console.write(json.dumps(results, indent=1, ensure_ascii=False))
        return 0
    if not results["boards"]:
        raise Failure(FAILURE, "These logs contain no finished samples of our tasks.")
    for board in results["boards"]:
        console.say(*_tables(board, console.table_width), "")
    console.say(*NOTES)
    for name in results["others"]:
        console.say(f"Left out: {clean(name, 100)}, a task without a leaderboard.")
    if count is not None:
        console.say(f"{Count(count, 'record')} in {quoted_path(arguments.records)}; `duels review FILE` opens one.")
    return 0


# The boards


def _tables(board: dict[str, Any], width: int | None) -> list[str]:
    """A board as text tables that are at most `width` wide."""
    lines = [f"{_variant(board)}: {TASKS[board['task']]}{_conditions(board)}"]
    rows = {"positions": _position_rows, "match": _match_rows, "rules": _rules_rows}[board["task"]](board)
    lines += columns(rows, width)
    if board["task"] != "rules":
        lines += [
            "",
            "Critical moves found, by distance from the end in plies",
            *columns(_critical_rows(board), width),
        ]
    return [line.rstrip() for line in lines]


def _variant(board: dict[str, Any]) -> str:
    """The game of a board, with the options that differ from the book."""
    rules = game(board["game"], **board["options"])
    return f"{rules.title} with {settings(rules.changes)}" if rules.changes else rules.title


def _conditions(board: dict[str, Any]) -> str:
    """The version of the task and its settings, in words."""
    settings, version = board["settings"], f"version {clean(str(board['version']), 20)}"
    if not settings:
        return f" ({version})"
    parts = [version]
    if "opponent" in settings:
        parts += [f"against {offered_player(str(settings['opponent']), board['game'])}", f"{settings['start']} starts"]
    parts += [f"legal moves {settings['legal']}"]
    parts += [] if settings["history"] else ["moves so far hidden"]
    parts += [f"distances {settings['distances']}"] if settings.get("distances") else []
    return f" ({', '.join(parts)}, retries: {settings['retries']})"


def _position_rows(board: dict[str, Any]) -> list[list[str]]:
    head = ["", "positions", "answered", "skill", "95 % interval", "over greedy", "found", "by chance"]
    rows = [[*head, "illegal", "no move at all", "answers refused", "errors"]]
    for row in board["models"]:
        moves = row["moves"]
        counts = [str(row["different"]), str(row["samples"])]
        last = [str(moves["illegal"]), str(moves["invalid"] + moves["forfeited"]), _share(row["refused"])]
        rows.append([_model(row), *counts, *_skill(moves), *last, str(row["errors"])])
    return rows


def _match_rows(board: dict[str, Any]) -> list[list[str]]:
    head = [
        "",
        "games",
        "different",
        "skill",
        "95 % interval",
        "over greedy",
        "found",
        "by chance",
        "points",
        "95 % interval",
    ]
    rows = [
        [*head, "ceiling", "as Player 1", "as Player 2", "won games thrown", "forfeits", "answers refused", "errors"]
    ]
    for row in board["models"]:
        counts = [str(row["samples"]), str(row["different"])]
        ceiling = "–" if row["ceiling"] is None else percent(row["ceiling"])
        points = [*_estimate(row["points"]), ceiling, *(_share(seat) for seat in row["seats"])]
        last = [_part(row["thrown"]), str(row["forfeits"]["count"]), _share(row["refused"]), str(row["errors"])]
        rows.append([_model(row), *counts, *_skill(row["moves"]), *points, *last])
    return rows


def _rules_rows(board: dict[str, Any]) -> list[list[str]]:
    rows = [["", "questions", "is it legal", "95 % interval", "position after it", "95 % interval", "errors"]]
    for row in board["models"]:
        shares = [*_estimate(row["legal"]), *_estimate(row["after"])]
        rows.append([_model(row), str(row["samples"]), *shares, str(row["errors"])])
    return rows


def _critical_rows(board: dict[str, Any]) -> list[list[str]]:
    """The critical moves that each model found, in total and by range of distance."""
    ranges = [f"{low}" if low == high else f"{low}-{high}" if high else f"{low} or more" for low, high in RANGES]
    rows = [["", "all", "95 % interval", *ranges]]
    for row in board["models"]:
        found, critical = Counter[int](), Counter[int]()
        for entry in row["moves"]["distances"]:
            index = sum(entry["distance"] >= low for low, _ in RANGES) - 1
            found[index] += entry["critical"]["count"]
            critical[index] += entry["critical"]["of"]
        parts = [part(found[index], critical[index]) for index in range(len(RANGES))]
        rows.append([_model(row), *_estimate(row["moves"]["critical"]), *parts])
    return rows


def _model(row: dict[str, Any]) -> str:
    return clean(row["model"], 60)


def _skill(moves: dict[str, Any]) -> list[str]:
    """Skill with its interval, and the shares it is computed from."""
    estimate = moves["skill"]
    chance = percent(estimate["chance"] / estimate["of"]) if estimate["of"] else "–"
    over_greedy, _ = skill(moves["over_greedy"])
    return [*skill(estimate), over_greedy, _share(moves["critical"]), chance]


def _estimate(share: dict[str, Any]) -> tuple[str, str]:
    """A share and its interval."""
    return _share(share), f"{percent(share['low'])} to {percent(share['high'])}" if share["of"] else "–"


def _share(share: dict[str, Any]) -> str:
    return percent(share["value"]) if share["of"] else "–"


def _part(share: dict[str, Any]) -> str:
    return part(share["count"], share["of"])


# Records of games


def _check_empty(folder: Path) -> None:
    """Rejects a folder that is not empty, so that no file is overwritten."""
    with write_errors(folder):
        if folder.exists() and any(folder.iterdir()):
            raise Failure(FILE, f"{quoted_path(folder)} is not empty; name a new folder.")


def _export(done: Sequence[Done], folder: Path) -> int:
    """Writes the record of every game to a folder and returns their number."""
    used = Counter[str]()
    with write_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for sample in done:
            if sample.task != "match" or sample.played is None:
                continue
            words = [sample.model, sample.game, str(sample.settings["opponent"]), sample.name]
            label = re.sub(r"[^a-z0-9]+", "-", "-".join(words).lower()).strip("-")[:150]
            used[label] += 1
            again = f"-again-{used[label]}" if used[label] > 1 else ""
            save(sample.played.match, folder / f"{label}{again}.json")
    return used.total()
