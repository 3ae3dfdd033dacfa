"""The theory of a game in a few sentences, all computed from the solution."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from digitduels.core import State, TooLarge
from digitduels.games import AnyGame
from digitduels.options import Integer, Option, first_integer
from digitduels.sentence import Count, player_name, shown_moves
from digitduels.solver.reference import Reference
from digitduels.solver.solution import Solution
from digitduels.study.wording import soon, winner

FEW = 100  # all lines of play are examined only if there are at most this many
SWEPT = 1000  # the largest option value examined
NAMED = 40  # at most this many moves are listed
_LIMIT = 10**7  # bytes of memory for each variant examined


def theory(solution: Solution, player: int = 0) -> list[str]:
    """True sentences about a game in which `player` moves first."""
    start = solution.game.start()._replace(player=player)
    if solution.game.outcome(start) is not None:
        return ["The game is over before it begins."]
    return [*_start(solution, start), *_positions(solution), *_lines(solution.game, start)]


def _start(solution: Solution, start: State[Any, Any]) -> Iterable[str]:
    """Who wins from the start, how soon, and by which moves."""
    game, judgement, player = solution.game, solution.judge(start), start.player
    verdict, moves, keeping = judgement.best_verdict, list(judgement), judgement.keeping
    best = winner(player, verdict)
    result = "nobody wins: the game is over" if best is None else f"{player_name(best)} wins"
    yield f"With best play {result} {soon(player, verdict)}."

    verb = {1: "win", 0: "hold the draw", -1: "lose"}[verdict.value]
    if len(keeping) == len(moves):
        yield f"All first moves {verb}."
    else:
        verb = {1: "wins", 0: "holds the draw"}[verdict.value] if len(keeping) == 1 else verb
        yield f"{len(keeping)} of the {len(moves)} first moves {verb}: {_names(keeping, player)}."
    different, total = ({game.after(start, move) for move in choices} for choices in (keeping, moves))
    if len(different) < len(keeping) < len(moves):
        yield f"Counting moves that lead to the same position once, that is {len(different)} of {len(total)}."
    longest = judgement.best_moves
    if verdict.value < 0 and len(longest) < len(moves):
        yield f"{_names(longest, player)} {'holds' if len(longest) == 1 else 'hold'} out longest."


def _positions(solution: Solution) -> Iterable[str]:
    """How many positions there are, and the longest win."""
    counts = solution.counts()
    yield (
        f"Of {counts.positions:,} positions the player to move wins {counts.wins:,}"
        f"{f', draws {counts.draws:,}' if counts.draws else ''} and loses {counts.losses:,}."
    )
    if counts.reachable < counts.positions:
        yield f"{counts.reachable:,} of them can arise from the start."
    if counts.longest:
        yield f"The longest win that a player to move can force takes {Count((counts.longest + 1) // 2, 'turn')}."


# Games with so few lines of play that all can be examined


def _lines(game: AnyGame, start: State[Any, Any]) -> Iterable[str]:
    """How many different games there are, if there are few, and who wins with other option values."""
    counts = _count(game, start)
    if counts is None:
        return
    games, free = counts
    yield f"There {'is only 1 game' if games == 1 else f'are only {games} different games'}."
    if free:
        yield f"After the first {Count(free, 'move')} every move is forced."
    option = first_integer(game.options())
    if option is not None:
        yield from _sweep(game, option, start.player)


def _count(game: AnyGame, start: State[Any, Any]) -> tuple[int, int] | None:
    """How many games there are, and after how many moves every move is forced; None if there are many games."""
    games, free, todo = 0, 0, [(start, 0)]
    while todo:
        state, plies = todo.pop()
        legal = game.legal_moves(state)
        games += not legal
        if len(legal) > 1:
            free = max(free, plies + 1)
        todo += [(game.after(state, move), plies + 1) for move in legal]
        if games + len(todo) > FEW:
            return None
    return games, free


def _sweep(game: AnyGame, option: Option, player: int) -> Iterable[str]:
    """Who wins with other values of an option, and with which first move."""
    assert isinstance(option.kind, Integer)
    winners: dict[int, int | None] = {}
    moves = Counter[str]()
    for value in range(option.kind.low, min(option.kind.high, SWEPT) + 1):
        try:
            other = replace(game, **{option.field: value})
        except ValueError:  # a value that is invalid with the other options
            continue
        try:
            judgement = Reference(other, _LIMIT).judge(other.start()._replace(player=player))
        except TooLarge:
            break
        if judgement:
            winners[value] = winner(player, judgement.best_verdict)
            if winners[value] == player:
                moves[" or ".join(shown_moves(judgement.keeping, player))] += 1
    if len(winners) < 2:
        return
    low, high = min(winners), max(winners)
    won = Counter(winners.values())
    shares = [f"{player_name(who)} wins with {won[who]}" for who in (0, 1)] + [f"{won[None]} are drawn"] * (None in won)
    yield f"Of the values {low} to {high} of {option.name}, {', '.join(shares[:-1])} and {shares[-1]}."
    if moves and len(moves) <= NAMED:
        first_moves = ", ".join(f"{names} with {count}" for names, count in moves.most_common())
        yield f"{player_name(player)}'s winning first move is {first_moves}."


def _names(moves: list[Any], player: int) -> str:
    return ", ".join(shown_moves(moves, player, most=NAMED))
