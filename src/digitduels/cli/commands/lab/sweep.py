"""`duels lab sweep`: measures every rule set of a grid and writes a Parquet file."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from digitduels.cli.arguments import add_game, add_options, read_rules
from digitduels.cli.columns import columns
from digitduels.cli.console import Console, complain
from digitduels.cli.errors import INTERRUPTED, quoted_path, usage
from digitduels.cli.extras import require
from digitduels.cli.file_arguments import write_errors
from digitduels.cli.parser import Parser
from digitduels.cli.plot_argument import add_plot, check_plot, save_plot, say_plot
from digitduels.cli.progress import show_progress
from digitduels.games import game_class
from digitduels.sentence import Count
from digitduels.text import quoted

EXAMPLES = (
    "duels lab sweep number-quest --set target=20..60 --set highest=3..5 --out quest.parquet",
    "duels lab sweep number-duel --set target=20..100:5 --set tie=draw,last-mover-wins --out duel.parquet",
)


def add_arguments(parser: Parser) -> None:
    add_game(parser)
    add_ranges(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the .parquet file to write")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON as well")
    add_plot(parser)
    add_where(parser)


def add_ranges(parser: Parser) -> None:
    """Adds `--set` for ranges, and `--rules`."""
    add_options(parser, "NAME=VALUES", "values of an option: 20, 20..100, 20..100:5 (in steps), or 1,2,4")


def add_where(parser: Parser) -> None:
    """Adds the arguments for the size and the place of the computation."""
    from digitduels.lab.sweeps import BUDGET

    parser.add_argument(
        "--positions",
        type=int,
        default=BUDGET,
        metavar="N",
        help=f"rule sets with more positions are too large (default: {BUDGET:,})",
    )
    parser.add_argument("--processes", type=int, metavar="N", help="how many processes (default: one per core)")
    parser.add_argument("--cluster", metavar="ADDRESS", help="use the Dask cluster at this address instead")


def run(arguments: argparse.Namespace) -> int:
    from digitduels.executors import NoCluster
    from digitduels.lab.sweeps import SweepError, grid, journal_path, sweep_to_file, versions

    path: Path = arguments.out
    if path.suffix != ".parquet":
        usage(f"--out writes a Parquet file: its name must end in .parquet, not {quoted_path(path.name)}.")
    check_plot(arguments.plot)
    check_where(arguments)
    require("pyarrow", "A sweep")
    if path.exists():
        usage(f"{quoted_path(path)} already exists. Delete it or choose another name.")
    name, ranges = read_ranges(arguments)
    try:
        count = len(grid(name, ranges))
    except ValueError as error:
        usage(str(error))
    if arguments.plot is not None and not ranges:
        usage("--plot shows the values of --set; there are none.")
    try:
        with write_errors(path), show_progress(f"Sweep of {Count(count, 'rule set')}") as progress:
            rows = sweep_to_file(
                name,
                ranges,
                path,
                workers=arguments.processes,
                cluster=arguments.cluster,
                budget=arguments.positions,
                progress=progress,
            )
    except (SweepError, NoCluster) as error:
        usage(str(error))
    except KeyboardInterrupt:
        complain(
            f"Stopped. The finished rows are in {quoted_path(journal_path(path))}. Run the same command to continue."
        )
        return INTERRUPTED
    console = Console()
    if arguments.plot is not None:
        from digitduels.plots import draw_heat_maps

        save_plot(draw_heat_maps(f"{game_class(name)().title}: {count:,} rule sets", ranges, rows), arguments.plot)
    if arguments.json:
        console.write(json.dumps({"version": 1, "game": name, **versions(), "rows": rows}, indent=1))
        return 0
    _say(console, ranges, rows)
    console.say("", f"{Count(len(rows), 'row')} in {quoted_path(path)}.")
    say_plot(console, arguments.plot)
    return 0


def check_where(arguments: argparse.Namespace) -> None:
    """Rejects a cluster without Dask, and numbers that are out of range."""
    if arguments.positions < 1:
        usage("--positions must be at least 1.")
    if arguments.processes is not None and not 1 <= arguments.processes <= 1000:
        usage("--processes must be from 1 to 1000.")
    if arguments.cluster is not None:
        require("distributed", "--cluster")


def read_ranges(arguments: argparse.Namespace) -> tuple[str, dict[str, list[Any]]]:
    """The game and the values of its options to sweep. Invalid ones are a usage error."""
    from digitduels.lab.sweeps import read_range

    try:
        name, fixed = read_rules(arguments.game, arguments.rules)
        options = {option.name: option for option in game_class(name).options()}
        ranges: dict[str, list[Any]] = {key: [value] for key, value in fixed.items()}
        for setting in arguments.set:
            key, equals, text = (part.strip() for part in setting.partition("="))
            if not equals or key not in options:
                usage(
                    f"--set takes NAME=VALUES, not {quoted(setting)}. The options of {name} are {', '.join(options)}."
                )
            ranges[key] = read_range(options[key], text)
    except ValueError as error:
        usage(str(error))
    return name, ranges


def _say(console: Console, ranges: Mapping[str, Sequence[Any]], rows: Sequence[Mapping[str, Any]]) -> None:
    """Prints the statuses, a heat map of the smaller gauge, and the best rule sets."""
    from digitduels.lab.heat_map import axes_of, best_cells, smaller_gauge
    from digitduels.options import written

    statuses = [row["status"] for row in rows]
    console.say(", ".join(f"{statuses.count(status)} {status}" for status in dict.fromkeys(statuses)) + ".")
    if not ranges:
        return
    across, down = axes_of(ranges)
    heat_map = best_cells(ranges, rows, across, down)
    if not heat_map or len(ranges[across]) > 60:
        return
    cells = {(row, column): smaller_gauge(best) for row, column, best in heat_map}
    low, high = written(ranges[across][0]), written(ranges[across][-1])
    console.say("", "The smaller of fair and deep, in tenths; 9 is best, · is not solved.")
    console.say(f"Each row is {across} from {low} to {high}, from left to right:")
    heads = [f"{down}={written(value)} " for value in ranges[down]] if down else [""]
    for row, head in reversed(list(enumerate(heads))):
        tenths = (cells.get((row, column)) for column in range(len(ranges[across])))
        digits = "".join("·" if share is None else str(min(9, int(share * 10))) for share in tenths)
        console.say(head.rjust(max(map(len, heads))) + digits)
    best = sorted((row for _, _, row in heat_map), key=smaller_gauge, reverse=True)[:5]
    console.say("", "The best of them:")
    swept = [key for key in ranges if len(ranges[key]) > 1]
    say_gauges(console, {", ".join(f"{key}={written(row[key])}" for key in swept): row for row in best})


def say_gauges(console: Console, rows: Mapping[str, Mapping[str, Any]]) -> None:
    """Prints the gauges and the length of some rule sets, by the options that they differ in."""
    cells = [
        [words, f"{row['fair']:.2f}", f"{row['deep']:.2f}", str(row["plies"]), f"{row['length']:.1f}"]
        for words, row in rows.items()
    ]
    console.say(*columns([["", "fair", "deep", "plies", "length"], *cells]))
