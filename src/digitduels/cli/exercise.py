"""Exercises: a person looks for a move in a position and can ask for hints or the answer."""

from __future__ import annotations

from typing import Any

from digitduels.asking import answer, follow_up, offer
from digitduels.cli.console import Console
from digitduels.core import IllegalMove, InvalidMove, State, notation_of
from digitduels.match import Match
from digitduels.sentence import Sentence, spoken, tell
from digitduels.solver import Solution
from digitduels.study.hints import STEPS, hint

EXERCISE_HELP = "hint: a hint, again for more; Enter: the answer; quit: leave."


class Leave(Exception):
    """The person leaves the exercise."""


class Exercise:
    """Asks for moves of a match. `reader` is the player that the person plays, if it is always the same one."""

    first_step = 1
    """The step of the first hint about a position."""

    def __init__(self, match: Match, solution: Solution, console: Console, reader: int | None = None) -> None:
        self.match = match
        self.solution = solution
        self.console = console
        self.reader = reader
        self.step = 0  # the step of the last hint; 0 before the first

    def say(self, *lines: str) -> None:
        self.console.say(*spoken(lines, lambda line: tell(line, self.match.names, self.reader)))

    def show(self, state: State[Any, Any]) -> None:
        """Shows a new position and starts its hints again."""
        self.say("", *self.match.game.view(state))
        self.step = 0

    def ask(self, state: State[Any, Any]) -> Any | None:
        """Asks for a move and returns it; None if the person wants to see the answer."""
        game = self.match.game
        chosen: tuple[Any, ...] = ()
        half: tuple[str, str] | None = None  # the first word of an incomplete move, and the question for the rest
        if game.move_fields[0].menu:
            self.say(f"Possible: {offer(game, state)}.")
        while len(chosen) < len(game.move_fields):
            alone = self.reader == state.player
            question = game.move_fields[len(chosen)].ask(None if alone else self.match.names[state.player])
            text = self.console.ask(half[1] if half else question)
            match text.strip().lower():
                case "" | "answer":
                    return None
                case "quit" | "exit" | "q":
                    raise Leave
                case "?" | "help":
                    self.say(f"Possible: {offer(game, state, chosen)}.", EXERCISE_HELP)
                case "hint":
                    self.step = min(max(self.step + 1, self.first_step), STEPS)
                    self.say(*hint(state, self.solution, self.step))
                case _:
                    begun, half = half, None
                    try:
                        half = None if chosen else follow_up(game, state, text, self.match.names)
                        if half is None:
                            chosen = answer(game, state, chosen, text, self.match.names, begun and begun[0])
                    except (InvalidMove, IllegalMove) as error:
                        self.say(Sentence("Error: {reason}", reason=error.reason))
        return notation_of(game).partial(chosen)
