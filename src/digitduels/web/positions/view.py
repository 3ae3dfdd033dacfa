"""A match as JSON for the page: the board, the legal moves field by field, and the sentences."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from digitduels.core import Board, Effect, Side, State, notation_of, winning_score
from digitduels.games import AnyGame
from digitduels.manual import summary
from digitduels.match import Match
from digitduels.options import Choice, Integer, Option, around
from digitduels.players.levels import characters
from digitduels.rule_sets import house_rules
from digitduels.sentence import Names, Played, Sentence, signs
from digitduels.web.positions import answers, link
from digitduels.web.positions.looks import look
from digitduels.web.positions.wire import wire, wires

HISTORY_CHARACTERS = 100_000  # of reports in a history; earlier moves come without one


def view(match: Match, effects: bool = False) -> answers.PositionView:
    """Returns everything the page shows of a match: rules, position, history, legal moves and perhaps their effects."""
    turns = history(match)
    current = position_view(match, turns[-1] if turns else None, last_effect(match))
    shown: answers.PositionView = {
        **rules_view(match),
        **current,  # type: ignore[typeddict-item]  # the effects come below
        "moves": [str(move) for move in match.moves],
        "fields": fields(match.game),
        "legal": [] if match.outcome else legal(match),
        "history": turns,
        "lines": wires(lines(match), match.names),
        "placed": link.position_text(match.game, match.state),
        "character": _character(match),
    }
    if effects:
        shown["effects"] = effects_view(match)
    return shown


def _character(match: Match) -> str | None:
    """Returns the name of the level that plays, such as Careful; None without one."""
    named = {str(level): character.name for level, character in characters(match.game).items()}
    return next((named[player] for player in match.players if player in named), None)


def rules_view(match: Match) -> answers.RulesView:
    """Returns the part of a view that stays the same throughout a match, except the fields of a move."""
    game = match.game
    return {
        "game": game.id,
        "title": game.title,
        "look": look(game.id),
        "options": game.values,
        "changed": game.changes,
        "house_rules": house_rules(game),
        "first": match.first + 1,
        "position": None if match.position is None else link.position_text(game, match.position),
        "opening": match.opening,
    }


def last_effect(match: Match) -> Effect | None:
    """Returns the effect of the last move."""
    return match.game.effect(match.states[-2], match.moves[-1]) if match.moves else None


def position_view(match: Match, last: answers.Turn | None, effect: Effect | None) -> answers.CurrentView:
    """Returns the current position, given the last turn and its effect. The cost does not grow with the moves."""
    game, state, outcome = match.game, match.state, match.outcome
    board = game.board(state)
    return {
        "names": match.names,
        "conceded": None if match.conceded is None else match.conceded + 1,
        "player": None if outcome else state.player + 1,
        "outcome": outcome
        and {
            "winner": None if outcome.winner is None else outcome.winner + 1,
            "reason": wire(outcome.reason, match.names),
        },
        "board": {
            "goal": winning_score(game),
            "aim": aim(game),
            "hands": (side(board.hands[0]), side(board.hands[1])),
            "table": side(board.table),
        },
        "move_count": len(match.moves),
        "last": last,
        "hop": None if effect is None else hop(match, board, effect),
        "status": status(match, last, effect),
        "ending": wires(filter(None, match.ending()), match.names) if outcome else [],
        "back": (remaining(match, 0), remaining(match, 1)),
    }


def aim(game: AnyGame) -> str:
    """Returns the goal of a game in a few words; empty if no score wins.

    >>> from digitduels.games import game
    >>> aim(game("number-quest"))
    'first to exactly 50'
    """
    goal = winning_score(game)
    return "" if goal is None else f"first to exactly {goal}"


def hop(match: Match, new: Board, effect: Effect) -> answers.Hop:
    """Returns the last move: scores before and after, its equation and result, what follows, and the stock it used."""
    game, before = match.game, match.states[-2]
    old = game.board(before)
    taken = [
        stock.label
        for side, side_after in ((old.table, new.table), (old.hands[before.player], new.hands[before.player]))
        for stock, stock_after in zip(side.stocks, side_after.stocks, strict=True)
        if stock_after.left < stock.left
    ]
    return {
        "player": before.player + 1,
        "before": game.scores(before),
        "result": effect.result,
        "after": effect.scores,
        "taken": taken,
        "equation": effect.equation,
        "note": None if effect.note is None else wire(effect.note, match.names),
        "tone": effect.tone,
    }


def side(part: Side) -> answers.Side:
    """Returns a hand or the table."""
    stocks: list[answers.Stock] = [{"label": label, "left": left, "of": of} for label, left, of in part.stocks]
    return {"score": part.score, "lowest": part.lowest, "stocks": stocks}


def fields(game: AnyGame) -> list[answers.Field]:
    """Returns for each field of a move its prompt, all possible choices, its slot, and whether fields are ordered."""
    ordered = any(field.slot is not None for field in game.move_fields)
    return [
        {
            "prompt": field.question,
            "choices": [signs(field.label(value)) for value in column],
            "slot": index if field.slot is None else field.slot,
            "ordered": ordered,
        }
        for index, (field, column) in enumerate(zip(game.move_fields, notation_of(game).columns, strict=True))
    ]


def legal(match: Match) -> list[answers.LegalMove]:
    """Returns the legal moves, each with the indices of its fields among the choices."""
    indices = [{value: index for index, value in enumerate(column)} for column in notation_of(match.game).columns]
    return [
        {
            "move": str(move),
            "shown": Played(move, match.state.player).to(match.names),
            "picks": [index[value] for index, value in zip(indices, move, strict=True)],
        }
        for move in match.game.legal_moves(match.state)
    ]


def effects_view(match: Match) -> list[answers.MoveEffect]:
    """Returns what each legal move does, by the rules alone."""
    game, state = match.game, match.state
    return [
        {
            "move": str(move),
            "equation": effect.equation,
            "result": effect.result,
            "scores": effect.scores,
            "note": None if effect.note is None else wire(effect.note, match.names),
            "tone": effect.tone,
        }
        for move in game.legal_moves(state)
        for effect in (game.effect(state, move),)
    ]


def history(match: Match) -> list[answers.Turn]:
    """Returns every move with its report. In a very long game, only the latest moves have one."""
    # Successive views repeat most reports, so they are cached, except in variants: their reports can have any length.
    report_of = _report if match.game.changes else _book_report
    left = HISTORY_CHARACTERS
    turns: list[answers.Turn] = []
    for before, move in zip(reversed(match.states[:-1]), reversed(match.moves), strict=True):
        shown = wire(Played(move, before.player), match.names)
        turn: answers.Turn = {"player": before.player + 1, "move": str(move), "shown": shown, "report": shown}
        if left > 0:
            turn["report"] = report = report_of(match.game, before, move, match.names)
            left -= len(report["text"])
        turns.append(turn)
    return turns[::-1]


def turn_view(match: Match, index: int, effect: Effect | None = None) -> answers.Turn:
    """Returns one move of a match with its report."""
    before, move = match.states[index], match.moves[index]
    return {
        "player": before.player + 1,
        "move": str(move),
        "shown": wire(Played(move, before.player), match.names),
        "report": wire(match.game.report(before, move, effect), match.names),
    }


def lines(match: Match) -> list[str]:
    """Returns the lines about the last move."""
    said = match.game.announce(match.states[-2], match.moves[-1], match.state) if match.moves else []
    return [line for line in said if line or not isinstance(line, Sentence)]


def _report(game: AnyGame, before: State[Any, Any], move: Any, names: Names) -> answers.Sentence:
    return wire(game.report(before, move), names)


_book_report = lru_cache(4096)(_report)


def status(match: Match, turn: answers.Turn | None, effect: Effect | None) -> list[answers.Sentence]:
    """Returns the last move's report, then whose turn it is or how the game ended."""
    outcome, names = match.outcome, match.names
    played = turn is not None and match.conceded is None
    last = [turn["report"]] if turn is not None and played else []
    if outcome is None:
        return [*last, _turn(match.state.player, names)]
    # The report of the last move may already give the reason.
    if not played or effect is None or effect.note != outcome.reason:
        last.append(wire(outcome.reason, names))
    return [*last, wire(match.game.victory(outcome.winner), names)]


