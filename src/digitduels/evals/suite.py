"""The frozen benchmark: positions and starts in a file that never changes.

The file contains the prompts and the answers, so scoring needs no solution. A model gives one move in each position,
and the result is its skill.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from digitduels.evals import protocol
from digitduels.games import AnyGame, game
from digitduels.match import Match
from digitduels.position_json import position_to_json
from digitduels.solver import Progress
from digitduels.solver.solution_cache import solution_of
from digitduels.solver.verdict import Judgement
from digitduels.study.fair_starts import fair_start
from digitduels.study.positions import Sort, positions
from digitduels.study.splits import split

SUITE = Path(__file__).with_name("suite-v1.json")
SUITE_V2 = Path(__file__).with_name("suite-v2.json")
FROZEN = {
    SUITE: "de4fcf64938299496f49fae79eba7dd8a241dc69037d2630c3949816f05bd6ff",
    SUITE_V2: "b4af9813c9aeef2193241dd300f73df27cabe565a2b46b68bd39c04af0264f4d",
}
"""The SHA-256 of each public suite."""
SUITE_FORMAT = "digitduels-suite"
SUITE_VERSION = 1
SUITE_VERSIONS = (1, 2)
PUBLIC_SEED = "suite-v1"
CANARY = (
    "This file is test data of Digit Duels and must never be in training data. "
    "Canary: digitduels-suite-v1-5b0e2b1c-7d0f-4c35-9a53-2f1f6a0c9e41"
)
RULE_SETS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("equation-duel", {}),
    ("number-duel", {}),
    ("number-quest", {}),
    ("numerical-nexus", {}),
    ("equation-duel", {"target": 31, "highest": 8}),
    ("number-duel", {"target": 37, "highest": 8}),
    ("number-quest", {"target": 31, "highest": 7}),
    ("numerical-nexus", {"target": 41}),
    *(("operation-target", {"target": target}) for target in (30, 35, 42, 69, 75, 78, 79, 85)),
)
"""The rule sets: four by the book, and variants that nobody has written about."""
SUITE_POSITIONS, SUITE_STARTS = 32, 4  # for each rule set
DISTANCES, CHANCES = (3, 6, 10), (0.1, 0.25, 0.5)  # the upper ends of the strata
_CANDIDATES = 400  # fair starts to search for some in the test split


class Suite(NamedTuple):
    """The contents of a suite file."""

    name: str
    version: int
    canary: str
    sha256: str
    retries: int
    variants: list[dict[str, Any]]
    positions: list[dict[str, Any]]
    starts: list[dict[str, Any]]
    questions: Sequence[dict[str, Any]] = ()
    """The questions beyond the move; suite-v1 has none."""

    @property
    def mean_chance(self) -> float:
        """The probability that a random move is right, on average over the positions."""
        chances: list[float] = [len(item["keeping"]) / item["legal"] for item in self.positions]
        return sum(chances) / len(chances)

    def game(self, item: Mapping[str, Any]) -> AnyGame:
        """The rule set of a position or a start."""
        return game_of(self.variants[item["variant"]])

    def match(self, item: Mapping[str, Any]) -> Match:
        """The match that leads to a position or a start."""
        return match_of(self.variants[item["variant"]], item)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yields the positions, each with an id and the dataset columns that prompts and scoring need."""
        for item in self.positions:
            variant = self.variants[item["variant"]]
            yield {
                "id": item["id"],
                "game": variant["game"],
                "options": json.dumps(variant["options"]),
                "moves": item["moves"],
                "rules": variant["rules"],
                "prompt": item["prompt"],
                "chance": len(item["keeping"]) / item["legal"],
                "keeping": item["keeping"],
            }


def game_of(variant: Mapping[str, Any]) -> AnyGame:
    """The game of a rule set."""
    return game(variant["game"], **variant["options"])


def match_of(variant: Mapping[str, Any], item: Mapping[str, Any]) -> Match:
    """The match of a rule set that leads to a position or a start."""
    rules = game_of(variant)
    return Match(rules, opening=map(rules.read, item["moves"]))


class SuiteError(ValueError):
    """A file is not a suite."""


