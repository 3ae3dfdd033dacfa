"""Questions about many positions, to compare the answers of a server with those of a page without one."""

from __future__ import annotations

import random
from urllib.parse import urlencode

import digitduels as dd
from digitduels.match import Match
from digitduels.web.positions.link import written

SMALL = [  # a variant of each game that the reference solves at once
    dd.game("equation-duel", target=5, highest=4, tie="draw"),
    dd.game("number-duel", target=12, highest=4, copies=1, tie="draw"),
    dd.game("number-quest", target=9, highest=3, copies=2, tie="draw"),
    dd.game("numerical-nexus", target=7, uses=(1, 1, 0, 1, 0, 1)),
    dd.game("operation-target"),
]
POSITIONS = 200
FURTHER = {"position": {"effects": "on"}, "effects": {}, "solve": {}, "hint": {"step": "4"}, "review": {}}
"""The questions about each position, with their further keys."""


def questions() -> list[tuple[str, str]]:
    """The path and the query of each question, about positions of random games."""
    rng = random.Random(0)
    asked = []
    for number in range(POSITIONS):
        match = Match(SMALL[number % len(SMALL)])
        for _ in range(rng.randint(0, 12)):
            if match.outcome is None:
                match.play(rng.choice(match.game.legal_moves(match.state)))
        for name, keys in FURTHER.items():
            if name != "hint" or match.outcome is None:
                query = "&".join(filter(None, (written(match), urlencode(keys))))
                asked.append((f"/api/{name}/{match.game.id}", query))
    return asked
