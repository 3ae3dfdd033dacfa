"""Computer players: random moves, the levels, perfect play, and external programs."""

from __future__ import annotations

from collections.abc import Callable

from digitduels.games import AnyGame
from digitduels.players.policy import Forfeit, Player, Uniform
from digitduels.solver.solution import Solution, Truth
from digitduels.text import did_you_mean, quoted

__all__ = [
    "COACH",
    "COACH_LEVEL",
    "OPPONENTS",
    "PERFECT_PLAYERS",
    "UNIFORM_PLAYERS",
    "Forfeit",
    "Player",
    "Uniform",
    "check",
    "computer_name",
    "known_player",
    "offered_player",
    "player",
]

OPPONENTS = ("random", "1", "2", "3", "4", "5", "6", "7", "perfect")
UNIFORM_PLAYERS = ("random", "1")  # they play any legal move
PERFECT_PLAYERS = ("7", "perfect")  # they cannot play without the solution
COACH, COACH_LEVEL = "coach", "4"  # an opponent of that level that warns you before you throw a result away


def computer_name(who: str) -> str:
    """The name of a computer player that people see in a game.

    >>> computer_name("3"), computer_name("perfect"), computer_name("python bot.py")
    ('Level 3', 'Perfect', 'The program')
    """
    if who.isdecimal():
        return f"Level {who}"
    return who.capitalize() if who in (*OPPONENTS, COACH) else "The program"


def known_player(text: str, *others: str) -> str:
    """The player that a text names as people read it, such as "Level 3", "beginner" or "Coach"; else the text itself.

    >>> known_player("Level 3"), known_player("Beginner"), known_player("Coach", COACH), known_player("python bot.py")
    ('3', '2', 'coach', 'python bot.py')
    """
    known = (*others, *OPPONENTS)
    name = text.strip().lower().removeprefix("level").strip()
    if name in known:
        return name
    return _levels_by_name().get(name, text)


def _levels_by_name() -> dict[str, str]:
    """The levels by the names that people read."""
    from digitduels.players.levels import CHARACTERS

    return {character.name.lower(): str(level) for level, character in CHARACTERS.items()}


def offered_player(name: str, game_id: str) -> str:
    """The player that plays under this name: for a level that the game does not offer, the nearest lower one.

    >>> [offered_player(name, "operation-target") for name in ("random", "3", "4")]
    ['random', '1', '4']
    """
    if not name.isdecimal() or name not in OPPONENTS:
        return name
    from digitduels.players.levels import TUNING, Tuning

    return str(max(level for level in TUNING.get(game_id, Tuning()).levels if level <= int(name)))


def check(name: str, *others: str) -> None:
    """Raises ValueError with the choices if `name` is not one of our players, one of `others`, or a program."""
    known = (*others, *OPPONENTS)
    if name in known:
        return
    from digitduels.players.external import command, split_name

    if command(name) is None:
        hint = did_you_mean(name.lower(), (*known, *_levels_by_name()))
        raise ValueError(
            f"There is no player {quoted(name)}. {hint}The players are {', '.join(known)}, or the command of a program."
        )
    label, _ = split_name(name)
    if label in known:
        raise ValueError(f"A program cannot be called {quoted(label)}: that is one of our own players.")


def player(
    name: str,
    game: AnyGame,
    solve: Callable[[AnyGame], Solution],
    seed: object = None,
    move_time: float | None = None,
    truth: Truth | None = None,
) -> Player:
    """A player by name: one of OPPONENTS, or a program as CMD or NAME=CMD, with `move_time` seconds per move.

    `solve` is called if the player needs the solution of the game. Levels use `truth` instead, if it is given. A level
    that the game does not offer plays as the nearest lower one. With the same seed, our players choose the same moves,
    and a program receives the same seed.
    """
    # Imports only what this player needs, because more would delay the first move.
    check(name)
    if name not in OPPONENTS:
        from digitduels.players.external import MOVE_TIME, Program

        return Program(name, MOVE_TIME if move_time is None else move_time, seed)
    name = offered_player(name, game.id)
    if name in UNIFORM_PLAYERS:
        return Uniform(game, seed)
    if name in PERFECT_PLAYERS:
        from digitduels.players.perfect import Perfect

        return Perfect(solve(game), seed)
    from digitduels.players.levels import Level

    return Level(int(name), truth or solve(game), seed)
