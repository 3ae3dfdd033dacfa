"""A game of one person against a computer player, with hints, a coach and a review at the end."""

from __future__ import annotations

from typing import Any

from digitduels.cli.console import Console, wrap
from digitduels.cli.progress import solution_of
from digitduels.cli.saved_games import Save
from digitduels.cli.session import AT_THE_END, HELP, Session
from digitduels.match import Match
from digitduels.players import COACH, COACH_LEVEL, Forfeit, Player, player
from digitduels.sentence import Sentence, shown_moves, tell
from digitduels.solver import Solution

SOLO_HELP = (
    "hint     how you stand; again for more",
    "values   what every move leads to",
)
RETRY = "try      play on from the move on which the game turned"


def make_session(match: Match, save: Save, console: Console, move_time: float = 10.0) -> Session:
    """The session for a match: of two people, or of one against the computer."""
    if match.players.count("human") == 2:
        return Session(match, save, console)
    return Solo(match, save, console, move_time)


class Solo(Session):
    """Plays matches between a person and a computer player. Everything is told to the person."""

    def __init__(self, match: Match, save: Save, console: Console, move_time: float = 10.0) -> None:
        super().__init__(match, save, console)
        self.move_time = move_time
        self.opponent = self._opponent()
        self.commands |= {"hint": self.hint, "values": self.values}
        self.at_the_end |= {"try": self.retry, "t": self.retry}
        self.help_lines = (*SOLO_HELP, *HELP)
        self.end_lines = (RETRY, *AT_THE_END)
        self.end_keys = f"t: try, {self.end_keys}"
        self.hints = (-1, 0)  # the number of moves when a hint was asked for last, and the step of that hint

    @property
    def computer(self) -> int:
        """The seat of the computer player."""
        return next(seat for seat in (0, 1) if self.match.players[seat] != "human")

    @property
    def person(self) -> int:
        """The seat of the person."""
        return 1 - self.computer

    @property
    def coach(self) -> bool:
        """Whether the opponent warns before a result is thrown away."""
        return self.match.players[self.computer] == COACH

    @property
    def solution(self) -> Solution:
        return solution_of(self.match.game)

    def _opponent(self) -> Player:
        name = COACH_LEVEL if self.coach else self.match.players[self.computer]
        return player(name, self.match.game, solution_of, seed=self.match.seed, move_time=self.move_time)

    def run(self) -> int:
        try:
            return super().run()
        finally:
            self.opponent.close()

    def say(self, *lines: str) -> None:
        self.console.say(*map(self.tell, lines))

    def tell(self, text: str) -> str:
        """A sentence as the person reads it."""
        return tell(text, self.match.names, self.person)

    def turn(self) -> None:
        match, game, state = self.match, self.match.game, self.match.state
        if state.player == self.person:
            super().turn()
            return
        try:
            move = self.opponent.choose(match)
        except Forfeit as forfeit:
            match.concede(self.computer, str(forfeit))
            self.keep()
            return
        match.play(move)
        self.keep()
        lines = game.announce(state, move, match.state)
        self.say(*([] if lines[0] == "" else [""]), *lines)

    def accepts(self, move: Any) -> bool:
        """Lets a person take a move back that the coach warns about."""
        if not self.coach:
            return True
        from digitduels.study.hints import warning

        objection = warning(self.match.state, move, self.solution)
        if objection is None:
            return True
        answer = self.console.ask(f"{self.tell(objection)} Take it back? (y/n) ")
        if answer.strip().lower() not in ("y", "yes", ""):
            return True
        self.note("take-back")
        return False

    def note(self, help: str) -> None:
        """Puts help that was asked for into the record."""
        self.match.asked.append((len(self.match.moves), help))
        if self.match.moves:
            self.keep()

    def take_back(self) -> list[Sentence]:
        """Takes back the person's last move and the computer's reply to it."""
        match = self.match
        taken = match.take_back() if match.conceded is not None else []
        count = match.back(self.person)
        if not taken or (match.state.player == self.computer and count):
            taken += match.take_back(count or 0)
        return taken

    def hint(self, _: str) -> bool:
        from digitduels.study.hints import STEPS, hint

        moves = len(self.match.moves)
        asked, step = self.hints
        step = min(step + 1, STEPS) if asked == moves else 1
        self.hints = moves, step
        self.note(f"hint {step}")
        self.say(*hint(self.match.state, self.solution, step))
        return False

    def values(self, _: str) -> bool:
        from digitduels.study.hints import values

        self.note("values")
        for group in values(self.match.state, self.solution):
            moves = shown_moves(group.moves, self.person, self.match.names, self.person)
            self.say(*wrap(f"{group.sign} {self.tell(group.words)}: {', '.join(moves)}"))
        return False

    # After the game

    def result(self) -> None:
        super().result()
        from digitduels.study.review import review

        lesson = review(self.match, self.solution)
        self.say("", lesson.sentence, *([] if lesson.answer is None else [lesson.answer]))

    def retry(self, _: str) -> bool:
        """Goes back to the last move by which the person changed the result."""
        from digitduels.study.review import review

        swings = [swing for swing in review(self.match, self.solution).swings if swing.player == self.person]
        if not swings:
            self.say("You made no such mistake.")
            return False
        self.begin(self.match.until(swings[-1].ply))
        return True

    def begin(self, match: Match) -> None:
        self.opponent.close()
        self.match = match
        self.opponent = self._opponent()
        super().begin(match)