@lru_cache(1024)
def _turn(player: int, names: Names) -> answers.Sentence:
    return wire(Sentence("{player:Whose} turn.", player=player), names)


def remaining(match: Match, player: int) -> int | None:
    """Returns how many moves remain after a player takes one back, or None if there is nothing to take back."""
    count = match.back(player)
    return None if count is None else len(match.moves) - count


def listing(kind: type[AnyGame], about: str | None = None) -> answers.GameCard:
    """Returns a game's entry in the list of games. Default for the text about it: the summary of the book's rules."""
    game = kind()
    return {
        "game": game.id,
        "title": game.title,
        "look": look(game.id),
        "summary": summary(game) if about is None else about,
        "levels": list(characters(game)),
        "beginner": beginner(game),
        "characters": {str(level): {"name": name, "about": about} for level, (name, about) in characters(game).items()},
        "options": [option_view(option) for option in kind.options()],
    }


def beginner(game: AnyGame) -> int:
    """Returns the level for a beginner: 2, or the next lower one that the game offers.

    >>> from digitduels.games import game
    >>> beginner(game("number-quest"))
    2
    """
    levels = list(characters(game))
    return max((level for level in levels if level <= 2), default=levels[0])


def option_view(option: Option) -> answers.GameOption:
    """Returns an option and its allowed values: as a sentence, as words, or as a range around the book's value."""
    return {
        "name": option.name,
        "default": list(option.default) if isinstance(option.default, tuple) else option.default,
        "about": option.about,
        "allowed": str(option.kind),
        "words": list(option.kind.words) if isinstance(option.kind, Choice) else None,
        "around": [min(around(option)), max(around(option))] if isinstance(option.kind, Integer) else None,
    }
