"""Splits positions into training, validation and test sets."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from digitduels.core import State
from digitduels.games import AnyGame
from digitduels.position_json import position_to_json

SPLITS = ("train", "validation", "test")


def split(game: AnyGame, state: State[Any, Any]) -> str:
    """The split of a position: about 80 % are "train", 10 % "validation" and 10 % "test".

    It depends only on the variant, both hands and the table, and never changes. The SHA-256 of the canonical JSON of
    `[id, options, mine, theirs, table]` decides: its first 8 bytes, as a big-endian integer modulo 10, are 0 to 7 for
    "train", 8 for "validation" and 9 for "test". It does not matter which player is to move.

    >>> from digitduels.games import game
    >>> rules = game("number-duel")
    >>> split(rules, rules.start())
    'train'
    """
    placed = position_to_json(game, state)
    mine, theirs = placed["hands"][state.player], placed["hands"][1 - state.player]
    key = [game.id, game.values, mine, theirs, placed["table"]]
    text = json.dumps(key, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    index = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") % 10
    return SPLITS[max(0, index - 7)]
