"""Questions about many positions, to compare the answers of a server with those of a page without one."""

from __future__ import annotations

import random
from urllib.parse import urlencode

import digitduels as dd
from digitduels.games import AnyGame
from digitduels.match import Match
from digitduels.web.positions.link import written

SMALL = [  # a variant of each game that the reference solves at once
    dd.game("equation-duel", target=5, highest=4, tie="draw"),
    dd.game("number-duel", target=12, highest=4, copies=1, tie="draw"),
    dd.game("number-quest", target=9, highest=3, copies=2, tie="draw"),
    dd.game("numerical-nexus", target=7, uses=(1, 1, 0, 1, 0, 1)),
    dd.game("operation-target"),
]
POSITIONS, OF_BOOKS = 200, 40
FURTHER: dict[str, dict[str, str]] = {
    "position": {"effects": "on"},
    "effects": {},
    "solve": {},
    "hint": {"step": "4"},
    "review": {},
}
"""The questions about each position, with their further keys."""
UNFINISHED = {"hint", "reply"}
"""The questions about games that are not over."""


def questions() -> list[tuple[str, str]]:
    """The path and the query of each question, about positions of random games with small rules."""
    return _asked(SMALL, POSITIONS, FURTHER)


def questions_about_books() -> list[tuple[str, str]]:
    """The same for the rules of the books: what is known of a position at once, and how computer players reply."""
    replies = {"reply": {"vs": "5", "seed": "1"}}
    books = [dd.game(name) for name in dd.games()]
    asked = _asked(books, OF_BOOKS, {name: FURTHER[name] for name in ("position", "effects", "solve")} | replies)
    return asked + _asked([dd.game("equation-duel")], 5, {"hint": FURTHER["hint"], "review": {}})


def _asked(rules: list[AnyGame], count: int, kinds: dict[str, dict[str, str]]) -> list[tuple[str, str]]:
    rng = random.Random(0)
    asked = []
    for number in range(count):
        match = Match(rules[number % len(rules)])
        for _ in range(rng.randint(0, 12)):
            if match.outcome is None:
                match.play(rng.choice(match.game.legal_moves(match.state)))
        for name, keys in kinds.items():
            if name not in UNFINISHED or match.outcome is None:
                query = "&".join(filter(None, (written(match), urlencode(keys))))
                asked.append((f"/api/{name}/{match.game.id}", query))
    return asked
