"""How a language model is asked for a move, and how its answer is read.

The rules, the position and every refusal are in the game's own words, addressed to the model as "you". Each turn is a
new conversation with the moves so far, so that a move depends only on what the prompt says. The answer is the last JSON
object of the reply and nothing else: a move that is only mentioned in the prose is not an answer.

A prompt gives nothing away: it shows the form of an answer, but no example of a move or a game. Operations have one
notation, that of the short names: + - x /.
"""

from __future__ import annotations

import functools
import json
from typing import Any, NamedTuple

from digitduels.core import IllegalMove, InvalidMove, State
from digitduels.games import AnyGame
from digitduels.manual import briefing
from digitduels.match import Match
from digitduels.sentence import Sentence, player_name, tell
from digitduels.text import quoted

RETRIES = 2
LEGAL = ("listed", "hidden")
_LOOKED_AT = 20_000  # characters at the end of a reply in which the answer is looked for
_SIGNS = str.maketrans("×÷−", "x/-")
_NO_MOVES = "The moves so far: none, this is the first"
_BEST = (
    "Choose your best move: one that wins as soon as possible if you can force a win, otherwise one that holds a draw "
    "if you can, otherwise one that loses as late as possible. "
)
_ANSWER = "as the very last thing, {what} as a JSON object on a line of its own:\n{form}"


class NoAnswer(InvalidMove):
    """A reply without an answer in the form that was asked for; says what is wrong."""


class Style(NamedTuple):
    """How a model is asked: whether the legal moves are listed, whether it is told the moves so far."""

    legal: str = "listed"
    history: bool = True
    retries: int = RETRIES
    """How often it may answer again after a refusal."""


STYLE = Style()


def check(style: Style) -> Style:
    """Returns a valid style; raises ValueError with the reason for any other."""
    if style.legal not in LEGAL:
        raise ValueError(f"legal must be {' or '.join(LEGAL)}; {quoted(style.legal)} is not.")
    if not isinstance(style.history, bool):
        raise ValueError(f"history must be true or false; {quoted(style.history)} is not.")
    if type(style.retries) is not int or not 0 <= style.retries <= 10:
        raise ValueError("retries must be an integer from 0 to 10.")
    return style


# What is asked


@functools.cache
def rules(game: AnyGame) -> str:
    """What a model is told about a game before anything else."""
    return f"You play a game for two players, {game.title}. These are its rules.\n\n{_plain(briefing(game))}".strip()


def question(match: Match, style: Style = STYLE) -> str:
    """What a model is asked in its turn."""
    return "\n\n".join(
        [
            _position(match, style),
            f"{_BEST}You may think first, in as many words as you like. Then give, "
            + _ANSWER.format(what="your move by its short name", form='{"move": "…"}'),
        ]
    )


def refusal(reason: str, match: Match, style: Style = STYLE) -> str:
    """What a model is told when its answer was not a legal move."""
    lines = [f"That is not possible: {_plain(tell(reason, reader=match.state.player))}", "It is still your turn."]
    if style.legal == "listed":
        lines.append(_legal(match))
    return "\n".join(lines) + '\n\nGive your move as the very last thing, as a JSON object: {"move": "…"}'


def seen(game: AnyGame, state: State[Any, Any], reader: int | None = None) -> list[str]:
    """The lines of a position, as they are told to a player or to anybody."""
    return [_plain(tell(line, reader=reader)) for line in game.view(state) if line.strip()]


def _plain(text: str) -> str:
    """A text with the signs of the short names."""
    return text.translate(_SIGNS)


def _position(match: Match, style: Style) -> str:
    game, state = match.game, match.state
    parts = ["\n".join(["The position:", *seen(game, state, state.player)])]
    if style.history:
        parts.append("\n".join(["The moves so far:", *_history(match)]) if match.moves else _NO_MOVES)
    else:  # without which the lines of a position may not say all
        parts += _left(game, state)
    parts.append(f"You are {player_name(state.player)}, and it is your turn.")
    if style.legal == "listed":
        parts.append(_legal(match))
    return "\n\n".join(parts)


