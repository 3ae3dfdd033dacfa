"""Defence in lost positions: how hard a move is to answer, and how long it holds out."""

from __future__ import annotations

from typing import Any, NamedTuple

from digitduels.core import State
from digitduels.players.perfect import FALLIBLE, REPLIES, ErrorChances, Perfect, hardest_to_answer
from digitduels.sentence import Capital, Moves, PlayedNoun, Playing, Sentence, number_word
from digitduels.solver.solution import Solution

NOTABLE = 0.05
"""How much the chances must differ for one move to count as harder to answer than another."""


class Defence(NamedTuple):
    """How well a move in a lost position defends, compared with the hardest move to answer."""

    player: int
    move: Any
    chance: float
    """The probability that a fallible opponent throws the win away in the next few turns."""
    hardest: float
    """The same for the hardest move to answer."""
    best: list[Any]
    """The hardest moves to answer; where the opponent hardly ever errs, the moves that hold out longest."""
    sooner: int
    """How many plies sooner it loses than the longest defence."""

    @property
    def found(self) -> bool:
        """Whether it was about as hard to answer as any move or, if no move is hard to answer, held out longest."""
        if self.hardest < NOTABLE:
            return not self.sooner
        return self.hardest - self.chance < NOTABLE

    @property
    def sentence(self) -> Sentence:
        """How hard the move was to answer, and which move was harder."""
        move, better = PlayedNoun(self.move, self.player), PlayedNoun(self.best[0], self.player)
        played = Playing("played", self.move, self.player)
        if self.hardest >= NOTABLE and not self.found:
            tougher = Sentence(
                "Tougher: {better}. A good player gets it wrong {best} times in 10 (after {move}: {rate} in 10).",
                better=better,
                move=move,
                best=times_in_ten(self.hardest),
                rate=round(10 * self.chance),
            )
            return Sentence(
                "{Better} was harder to answer than {move}. Within {turns} turns, a level {level} opponent goes wrong "
                "{best_rate} after {better}, and {rate} after {move}.",
                page=tougher,
                Better=Capital(better),
                better=better,
                move=move,
                turns=number_word(REPLIES),
                level=FALLIBLE,
                rate=rate(self.chance),
                best_rate=rate(self.hardest),
            )
        page = None
        if self.hardest >= NOTABLE:
            easy = "{did}, which is hard to answer: a good player gets it wrong {times} times in 10."
            page = Sentence(
                f"{{player}} {easy}",
                you=f"You {easy}",
                player=self.player,
                did=played,
                times=times_in_ten(self.chance),
            )
            did = "{did}, which is hard to answer: within {turns} turns, a level {level} opponent goes wrong {rate}."
        elif self.found:
            did = "{did}, which holds out longest."
        else:
            did = "{did} and lost sooner than necessary. {longest} would have held out longest."
        return Sentence(
            f"{{player}} {did}",
            you=f"You {did}",
            page=page,
            player=self.player,
            did=played,
            turns=number_word(REPLIES),
            level=FALLIBLE,
            rate=rate(self.chance),
            longest=Capital(Moves(self.best, self.player, "or")),
        )


def hardest(state: State[Any, Any], solution: Solution) -> Any:
    """The move in a lost position that is hardest to answer, of several the longest defence: as perfect play has it."""
    return Perfect(solution).candidates(state)[0]


def defence(state: State[Any, Any], move: Any, solution: Solution) -> Defence | None:
    """How well a move defends a lost position; None in other positions, and where no move is better than another."""
    judgement = solution.judge(state)
    if judgement.best_verdict.value > -1 or len(judgement) == 1:
        return None
    chances = ErrorChances(solution).each(state, solution.game.legal_moves(state))
    hardest, longest = max(chances.values()), judgement.best_verdict.distance
    best = hardest_to_answer(chances) if hardest >= NOTABLE else judgement.best_moves
    defences = {
        candidate: Defence(state.player, candidate, chance, hardest, best, longest - judgement[candidate].distance)
        for candidate, chance in chances.items()
    }
    return defences[move] if len({option.found for option in defences.values()}) > 1 else None


def times_in_ten(chance: float) -> int:
    """A notable probability, as the page says it."""
    return max(1, round(10 * chance))


def rate(chance: float) -> str:
    """A probability in words.

    >>> [rate(chance) for chance in (0.0, 0.001, 0.01, 0.41, 0.999)]
    ['never', 'less than once in 100', 'once in 100', '41 times in 100', 'more than 99 times in 100']
    """
    times = round(100 * chance)
    if not times:
        return "less than once in 100" if chance else "never"
    if times == 100 and chance < 1:
        return "more than 99 times in 100"
    return "once in 100" if times == 1 else f"{times} times in 100"
