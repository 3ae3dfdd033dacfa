"""Compiled games agree with their rules, and a game that can't be compiled is detected, never solved wrongly."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import digitduels as dd
from digitduels.core import Game, Outcome, State
from digitduels.games import AnyGame
from digitduels.options import Integer, option
from digitduels.pool import Pool
from digitduels.sentence import Sentence
from digitduels.solver import Reference, Verdict
from digitduels.solver.compiled import ILLEGAL, Compiled, DoesNotFactor, ending_for
from digitduels.solver.discovery import compile_game
from digitduels.solver.tables import Tables, fill, prepare, verify
from test_solver import SMALL
from variants import ALL, describe

pytestmark = pytest.mark.slow

# Games for these tests


class Move(NamedTuple):
    number: int

    def __str__(self) -> str:
        return f"take-{self.number}"


Position = State[Any, Any]


@dataclass(frozen=True)
class Plain(Game[Any, Any, Move]):
    """Take numbers and add them up: exactly the target wins, more loses; without numbers the higher score wins."""

    target: int = option(6, Integer(1, 999), "the score that wins")
    highest: int = option(3, Integer(1, 99), "the highest number")
    copies: int = option(2, Integer(1, 99), "how many of each")

    @property
    def moves(self) -> tuple[Move, ...]:
        return tuple(map(Move, range(1, self.highest + 1)))

    @property
    def longest(self) -> int:
        return self.highest * self.copies

    def start(self) -> Position:
        return State(0, (0, 0), Pool.full(self.highest, self.copies))

    def forbids(self, state: Position, move: Move) -> str | None:
        return None if state.table.has(move.number) else "There is none."

    def after(self, state: Position, move: Move) -> Position:
        return state.then(state.mine + move.number, state.theirs, state.table.take(move.number))

    def outcome(self, state: Position) -> Outcome | None:
        for player, score in enumerate(state.hands):
            if score >= self.target:
                return Outcome(player if score == self.target else 1 - player, Sentence("The target is reached."))
        return None if any(state.table.counts) else self.comparison(state)

    def comparison(self, state: Position) -> Outcome:
        """The outcome when no numbers are left."""
        first, second = state.hands
        return Outcome(None if first == second else 0 if first > second else 1, Sentence("The scores decide."))


# Games that factor into maps


class Handicap(Plain):
    """Player 2 begins with three points."""

    def start(self) -> Position:
        return State(0, (0, 3), Pool.full(self.highest, self.copies))


class Armistice(Plain):
    """One short of the target is a draw at once."""

    def outcome(self, state: Position) -> Outcome | None:
        return Outcome(None, Sentence("Peace.")) if self.target - 1 in state.hands else super().outcome(state)


class Raid(Plain):
    """Every number taken is also subtracted from the other player's score, down to zero."""

    def after(self, state: Position, move: Move) -> Position:
        score = max(state.theirs - move.number, 0)
        return state.then(state.mine + move.number, score, state.table.take(move.number))


@dataclass(frozen=True)
class Coins(Plain):
    """Every move costs a coin: take a number, or pass, which is always possible. Without coins you lose."""

    coins: int = option(3, Integer(1, 999), "the coins of each player")

    @property
    def moves(self) -> tuple[Move, ...]:
        return tuple(map(Move, range(self.highest + 1)))

    @property
    def longest(self) -> int:
        return 2 * self.coins

    def start(self) -> Position:
        return State(0, ((0, self.coins), (0, self.coins)), Pool.full(self.highest, self.copies))

    def forbids(self, state: Position, move: Move) -> str | None:
        if not state.mine[1]:
            return "You have no coin."
        return super().forbids(state, move) if move.number else None

    def after(self, state: Position, move: Move) -> Position:
        score, coins = state.mine
        table = state.table.take(move.number) if move.number else state.table
        return state.then((score + move.number, coins - 1), state.theirs, table)

    def outcome(self, state: Position) -> Outcome | None:
        for player, (score, _) in enumerate(state.hands):
            if score >= self.target:
                return Outcome(player if score == self.target else 1 - player, Sentence("The target is reached."))
        return None if state.mine[1] else Outcome(1 - state.player, Sentence("No coin is left."))


@dataclass(frozen=True)
class Marathon(Game[int, None, Move]):
    """Players throw away one or two stones in turn. A player without stones on their turn loses."""

    stones: int = option(100, Integer(1, 999), "the stones of each player")

    @property
    def moves(self) -> tuple[Move, ...]:
        return Move(1), Move(2)

    @property
    def longest(self) -> int:
        return 2 * self.stones

    def start(self) -> Position:
        return State(0, (self.stones, self.stones), None)

    def forbids(self, state: Position, move: Move) -> str | None:
        return None if state.mine >= move.number else "So many you have not."

    def after(self, state: Position, move: Move) -> Position:
        return state.then(state.mine - move.number, state.theirs, None)

    def outcome(self, state: Position) -> Outcome | None:
        return None if state.mine else Outcome(1 - state.player, Sentence("No stone is left."))


