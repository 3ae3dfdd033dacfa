"""A census of a solved game: what happens, and what never does, in the positions that can arise from the start.

This is the definition: it walks through all positions. census_kernels.py does the same with the table of a large game.
Each fact comes with a line of play that shows it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from digitduels.core import State, TooLarge, notation_of, winning_score
from digitduels.games import AnyGame
from digitduels.players.evaluation import facts
from digitduels.solver.solution import Solution

_MOST = 200_000  # positions of a game without a table

GOAL = "goal"  # a game ends with a score that is exactly the target
PAST = "past"  # … above the target
BOTH_PAST = "both past"
EMPTY = "empty"  # nothing is left to take
STUCK = "stuck"  # something is left, but the player to move has no legal move
EQUAL_SCORES = ("tie won by Player 1", "tie won by Player 2", "tie drawn")  # no move is left and the scores are equal
DECIDED = ("left to Player 1", "left to Player 2", "left drawn")  # no move is left and the scores differ
RESULTS = ("won by Player 1", "won by Player 2", "drawn")
FORBIDDEN = "forbidden"  # with what is chosen so far the last choice is limited, in a move of several choices
EVENTS = (GOAL, PAST, BOTH_PAST, EMPTY, STUCK, *EQUAL_SCORES, *DECIDED, *RESULTS, FORBIDDEN)

Line = tuple[Any, ...]


class Broken(ValueError):
    """The rules allow a game without an end, or a position without a move; `line` leads there."""

    def __init__(self, code: str, line: Line) -> None:
        super().__init__(code)
        self.code, self.line = code, line


@dataclass
class Census:
    """What can happen in a game. Positions with either player to move count separately."""

    legal: Counter[Any] = field(default_factory=Counter)
    """By move: in how many positions it is legal."""
    best: Counter[Any] = field(default_factory=Counter)
    """By move: in how many positions it is a best move."""
    critical: int = 0
    traps: int = 0
    """Critical positions in which the most natural move throws the result away; see evaluation.facts."""
    examples: dict[str, Line] = field(default_factory=dict)
    """By event that can happen: a line of play that leads to it."""
    shown: dict[Any, Line] = field(default_factory=dict)
    """By legal move: a line of play that ends with it."""
    free: int = 0
    """After this many plies every move is forced, in every game."""
    length: int = 0
    """The length of the longest game in plies."""


def plain(solution: Solution) -> Census:
    """Walks through all positions that can arise."""
    game, result = solution.game, Census()
    lines = explore(game)
    longest = dict[State[Any, Any], tuple[int, int]]()  # the plies to the last choice, and to the end
    for state in reversed(lines):
        if game.outcome(state) is not None:
            longest[state] = 0, 0
            continue
        after = {game.after(state, move) for move in game.permitted(state)}
        choice = max(longest[other][0] for other in after)
        longest[state] = choice + 1 if choice or len(after) > 1 else 0, 1 + max(longest[other][1] for other in after)
    for state, line in lines.items():
        for event in events(game, state):
            result.examples.setdefault(event, line)
        if game.outcome(state) is not None:
            continue
        judgement = solution.judge(state)
        for move in judgement:
            result.legal[move] += 1
            result.shown.setdefault(move, (*line, move))
        result.best.update(judgement.best_moves)
        critical, _, trap, _ = facts(game, state, judgement)
        result.critical += critical
        result.traps += trap
    result.free, result.length = longest[game.start()]
    return result


def explore(game: AnyGame) -> dict[State[Any, Any], Line]:
    """All positions that can arise, each with a shortest line that leads to it, in the order of their plies.

    Raises Broken if a game may last longer than the rules say, or if a position allows no move but is not over.
    """
    start = game.start()
    lines: dict[State[Any, Any], Line] = {start: ()}
    now: dict[State[Any, Any], Line] = {start: ()}
    for ply in range(game.longest + 2):
        following: dict[State[Any, Any], Line] = {}
        for state, line in now.items():
            if game.outcome(state) is not None:
                continue
            if ply > game.longest:
                raise Broken("endless", line)
            moves = game.permitted(state)
            if not moves:
                raise Broken("stuck", line)
            for move in moves:
                following.setdefault(game.after(state, move), (*line, move))
        for state, line in following.items():
            lines.pop(state, None)  # at its last ply, so that successors come later
            lines[state] = line
        if len(lines) > _MOST:
            raise TooLarge(f"{game.title} with these options has too many positions to look through one by one.")
        now = following
    return lines


def events(game: AnyGame, state: State[Any, Any]) -> list[str]:
    """The events of a position."""
    outcome, goal, legal = game.outcome(state), winning_score(game), game.permitted(state)
    board = game.board(state)
    left = any(stock.left for side in (board.table, board.hands[state.player]) for stock in side.stocks)
    if outcome is None:
        if len(game.move_fields) == 1:
            return []
        partial = notation_of(game).partial
        others = (move for move in game.moves if move not in legal)
        return [FORBIDDEN] if any(game.objection(state, partial(move[:-1])) is None for move in others) else []
    result = 2 if outcome.winner is None else outcome.winner
    scores = [score for score in game.scores(state) if score is not None]
    at_goal = goal is not None and any(score >= goal for score in scores)
    found = [RESULTS[result]]
    if goal is not None:
        found += [GOAL] * (goal in scores) + [PAST] * (max(scores, default=goal) > goal)
        found += [BOTH_PAST] * (board.table.score is None and min(scores, default=goal) > goal)
    if not legal and not at_goal:
        found.append(STUCK if left else EMPTY)
        if len(scores) == 2:
            found.append((EQUAL_SCORES if scores[0] == scores[1] else DECIDED)[result])
    return found
