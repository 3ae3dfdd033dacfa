"""A match as JSON values that a page can draw: the board, what may be played, field by field, and the words."""

from __future__ import annotations

from functools import lru_cache
from itertools import zip_longest
from typing import Any

from digitduels.core import Board, Effect, Side, State
from digitduels.games import AnyGame
from digitduels.lab.optimization import around
from digitduels.manual import summary
from digitduels.match import Match
from digitduels.options import Choice, Option, Whole
from digitduels.players.levels import characters
from digitduels.sentence import Names, Played, Sentence, signs
from digitduels.web import link
from digitduels.web.looks import look
from digitduels.web.wire import Wire, wire, wires

HISTORY_CHARACTERS = 100_000  # of the words about a game's moves, the latest first
QUESTION = "Choose your move"


def view(match: Match) -> dict[str, Any]:
    """A match: where it stands, what led there, and what may be played."""
    turns = history(match)
    shown = rules_view(match) | position_view(match, turns[-1] if turns else None, last_effect(match))
    return shown | {
        "moves": [str(move) for move in match.moves],
        "fields": fields(match.game),
        "legal": [] if match.outcome else legal(match),
        "history": turns,
        "lines": wires(lines(match), match.names),
        "placed": link.placed(match.game, match.state),
    }


def rules_view(match: Match) -> dict[str, Any]:
    """What stays the same in a match, but for the fields of a move."""
    game = match.game
    return {
        "game": game.id,
        "title": game.title,
        "look": look(game.id),
        "options": game.values,
        "changed": game.changes,
        "house_rules": game.house_rules,
        "first": match.first + 1,
        "position": None if match.position is None else link.placed(game, match.position),
        "opening": match.opening,
    }


def last_effect(match: Match) -> Effect | None:
    """What the last move did."""
    return match.game.effect(match.states[-2], match.moves[-1]) if match.moves else None


def position_view(match: Match, last: dict[str, Any] | None, effect: Effect | None) -> dict[str, Any]:
    """Where a match stands after its last turn and its effect; takes as long after many moves as after few."""
    game, state, outcome = match.game, match.state, match.outcome
    board = game.board(state)
    return {
        "names": list(match.names),
        "conceded": None if match.conceded is None else match.conceded + 1,
        "player": None if outcome else state.player + 1,
        "outcome": outcome
        and {
            "winner": None if outcome.winner is None else outcome.winner + 1,
            "reason": wire(outcome.reason, match.names),
        },
        "board": {"goal": game.goal, "hands": [side(hand) for hand in board.hands], "table": side(board.table)},
        "move_count": len(match.moves),
        "last": last,
        "hop": None if effect is None else hop(match, board, effect),
        "status": status(match, last, effect),
        "ending": wires(filter(None, match.ending()), match.names) if outcome else [],
        "back": [remaining(match, player) for player in (0, 1)],
    }


def hop(match: Match, new: Board, effect: Effect) -> dict[str, Any]:
    """What the last move did to the board: the scores before, the result, the scores after, and what it took."""
    game, before = match.game, match.states[-2]
    old = game.board(before)
    taken = [
        was.label
        for part, rest in ((old.table, new.table), (old.hands[before.player], new.hands[before.player]))
        for was, now in zip(part.stocks, rest.stocks, strict=True)
        if now.left < was.left
    ]
    return {
        "player": before.player + 1,
        "before": game.scores(before),
        "result": effect.result,
        "after": effect.scores,
        "taken": taken,
    }


def side(part: Side) -> dict[str, Any]:
    """A hand or the table."""
    stocks = [{"label": label, "left": left, "of": of} for label, left, of in part.stocks]
    return {"score": part.score, "lowest": part.lowest, "stocks": stocks}


@lru_cache(64)
def columns(game: AnyGame) -> list[list[Any]]:
    """For each field of a move, all values it can ever have."""
    return [list(dict.fromkeys(column)) for column in zip(*game.moves, strict=True)]


def fields(game: AnyGame) -> list[dict[str, Any]]:
    """For each field of a move: what is asked, all that can ever be answered, and where and when it is chosen."""
    slots = game.slots or range(len(game.prompts))
    return [
        {
            "prompt": question,
            "choices": [signs(game.notation.label(value)) for value in column],
            "slot": slot,
            "ordered": game.ordered,
        }
        for slot, (question, column) in zip(
            slots, zip_longest(game.questions, columns(game), fillvalue=QUESTION), strict=True
        )
    ]


