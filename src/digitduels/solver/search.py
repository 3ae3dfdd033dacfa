"""Bounded search: exact results a few plies ahead without a table, for any game, however large.

It asks two questions about a position: can the player to move force a win within so many plies, and does every move
lose within so many plies? The answer is yes, no, or open: some line goes beyond that depth. Depths are tried in turn
(iterative deepening), so the first depth that answers yes is the distance.

A transposition table stores each position once, with its successors and what is known about it.
"""

from __future__ import annotations

from typing import Any, Final

from digitduels.core import State
from digitduels.games import AnyGame
from digitduels.solver.verdict import Verdict, final_verdict

POSITIONS: Final = 40_000
"""The limit of new positions for one search."""
DEEPEST: Final = 200
"""The depth limit of a search, in plies, because it is recursive."""

_YES, _OPEN, _NO = 1, 0, -1
_NEVER: Final = 1 << 60  # more plies than any game has


class _Node:
    """A position and what is known about it."""

    __slots__ = ("drawn", "lost", "moves", "not_lost", "not_won", "state", "successors", "won")

    def __init__(self, state: State[Any, Any], ending: int | None) -> None:
        self.state = state
        self.moves: tuple[Any, ...] | None = None
        self.successors: list[_Node] = []  # of the first moves, as many as were needed
        # The plies within which the position is known to be won, and to be lost.
        self.won = 0 if ending == 1 else _NEVER
        self.lost = 0 if ending == -1 else _NEVER
        # The plies within which it is known not to be won, and not to be lost.
        self.not_won = _NEVER if ending in (-1, 0) else 0
        self.not_lost = _NEVER if ending in (0, 1) else 0
        self.drawn: int | None = 0 if ending == 0 else None  # the length of the game if it is drawn


class _LimitReached(Exception):
    """The search has visited as many positions as it may."""


class Search:
    """Finds exact results that are near by looking ahead.

    `positions` limits the work of one search. Positions stay in memory from one search to the next.
    """

    def __init__(self, game: AnyGame, positions: int = POSITIONS) -> None:
        self.game = game
        self.positions = positions
        self.exhausted = False
        """Whether the last search stopped before it reached its full depth."""
        self._nodes: dict[State[Any, Any], _Node] = {}
        self._left = 0

    def within(self, state: State[Any, Any], plies: int) -> dict[Any, Verdict | None]:
        """Every legal move, by action id, with its verdict if the game then ends within `plies`, else None.

        The verdict is exact, for the player who makes the move, and its distance includes that move. None means that
        the result is further away, or was not found within the limit. A near draw can be None too, as long as the
        search cannot exclude a longer one.

        >>> from digitduels.games import game
        >>> rules = game("operation-target")
        >>> Search(rules).within(rules.start(), 8)
        {Move(operation='+1'): Verdict(value=-1, distance=7), Move(operation='x2'): Verdict(value=1, distance=8)}
        """
        if len(self._nodes) > self.positions:
            self._nodes.clear()
        self._left, self.exhausted = self.positions, False
        verdicts: dict[Any, Verdict | None] = dict.fromkeys(self.game.legal_moves(state))
        try:
            nodes = {move: self._after(state, move) for move in verdicts}
            for depth in range(min(plies, DEEPEST)):
                for move, node in list(nodes.items()):
                    verdict = self._verdict(node, depth)
                    if verdict is not None:
                        verdicts[move] = verdict.before
                        del nodes[move]
            self.exhausted = bool(nodes) and plies > DEEPEST
        except _LimitReached:
            self.exhausted = True
        return verdicts

    def _verdict(self, node: _Node, plies: int) -> Verdict | None:
        """The verdict on a position that is not won or lost within fewer plies."""
        won = self._wins(node, plies)
        if won == _YES:
            return Verdict(1, plies)
        lost = self._loses(node, plies)
        if lost == _YES:
            return Verdict(-1, plies)
        if won == lost == _NO:
            length = self._draws(node, plies)
            if length is not None and length <= plies:
                return Verdict(0, length)
        return None

    def _wins(self, node: _Node, plies: int) -> int:
        """Whether the player to move can force a win within `plies`."""
        if node.won <= plies:
            return _YES
        if node.not_won >= plies:
            return _NO if node.not_won == _NEVER else _OPEN
        if plies == 1:
            return self._wins_at_once(node)
        answer, index = _NO, 0
        while (after := self._successor(node, index)) is not None:
            reply = self._loses(after, plies - 1)
            if reply == _YES:
                node.won, node.not_lost = plies, _NEVER
                return _YES
            if reply == _OPEN:
                answer = _OPEN
            index += 1
        node.not_won = _NEVER if answer == _NO else plies
        return answer

    def _wins_at_once(self, node: _Node) -> int:
        """Whether a move wins at once. Most positions are leaves of the search, so this does not store them."""
        game, state, answer = self.game, node.state, _NO
        moves = game.permitted(state)
        self._count(len(moves))
        for move in moves:
            outcome = game.outcome(game.after(state, move))
            if outcome is None:
                answer = _OPEN
            elif outcome.winner == state.player:
                node.won, node.not_lost = 1, _NEVER
                return _YES
        node.not_won = _NEVER if answer == _NO else 1
        return answer

    def _loses(self, node: _Node, plies: int) -> int:
        """Whether every move of the player to move loses within `plies`."""
        if node.lost <= plies:
            return _YES
        if node.not_lost >= plies:
            return _NO if node.not_lost == _NEVER else _OPEN
        index = 0
        while (after := self._successor(node, index)) is not None:
            reply = self._wins(after, plies - 1)
            if reply != _YES:
                node.not_lost = _NEVER if reply == _NO else plies
                # The move that refutes this depth comes first at the next one.
                node.successors[0], node.successors[index] = after, node.successors[0]
                return reply
            index += 1
        node.lost, node.not_won = plies, _NEVER
        return _YES

    def _draws(self, node: _Node, plies: int) -> int | None:
        """The plies that a drawn game lasts if both players delay; None if it may be more than `plies`."""
        if node.drawn is None:
            longest, index = 0, 0
            while (after := self._successor(node, index)) is not None:
                won = self._wins(after, plies - 1)
                if won != _YES:
                    drawn = won == self._loses(after, plies - 1) == _NO
                    further = self._draws(after, plies - 1) if drawn else None
                    if further is None:
                        return None
                    longest = max(longest, further + 1)
                index += 1
            node.drawn = longest
        return node.drawn

    def _successor(self, node: _Node, index: int) -> _Node | None:
        """The successor with this index, created if necessary; None after the last one."""
        successors = node.successors
        if index < len(successors):
            return successors[index]
        if node.moves is None:
            node.moves = self.game.permitted(node.state)
        if index == len(node.moves):
            return None
        successors.append(self._after(node.state, node.moves[index]))
        return successors[-1]

    def _after(self, state: State[Any, Any], move: Any) -> _Node:
        """The node of the position after a move."""
        self._count(1)
        after = self.game.after(state, move)
        node = self._nodes.get(after)
        if node is None:
            outcome = self.game.outcome(after)
            ending = None if outcome is None else final_verdict(outcome, after.player).value
            node = self._nodes[after] = _Node(after, ending)
        return node

    def _count(self, count: int) -> None:
        """Counts positions; raises _LimitReached if there are too many."""
        if self._left < count:
            raise _LimitReached
        self._left -= count
