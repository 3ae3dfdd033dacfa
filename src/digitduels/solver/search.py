"""Near results without a table: an exact look a few plies ahead, for any game, however large.

Two questions are asked of a position, each about a number of plies: can the player to move force a win, and is that
player lost whatever they do? Depths are tried in turn, so the first one with an answer is the distance. A question is
answered with yes, with no, or with not yet: then the end of some line was too far away to see.

Positions are made once, linked to those that follow from them, and remembered with what was found out about them.
"""

from __future__ import annotations

from typing import Any, Final

from digitduels.core import State
from digitduels.games import AnyGame
from digitduels.solver.verdict import Verdict, finished

POSITIONS: Final = 40_000
"""New positions that one look may take."""
DEEPEST: Final = 200
"""Plies beyond which no look goes: a line is followed by recursion."""

_YES, _OPEN, _NO = 1, 0, -1
_NEVER: Final = 1 << 60  # more plies than any game has


class _Node:
    """A position and what is known about it."""

    __slots__ = ("drawn", "following", "lost", "moves", "not_lost", "not_won", "state", "won")

    def __init__(self, state: State[Any, Any], ending: int | None) -> None:
        self.state = state
        self.moves: tuple[Any, ...] | None = None
        self.following: list[_Node] = []  # after the first moves, as many as were needed
        self.won = 0 if ending == 1 else _NEVER  # plies within which it is known to be won
        self.lost = 0 if ending == -1 else _NEVER
        # Plies within which it is known not to be won, and not to be lost.
        self.not_won = _NEVER if ending in (-1, 0) else 0
        self.not_lost = _NEVER if ending in (0, 1) else 0
        self.drawn: int | None = 0 if ending == 0 else None  # how long the game lasts if it is drawn


class _Enough(Exception):
    """As many positions have been looked at as may be."""


class Search:
    """The truth about results that are near, found by looking ahead.

    `positions` limits the work of one look. It remembers positions from one look to the next.
    """

    def __init__(self, game: AnyGame, positions: int = POSITIONS) -> None:
        self.game = game
        self.positions = positions
        self.exhausted = False
        """Whether the last look ended before it had gone as far as it should."""
        self._nodes: dict[State[Any, Any], _Node] = {}
        self._left = 0

    def within(self, state: State[Any, Any], plies: int) -> dict[Any, Verdict | None]:
        """Every legal move, in the order of the ids, with its verdict if the game then ends within that many plies.

        The verdict is for the player who makes the move, and counts that move. It is exact. None means that the result
        is further away, or was not found within the limit. It may also be a draw, in games where draws can last longer
        or shorter: whether a longer line is better has to be seen first.

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
        except _Enough:
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
        """Whether the player to move can force a win within that many plies."""
        if node.won <= plies:
            return _YES
        if node.not_won >= plies:
            return _NO if node.not_won == _NEVER else _OPEN
        if plies == 1:
            return self._wins_at_once(node)
        answer, place = _NO, 0
        while (after := self._following(node, place)) is not None:
            reply = self._loses(after, plies - 1)
            if reply == _YES:
                node.won, node.not_lost = plies, _NEVER
                return _YES
            if reply == _OPEN:
                answer = _OPEN
            place += 1
        node.not_won = _NEVER if answer == _NO else plies
        return answer

    def _wins_at_once(self, node: _Node) -> int:
        """Whether a move wins at once. Most positions are seen here last, so they are not even remembered."""
        game, state, answer = self.game, node.state, _NO
        moves = game.permitted(state)
        self._take(len(moves))
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
        """Whether every move of the player to move loses within that many plies."""
        if node.lost <= plies:
            return _YES
        if node.not_lost >= plies:
            return _NO if node.not_lost == _NEVER else _OPEN
        place = 0
        while (after := self._following(node, place)) is not None:
            reply = self._wins(after, plies - 1)
            if reply != _YES:
                node.not_lost = _NEVER if reply == _NO else plies
                # What refuted this depth is tried first at the next one.
                node.following[0], node.following[place] = after, node.following[0]
                return reply
            place += 1
        node.lost, node.not_won = plies, _NEVER
        return _YES

    def _draws(self, node: _Node, plies: int) -> int | None:
        """How long the game lasts from a drawn position if both delay; None if it may be more than that many plies."""
        if node.drawn is None:
            longest, place = 0, 0
            while (after := self._following(node, place)) is not None:
                won = self._wins(after, plies - 1)
                if won != _YES:
                    drawn = won == self._loses(after, plies - 1) == _NO
                    further = self._draws(after, plies - 1) if drawn else None
                    if further is None:
                        return None
                    longest = max(longest, further + 1)
                place += 1
            node.drawn = longest
        return node.drawn

    def _following(self, node: _Node, place: int) -> _Node | None:
        """A position that follows from one, by its place among them; None after the last one."""
        following = node.following
        if place < len(following):
            return following[place]
        if node.moves is None:
            node.moves = self.game.permitted(node.state)
        if place == len(node.moves):
            return None
        following.append(self._after(node.state, node.moves[place]))
        return following[-1]

    def _after(self, state: State[Any, Any], move: Any) -> _Node:
        """The position after a move, with what is known about it."""
        self._take(1)
        after = self.game.after(state, move)
        node = self._nodes.get(after)
        if node is None:
            outcome = self.game.outcome(after)
            ending = None if outcome is None else finished(outcome, after.player).value
            node = self._nodes[after] = _Node(after, ending)
        return node

    def _take(self, count: int) -> None:
        """Counts positions; raises _Enough instead if there have been too many."""
        if self._left < count:
            raise _Enough
        self._left -= count
