"""What decided a game: the value of its start, and the moves that changed it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any, NamedTuple

from digitduels.core import Outcome, State
from digitduels.match import Match
from digitduels.sentence import PlayedNoun, Sentence
from digitduels.solver.solution import Solution
from digitduels.solver.verdict import Verdict
from digitduels.study.decisions import Decision, decisions
from digitduels.study.defence import Defence, defence
from digitduels.study.reasons import VERDICTS, reason
from digitduels.study.wording import joined, standing, winner

RIBBON = {0: "▲", 1: "▼", None: "="}
LEGEND = Sentence(
    "▲ {first}, ▼ {second}, = nobody is; one sign for the start and one for each move",
    first=Sentence("{player} is winning", you="you are winning", player=0),
    second=Sentence("{player} is winning", you="you are winning", player=1),
)


class Review(NamedTuple):
    """A game, turn by turn. The value of the start and the swings explain the result exactly."""

    player: int
    """The player to move at the start."""
    start: Verdict
    """The verdict on the start for that player; after the opening, if the match has a fixed one."""
    opening: int
    """The number of moves in the fixed opening."""
    decisions: list[Decision]
    outcome: Outcome | None
    defences: Mapping[int, Defence] = {}
    """The defences, by ply, in lost positions in which some moves defend better than others."""
    reasons: Mapping[int, Sentence] = {}
    """Why the best move at a swing was good, by ply. Swings are left out if the verdict is the only reason."""

    @property
    def swings(self) -> list[Decision]:
        return [decision for decision in self.decisions if decision.swing]

    def found(self, player: int) -> tuple[int, int]:
        """How many critical moves a player found, and how many there were."""
        critical = [decision for decision in self.decisions if decision.critical and decision.player == player]
        return sum(decision.found for decision in critical), len(critical)

    def resisted(self, player: int) -> tuple[int, int]:
        """How often a player found the best defence in a lost position, and how often there was a choice."""
        own = [defence for defence in self.defences.values() if defence.player == player]
        return sum(defence.found for defence in own), len(own)

    def moments(self, player: int) -> list[int]:
        """The plies at which a player could have done better, and may try again.

        They are the player's swings or, if there are none, the weakest of their defences.
        """
        swings = [swing.ply for swing in self.swings if swing.player == player and swing.keeping]
        weakest = self._weakest_defence(player)
        return swings or ([] if weakest is None else [weakest])

    def _weakest_defence(self, player: int) -> int | None:
        """The ply at which a player missed the best defence by most; None if they missed none."""
        missed = {
            ply: (defence.hardest - defence.chance, defence.sooner)
            for ply, defence in self.defences.items()
            if defence.player == player and not defence.found
        }
        return max(missed, key=missed.__getitem__, default=None)

    @property
    def winning(self) -> list[int | None]:
        """Who was winning at the start and after each turn; None for nobody."""
        return [winner(self.player, self.start), *(winner(turn.player, turn.after) for turn in self.decisions)]

    @property
    def ribbon(self) -> str:
        """Who was winning at the start and after each move, one sign each. LEGEND explains the signs."""
        moves = sum(turn.move is not None for turn in self.decisions)
        return "".join(RIBBON[who] for who in self.winning[: moves + 1])

    @property
    def story(self) -> Sentence:
        """The ribbon in words.

        >>> Review(0, Verdict(1, 3), 0, [], None).story
        'Player 1 was winning from the start.'
        """
        phases = [(who, len(list(turns))) for who, turns in groupby(self.winning)]
        (first, number), *later = phases
        number += self.opening
        start = "at the start" if later else "from the start"
        if first is None:
            story = Sentence(f"Nobody was winning {start}")
        else:
            story = Sentence(f"{{player}} was winning {start}", you=f"You were winning {start}", player=first)
        for who, turns in later:
            phase = Sentence(
                "nobody from move {number} on" if who is None else "{player:whom} from move {number} on",
                player=who,
                number=number,
            )
            story = Sentence("{story}, {phase}", story=story, phase=phase)
            number += turns
        return Sentence("{story}.", story=story)

    @property
    def decider(self) -> Sentence | None:
        """Which move decided the game, as a sentence; None if none did."""
        if not self.swings:
            return None
        decided = "Move {move} decided the game." if self.outcome else "So far, move {move} decided the game."
        return Sentence(decided, move=self.swings[-1].ply + 1)

    @property
    def sentence(self) -> Sentence:
        """What decided the game, as a sentence."""
        over = self.outcome is not None
        if self.decider is not None:
            return joined([self.decider, self.swings[-1].lesson])
        who = winner(self.player, self.start)
        if who is None:
            return Sentence(f"The game was a draw from the start, and it {'stayed' if over else 'still is'} one.")
        if over:
            kept = "from the start and never gave it away."
            going = f"Going {'first' if who == self.player else 'second'} wins here"
            page = Sentence(
                f"{going} if both play perfectly. {{player}} didn't slip.",
                you=f"Perfect! {going}, and you never slipped.",
                player=who,
            )
            return Sentence(f"{{player}} was winning {kept}", you=f"You were winning {kept}", page=page, player=who)
        return Sentence(
            "{player} was winning from the start and still is.",
            you="You were winning from the start and still are.",
            player=who,
        )

    @property
    def answer(self) -> Sentence | None:
        """Which moves would have kept the result at the last swing, and why."""
        if not self.swings or self.swings[-1].answer is None:
            return None
        return joined(list(filter(None, (self.swings[-1].answer, self.reasons.get(self.swings[-1].ply)))))

    @property
    def resistance(self) -> Sentence | None:
        """How the loser could best have made the win harder; None if the loser never had a choice of defences."""
        if self.outcome is None or self.outcome.winner is None:
            return None
        loser = 1 - self.outcome.winner
        weakest = self._weakest_defence(loser)
        if weakest is not None:
            return Sentence("Move {move}: {defence}", move=weakest + 1, defence=self.defences[weakest].sentence)
        if self.resisted(loser)[1]:
            return Sentence(
                "In lost positions {player} always defended as well as possible.",
                you="In lost positions you always defended as well as possible.",
                player=loser,
            )
        return None

    def lines(self) -> list[Sentence]:
        """The review as sentences."""
        return [*self.course(), *self.lessons(), *self.summary()]

    def course(self) -> list[Sentence]:
        """Who was winning at the start and after each move."""
        lines = [
            Sentence("At the start: {standing}", standing=joined(standing(self.player, self.start))),
            Sentence("Who was winning: {ribbon}", ribbon=self.ribbon),
            Sentence("({legend})", legend=LEGEND),
        ]
        return [*lines, self.story] if self.swings else lines  # without swings, the last line tells the story

    def lessons(self) -> list[Sentence]:
        """What each swing changed, and which moves would have been better."""
        lines = []
        for swing in self.swings:
            parts = [swing.lesson, *filter(None, (swing.answer, self.reasons.get(swing.ply)))]
            lines.append(Sentence("Move {move}: {lesson}", move=swing.ply + 1, lesson=joined(parts)))
        return lines

    def summary(self) -> list[Sentence]:
        """How many critical moves and defences the players found, and what decided the game."""
        lines = [self.score(player) for player in (0, 1)]
        lines += [self.endurance(player) for player in (0, 1) if self.resisted(player)[1]]
        return [*lines, self.decider or self.sentence, *([self.resistance] if self.resistance else [])]

    def endurance(self, player: int) -> Sentence:
        """How many best defences a player found in lost positions, as a sentence."""
        found, lost = self.resisted(player)
        text = "found the best defence in {found} of {lost} lost positions."
        return Sentence(f"{{player}} {text}", you=f"You {text}", player=player, found=found, lost=lost)

    def score(self, player: int) -> Sentence:
        """How many critical moves a player found, and how many a random mover would find, as a sentence."""
        found, critical = self.found(player)
        if not critical:
            return Sentence("{player} had no critical moves.", you="You had no critical moves.", player=player)
        text = "found {found} of {critical} critical moves; random play would find about {chance}."
        return Sentence(
            f"{{player}} {text}",
            you=f"You {text}",
            player=player,
            found=found,
            critical=critical,
            chance=self.about(player),
        )

    def about(self, player: int) -> str:
        """How many of a player's critical moves a random mover would find, to one decimal."""
        return f"{self.chance(player):.1f}"

    def chance(self, player: int) -> float:
        """How many of a player's critical moves a random mover would find on average."""
        return sum(decision.chance for decision in self.decisions if decision.critical and decision.player == player)


def review(match: Match, solution: Solution) -> Review:
    """The review of a match, finished or not. The moves of a fixed opening are not judged."""
    first, turns = match.states[match.opening], decisions(match, solution)
    lost = [turn for turn in turns if turn.before.value < 0 and turn.move is not None]
    rated = {turn.ply: defence(match.states[turn.ply], turn.move, solution) for turn in lost}
    defences = {ply: rating for ply, rating in rated.items() if rating is not None}
    swings = [turn for turn in turns if turn.swing and turn.best]
    whys = {turn.ply: _reason(match.states[turn.ply], turn.best[0], solution) for turn in swings}
    reasons = {ply: why for ply, why in whys.items() if why is not None}
    return Review(first.player, solution.probe(first), match.opening, turns, match.outcome, defences, reasons)


def _reason(state: State[Any, Any], move: Any, solution: Solution) -> Sentence | None:
    """Why the best move was good; None if the verdict is the only reason."""
    why = reason(state, move, solution)
    if why.kind in VERDICTS:
        return None
    return Sentence("Why {move}? {why}", move=PlayedNoun(move, state.player), why=why.sentence)