# Games that do not factor


class Shadow(Plain):
    """Players may not reach the other player's score."""

    def forbids(self, state: Position, move: Move) -> str | None:
        if state.mine + move.number == state.theirs:
            return "There stands the other player."
        return super().forbids(state, move)

    def outcome(self, state: Position) -> Outcome | None:
        outcome = super().outcome(state)
        return outcome or (None if self.permitted(state) else Outcome(1 - state.player, Sentence("No move is left.")))


class Envy(Plain):
    """A player who is behind adds one more."""

    def after(self, state: Position, move: Move) -> Position:
        more = move.number + (state.mine < state.theirs)
        return state.then(state.mine + more, state.theirs, state.table.take(move.number))


class Dusk(Plain):
    """The game ends when fewer than three numbers are left."""

    def outcome(self, state: Position) -> Outcome | None:
        return super().outcome(state) or (self.comparison(state) if sum(state.table.counts) < 3 else None)


class Meeting(Plain):
    """Equal scores end the game: the player who made them equal wins."""

    def outcome(self, state: Position) -> Outcome | None:
        if state.mine == state.theirs and state.table != self.start().table:
            return Outcome(1 - state.player, Sentence("They meet."))
        return super().outcome(state)


class Home(Plain):
    """At equal scores Player 2 wins."""

    def comparison(self, state: Position) -> Outcome:
        return Outcome(1 if state.hands[0] <= state.hands[1] else 0, Sentence("Player 2 is at home."))


class Climb(Plain):
    """Only numbers above your last one may be taken, and that one becomes your score. If you can't move, you lose."""

    def forbids(self, state: Position, move: Move) -> str | None:
        return super().forbids(state, move) if move.number > state.mine else "It must be more than your last one."

    def after(self, state: Position, move: Move) -> Position:
        return state.then(move.number, state.theirs, state.table.take(move.number))

    def outcome(self, state: Position) -> Outcome | None:
        return None if self.permitted(state) else Outcome(1 - state.player, Sentence("No move is left."))


class Late(Plain):
    """The highest number may be taken only after another one is gone."""

    def forbids(self, state: Position, move: Move) -> str | None:
        if move.number == self.highest and state.table == self.start().table:
            return "Not at first."
        return super().forbids(state, move)


class Ambush(Plain):
    """Taking a 1 at a score of 1 while the other player has 2 wins at once. This is rare, and so hard to detect."""

    def after(self, state: Position, move: Move) -> Position:
        if (state.mine, state.theirs, move.number) == (1, 2, 1):
            return state.then(self.target, state.theirs, state.table.take(1))
        return super().after(state, move)


class Gift(Plain):
    """Taking a 2 puts a 1 into the pool, if there is room."""

    def start(self) -> Position:
        return State(0, (0, 0), Pool((0, *[self.copies] * (self.highest - 1)), self.copies))

    @property
    def longest(self) -> int:
        return 2 * self.highest * self.copies

    def after(self, state: Position, move: Move) -> Position:
        counts = list(state.table.take(move.number).counts)
        counts[0] += move.number == 2 and counts[0] < self.copies
        return state.then(state.mine + move.number, state.theirs, Pool(tuple(counts), self.copies))


class Endless(Plain):
    """Each move doubles the score, and the score is all that is on the table. The hundredth move draws."""

    def start(self) -> Position:
        return State(0, (1, 1), None)

    @property
    def longest(self) -> int:
        return 4

    def forbids(self, state: Position, move: Move) -> str | None:
        return None

    def after(self, state: Position, move: Move) -> Position:
        return state.then(state.mine * 2 + move.number, state.theirs, None)

    def outcome(self, state: Position) -> Outcome | None:
        return self.comparison(state) if min(state.hands) > 6 else None


FACTORED: list[AnyGame] = [
    Plain(),
    Handicap(),
    Armistice(),
    Raid(),
    Coins(),
    Coins(target=4, highest=2, coins=4),
    Marathon(9),
]
JOINED: list[AnyGame] = [
    kind(*options)
    for options in ((), (12, 5, 2))
    for kind in (Shadow, Envy, Dusk, Meeting, Home, Climb, Late, Ambush, Gift, Endless)
]


def game_name(game: AnyGame) -> str:
    return " ".join(map(str, (game.id, *game.values.values())))


# Tests