def legal(match: Match) -> list[dict[str, Any]]:
    """What may be played, each move with the places of its fields among the choices."""
    places = [{value: place for place, value in enumerate(column)} for column in columns(match.game)]
    return [
        {
            "move": str(move),
            "shown": Played(move, match.state.player).to(match.names),
            "picks": [place[value] for place, value in zip(places, move, strict=True)],
        }
        for move in match.game.legal_moves(match.state)
    ]


def effects_view(match: Match) -> list[dict[str, Any]]:
    """What each legal move does, by the rules alone."""
    game, state = match.game, match.state
    shown = []
    for move in game.legal_moves(state):
        effect = game.effect(state, move)
        note = None if effect.note is None else wire(effect.note, match.names)
        shown.append({"move": str(move), **effect._asdict(), "note": note})
    return shown


def history(match: Match) -> list[dict[str, Any]]:
    """Every move with what it did; of a very long game only the latest say it."""
    # Most of a state is the same words as in the state before. A variant may have words of any length: it keeps none.
    tell = _report if match.game.changes else _book_report
    left, turns = HISTORY_CHARACTERS, []
    for before, move in zip(reversed(match.states[:-1]), reversed(match.moves), strict=True):
        shown = wire(Played(move, before.player), match.names)
        turn = {"player": before.player + 1, "move": str(move), "shown": shown, "report": shown}
        if left > 0:
            turn["report"] = report = tell(match.game, before, move, match.names)
            left -= len(report["text"])
        turns.append(turn)
    return turns[::-1]


def turn_view(match: Match, place: int, effect: Effect | None = None) -> dict[str, Any]:
    """One move of a match with what it did."""
    before, move = match.states[place], match.moves[place]
    return {
        "player": before.player + 1,
        "move": str(move),
        "shown": wire(Played(move, before.player), match.names),
        "report": wire(match.game.report(before, move, effect), match.names),
    }


def lines(match: Match) -> list[str]:
    """The book's lines about the last move."""
    return match.game.announce(match.states[-2], match.moves[-1], match.state) if match.moves else []


def _report(game: AnyGame, before: State[Any, Any], move: Any, names: Names) -> Wire:
    return wire(game.report(before, move), names)


_book_report = lru_cache(4096)(_report)


def status(match: Match, turn: dict[str, Any] | None, effect: Effect | None) -> list[Wire]:
    """What happened last, and whose turn it is or how the game ended."""
    outcome, names = match.outcome, match.names
    played = turn is not None and match.conceded is None
    last = [turn["report"]] if turn is not None and played else []
    if outcome is None:
        return [*last, _turn(match.state.player, names)]
    # The report of the last move may give the reason itself.
    if not played or effect is None or effect.note != outcome.reason:
        last.append(wire(outcome.reason, names))
    return [*last, wire(match.game.victory(outcome.winner), names)]


@lru_cache(1024)
def _turn(player: int, names: Names) -> Wire:
    return wire(Sentence("{player:Whose} turn.", player=player), names)


def remaining(match: Match, player: int) -> int | None:
    """How many moves remain when a player takes one back; None if there is nothing to take back."""
    count = match.back(player)
    return None if count is None else len(match.moves) - count


def listing(kind: type[AnyGame]) -> dict[str, Any]:
    """A game in the list of games."""
    game = kind()
    return {
        "game": game.id,
        "title": game.title,
        "look": look(game.id),
        "summary": summary(game),
        "levels": list(characters(game)),
        "beginner": beginner(game),
        "characters": {str(level): character._asdict() for level, character in characters(game).items()},
        "options": [option(each) for each in kind.options()],
    }


def beginner(game: AnyGame) -> int:
    """The opponent of a beginner: level 2, or the next lower one that the game has.

    >>> from digitduels.games import game
    >>> beginner(game("number-quest"))
    2
    """
    levels = list(characters(game))
    return max((level for level in levels if level <= 2), default=levels[0])


def option(each: Option) -> dict[str, Any]:
    """An option, and what it may be: in a sentence, the words to choose from, or the numbers around the book's."""
    return {
        "name": each.name,
        "default": list(each.default) if isinstance(each.default, tuple) else each.default,
        "about": each.about,
        "allowed": str(each.kind),
        "words": list(each.kind.words) if isinstance(each.kind, Choice) else None,
        "around": [min(around(each)), max(around(each))] if isinstance(each.kind, Whole) else None,
    }
