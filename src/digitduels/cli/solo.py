"""A game of one person against the computer, with hints, a coach and a review at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from digitduels.cli.console import BOLD, GREEN, RED, Console, copyable
from digitduels.cli.errors import LIMIT, Failure
from digitduels.cli.progress import solution_of
from digitduels.cli.saved_games import Save
from digitduels.cli.session import AT_THE_END, END_KEYS, HELP, Session
from digitduels.core import State, TooLarge
from digitduels.games import AnyGame
from digitduels.match import Match
from digitduels.players import COACH, COACH_LEVEL, Forfeit, Player, player
from digitduels.sentence import Sentence, shown_moves, tell
from digitduels.solver import Solution
from digitduels.solver.background import TOO_MANY_POSITIONS, Background

if TYPE_CHECKING:  # games start faster without this import
    from digitduels.study.decisions import Decision
    from digitduels.study.foresight import Foresight

SOLO_HELP = (
    "hint     get a hint; ask again for more",
    "values   show what every move leads to",
    *("concede  give up; the computer wins" if line.startswith("concede") else line for line in HELP),
)
UNWARNED = "I'm still solving this game, so I can't check that move yet."
MOMENT = 1.0  # seconds to wait for a solution that is nearly ready
RETRY = "try      play on from before your last mistake"


def make_session(match: Match, save: Save, console: Console, move_time: float | None = None) -> Session:
    """The session for a match of two people, or of one against the computer."""
    if match.players.count("human") == 2:
        return Session(match, save, console)
    return Solo(match, save, console, move_time)


class Solo(Session):
    """Plays matches between a person and a computer player. All sentences address the person."""

    def __init__(self, match: Match, save: Save, console: Console, move_time: float | None = None) -> None:
        super().__init__(match, save, console)
        self.move_time = move_time
        self.truth = Background(match.game, patient=not console.interactive)
        self.opponent = self._opponent()
        self.commands |= {"hint": self.hint, "values": self.values}
        self.help_lines = SOLO_HELP
        # The number of moves at the last hint and whether the game was still unsolved, then its step.
        self.hints: tuple[tuple[int, bool], int] = (-1, True), 0

    @property
    def computer(self) -> int:
        """The seat of the computer player."""
        return 1 - self.person

    @property
    def person(self) -> int:
        """The seat of the person."""
        seat = self.match.person
        assert seat is not None
        return seat

    @property
    def coach(self) -> bool:
        """Whether the opponent warns the person before a mistake."""
        return self.match.players[self.computer] == COACH

    def solution(self) -> Solution | None:
        """The solution; None if it is not ready within a moment, or if the game is too large."""
        if self.console.interactive and not self.truth.ready(MOMENT):
            return None
        try:
            return self.truth.wait()
        except TooLarge:
            return None

    def _opponent(self) -> Player:
        name = COACH_LEVEL if self.coach else self.match.players[self.computer]
        return player(name, self.match.game, self._solve, self.match.seed, self.move_time, self.truth)

    def _solve(self, game: AnyGame) -> Solution:
        """The solution for an opponent that cannot play without it."""
        try:
            self.truth.solution = solution_of(game)
        except TooLarge:
            raise Failure(
                LIMIT, "This variant is too large to solve, so level 7 can't play it. Try a lower level."
            ) from None
        return self.truth.solution

    def run(self) -> int:
        try:
            return super().run()
        finally:
            self.truth.close()
            self.opponent.close()

    def tell(self, text: str) -> str:
        """A sentence as the person reads it."""
        return tell(text, self.match.names, self.person)

    def position(self) -> list[str]:
        """The lines that show the position; empty if the turn shows it anyway."""
        match = self.match
        return [] if match.outcome is None and match.game.turn(match.state) else super().position()

    def prompt(self, state: State[Any, Any]) -> str:
        """The current question, without a name because only one person plays."""
        return super().prompt(state) if self.half else self.match.game.move_fields[len(self.chosen)].ask()

    def turn(self) -> None:
        match, game, state = self.match, self.match.game, self.match.state
        if state.player == self.person:
            self.truth.start()
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

    def concede(self, argument: str) -> bool:
        if argument and self.conceder(argument) == self.computer:
            self.say(f"Error: you can't concede for {self.match.names[self.computer]}. To give up, type concede.")
            return False
        return super().concede(argument)

    def ways_to_concede(self) -> str:
        return "concede"

    def accepts(self, move: Any) -> bool:
        """Lets the person take back a move that the coach warns about."""
        if not self.coach:
            return True
        from digitduels.study.coach import warning

        state, source = self.match.state, self.source()
        objection = warning(state, move, source)
        if objection is None:
            if source.judge(state)[move] is None and self.truth.failure is None:
                self.say(UNWARNED)
            return True
        if not self.console.agrees(f"{self.tell(objection)} Take it back?"):
            return True
        self.note("take-back")
        return False

    def note(self, help: str) -> None:
        """Notes in the record that the person got help."""
        self.match.asked.append((len(self.match.moves), help))
        if self.match.moves:
            self.keep()

    def take_back(self) -> list[Sentence]:
        """Takes back the person's last move and the computer's reply to it."""
        match = self.match
        lines = match.take_back() if match.conceded is not None else []
        count = match.back(self.person)
        if not lines or (match.state.player == self.computer and count):
            lines += match.take_back(count or 0)
        return lines

    def source(self) -> Solution | Foresight:
        """What hints rely on: the solution, or near results if there is none yet."""
        from digitduels.study.foresight import LATER, NEVER, Foresight

        solution, failure = self.solution(), self.truth.failure
        limit = LATER if failure is None else NEVER if failure == TOO_MANY_POSITIONS else Sentence(failure)
        return solution or Foresight(self.truth, limit)

    def hint(self, _: str) -> bool:
        from digitduels.study.foresight import Foresight
        from digitduels.study.hints import STEPS, hint_in

        source = self.source()
        # The steps begin again when the game is solved, and do not begin while nothing is known about the position.
        stage = len(self.match.moves), isinstance(source, Foresight)
        last, step = self.hints
        step = min(step + 1, STEPS) if last == stage else 1
        if isinstance(source, Foresight) and self.truth.failure is None and not source.knows(self.match.state):
            step = 1
        else:
            self.hints = stage, step
            self.note(f"hint {step}")
        self.say(*hint_in(self.match, source, step))
        return False

    def values(self, _: str) -> bool:
        from digitduels.study.hints import LISTED, unknown, values

        self.note("values")
        state = self.match.state
        judgement = self.source().judge(state)
        for group in values(state, judgement):
            moves = shown_moves(group.moves, self.person, self.match.names, self.person, LISTED)
            self.console.say_wrapped(f"{group.sign} {self.tell(group.words)}: {', '.join(moves)}", 4)
        self.say(*unknown(judgement))
        return False

    # After the game

    def result(self) -> None:
        with self.console.silence():
            super().result()
            self.lesson()

    def lesson(self) -> None:
        """Says what decided the game, and offers another try after a mistake."""
        from digitduels.study.review import review

        self.offer_another_try(None)
        solution = self.solution()
        if solution is None:
            if self.saving and self.truth.failure is None:
                later = copyable("review", self.save.name)
                self.say("", f"The review is not ready yet. See it later with: {later}")
            elif self.truth.failure not in (None, TOO_MANY_POSITIONS):
                self.say("", self.truth.failure)
            return
        lesson = review(self.match, solution)
        lost = self.match.outcome is not None and self.match.outcome.winner == self.computer
        lines = [lesson.sentence, lesson.answer, lesson.resistance if lost else None]
        self.say("", *(line for line in lines if line is not None))
        mistakes = [swing for swing in lesson.swings if swing.player == self.person]
        self.offer_another_try(mistakes[-1] if mistakes else None)

    @property
    def winner_style(self) -> str:
        outcome = self.match.outcome
        if outcome is None or outcome.winner is None:
            return BOLD
        return f"{BOLD};{GREEN if outcome.winner == self.person else RED}"

    def offer_another_try(self, mistake: Decision | None) -> None:
        """Offers to play on from before the person's last mistake, if there is one."""
        self.mistake = mistake
        offered = mistake is not None
        self.end_lines = (RETRY, *AT_THE_END) if offered else AT_THE_END
        self.end_keys = f"t: try, {END_KEYS}" if offered else END_KEYS
        for word in ("try", "t"):
            self.at_the_end.pop(word, None)
            if offered:
                self.at_the_end[word] = self.retry

    def retry(self, _: str) -> bool:
        """Goes back to the position before the person's last mistake, and says what to look for."""
        assert self.mistake is not None
        self.say("", self.mistake.quest)
        self.begin(self.match.until(self.mistake.ply))
        return True

    def begin(self, match: Match) -> None:
        self.opponent.close()
        self.match = match
        self.opponent = self._opponent()
        super().begin(match)