def assert_maps_say_what_the_rules_say(game: AnyGame, compiled: Compiled) -> None:
    """Compares maps and rules in every position, for every move and for either player to move."""
    hands = range(len(compiled.hands))
    own, other, takes = compiled.own.tolist(), compiled.other.tolist(), compiled.takes
    for table, mine, theirs in product(range(compiled.tables), hands, hands):
        if not compiled.contains(table, mine, theirs):
            continue
        player = (table + mine + theirs) % 2
        state = compiled.state(table, mine, theirs, player)
        there = (takes <= state.table.counts if compiled.digits else takes == 0).all(axis=1).tolist()
        legal = [move for move, hand in enumerate(own) if there[move] and hand[mine] != ILLEGAL]
        assert [game.moves[move] for move in legal] == game.legal_moves(state), state
        for move in legal:
            after = game.play(state, game.moves[move])
            hand = own[move][mine]
            assert after.table == compiled.table(table - compiled.needs[move])
            assert after.mine == compiled.hands[other[move][theirs]]
            if hand >= 0:
                assert after.theirs == compiled.hands[hand]
            else:
                outcome = game.outcome(after)
                assert outcome is not None
                assert ending_for(outcome.winner, player) == hand


@pytest.mark.parametrize("variant", SMALL[::4], ids=describe)
def test_the_compiled_maps_agree_with_the_rules_of_every_game(variant: tuple[str, dict[str, Any]]) -> None:
    game = dd.game(variant[0], **variant[1])
    assert_maps_say_what_the_rules_say(game, compile_game(game))


@pytest.mark.parametrize("game", FACTORED, ids=game_name)
def test_a_new_game_is_compiled_from_its_rules_and_solved_correctly(game: AnyGame) -> None:
    solution, reference = dd.solve(game, cache=False), Reference(game)
    assert isinstance(solution, Tables)
    compiled = solution.compiled
    assert_maps_say_what_the_rules_say(game, compiled)
    assert verify(prepare(compiled), solution.codes)
    assert solution.start == by_hand(game)(game.start())
    hands = range(len(compiled.hands))
    for table, mine, theirs in product(range(compiled.tables), hands, hands):
        state = compiled.state(table, mine, theirs, (table + mine + theirs) % 2)
        assert [*solution.judge(state).items()] == [*reference.judge(state).items()], state
        assert solution.probe(state) == reference.probe(state), state


@pytest.mark.parametrize("game", JOINED, ids=game_name)
def test_a_game_that_does_not_factor_is_detected_and_solved_correctly(home: Path, game: AnyGame) -> None:
    with pytest.raises(DoesNotFactor):
        compile_game(game)
    solution = dd.solve(game)
    assert isinstance(solution, Reference)
    if game.longest <= 6:
        judged = by_hand(game)
        assert solution.start == judged(game.start())
        for move, verdict in solution.judge(game.start()).items():
            assert judged(game.play(game.start(), move)).before == verdict


def test_a_game_without_a_pool_is_solved_by_the_reference() -> None:
    with pytest.raises(DoesNotFactor, match="which is not a pool"):
        compile_game(dd.game("operation-target"))


@pytest.mark.parametrize("game", [Marathon(100), Coins(target=3, highest=1, copies=2, coins=70)], ids=game_name)
def test_a_game_of_more_than_126_plies_uses_two_byte_codes(game: AnyGame) -> None:
    compiled = compile_game(game)
    plan = prepare(compiled)
    codes = fill(plan)
    assert codes.itemsize == 2
    assert verify(plan, codes)
    tables, reference = Tables(compiled, codes, plan.scale), Reference(game)
    state = game.start()
    for _ in range(20):
        assert [*tables.judge(state).items()] == [*reference.judge(state).items()]
        state = game.play(state, next(iter(tables.judge(state))))


def test_throwing_two_stones_never_helps_in_a_marathon() -> None:
    # Both players throw one stone at a time, and the first player runs out first.
    solution = dd.solve(Marathon(100), cache=False)
    assert solution.start == Verdict(-1, 200)


def test_immediate_draws_are_solved_as_draws() -> None:
    game = Armistice(target=4, highest=3, copies=1)
    solution = dd.solve(game, cache=False)
    assert solution.judge(game.start())[Move(3)] == Verdict(0, 1)


def by_hand(game: AnyGame) -> Any:
    """The verdict on a position by plain recursion."""

    @cache
    def judged(state: Position) -> Verdict:
        outcome = game.outcome(state)
        if outcome is not None:
            return Verdict(0 if outcome.winner is None else 1 if outcome.winner == state.player else -1, 0)
        verdicts = [judged(game.play(state, move)).before for move in game.legal_moves(state)]
        return max(verdicts)

    return judged


@pytest.mark.parametrize("variant", ALL, ids=describe)
def test_batched_endings_agree_with_single_ones(variant: tuple[str, dict[str, Any]]) -> None:
    """`final_score` must hold at every table without moves, for every pair of hands."""
    game = dd.game(variant[0], **variant[1])
    try:
        plan = prepare(compile_game(game))
    except DoesNotFactor:
        return
    hands = plan.compiled.hands
    for board, codes in plan.final_codes():
        pool = plan.compiled.table(board.start // len(codes))
        for (waiting, moving), code in np.ndenumerate(codes.reshape(len(hands), -1)):
            outcome = game.outcome(State(0, (hands[moving], hands[waiting]), pool))
            assert outcome is not None
            assert plan.scale.end(ending_for(outcome.winner, 1)) == code
