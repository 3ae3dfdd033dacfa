"""Asking for a move field by field: which answers are possible, and what an answer means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from digitduels.core import Game, IllegalMove, InvalidMove, State, notation_of
from digitduels.sentence import PLAYERS, Names, signs
from digitduels.text import quoted


def choices(game: Game[Any, Any, Any], state: State[Any, Any], chosen: Sequence[Any] = ()) -> list[Any]:
    """The possible values of the next field of a move, after the fields already chosen.

    >>> from digitduels.games import game
    >>> rules = game("equation-duel")
    >>> choices(rules, rules.start(), [9])
    [1, 2, 3, 4, 5, 6, 7, 8]
    """
    count = len(chosen)
    begun = (move for move in game.legal_moves(state) if move[:count] == tuple(chosen))
    return list(dict.fromkeys(move[count] for move in begun))


def offer(game: Game[Any, Any, Any], state: State[Any, Any], chosen: Sequence[Any] = ()) -> str:
    """The possible values of the next field, as people type them."""
    return game.move_fields[len(chosen)].offer(choices(game, state, chosen))


def objection(game: Game[Any, Any, Any], state: State[Any, Any], chosen: Sequence[Any]) -> str | None:
    """Why no legal move begins with these fields, or None if one does.

    >>> from digitduels.games import game
    >>> rules = game("equation-duel")
    >>> objection(rules, rules.start(), [9, 9])
    'Numbers must be different and unused.'
    """
    return game.objection(state, notation_of(game).partial(chosen))


def follow_up(
    game: Game[Any, Any, Any], state: State[Any, Any], text: str, names: Names = PLAYERS
) -> tuple[str, str] | None:
    """The first word of an incomplete move and the question for the rest; None if the text is not incomplete.

    Raises IllegalMove if the rules forbid every move that could complete it.
    """
    question = game.move_fields[0].completion(text)
    if question is None:
        return None
    word = text.split()[0]
    complete = {move for phrase, move in game.phrases(state, names) if phrase.split()[0] == word.lower()}
    reasons = [game.objection(state, move) for move in complete]
    if reasons and None not in reasons:
        raise IllegalMove(reasons[0])
    return word, question


def answer(
    game: Game[Any, Any, Any],
    state: State[Any, Any],
    chosen: Sequence[Any],
    text: str,
    names: Names = PLAYERS,
    begun: str | None = None,
) -> tuple[Any, ...]:
    """Adds the field that `text` answers to `chosen`. The answer to the first question may be a whole move.

    `begun` is the first word of an incomplete move, which `text` completes unless it is another move.

    Raises InvalidMove if the text is not an answer, IllegalMove if the rules forbid the answer here.
    """
    if begun is not None and text.split()[0].lower() != begun.lower():
        try:
            return answer(game, state, chosen, f"{begun} {text}", names)
        except InvalidMove as error:
            try:  # perhaps the player has changed their mind
                return answer(game, state, chosen, text, names)
            except InvalidMove:
                raise error from None
    spellings, possible = notation_of(game), choices(game, state, chosen)
    value = spellings.value(len(chosen), text, possible)
    answered = None if value is None else (*chosen, value)
    if answered is None and not chosen and spellings.may_be_a_move(text):
        answered = spellings.move(text, game.phrases(state, names))
    if answered is None:
        if not chosen and (number := spellings.bare_minus(text)) is not None:
            raise InvalidMove(f"To subtract {number}, type 'minus {number}', or type {number} and then -.")
        offered = game.move_fields[len(chosen)].offer(possible)
        if not chosen and len(game.move_fields) > 1:
            offered += f", or a whole move such as {signs(str(game.legal_moves(state)[0]))}"
        raise InvalidMove(f"{quoted(text)} is not possible here. Possible: {offered}.")
    reason = objection(game, state, answered)
    if reason is not None:
        raise IllegalMove(reason)
    return tuple(answered)
