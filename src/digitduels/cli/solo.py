"""A game of one person against a computer player, with hints, a coach, and what is to be learnt at the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from digitduels.cli.console import Console
from digitduels.cli.saved_games import Save
from digitduels.cli.session import AT_THE_END, HELP, Session
from digitduels.manual import answered
from digitduels.match import Match
from digitduels.players import Forfeit, Player
from digitduels.sentence import player_name, tell
from digitduels.solver import Solution
from digitduels.text import addressed, named

SOLO_HELP = (
    "hint     how you stand; again for more",
    "values   what every move leads to",
)
RETRY = "try      play on from the move on which the game turned"


class Solo(Session):
    """Plays matches between a person and a computer player."""

    def __init__(
        self,
        match: Match,
        save: Save,
        console: Console,
        opponent: Callable[[Match], Player],
        solve: Callable[[], Solution],
        coach: bool = False,
    ) -> None:
        super().__init__(match, save, console)
        self.make_opponent = opponent
        self.opponent = opponent(match)
        self.solve = solve
        self.coach = coach
        self.commands |= {"hint": self.hint, "values": self.values}
        self.at_the_end |= {"try": self.retry, "t": self.retry}
        self.helps = (*SOLO_HELP, *HELP)
        self.ends = (RETRY, *AT_THE_END)
        self.hints = (-1, 0)  # after how many moves hints were asked for, and how many

    @property
    def computer(self) -> int:
        """The seat of the computer player."""
        return next(seat for seat in (0, 1) if self.match.players[seat] != "human")

    def run(self) -> int:
        try:
            return super().run()
        finally:
            self.opponent.close()

    def turn(self) -> None:
        match, game, state = self.match, self.match.game, self.match.state
        if state.player != self.computer:
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
        self.say("", *game.turn(state), *answered(game, state, move), *game.announce(state, move, match.state))

    def accepts(self, move: Any) -> bool:
        """Asks before a result is thrown away, if the opponent is a coach."""
        if not self.coach:
            return True
        from digitduels.study.hints import warning

        question = warning(self.match.state, move, self.solve())
        if question is None:
            return True
        answer = self.console.ask(f"{question} (y/n) ")
        if answer.strip().lower() not in ("y", "yes", ""):
            return True
        self.note("take-back")
        return False

    def say(self, *lines: str) -> None:
        self.console.say(*(tell(line, self.match.names, 1 - self.computer) for line in lines))

    def tell(self, *lines: str) -> None:
        """Says what is true of the game to the person who plays it."""
        self.console.say(*(named(addressed(line, 1 - self.computer), self.match.names) for line in lines))

    def note(self, what: str) -> None:
        """Puts help that was asked for into the record."""
        self.match.asked.append((len(self.match.moves), what))
        if self.match.moves:
            self.keep()

    def undo(self, argument: str) -> bool:
        """Takes back the person's last move, and with it the answer to it."""
        changed = super().undo(argument)
        while changed and self.match.state.player == self.computer and len(self.match.moves) > self.match.opening:
            self.say(*self.match.take_back())
            self.keep()
        return changed

    def hint(self, _: str) -> bool:
        from digitduels.study.hints import hint

        match = self.match
        after, count = self.hints
        count = min(count + 1, 4) if after == len(match.moves) else 1
        self.hints = len(match.moves), count
        self.note(f"hint {count}")
        self.tell(*hint(match.state, self.solve(), count))
        return False

    def values(self, _: str) -> bool:
        from digitduels.study.hints import values

        self.note("values")
        self.tell(*values(self.match.state, self.solve()))
        return False

    # After the game

    def result(self) -> None:
        super().result()
        from digitduels.study.review import review

        self.tell("", review(self.match, self.solve()).sentence)

    def retry(self, _: str) -> bool:
        """Goes back to the last move by which the person changed the result."""
        from digitduels.study.review import review

        swings = [swing for swing in review(self.match, self.solve()).swings if swing.player != self.computer]
        if not swings:
            self.tell(f"{player_name(1 - self.computer)} made no such mistake.")
            return False
        self.begin(self.match.until(swings[-1].ply))
        return True

    def begin(self, match: Match) -> None:
        self.opponent.close()
        self.opponent = self.make_opponent(match)
        super().begin(match)
