"""`duels eval` and `duels dataset`: how language models did, and positions to train or to probe them with."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from digitduels import files
from digitduels.cli.contests import percent, table
from digitduels.cli.main import FAILURE, FILE, LIMIT, Failure, make_console, shown, usage
from digitduels.cli.playing import solved
from digitduels.cli.truth import working
from digitduels.core import TooLarge
from digitduels.evals import dataset
from digitduels.evals.leaderboard import Done, LogError, leaderboard, read_logs
from digitduels.games import AnyGame, game
from digitduels.record import save
from digitduels.text import clean, counted

MOST = 1_000_000  # positions of a dataset
RANGES = ((1, 1), (2, 3), (4, 6), (7, 10), (11, None))  # of distances, in plies
NOTES = (
    "An interval holds the truth 95 times of 100; games from one start count as one piece of evidence.",
    "Who gives no legal move forfeits: that is a loss, and a critical move not found.",
)


# duels eval


def run_eval(arguments: argparse.Namespace) -> int:
    """Reads logs, and tells how the models did or writes their games to files."""
    for path in arguments.logs:
        if not path.exists():
            raise Failure(FILE, f"{shown(path)} does not exist.")
    if arguments.records is not None:
        check_empty(arguments.records)
    try:
        with working("Grading"):
            logs = read_logs(arguments.logs)
    except ImportError:
        raise Failure(FAILURE, "Reading logs takes Inspect: pip install 'digitduels[inspect]'") from None
    except LogError as error:
        raise Failure(FILE, clean(str(error), 500)) from None
    except TooLarge as error:
        raise Failure(LIMIT, str(error)) from None
    found = leaderboard(logs)
    console = make_console()
    written = None if arguments.records is None else export(logs.done, arguments.records)
    if arguments.json:
        console.say(json.dumps(found, indent=1, ensure_ascii=False))
        return 0
    if not found["boards"]:
        raise Failure(FAILURE, "There is no finished sample of a task of ours in these logs.")
    for board in found["boards"]:
        console.say(*for_people(board), "")
    console.say(*NOTES)
    if found["failed"]:
        console.say(f"{counted(found['failed'], 'sample')} ended with an error or without a score and do not count.")
    for name in found["others"]:
        console.say(f"Left out: {clean(name, 100)}, a task of somebody else.")
    if written is not None:
        console.say(f"{counted(written, 'record')} in {shown(arguments.records)}; `duels review FILE` opens one.")
    return 0


def for_people(board: dict[str, Any]) -> list[str]:
    """A board in tables."""
    about = {"positions": "positions with one right move", "match": "games", "rules": "questions about the rules"}
    lines = [f"{variant(board)}: {about[board['task']]}{manner(board['settings'])}"]
    rows = {"positions": position_rows, "match": match_rows, "rules": rules_rows}[board["task"]](board)
    lines += table(rows)
    if board["task"] != "rules":
        lines += ["", "Critical moves found, by how many plies away the end was", *table(critical_rows(board))]
    return [line.rstrip() for line in lines]


def variant(board: dict[str, Any]) -> str:
    """The game of a board, with the options that are not the book's."""
    rules = game(board["game"], **board["options"])
    book = type(rules)().values
    changed = [f"{name}={value}" for name, value in rules.values.items() if value != book[name]]
    return f"{rules.title} with {', '.join(changed)}" if changed else rules.title


def manner(settings: dict[str, Any]) -> str:
    """How the models were asked."""
    if not settings:
        return ""
    parts = [f"against {settings['opponent']}", f"{settings['start']} starts"] if "opponent" in settings else []
    parts += [f"legal moves {settings['legal']}"]
    parts += [] if settings["history"] else ["moves so far not told"]
    parts += [f"distances {settings['distances']}"] if settings.get("distances") else []
    return f" ({', '.join(parts)}, retries: {settings['retries']})"


def position_rows(board: dict[str, Any]) -> list[list[str]]:
    rows = [["", "positions", "found", "95 % interval", "illegal", "no move at all", "answers refused"]]
    for row in board["models"]:
        moves = row["moves"]
        last = [str(moves["illegal"]), str(moves["invalid"] + moves["forfeited"]), portion(row["refused"])]
        rows.append([name(row), str(row["samples"]), *estimate(moves["critical"]), *last])
    rows.append(["(a random move)", "", percent(board["chance"]), "", "", "", ""])
    return rows


