"""Which positions are for training, which for validation and which for testing."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from digitduels.core import State
from digitduels.games import AnyGame

SPLITS = ("train", "validation", "test")


def split(game: AnyGame, state: State[Any, Any]) -> str:
    """The split of a position: eight of ten positions are "train", one is "validation" and one is "test".

    It depends only on the variant, both hands and the table, and never changes. Take the SHA-256 of the canonical JSON
    of `[id, options, mine, theirs, table]`, and of its first 8 bytes the remainder by 10: 0 to 7 are "train", 8 is
    "validation" and 9 is "test". The number of the player to move does not matter.

    >>> from digitduels.games import game
    >>> rules = game("number-duel")
    >>> split(rules, rules.start())
    'train'
    """
    placed = game.placed(state)
    mine, theirs = placed["hands"][state.player], placed["hands"][1 - state.player]
    key = [game.id, game.values, mine, theirs, placed["table"]]
    text = json.dumps(key, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    place = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") % 10
    return SPLITS[max(0, place - 7)]
