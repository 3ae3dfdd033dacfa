"""Datasets of positions with the exact verdict of every move, for training and probing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from digitduels.evals import protocol
from digitduels.games import game
from digitduels.match import Match
from digitduels.solver import Progress
from digitduels.solver.solution import Solution
from digitduels.study.positions import positions
from digitduels.study.splits import split
from digitduels.study.wording import VALUES

ROW_VERSION = 4
_BATCH = 10_000  # how many rows are in memory at once


def rows(
    solution: Solution, count: int, seed: object = 0, progress: Progress | None = None, part: str | None = None
) -> Iterator[dict[str, Any]]:
    """Yields solved positions of one split or of all, fewer if there are no more. The same seed gives the same rows."""
    for done, match in enumerate(positions(solution, count, seed, progress=progress, part=part)):
        if progress is not None:
            progress("writing", done / count)
        yield row(match, solution)


def row(match: Match, solution: Solution) -> dict[str, Any]:
    """A position and its solution as JSON values. Players are numbered from 1."""
    game, state, judgement = match.game, match.state, solution.judge(match.state)
    value, plies = judgement.best_verdict
    keeping, best = set(judgement.keeping), set(judgement.best_moves)
    legal = [(number, move) for number, move in enumerate(game.moves) if move in judgement]
    return {
        "version": ROW_VERSION,
        "game": game.id,
        "options": json.dumps(game.values),
        "split": split(game, state),
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
        "values": [VALUES[judgement[move].value] for _, move in legal],
        "distances": [judgement[move].distance for _, move in legal],
        "keeping": [str(move) for _, move in legal if move in keeping],
        "best": [str(move) for _, move in legal if move in best],
    }


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
