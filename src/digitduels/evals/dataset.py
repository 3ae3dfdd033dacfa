"""Datasets of positions with the exact verdict of every move, for training and probing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from digitduels.core import State
from digitduels.evals import protocol
from digitduels.evals.suite import SUITE_V2, game_of, read_suite
from digitduels.games import AnyGame, game
from digitduels.match import Match
from digitduels.options import Choice
from digitduels.solver import Progress
from digitduels.solver.solution import Solution
from digitduels.study.positions import positions
from digitduels.study.splits import split
from digitduels.study.wording import VALUES

ROW_VERSION = 5
DATA_CANARY = (
    "This row is test data of Digit Duels and must never be in training data. "
    "Canary: digitduels-rows-7c1f0b52-2e4d-4d0e-9b7a-5a3c8e61d9f4"
)
WITHHELD = "withheld"
"""In place of the value of a move that leads from a position for training to one for validation or test."""
_BATCH = 10_000  # how many rows are in memory at once


def rows(
    solution: Solution, count: int, seed: object = 0, progress: Progress | None = None, part: str | None = None
) -> Iterator[dict[str, Any]]:
    """Yields solved positions of one split or of all, fewer if there are no more. The same seed gives the same rows."""
    check(solution.game, part)
    for done, match in enumerate(positions(solution, count, seed, progress=progress, part=part)):
        if progress is not None:
            progress("writing", done / count)
        yield row(match, solution)


def check(game: AnyGame, part: str | None) -> None:
    """Raises ValueError if rows for training would be of a rule set of suite-v2, whose answers they would tell.

    So would most rows of a rule set that differs from it only in a choice, such as the rule for ties.
    """
    held_out = (variant for variant in read_suite(SUITE_V2).variants if variant["game"] == game.id)
    if part not in ("validation", "test") and any(_sizes(game_of(variant)) == _sizes(game) for variant in held_out):
        raise ValueError(
            f"{game.title} with these numbers is in suite-v2, which is for testing only: use --split test."
        )


def _sizes(game: AnyGame) -> dict[str, Any]:
    """The options of a game that are numbers, and no choices among words."""
    return {option.name: game.values[option.name] for option in game.options() if not isinstance(option.kind, Choice)}


def row(match: Match, solution: Solution) -> dict[str, Any]:
    """A position and its solution as JSON values. Players are numbered from 1.

    A row for training tells nothing about moves that lead to positions of the other splits.
    """
    game, state, judgement = match.game, match.state, solution.judge(match.state)
    value, plies = judgement.best_verdict
    keeping, best = set(judgement.keeping), set(judgement.best_moves)
    legal = [(number, move) for number, move in enumerate(game.moves) if move in judgement]
    part = split(game, state)
    told = {move for move in judgement if part != "train" or _stays(game, game.play(state, move))}
    return {
        "version": ROW_VERSION,
        "canary": "" if part == "train" else DATA_CANARY,
        "game": game.id,
        "options": json.dumps(game.values),
        "split": part,
        "moves": [str(move) for move in match.moves],
        "player": state.player + 1,
        "position": protocol.seen(game, state),
        "rules": protocol.rules(game),
        "prompt": protocol.question(match),
        "value": VALUES[value],
        "plies": plies,
        "critical": judgement.critical,
        "chance": len(keeping) / len(judgement),
        "legal": [str(move) for _, move in legal],
        "ids": [number for number, _ in legal],
        "values": [VALUES[judgement[move].value] if move in told else WITHHELD for _, move in legal],
        "distances": [judgement[move].distance if move in told else -1 for _, move in legal],
        "keeping": [str(move) for _, move in legal if move in keeping & told],
        "best": [str(move) for _, move in legal if move in best & told],
    }


def _stays(game: AnyGame, state: State[Any, Any]) -> bool:
    """Whether a position is for training too, or the end of a game."""
    return game.outcome(state) is not None or split(game, state) == "train"


def reached(row: Mapping[str, Any]) -> Match:
    """The match that leads to the position of a row."""
    rules = game(row["game"], **json.loads(row["options"]))
    return Match(rules, opening=map(rules.read, row["moves"]))


def write_lines(rows: Iterator[dict[str, Any]], file: BinaryIO) -> int:
    """Writes rows as JSON lines and returns their number."""
    count = 0
    for row in rows:
        file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
        count += 1
    return count


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yields the rows of a JSON Lines file; raises ValueError if it is not a dataset of this version."""
    with path.open("rb") as file:
        for line in file:
            try:
                row = json.loads(line)
                if row["version"] != ROW_VERSION:
                    raise ValueError
            except (ValueError, KeyError, TypeError, RecursionError):
                raise ValueError(f"{path} is not a dataset of version {ROW_VERSION}.") from None
            yield row


def write_parquet(rows: Iterator[dict[str, Any]], file: BinaryIO) -> int:
    """Writes rows as a Parquet file and returns their number."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    text, number, texts, numbers = pa.string(), pa.int32(), pa.list_(pa.string()), pa.list_(pa.int32())
    schema = pa.schema(
        {
            "version": number,
            "canary": text,
            "game": text,
            "options": text,
            "split": text,
            "moves": texts,
            "player": number,
            "position": texts,
            "rules": text,
            "prompt": text,
            "value": text,
            "plies": number,
            "critical": pa.bool_(),
            "chance": pa.float64(),
            "legal": texts,
            "ids": numbers,
            "values": texts,
            "distances": numbers,
            "keeping": texts,
            "best": texts,
        }
    )
    count = 0
    with pq.ParquetWriter(file, schema) as writer:
        while batch := list(islice(rows, _BATCH)):
            writer.write_table(pa.Table.from_pylist(batch, schema))
            count += len(batch)
    return count
