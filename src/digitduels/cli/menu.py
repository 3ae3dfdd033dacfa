"""The menu of `duels` alone: a game with few keystrokes."""

from __future__ import annotations

from contextlib import suppress

from digitduels.cli import saved_games
from digitduels.cli.console import Console
from digitduels.games import game_class, games
from digitduels.manual import summary
from digitduels.players import COACH
from digitduels.players.levels import tuning
from digitduels.text import quoted

LEVEL_WORDS = {
    1: "plays at random",
    2: "takes a win in one move, and avoids losing at once",
    3: "also sees your reply",
    4: "looks a little way ahead",
    5: "looks further ahead",
    6: "misses only what is far away",
    7: "plays perfectly",
}


def choose(console: Console, last: str = "number-duel") -> list[str] | None:
    """The game and the opponent that a person chooses, as arguments of `duels play`; None at the end of the input.

    `last` is what Enter chooses for people who have not played yet.
    """
    ids = games()
    with suppress(OSError):  # without saved games there is still a game to play
        last = next((name.rpartition("-")[0] for name in saved_games.names()), last)
    default = str(ids.index(last) + 1) if last in ids else "1"
    numbers = {str(number): name for number, name in enumerate(ids, 1)}
    console.say("Which duel?")
    for number, name in numbers.items():
        game = game_class(name)()
        console.say(f"{number}  {game.title}: {summary(game)}")
    try:
        game = game_class(_ask(console, f"1 to {len(ids)}, or Enter for {default}: ", numbers, numbers[default]))()
        levels = {str(level): str(level) for level in tuning(game).levels}
        console.say("", "Who is your opponent?", "Enter  another person, here at the keyboard")
        console.say(*(f"{level:<5}  a computer that {LEVEL_WORDS[int(level)]}" for level in levels))
        console.say("c      a coach: the computer at level 4, and it warns you before a mistake")
        opponent = _ask(console, "Enter, a level, or c: ", levels | {"c": COACH}, "human")
    except EOFError:
        return None
    console.say("")
    return [game.id, "--vs", opponent]


def _ask(console: Console, question: str, answers: dict[str, str], default: str) -> str:
    """What one of some answers stands for; the default for an empty line."""
    while text := console.ask(question).strip().strip("[]").lower():
        if text in answers:
            return answers[text]
        console.say(f"Error: {quoted(text)} is not possible here. Possible: {', '.join(answers)}.")
    return default
