"""`duels dataset`: writes positions with the exact value of every move to a file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from digitduels import files
from digitduels.cli.arguments import add_game, add_options, read_game
from digitduels.cli.console import Console
from digitduels.cli.errors import FILE, Failure, quoted_path, usage
from digitduels.cli.extras import require
from digitduels.cli.file_arguments import write_errors
from digitduels.cli.parser import Parser
from digitduels.cli.progress import show_progress, solve
from digitduels.sentence import Count
from digitduels.study.splits import SPLITS

_MOST = 1_000_000  # the limit on positions in a dataset
SUFFIXES = (".parquet", ".jsonl")
EXAMPLES = (
    "duels dataset number-quest --positions 1000 --out quest.jsonl",
    "duels dataset number-duel --positions 100000 --split train --out duel.parquet",
)


def add_arguments(parser: Parser) -> None:
    add_game(parser)
    parser.add_argument("--positions", type=int, required=True, metavar="N", help="the number of positions (required)")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="a different seed gives different positions (default: 0)"
    )
    parser.add_argument(
        "--split", choices=SPLITS, metavar="PART", help=f"only positions for {', '.join(SPLITS)} (default: all)"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="a file that ends in .parquet or .jsonl")
    add_options(parser)


def run(arguments: argparse.Namespace) -> int:
    from digitduels.evals import dataset
    from digitduels.evals.suite import SuiteError

    game = read_game(arguments.game, arguments.set, arguments.rules)
    path: Path | None = arguments.out
    if not 1 <= arguments.positions <= _MOST:
        usage(f"A dataset has 1 to {_MOST} positions.")
    if path is not None and path.suffix.lower() not in SUFFIXES:
        endings = " or ".join(SUFFIXES)
        usage(f"A dataset is Parquet or JSON Lines: the file must end in {endings}, not {quoted_path(path.name)}.")
    if path is not None and path.suffix.lower() == ".parquet":
        require("pyarrow", "Writing Parquet")
    try:
        dataset.check(game, arguments.split)
    except SuiteError as error:
        raise Failure(FILE, str(error)) from None
    except ValueError as error:
        usage(str(error))
    sample = solve(game), arguments.positions, arguments.seed
    console = Console()
    if path is None:
        sys.stdout.flush()
        dataset.write_lines(dataset.rows(*sample, part=arguments.split), sys.stdout.buffer)
        return 0
    write = dataset.write_parquet if path.suffix.lower() == ".parquet" else dataset.write_lines
    with write_errors(path), show_progress(game.title) as progress, files.writing(path) as file:
        count = write(dataset.rows(*sample, progress, arguments.split), file)
    fewer = "" if count == arguments.positions else "; the search found no more"
    console.say(f"{Count(count, 'position')} of {game.title} in {quoted_path(path)}{fewer}.")
    return 0
