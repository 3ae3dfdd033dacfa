"""A second try at a moment of a game: the verdict on the move that the player tries."""

from __future__ import annotations

from typing import Any, NamedTuple

from digitduels.core import State
from digitduels.sentence import Capital, PlayedNoun, Sentence
from digitduels.solver.solution import Solution
from digitduels.study.defence import defence


class SecondTry(NamedTuple):
    """The verdict on a move that somebody tries."""

    kept: bool
    """Whether the move keeps the value of the position; in a lost position, whether no move is harder to answer."""
    sentence: Sentence


def second_try(state: State[Any, Any], move: Any, solution: Solution, played: Any | None = None) -> SecondTry:
    """Judges a move that a player tries at a moment of a game. `played` is the move of the game."""
    game, player, judgement = solution.game, state.player, solution.judge(state)
    best, verdict = judgement.best_verdict, judgement[move]
    shown = Capital(PlayedNoun(move, player))
    if best.value < 0:
        rating = defence(state, move, solution)
        if rating is None or rating.found:
            return SecondTry(True, Sentence("Yes! {move} is the toughest move here.", move=shown))
        return SecondTry(False, Sentence("{move} is easier to answer than another move. Try again?", move=shown))
    outcome = game.outcome(game.after(state, move))
    if verdict.value < best.value:
        again = move == played
        too = not again and played is not None and judgement[played].value == verdict.value
        return SecondTry(False, _refusal(state, move, solution, again, too))
    if outcome is not None:
        return SecondTry(True, Sentence("Yes! {reason}", reason=outcome.reason))
    keeps = "Yes! {move} keeps {player:whose} win." if best.value > 0 else "Yes! {move} keeps the draw."
    return SecondTry(True, Sentence(keeps, move=shown, player=player))


def _refusal(state: State[Any, Any], move: Any, solution: Solution, again: bool, too: bool) -> Sentence:
    """Says what a move throws away, and how it is answered: `again` if it is the move of the game, `too` if that one
    threw away as much."""
    game, player = solution.game, state.player
    loses, after = solution.judge(state)[move].value < 0, game.after(state, move)
    result = f"{'loses' if loses else 'only draws'}{{whom}}{' too' if too else ''}"
    text = f"That is the move that was played. It {result}" if again else f"That {result}"
    outcome = game.outcome(after)
    if outcome is not None:
        text = f"{text}. {{reason}} Try again?"
        return Sentence(text, whom="", reason=outcome.reason)
    reply = PlayedNoun(next(iter(solution.judge(after))), 1 - player)
    your = f"{text.format(whom='')}: {{other}} answers with {{reply}}. Try again?"
    then = "then wins for" if loses else "then draws for"
    others = f"{text.format(whom=' for {player}')}: {{reply}} {then} {{other:whom}}. Try again?"
    return Sentence(others, you=your, player=player, reply=reply)