def _left(game: AnyGame, state: State[Any, Any]) -> list[str]:
    """What each player has left, where players own things that are used up and the lines of a position do not say."""
    shown = "\n".join(seen(game, state))
    hands = [
        _plain(", ".join(f"{stock.label} ({stock.left})" for stock in hand.stocks)) for hand in game.board(state).hands
    ]
    lines = [
        Sentence("Left to {player:whom}: {left}", player=player, left=left).to(reader=state.player)
        for player, left in enumerate(hands)
        if left not in shown
    ]
    return ["\n".join(lines)] if lines else []


def _history(match: Match) -> list[str]:
    """The moves so far by their short names, and what each of them did."""
    return [
        f"{place}. {move} ({_plain(match.game.report(state, move).to(reader=match.state.player))})"
        for place, (state, move) in enumerate(zip(match.states, match.moves, strict=False), 1)
    ]


def _legal(match: Match) -> str:
    return f"Your legal moves: {' '.join(map(str, match.game.legal_moves(match.state)))}"


# Questions about the rules


def legality_question(match: Match, move: Any) -> str:
    """Whether a move may be played."""
    return "\n\n".join(
        [
            _position(match, Style(legal="hidden")),
            f"Do the rules allow you the move {move} here? It does not matter whether it is a good one. You may think "
            "first, in as many words as you like. Then give, "
            + _ANSWER.format(what="your answer", form='{"legal": true} or {"legal": false}'),
        ]
    )


def outcome_question(match: Match, move: Any) -> str:
    """What the position is after a move."""
    shape = json.dumps(["…"] * len(seen(match.game, match.state)), ensure_ascii=False)
    return "\n\n".join(
        [
            _position(match, Style(legal="hidden")),
            f"You play {move}. What is the position after that? You may think first, in as many words as you like. "
            "Then give, "
            + _ANSWER.format(
                what="the lines of the new position, worded exactly as those above,", form=f'{{"position": {shape}}}'
            ),
        ]
    )


# What is answered


def answer(text: str) -> dict[str, Any]:
    """The last JSON object in a text; raises NoAnswer if there is none.

    >>> answer('I add {something}. {"move": "+5"} No: {"move": "x3"}')
    {'move': 'x3'}
    """
    text = text[-_LOOKED_AT:]
    decoder, found, place = json.JSONDecoder(), None, text.find("{")
    while place >= 0:
        try:
            found, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):  # not JSON, or nested too deeply, or a number that is too long
            end = place + 1
        place = text.find("{", end)
    if found is None:
        raise NoAnswer("There is no JSON object in the reply.")
    assert isinstance(found, dict)  # for it begins with a brace
    return found


def chosen(text: str) -> str:
    """The text under "move" in the answer of a reply; raises NoAnswer if there is none."""
    found = answer(text).get("move")
    if not isinstance(found, str):
        raise NoAnswer('The last JSON object of the reply has no text under "move".')
    return found


def move(match: Match, text: str) -> Any:
    """The legal move that a reply chooses; raises InvalidMove or IllegalMove with the reason."""
    return legal(match.game, match.state, chosen(text))


def objection(error: InvalidMove | IllegalMove, player: int, cut_off: bool) -> str:
    """Why a reply is refused. One that was cut off before its answer is told so."""
    if cut_off and isinstance(error, NoAnswer):
        return Sentence(
            "The reply was cut off before its answer.",
            you="Your reply was cut off before its answer. Think in fewer words.",
            player=player,
        )
    return error.reason


def legal(game: AnyGame, state: State[Any, Any], text: str) -> Any:
    """The legal move that a text means; raises InvalidMove or IllegalMove with the reason."""
    move = game.read(text, state)
    reason = game.objection(state, move)
    if reason is not None:
        raise IllegalMove(Sentence("{move} is not allowed here. {reason}", move=str(move), reason=reason))
    return move
