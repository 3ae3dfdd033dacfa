"""`duels lab search`: searches for rule sets that are fair and deep."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from digitduels import files
from digitduels.cli.arguments import add_game
from digitduels.cli.commands.lab.sweep import add_ranges, add_where, check_where, read_ranges, say_gauges
from digitduels.cli.console import Console, complain
from digitduels.cli.errors import FAILURE, INTERRUPTED, Failure, quoted_path, usage
from digitduels.cli.extras import require
from digitduels.cli.file_arguments import write_errors
from digitduels.cli.parser import Parser
from digitduels.cli.progress import show_progress
from digitduels.games import game
from digitduels.options import settings
from digitduels.sentence import Count

EXAMPLES = (
    "duels lab search number-duel --for fair,deep --near book",
    "duels lab search number-quest --set target=20..60 --set highest=3..5 --save mine.toml",
)


def add_arguments(parser: Parser) -> None:
    add_game(parser)
    parser.add_argument(
        "--for", dest="goals", default="fair,deep", metavar="GAUGES", help="what to maximise: fair, deep, or both"
    )
    parser.add_argument("--near", choices=["book"], help="change at most two options of the book")
    parser.add_argument("--trials", type=int, default=2000, metavar="N", help="rule sets to try (default: 2000)")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="a different seed searches differently (default: 0)"
    )
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the best rule set to this .toml file")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_ranges(parser)
    add_where(parser)


def run(arguments: argparse.Namespace) -> int:
    from digitduels.executors import NoCluster
    from digitduels.lab.optimization import GOALS, changed, front, optimize, size, space
    from digitduels.lab.sweeps import versions
    from digitduels.rule_sets import to_toml

    goals = [goal.strip() for goal in arguments.goals.split(",")]
    if not goals or not set(goals) <= set(GOALS):
        usage(f"--for takes {' or '.join(GOALS)} or both, with a comma between them.")
    if not 1 <= arguments.trials <= 1_000_000:
        usage("--trials must be from 1 to 1,000,000.")
    check_where(arguments)
    name, given = read_ranges(arguments)
    if arguments.near is None and size(space(name, given)) > arguments.trials:
        require("optuna", "A search of more rule sets than --trials")
    rows: list[dict[str, Any]] = []
    stopped = False
    try:
        with show_progress("Search") as progress:
            for row in optimize(
                name,
                goals=goals,
                given=given,
                near=arguments.near is not None,
                trials=arguments.trials,
                seed=arguments.seed,
                budget=arguments.positions,
                workers=arguments.processes,
                cluster=arguments.cluster,
                progress=progress,
            ):
                rows.append(row)  # one by one, so that Ctrl-C keeps the rows so far
    except NoCluster as error:
        usage(str(error))
    except KeyboardInterrupt:
        stopped = True
    best = front(rows, goals)
    if not best:
        if stopped:
            raise Failure(INTERRUPTED, "Stopped before a rule set was measured.")
        raise Failure(FAILURE, "None of the rule sets could be solved within --positions.")
    if stopped:
        complain("Stopped. These are the results so far.")
    console = Console()
    if arguments.save is not None:
        with write_errors(arguments.save):
            files.write(arguments.save, to_toml(game(name, **changed(name, best[0]))).encode())
    if arguments.json:
        answer = {"version": 1, "game": name, **versions(), "tried": len(rows), "front": best}
        console.write(json.dumps(answer, indent=1))
    else:
        console.say(
            f"{Count(len(rows), 'rule set')} tried. These are the best trade-offs:",
            "",
        )
        say_gauges(console, {settings(changed(name, row)) or "by the book": row for row in best[:20]})
        if arguments.save is not None:
            console.say("", f"The first one is in {quoted_path(arguments.save)}.")
    return INTERRUPTED if stopped else 0