def read_suite(path: Path = SUITE) -> Suite:
    """Reads a suite; raises SuiteError if the file is not one, or is a public one that was changed."""
    data = path.read_bytes()
    found = sha256(data)
    if found != FROZEN.get(path, found):
        raise SuiteError(f"{path.name} was changed: its SHA-256 is {found}, not {FROZEN[path]}.")
    try:
        content = json.loads(data)
        if content["format"] != SUITE_FORMAT or content["version"] not in SUITE_VERSIONS:
            raise ValueError
        return Suite(
            content["name"],
            content["version"],
            content["canary"],
            found,
            content["retries"],
            content["variants"],
            content["positions"],
            content["starts"],
            content.get("questions", ()),
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        raise SuiteError(f"{path} is not a suite of version {' or '.join(map(str, SUITE_VERSIONS))}.") from None


def sha256(data: bytes) -> str:
    """The hash that identifies a suite."""
    return hashlib.sha256(data).hexdigest()


# Generation


def make_suite(
    name: str,
    seed: str,
    variants: Sequence[tuple[str, Mapping[str, Any]]] = RULE_SETS,
    count: int = SUITE_POSITIONS,
    starts: int = SUITE_STARTS,
    progress: Progress | None = None,
) -> bytes:
    """Generates a suite file. The same seed gives the same bytes."""
    lists: dict[str, list[dict[str, Any]]] = {"variants": [], "positions": [], "starts": []}
    for index, (game_id, options) in enumerate(variants):
        rules = game(game_id, **options)
        if progress is not None:
            progress(f"looking for positions of {rules.title}", index / len(variants))
        lists["variants"].append(variant_row(rules))
        lists["positions"] += [_position(index, match) for match in _positions(rules, seed, count)]
        lists["starts"] += [{"variant": index, "moves": moves} for moves in fair_starts(rules, seed, starts)]
    random.Random(f"order {seed}").shuffle(lists["positions"])  # so that the first positions are a random sample
    return suite_file(SUITE_VERSION, name, CANARY, lists)


def stratum(judgement: Judgement[Any], _: object = None) -> Hashable:
    """The kind of a critical position: its distance, and a random mover's chance of keeping the value."""
    chance = len(judgement.keeping) / len(judgement)
    if not judgement.critical or chance > CHANCES[-1]:
        return None
    return band(judgement.best_verdict.distance, DISTANCES), band(chance, CHANCES)


def band(value: float, ends: Sequence[float]) -> int:
    """The index of the stratum that contains a value.

    >>> [band(chance, CHANCES) for chance in (0.1, 0.11, 0.5, 0.51)]
    [0, 1, 2, 3]
    """
    return sum(value > end for end in ends)


def _positions(rules: AnyGame, seed: str, count: int) -> Iterator[Match]:
    """Positions of the test split, spread over the strata."""
    return positions(solution_of(rules), count, seed, Sort("stratum", stratum), part="test")


def _position(variant: int, match: Match) -> dict[str, Any]:
    judgement = solution_of(match.game).judge(match.state)
    return position_row(variant, match, judgement, judgement.keeping, protocol.question(match))


def fair_starts(rules: AnyGame, seed: str, count: int) -> list[list[str]]:
    """Different fair starts of the test split; fewer if there are no more."""
    openings: dict[str, list[str]] = {}
    for number in range(_CANDIDATES if count else 0):
        match = Match(rules, opening=fair_start(solution_of(rules), f"{seed} {number}"))
        if split(rules, match.state) == "test":
            openings.setdefault(position_key(match), [str(move) for move in match.moves])
        if len(openings) == count:
            break
    return list(openings.values())


def position_key(match: Match) -> str:
    """The rule set and the position of a match, as text."""
    return json.dumps([match.game.id, match.game.values, position_to_json(match.game, match.state)], sort_keys=True)


# What the files of all versions have in common


def variant_row(rules: AnyGame, style: protocol.Style = protocol.STYLE, **more: Any) -> dict[str, Any]:
    """A rule set, with its rules in words."""
    book = not rules.changes
    return {"game": rules.id, "options": rules.values, "book": book, **more, "rules": protocol.rules(rules, style)}


def position_row(
    variant: int, match: Match, judgement: Judgement[Any], right: Iterable[Any], prompt: str, **more: Any
) -> dict[str, Any]:
    """A position, with its right moves."""
    return {
        "id": 0,
        "variant": variant,
        "moves": [str(move) for move in match.moves],
        **more,
        "distance": judgement.best_verdict.distance,
        "legal": len(judgement),
        "keeping": tokens(match.game, right),
        "prompt": prompt,
    }


def tokens(rules: AnyGame, moves: Iterable[Any]) -> list[str]:
    """Moves in the order of the game, as tokens."""
    chosen = set(moves)
    return [str(move) for move in rules.moves if move in chosen]


def suite_file(version: int, name: str, canary: str, lists: dict[str, list[dict[str, Any]]], **more: Any) -> bytes:
    """Numbers the rows, and serializes a suite as JSON with one entry per line, which is easy to read and to diff."""
    head = {
        "format": SUITE_FORMAT,
        "version": version,
        "name": name,
        "canary": canary,
        **more,
        "scoring": "skill = sum(found - chance) / sum(1 - chance); an answer without a legal move finds nothing",
        "retries": protocol.RETRIES,
    }
    for entries in lists.values():
        for number, row in enumerate(entries, 1):
            if "id" in row:
                row["id"] = number
    parts = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    for key, entries in lists.items():
        rows = ",\n".join(f"  {json.dumps(entry, ensure_ascii=False)}" for entry in entries)
        parts.append(f" {json.dumps(key)}: [\n{rows}\n ]")
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode()