def match_rows(board: dict[str, Any]) -> list[list[str]]:
    head = ["", "games", "points", "95 % interval", "as Player 1", "as Player 2", "won games thrown", "forfeits"]
    rows = [[*head, "answers refused"]]
    for row in board["models"]:
        points = [*estimate(row["points"]), *(portion(seat) for seat in row["seats"])]
        last = [tally(row["thrown"]), str(row["forfeits"]["count"]), portion(row["refused"])]
        rows.append([name(row), str(row["samples"]), *points, *last])
    return rows


def rules_rows(board: dict[str, Any]) -> list[list[str]]:
    rows = [["", "questions", "is it legal", "95 % interval", "position after it", "95 % interval"]]
    for row in board["models"]:
        rows.append([name(row), str(row["samples"]), *estimate(row["legal"]), *estimate(row["after"])])
    return rows


def critical_rows(board: dict[str, Any]) -> list[list[str]]:
    """The critical moves that models found, all of them and in ranges of distances."""
    ranges = [f"{low}" if low == high else f"{low}-{high}" if high else f"{low} or more" for low, high in RANGES]
    rows = [["", "all", "95 % interval", *ranges]]
    for row in board["models"]:
        found, of = Counter[int](), Counter[int]()
        for each in row["moves"]["distances"]:
            place = sum(each["distance"] >= low for low, _ in RANGES) - 1
            found[place] += each["critical"]["count"]
            of[place] += each["critical"]["of"]
        parts = [tally({"count": found[place], "of": of[place]}) for place in range(len(RANGES))]
        rows.append([name(row), *estimate(row["moves"]["critical"]), *parts])
    return rows


def name(row: dict[str, Any]) -> str:
    return clean(row["model"], 60)


def estimate(found: dict[str, Any]) -> tuple[str, str]:
    """A share and its interval."""
    return portion(found), f"{percent(found['low'])} to {percent(found['high'])}" if found["of"] else "–"


def portion(found: dict[str, Any]) -> str:
    return percent(found["value"]) if found["of"] else "–"


def tally(found: dict[str, Any]) -> str:
    return f"{found['count']} of {found['of']}" if found["of"] else "–"


# Records of games


def check_empty(folder: Path) -> None:
    """Raises a Failure unless a folder is new or empty, so that nothing is overwritten."""
    try:
        if folder.exists() and any(folder.iterdir()):
            raise Failure(FILE, f"{shown(folder)} is not empty; name a new folder.")
    except OSError as error:
        raise Failure(FILE, f"{shown(folder)} cannot be written: {error.strerror or error}.") from None


def export(done: Sequence[Done], folder: Path) -> int:
    """Writes the record of every game into a folder and says how many there are."""
    used = Counter[str]()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for each in done:
            if each.task != "match" or each.played is None:
                continue
            words = [each.model, each.game, str(each.settings["opponent"]), each.name]
            label = re.sub(r"[^a-z0-9]+", "-", "-".join(words).lower()).strip("-")[:150]
            used[label] += 1
            again = f"-again-{used[label]}" if used[label] > 1 else ""
            save(each.played.match, folder / f"{label}{again}.json")
    except OSError as error:
        raise Failure(FILE, f"{shown(folder)} cannot be written: {error.strerror or error}.") from None
    return used.total()


# duels dataset


def run_dataset(rules: AnyGame, arguments: argparse.Namespace) -> int:
    """Writes graded positions to a file, or as lines of JSON."""
    path: Path | None = arguments.out
    if not 1 <= arguments.positions <= MOST:
        usage(f"A dataset has 1 to {MOST} positions.")
    if path is not None and path.suffix.lower() not in (".parquet", ".jsonl"):
        usage(
            f"A dataset is Parquet or lines of JSON: the file must end in .parquet or .jsonl, not {shown(path.name)}."
        )
    wanted = solved(rules), arguments.positions, arguments.seed
    if path is None:
        make_console()
        sys.stdout.flush()
        dataset.write_lines(dataset.rows(*wanted), sys.stdout.buffer)
        return 0
    write = dataset.write_parquet if path.suffix.lower() == ".parquet" else dataset.write_lines
    try:
        with working(rules.title) as progress, files.writing(path) as file:
            count = write(dataset.rows(*wanted, progress), file)
    except ImportError:
        raise Failure(FAILURE, "Writing Parquet takes pyarrow: pip install 'digitduels[parquet]'") from None
    except OSError as error:
        raise Failure(FILE, f"{shown(path)} cannot be written: {error.strerror or error}.") from None
    fewer = "" if count == arguments.positions else "; there are no more that are easily reached"
    make_console().say(f"{counted(count, 'position')} of {rules.title} in {shown(path)}{fewer}.")
    return 0
