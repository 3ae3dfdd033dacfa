"""The menu of `duels` alone: a game with few keystrokes."""

from __future__ import annotations

from contextlib import suppress

from digitduels.cli import saved_games
from digitduels.cli.console import Console
from digitduels.games import game_class, games
from digitduels.manual import summary
from digitduels.players import OPPONENTS
from digitduels.text import quoted


def choose(console: Console, last: str = "number-duel") -> list[str] | None:
    """The game and the opponent that a person chooses, as arguments of `duels play`; None at the end of the input.

    `last` is what Enter chooses for people who have not played yet.
    """
    ids = games()
    with suppress(OSError):  # without saved games there is still a game to play
        last = next((name.rpartition("-")[0] for name in saved_games.names()), last)
    default = str(ids.index(last) + 1) if last in ids else "1"
    console.say("Which duel?")
    for number, name in enumerate(ids, 1):
        kind = game_class(name)
        console.say(f"{number}  {kind().title}: {summary(kind())}")
    try:
        numbers = [str(number) for number in range(1, len(ids) + 1)]
        game = _ask(console, f"1 to {len(ids)}, or Enter for {default}: ", numbers, default)
        levels = [name for name in OPPONENTS if name.isdecimal()]
        opponent = _ask(console, "Enter for two people here, or 1 to 7 for a computer that strong: ", levels, "human")
    except EOFError:
        return None
    console.say("")
    return [ids[int(game) - 1], "--vs", opponent]


def _ask(console: Console, question: str, answers: list[str], default: str) -> str:
    """One of some answers; the default for an empty line."""
    while (text := console.ask(question).strip() or default) not in (*answers, default):
        console.say(f"Error: {quoted(text)} is not possible here. Possible: {answers[0]} to {answers[-1]}.")
    return text
