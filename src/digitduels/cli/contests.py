"""`duels match` and `duels tournament`: players against each other, and what came of it."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import digitduels
from digitduels.arena.standings import standings
from digitduels.arena.tournament import Plan, Progress, make_plan, run
from digitduels.cli.main import FILE, ILLEGAL_MOVE, LIMIT, Failure, make_console, shown, usage
from digitduels.cli.truth import working
from digitduels.core import IllegalMove, InvalidMove, TooLarge
from digitduels.games import AnyGame
from digitduels.record import RecordError
from digitduels.text import clean, counted


def contests(game: AnyGame, players: Sequence[str], arguments: argparse.Namespace) -> int:
    """Everybody against everybody; says what came of it."""
    try:
        plan = make_plan(game, players, arguments.games, arguments.start, arguments.seed, arguments.move_time)
    except ValueError as error:
        usage(str(error))
    records = arguments.records
    if records is not None and records.exists() and not records.is_file():
        raise Failure(FILE, f"{shown(records)} cannot be written: it is not an ordinary file.")
    try:
        with working(game.title) as solving:
            digitduels.solve(game, progress=solving)  # once for all who play
        with watching(plan) as progress:
            played = run(plan, records, progress)
    except TooLarge as error:
        raise Failure(LIMIT, str(error)) from None
    except RecordError as error:
        raise Failure(FILE, f"{shown(records)}: {error}") from None
    except (InvalidMove, IllegalMove) as error:
        raise Failure(ILLEGAL_MOVE, f"{shown(records)}: {error}") from None
    except KeyboardInterrupt:
        if records is not None:
            print(f"\nduels: The games played are in {shown(records)}; the same command goes on.", file=sys.stderr)
        raise
    console = make_console()
    found = standings(plan, played)
    console.say(*([json.dumps(found, indent=1)] if arguments.json else for_people(game, found)))
    if records is not None and not arguments.json:
        console.say("", f"The records of all games are in {shown(records)}.")
    return 0


@contextmanager
def watching(plan: Plan) -> Iterator[Progress | None]:
    """A line for a person who watches: games done, and how long it will take. It is gone at the end."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    console = Console(stderr=True)
    with Bar(*columns, console=console, transient=True, disable=console.is_dumb_terminal) as bar:
        task = bar.add_task("games", total=len(plan.pairs) * plan.games)
        yield lambda done, total: bar.update(task, completed=done, total=total)


# For people


def for_people(game: AnyGame, found: dict[str, Any]) -> list[str]:
    """What came of a tournament, in tables."""
    start = "fair starts" if found["start"] == "fair" else "the book's start"
    lines = [f"{game.title}, {counted(found['games'], 'game')} from {start}, seed {found['seed']}", ""]
    rows = [["", "as Player 1", "as Player 2", "points", "95 % interval"]]
    for pair in found["pairs"]:
        score = pair["score"]
        rows.append(
            [
                " - ".join(pair["players"]),
                *map(tally, pair["seats"]),
                percent(score["value"]),
                f"{percent(score['low'])} to {percent(score['high'])}",
            ]
        )
    lines += ["Results of the first named (wins-losses, or wins-draws-losses)", *table(rows), ""]
    rows = [["", "rating", "95 % interval", "critical moves found", "won games thrown away", "forfeits"]]
    for player in found["players"]:
        rating, grade = player["rating"], player["grade"]
        rows.append(
            [
                player["player"],
                f"{rating['value']:.0f}",
                f"{rating['low']:.0f} to {rating['high']:.0f}",
                share(grade["found"], grade["critical"]),
                share(grade["thrown"], grade["won"]),
                str(grade["forfeits"]),
            ]
        )
    lines += ["Players, the best first", *table(rows)]
    for player in found["players"]:
        for reason, times in player["reasons"].items():
            lines.append(f"{player['player']} forfeited {counted(times, 'game')}: {clean(reason, 200)}")
    return lines


def tally(results: dict[str, int]) -> str:
    """Wins, draws and losses, the draws only where there are any."""
    return "-".join(str(results[key]) for key in ("wins", "draws", "losses") if key != "draws" or results[key])


def percent(share: float) -> str:
    return f"{share:.0%}".replace("%", " %")


def share(some: int, all: int) -> str:
    """How many of how many; a dash where there were none."""
    return f"{some} of {all}" if all else "–"


def table(rows: list[list[str]]) -> list[str]:
    """Rows in columns, the first to the left and the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(text.rjust(width) for text, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]
