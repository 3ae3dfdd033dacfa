"""`duels solve` and `duels cache`: the truth about a position, for people, for programs and as a picture."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any

import digitduels
from digitduels import files
from digitduels.cli.main import FILE, ILLEGAL_MOVE, LIMIT, Failure, make_console, shown, usage
from digitduels.core import IllegalMove, InvalidMove, TooLarge
from digitduels.games import AnyGame
from digitduels.match import Match
from digitduels.sentence import player_name
from digitduels.solver import Progress, Verdict, memory
from digitduels.study import serialization
from digitduels.study.theory import theory
from digitduels.study.wording import soon, standing, winner
from digitduels.text import counted, quoted

Judged = list[tuple[Any, Verdict]]

WIDTH = 80
GROUPS = {1: "▲ Winning", 0: "= Drawing", -1: "▼ Losing"}


def solve(game: AnyGame, arguments: argparse.Namespace) -> int:
    """`duels solve`: solves the game and tells what was asked for."""
    if arguments.plot is not None and arguments.plot.suffix.lower() != ".svg":
        usage(f"--plot draws an SVG: the file must end in .svg, not {shown(arguments.plot.name)}.")
    if arguments.theory and arguments.moves.strip():
        usage("--theory tells of the whole game; leave out --moves.")
    match = reached(game, int(arguments.first) - 1, arguments.moves)
    sentences: list[str] = []
    picture = ""
    try:
        with working(game.title) as progress:
            solution = digitduels.solve(game, limit=arguments.limit, progress=progress)
            each = solution.each(match.state)
            if arguments.theory:
                sentences = theory(solution, match.first)
            if arguments.plot is not None:
                from digitduels.study.plots import draw

                picture = draw(solution, match.state)
    except TooLarge as error:
        raise Failure(LIMIT, f"{error} --limit allows more.") from None
    console = make_console()
    if arguments.plot is not None:
        save(arguments.plot, picture)
    if arguments.json:
        console.say(
            json.dumps(
                serialization.solved(match, each) | ({"theory": sentences} if arguments.theory else {}), indent=1
            )
        )
        return 0
    console.say(*(sentences or for_people(match, each)))
    if arguments.plot is not None:
        console.say("", f"The picture is in {shown(arguments.plot)}.")
    return 0


def reached(game: AnyGame, first: int, moves: str) -> Match:
    """The game after these moves."""
    match = Match(game, first=first)
    for place, text in enumerate(moves.split(), 1):
        try:
            match.play(game.read(text, match.state))
        except (InvalidMove, IllegalMove) as error:
            raise Failure(ILLEGAL_MOVE, f"Move {place} of --moves, {quoted(text)}: {error}") from None
    return match


def for_people(match: Match, each: Judged) -> list[str]:
    """A position and all that is known of it, in words."""
    game, state, outcome = match.game, match.state, match.outcome
    lines = [game.title, "", *game.view(state), ""]
    if outcome is not None:
        return [*lines, "The game is over.", outcome.reason, game.victory(outcome.winner)]
    lines += [f"{player_name(state.player)} to move.", standing(state.player, each[0][1])]
    for value, moves in groupby(each, lambda pair: pair[1].value):
        judged = list(moves)
        lines += ["", f"{GROUPS[value]}: {len(judged)} of {len(each)}"]
        best = winner(state.player, judged[0][1])
        who = f"{player_name(best)} wins " if best not in (None, state.player) else ""
        for when, alike in groupby(judged, lambda pair: soon(state.player, pair[1])):
            tokens = " ".join(str(move) for move, _ in alike)
            lines += textwrap.wrap(
                f"{who if when != 'at once' else ''}{when}: {tokens}",
                WIDTH,
                initial_indent="  ",
                subsequent_indent="    ",
                break_on_hyphens=False,
            )
    return lines


def save(path: Path, picture: str) -> None:
    try:
        files.write(path, picture.encode())
    except OSError as error:
        raise Failure(FILE, f"{shown(path)} cannot be written: {error.strerror or error}.") from None


@contextmanager
def working(title: str) -> Iterator[Progress | None]:
    """While something takes long: a bar for a person who watches, and what goes wrong on the side in a line each."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        try:
            if sys.stderr.isatty():
                with bar(title) as progress:
                    yield progress
            else:
                yield None
        finally:
            for warning in told:
                print(f"duels: {warning.message}", file=sys.stderr)


@contextmanager
def bar(title: str) -> Iterator[Progress]:
    """A line that shows how far it is, and is gone when it is done."""
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn()
    console = Console(stderr=True)
    with Bar(*columns, console=console, transient=True, disable=console.is_dumb_terminal) as shown:
        task = shown.add_task(f"{title}: preparing", total=None)
        yield lambda what, done: shown.update(task, description=f"{title}: {what}", completed=done, total=1.0)


# What is kept


def cache(*, verify: bool, clear: bool) -> int:
    """`duels cache`: lists, checks or clears the tables."""
    from digitduels.solver import cache as store

    console = make_console()
    if clear:
        cleared = store.clear()
        told = f"Deleted {counted(len(cleared), 'table')}, {memory.shown(sum(cleared))}."
        console.say(told if cleared else "Nothing is kept.")
        return 0
    damaged = []
    for path in store.kept():
        try:
            told = f"{store.describe(path)}: {memory.shown(path.stat().st_size)}"
            if verify:
                store.verify(path)
                told += ", sound"
        except (store.Unusable, OSError) as error:
            told = f"cannot be used: {getattr(error, 'strerror', None) or error}"
            damaged.append(path.name)
        console.say(f"{path.name}: {told}")
    console.say(f"The tables are in {store.folder()}." if store.kept() else "Nothing is kept.")
    if verify and damaged:
        raise Failure(FILE, f"Damaged: {', '.join(damaged)}. It is made again when it is needed; --clear deletes all.")
    return 0
