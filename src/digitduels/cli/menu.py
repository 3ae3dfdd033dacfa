"""The menu of `duels` without a command: start a game with few keystrokes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from digitduels.cli import saved_games
from digitduels.cli.arguments import read_game
from digitduels.cli.console import LEAVING, Console
from digitduels.cli.file_arguments import last_unfinished
from digitduels.games import AnyGame, game_class, games
from digitduels.manual import summary
from digitduels.players import COACH, COACH_LEVEL, known_player
from digitduels.players.levels import characters
from digitduels.text import quoted

MENU_HELP = "Type the number or letter at the beginning of a line, or press Enter. Type quit to leave."


def choose(console: Console, name: str | None = None) -> list[str] | None:
    """Asks a person what to play, unless a game is named, and against whom.

    Returns the arguments for `duels`, or None to leave.
    """
    try:
        if name is None:
            name = _choose_game(console)
            console.say("")
        if not name:
            return ["resume"]
        opponent = _choose_opponent(console, read_game(name, ()))
    except EOFError:
        return None
    console.say("")
    return ["play", name, "--vs", opponent]


def _choose_game(console: Console, last: str = "number-duel") -> str:
    """Asks for a game; an empty answer means to resume the last unfinished one.

    Enter chooses the game played last, or `last` if there are no saved games.
    """
    ids = games()
    with suppress(OSError):  # the menu also works without saved games
        last = next((name.rpartition("-")[0] for name in saved_games.names()), last)
    default = str(ids.index(last) + 1) if last in ids else "1"
    numbers = {str(number): name for number, name in enumerate(ids, 1)}
    console.say("Which duel?")
    for number, name in numbers.items():
        game = game_class(name)()
        console.say(f"{number}  {game.title}: {summary(game)}")
    unfinished = None
    with suppress(OSError):
        unfinished = last_unfinished()
    question = f"1 to {len(ids)}, or Enter for {default}: "
    if unfinished is not None:
        path, _, match = unfinished
        console.say(f"r  Resume {match.game.title}: {saved_games.describe(match, saved_games.modified(path))}.")
        question = f"1 to {len(ids)}, r, or Enter for {default}: "
    answers = numbers | ({"r": ""} if unfinished else {})
    words = {"resume": ""}
    return _ask(console, question, answers, numbers[default], lambda text: words.get(text, text.replace(" ", "-")))


def _choose_opponent(console: Console, game: AnyGame) -> str:
    """Asks for an opponent, and returns the value for `--vs`."""
    levels = characters(game)
    console.say("Who is your opponent?", "Enter  Another person, here at the keyboard.")
    console.say(*(f"{level:<5}  {name}. {about}" for level, (name, about) in levels.items()))
    console.say(f"c      Coach. Plays like level {COACH_LEVEL} and warns you before a mistake.")
    answers = {str(level): str(level) for level in levels} | {"c": COACH}

    def read(text: str) -> str:
        name = known_player(text, "human", COACH)
        return "7" if name == "perfect" else name  # the name of level 7, too

    return _ask(console, "Enter, a level, or c: ", answers, "human", read)


def _ask(console: Console, question: str, answers: dict[str, str], default: str, read: Callable[[str], str]) -> str:
    """Asks until the answer is one of `answers`, and returns its value; the default for an empty line.

    `read` turns a name as people read it, such as "Level 3", into a value.
    """
    while text := console.ask(question).strip().strip("[]").lower():
        if text in answers:
            return answers[text]
        if (value := read(text)) in (default, *answers.values()):
            return value
        if text in LEAVING:
            raise EOFError
        if text in ("?", "help"):
            console.say(MENU_HELP)
            continue
        console.say(f"Error: {quoted(text)} is not possible here. Possible: {', '.join(answers)}, or quit.")
    return default
