"""The prompts that ask a language model for a move, and the parser of its answers.

The rules, the position and every refusal are in the game's own words, addressed to the model as "you". Each turn is a
new conversation with the moves so far, so that a move depends only on the prompt. The answer is the last JSON object of
the reply: a move that is only mentioned in the prose is not an answer.

A prompt shows the form of an answer, but no example of a move or a game. Operations are always written as in the short
names: + - x /.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from digitduels.core import IllegalMove, InvalidMove, State
from digitduels.games import AnyGame
from digitduels.manual import briefing
from digitduels.match import Match
from digitduels.sentence import Sentence, player_name, tell
from digitduels.text import quoted

RETRIES = 2
LEGAL = ("listed", "hidden")
_TAIL = 20_000  # only this many characters at the end of a reply are parsed
_SIGNS = str.maketrans("×÷−", "x/-")
_NO_MOVES = "The moves so far: none, this is the first"
_BEST = (
    "Choose your best move: one that wins as soon as possible if you can force a win, otherwise one that holds a draw "
    "if you can, otherwise one that loses as late as possible. "
)
_HARDEST = (
    "Choose your best move: one that wins if you can force a win, otherwise one that holds a draw if you can, "
    "otherwise the one that is hardest to answer, after which an opponent who sees only some moves ahead "
    "most likely errs. "
)
_ANSWER = "as the very last thing, {what} as a JSON object on a line of its own:\n{form}"


class NoAnswer(InvalidMove):
    """A reply has no answer in the requested form. The message says what is wrong."""


class Style(NamedTuple):
    """The style of a prompt: whether it lists the legal moves and the moves so far."""

    legal: str = "listed"
    history: bool = True
    retries: int = RETRIES
    """How often the model may answer again after a refusal."""
    title: str = ""
    """Another name of the game. Default: its own."""
    words: Sequence[tuple[str, str]] = ()
    """Pairs: the name of an operation in tokens, and its other name."""
    hardest: bool = False
    """Whether the best move of a lost position is the one that is hardest to answer, and not the slowest loss."""


STYLE = Style()


def check(style: Style) -> Style:
    """Returns a valid style; raises ValueError with the reason if it is invalid."""
    if style.legal not in LEGAL:
        raise ValueError(f"legal must be {' or '.join(LEGAL)}; {quoted(style.legal)} is not.")
    if not isinstance(style.history, bool):
        raise ValueError(f"history must be true or false; {quoted(style.history)} is not.")
    if type(style.retries) is not int or not 0 <= style.retries <= 10:
        raise ValueError("retries must be an integer from 0 to 10.")
    return style


# Prompts


def rules(game: AnyGame, style: Style = STYLE) -> str:
    """The system prompt: the rules of a game, with the names of its operations if they have others."""
    text = _rules(game)
    if style.title:
        text = text.replace(game.title, style.title)
    if style.words:
        names = ", ".join(f'"{word}" for {part}' for part, word in style.words)
        text += f"\n\n## Names of moves\n\nIn the short names of moves, operations have other names: {names}."
    return text


@functools.cache
def _rules(game: AnyGame) -> str:
    return f"You play a game for two players, {game.title}. These are its rules.\n\n{_plain(briefing(game))}".strip()


def question(match: Match, style: Style = STYLE) -> str:
    """The prompt for a move."""
    return "\n\n".join(
        [
            _position(match, style),
            f"{_HARDEST if style.hardest else _BEST}You may think first, in as many words as you like. Then give, "
            + _ANSWER.format(what="your move by its short name", form='{"move": "…"}'),
        ]
    )


def refusal(reason: str, match: Match, style: Style = STYLE) -> str:
    """The prompt after an answer that was not a legal move."""
    if style.words:  # the reason may name a move by its other name
        reason = "This is not a legal move."
    lines = [f"That is not possible: {_plain(tell(reason, reader=match.state.player))}", "It is still your turn."]
    if style.legal == "listed":
        lines.append(_legal(match, style))
    return "\n".join(lines) + '\n\nGive your move as the very last thing, as a JSON object: {"move": "…"}'


def seen(game: AnyGame, state: State[Any, Any], reader: int | None = None) -> list[str]:
    """The lines of a position, addressed to one of the players or to nobody."""
    return [_plain(tell(line, reader=reader)) for line in game.view(state) if line.strip()]


def _plain(text: str) -> str:
    """Replaces the signs × ÷ − by those of the short names."""
    return text.translate(_SIGNS)


def _position(match: Match, style: Style) -> str:
    game, state = match.game, match.state
    parts = ["\n".join(["The position:", *seen(game, state, state.player)])]
    if style.history:
        parts.append("\n".join(["The moves so far:", *_history(match, style)]) if match.moves else _NO_MOVES)
    else:  # without the moves so far, the lines of a position may be incomplete
        parts += _left(game, state)
    parts.append(f"You are {player_name(state.player)}, and it is your turn.")
    if style.legal == "listed":
        parts.append(_legal(match, style))
    return "\n\n".join(parts)


def _left(game: AnyGame, state: State[Any, Any]) -> list[str]:
    """The operations that each player has left, if the lines of the position do not list them."""
    listed = "\n".join(seen(game, state))
    hands = [
        _plain(", ".join(f"{stock.label} ({stock.left})" for stock in hand.stocks)) for hand in game.board(state).hands
    ]
    lines = [
        Sentence("Left to {player:whom}: {left}", player=player, left=left).to(reader=state.player)
        for player, left in enumerate(hands)
        if left not in listed
    ]
    return ["\n".join(lines)] if lines else []


def _history(match: Match, style: Style) -> list[str]:
    """The moves so far by their short names, and what each of them did."""
    return [
        f"{number}. {renamed(str(move), style)} "
        f"({_plain(match.game.report(state, move).to(reader=match.state.player))})"
        for number, (state, move) in enumerate(zip(match.states, match.moves, strict=False), 1)
    ]


def _legal(match: Match, style: Style) -> str:
    return f"Your legal moves: {' '.join(renamed(str(move), style) for move in match.game.legal_moves(match.state))}"


OPERATION = re.compile(r"[^0-9]+")  # the parts of a token that are not numbers


def renamed(token: str, style: Style) -> str:
    """A token with the other names of operations.

    >>> renamed("9x5", Style(words=[("x", "mip")]))
    '9mip5'
    """
    words = dict(style.words)
    return OPERATION.sub(lambda part: words.get(part[0], part[0]), token)


def original(text: str, style: Style) -> str:
    """The token that a renamed one stands for; another text stays as it is.

    >>> original("9 MIP 5", Style(words=[("x", "mip")]))
    '9x5'
    """
    if not style.words:
        return text
    parts = {word: part for part, word in style.words}
    return OPERATION.sub(lambda part: parts.get(part[0], part[0]), "".join(text.split()).lower())


# Questions about the solution


def value_question(match: Match, style: Style = STYLE) -> str:
    """The prompt that asks for the value of a position, as probabilities."""
    return _solution_question(
        match,
        style,
        "If both players play without mistakes from here, do you win, draw or lose? Give the probability of each; they "
        "must add up to 1. A quadratic score rewards the probabilities that you believe.",
        "the probabilities",
        '{"win": …, "draw": …, "loss": …}',
    )


def keeping_question(match: Match, style: Style = STYLE) -> str:
    """The prompt that asks for all moves that keep the value of a position."""
    return _solution_question(
        match,
        style,
        "Which of your legal moves keep the best result that you can force? List all of them and no other.",
        "these moves by their short names",
        '{"moves": ["…", "…"]}',
    )


def refutation_question(match: Match, move: Any, style: Style = STYLE) -> str:
    """The prompt that asks for a reply that punishes a move."""
    return _solution_question(
        match,
        style,
        f"Suppose that you play {renamed(str(move), style)}. It throws your result away. Which reply of your opponent "
        "proves it? One is enough.",
        "that reply by its short name",
        '{"move": "…"}',
    )


def _solution_question(match: Match, style: Style, asked: str, what: str, form: str) -> str:
    return "\n\n".join(
        [
            _position(match, style),
            f"{asked} You may think first, in as many words as you like. Then give, "
            + _ANSWER.format(what=what, form=form),
        ]
    )


# Questions about the rules


def legality_question(match: Match, move: Any) -> str:
    """The prompt that asks whether a move is legal."""
    return "\n\n".join(
        [
            _position(match, Style(legal="hidden")),
            f"Do the rules allow you the move {move} here? It does not matter whether it is a good one. You may think "
            "first, in as many words as you like. Then give, "
            + _ANSWER.format(what="your answer", form='{"legal": true} or {"legal": false}'),
        ]
    )


def outcome_question(match: Match, move: Any) -> str:
    """The prompt that asks for the position after a move."""
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


# Answers


def answer(text: str) -> dict[str, Any]:
    """The last JSON object in a text; raises NoAnswer if there is none.

    >>> answer('I add {something}. {"move": "+5"} No: {"move": "x3"}')
    {'move': 'x3'}
    """
    text = text[-_TAIL:]
    decoder, value, index = json.JSONDecoder(), None, text.find("{")
    while index >= 0:
        try:
            value, end = decoder.raw_decode(text, index)
        except (ValueError, RecursionError):  # not JSON, too deeply nested, or a number with too many digits
            end = index + 1
        index = text.find("{", end)
    if value is None:
        raise NoAnswer("There is no JSON object in the reply.")
    assert isinstance(value, dict)  # because it begins with a brace
    return value


def chosen(text: str) -> str:
    """The text under "move" in the answer of a reply; raises NoAnswer if there is none."""
    value = answer(text).get("move")
    if not isinstance(value, str):
        raise NoAnswer('The last JSON object of the reply has no text under "move".')
    return value


def move(match: Match, text: str) -> Any:
    """The legal move that a reply chooses; raises InvalidMove or IllegalMove with the reason."""
    return legal(match.game, match.state, chosen(text))


def objection(error: InvalidMove | IllegalMove, player: int, cut_off: bool) -> str:
    """Why a reply is refused. If it was cut off before its answer, the reason says so."""
    if cut_off and isinstance(error, NoAnswer):
        return Sentence(
            "The reply was cut off before its answer.",
            you="Your reply was cut off before its answer. Think in fewer words.",
            player=player,
        )
    return error.reason


def legal(game: AnyGame, state: State[Any, Any], text: str) -> Any:
    """Parses a legal move; raises InvalidMove or IllegalMove with the reason."""
    move = game.read(text, state)
    reason = game.objection(state, move)
    if reason is not None:
        raise IllegalMove(Sentence("{move} is not allowed here. {reason}", move=str(move), reason=reason))
    return move
