"""The solver, checked twice: the fast tables against the plain reference, and both against known results."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import digitduels as dd
from digitduels.core import Game, State
from digitduels.games import AnyGame
from digitduels.solver import Reference, Solution, Verdict
from digitduels.solver.compiled import DRAWN, LOST, WON
from digitduels.solver.discovery import compile_game
from digitduels.solver.lookup import Scale
from digitduels.solver.solution_cache import SolutionCache
from digitduels.solver.tables import Tables, _decoded, fill, prepare, verify
from variants import describe, games_in_progress, play_on, solve

SMALL: list[tuple[str, dict[str, Any]]] = [
    *(
        ("number-duel", {"target": target, "highest": highest, "copies": copies, "tie": tie})
        for target, highest, copies in ((12, 4, 1), (7, 3, 2), (14, 5, 1), (1, 2, 2), (70, 2, 2))
        for tie in ("last-mover-loses", "last-mover-wins", "draw")
    ),
    *(
        ("equation-duel", {"target": target, "highest": highest, "tie": tie})
        for target, highest in ((5, 4), (9, 5), (50, 4), (1, 2), (3, 3))
        for tie in ("last-mover-loses", "last-mover-wins", "draw")
    ),
    *(
        (
            "number-quest",
            {"highest": highest, "copies": 2, "target": target, "division": division, "invalid": invalid, "tie": tie},
        )
        for target, highest in ((9, 3), (31, 2))
        for division in ("floor", "exact")
        for invalid in ("lost-turn", "refused")
        for tie in ("last-mover-loses", "last-mover-wins", "draw")
    ),
    *(
        ("numerical-nexus", {"target": target, "uses": uses})
        for target, uses in (
            (7, (1, 1, 0, 1, 0, 1)),
            (10, (2, 1, 1, 1, 0, 0)),
            (6, (0, 2, 0, 1, 1, 1)),
            (5, (1, 0, 0, 0, 0, 2)),
            (30, (1, 1, 1, 1, 1, 0)),
            (1, (1, 0, 0, 0, 0, 0)),
        )
    ),
]
FULL = [name for name in dd.games() if name != "operation-target"]
# On a fresh clone, the first test process compiles the kernels while the other one waits.
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("tables")]


@pytest.fixture(scope="module", params=FULL)
def full(request: pytest.FixtureRequest) -> Tables:
    solution = solve(dd.game(request.param))
    assert isinstance(solution, Tables)
    return solution


def random_positions(solution: Tables, count: int) -> list[State[Any, Any]]:
    """Positions in the table, reachable or not."""
    rng, compiled = random.Random(5), solution.compiled
    found: list[State[Any, Any]] = []
    while len(found) < count:
        hands = rng.randrange(len(compiled.hands)), rng.randrange(len(compiled.hands))
        table = rng.randrange(compiled.tables)
        if compiled.contains(table, *hands):
            found.append(compiled.state(table, *hands, player=rng.randrange(2)))
    return found


@pytest.mark.parametrize("variant", SMALL, ids=describe)
def test_tables_and_reference_agree_in_every_position_of_small_variants(variant: tuple[str, dict[str, Any]]) -> None:
    game = dd.game(variant[0], **variant[1])
    tables = dd.solve(game, cache=False)
    assert isinstance(tables, Tables)
    compare_with_reference(tables)


def compare_with_reference(solution: Tables) -> None:
    """Compares every position."""
    compiled, reference = solution.compiled, Reference(solution.game)
    count = range(len(compiled.hands))
    for position in itertools.product(range(compiled.tables), count, count):
        if compiled.contains(*position):
            state = compiled.state(*position)
            assert solution.probe(state) == reference.probe(state), state


def stuck_player_wins(game: Any) -> Any:
    """The game in which a player without a legal move wins."""

    def outcome(self: Any, state: Any) -> Any:
        end = type(game).outcome(self, state)
        return end if end is None or self.target in self.scores(state) else end._replace(winner=state.player)

    return type("StuckPlayerWins", (type(game),), {"outcome": outcome})(*game.__reduce__()[1])


def test_a_game_in_which_a_player_without_a_move_wins_is_solved_with_a_table() -> None:
    solution = dd.solve(stuck_player_wins(dd.game("numerical-nexus", target=30, uses=(1, 1, 1, 1, 1, 0))), cache=False)
    assert isinstance(solution, Tables)
    assert WON in solution.compiled.stuck
    compare_with_reference(solution)


def test_a_code_means_the_same_alone_and_in_a_batch() -> None:
    for longest, draws in ((100, True), (100, False), (300, True), (300, False)):
        scale = Scale.of(longest, draws)
        values, distances = _decoded(scale)
        assert [scale.verdict(code) for code in range(scale.top + 1)] == list(zip(values, distances, strict=True))
        for mark, value in ((WON, -1), (LOST, 1), *([(DRAWN, 0)] if draws else [])):
            code = scale.end(mark)
            assert scale.verdict(code) == (value, 0), "a code ranks a position for the waiting player"
            assert scale.ending(np.array([mark])).tolist() == [code]


def test_a_game_that_lasts_too_long_for_a_table_is_too_large() -> None:
    with pytest.raises(dd.TooLarge, match=r"A game of up to 32,768 moves lasts too long"):
        Scale.of(32_768, draws=False)


@pytest.mark.parametrize("variant", SMALL[::4], ids=describe)
def test_a_single_wrong_code_is_detected(variant: tuple[str, dict[str, Any]]) -> None:
    plan = prepare(compile_game(dd.game(variant[0], **variant[1])))
    codes, compiled, rng = fill(plan), plan.compiled, random.Random(6)
    assert verify(plan, codes)
    count = len(compiled.hands)
    indices = [
        (table * count + theirs) * count + mine
        for table, mine, theirs in itertools.product(range(compiled.tables), range(count), range(count))
        if compiled.contains(table, mine, theirs)
    ]
    for index in rng.sample(indices, min(20, len(indices))):
        wrong = codes.copy()
        wrong[index] ^= 1
        assert not verify(plan, wrong), index


def test_tables_and_reference_agree_on_random_positions_of_the_full_games(full: Tables) -> None:
    rng, compiled = random.Random(9), full.compiled
    # Close enough to the end for the reference: four numbers, or hands that last for as many moves.
    late = np.flatnonzero(compiled.rank <= 3).tolist()
    for _ in range(40):
        table = 0
        for digit in rng.sample(range(compiled.digits), min(4, compiled.digits)):
            table += compiled.base**digit
        mine, theirs = rng.choice(late), rng.choice(late)
        if compiled.contains(table, mine, theirs):
            state = compiled.state(table, mine, theirs)
            reference = Reference(full.game)
            assert full.probe(state) == reference.probe(state)
            assert [*full.judge(state).items()] == [*reference.judge(state).items()]


@pytest.mark.long
def test_in_every_position_the_verdict_follows_from_the_successors(full: Tables) -> None:
    plan = prepare(full.compiled)
    assert verify(plan, full.codes)
    # The check must detect a single wrong code. At the first table with moves it does not compare all of them again.
    count, hands = len(full.compiled.hands), range(len(full.compiled.hands))
    table, mine, theirs = next(
        index
        for index in itertools.product(range(full.compiled.tables), hands, hands)
        if full.compiled.contains(*index) and full.game.legal_moves(full.compiled.state(*index))
    )
    wrong = full.codes.copy()
    wrong[(table * count + theirs) * count + mine] ^= 1
    assert not verify(plan, wrong)


@pytest.mark.parametrize(
    ("name", "verdict", "winning"),
    [
        ("numerical-nexus", Verdict(-1, 20), []),
        ("operation-target", Verdict(1, 8), ["x2"]),
        ("number-duel", Verdict(1, 3), ["+10", "+5"]),
        ("number-quest", Verdict(1, 5), ["+1", "+2", "+3", "+5", "+6", "+7", "+8", "+9"]),
        ("equation-duel", Verdict(1, 3), 14),
    ],
)
def test_the_solutions_of_the_books_are_as_published(name: str, verdict: Verdict, winning: Any) -> None:
    game = dd.game(name)
    solution = solve(game)
    assert solution.start == verdict
    winners = sorted(str(move) for move, verdict in solution.judge(game.start()).items() if verdict.value == 1)
    assert winners == winning or len(winners) == winning


def test_the_verdict_on_a_move_follows_from_the_position_after_it(full: Tables) -> None:
    for state in random_positions(full, 200):
        legal = full.game.legal_moves(state)
        verdicts = [*full.judge(state).items()]
        assert sorted(legal) == sorted(move for move, _ in verdicts)
        for move, verdict in verdicts:
            assert full.probe(full.game.after(state, move)).before == verdict
        merits = [verdict for _, verdict in verdicts]
        assert merits == sorted(merits, reverse=True)
        if verdicts:
            assert verdicts[0][1] == full.probe(state)
            assert full.best(state) == [move for move, verdict in verdicts if verdict == verdicts[0][1]]


def test_the_distance_falls_by_one_with_each_move_of_a_best_line(full: Tables) -> None:
    for state in random_positions(full, 100):
        verdict = full.probe(state)
        line = full.line(state)
        assert len(line) == verdict.distance
        for move in line:
            state = full.game.play(state, move)
            verdict = Verdict(-verdict.value, verdict.distance - 1)
            assert full.probe(state) == verdict


def test_perfect_play_wins_every_won_position_against_any_player(full: Tables) -> None:
    rng = random.Random(2)
    for state in random_positions(full, 300):
        if full.probe(state).value != 1:
            continue
        winner = state.player
        while (outcome := full.game.outcome(state)) is None:
            moves = full.best(state) if state.player == winner else full.game.legal_moves(state)
            state = full.game.play(state, rng.choice(moves))
        assert outcome.winner == winner


def test_batched_verdicts_agree_with_single_ones(full: Tables) -> None:
    states = [state for state in random_positions(full, 500) if full.game.outcome(state) is None]
    encoded = np.array([full.encode(state) for state in states]).T
    values, distances = full.probe_many(*encoded)
    assert list(zip(values.tolist(), distances.tolist(), strict=True)) == [full.probe(state) for state in states]


@settings(max_examples=40)
@given(games_in_progress())
def test_any_variant_is_solved_or_refused_and_agrees_with_the_reference(
    played: tuple[AnyGame, list[State[Any, Any]], list[Any]],
) -> None:
    game, states, _ = played
    try:
        solution = dd.solve(game, cache=False, limit=5_000_000)
    except dd.TooLarge:
        return
    reference = Reference(game, 1_000_000)
    for state in states[-3:]:
        try:
            expected = reference.probe(state)
        except dd.TooLarge:
            continue
        assert solution.probe(state) == expected


@pytest.mark.parametrize("variant", SMALL[::4], ids=describe)
def test_reachable_positions_are_counted_correctly(variant: tuple[str, dict[str, Any]]) -> None:
    game = dd.game(variant[0], **variant[1])
    solution = dd.solve(game, cache=False)
    assert isinstance(solution, Tables)
    seen = {game.start()._replace(player=0)}
    todo = list(seen)
    for state in todo:
        for move in game.legal_moves(state):
            after = game.after(state, move)
            # The table has one entry for both players.
            after = State(0, (after.mine, after.theirs), after.table)
            known = all(hand in solution.compiled.indices for hand in after.hands)
            if after not in seen and known:
                seen.add(after)
                todo.append(after)
    counts = solution.counts()
    assert counts.reachable == sum(game.outcome(state) is None for state in seen)
    assert counts.positions == counts.wins + counts.draws + counts.losses


def test_a_target_with_thousands_of_digits_is_solved() -> None:
    game = dd.game("operation-target", target=10**4000)
    solution = dd.solve(game)
    verdict = solution.start
    assert len(solution.line(game.start())) == verdict.distance
    by_hand = {}
    for first in game.moves:
        for second in game.moves:
            state = game.play(game.play(game.start(), first), second)
            plies = 2
            while (outcome := game.outcome(state)) is None:
                state = game.play(state, game.legal_moves(state)[0])
                plies += 1
            by_hand[first, second] = (1 if outcome.winner == 0 else -1, plies)
    reply = {first: min(by_hand[first, second][0] for second in game.moves) for first in game.moves}
    assert verdict.value == max(reply.values())


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("number-duel", {"target": 200, "highest": 4}),
        ("number-duel", {"highest": 2, "copies": 99, "target": 30}),
        ("number-duel", {"highest": 2, "copies": 50, "target": 30, "tie": "draw"}),
        ("numerical-nexus", {"target": 2, "uses": (40, 0, 0, 0, 0, 30)}),
        ("number-quest", {"highest": 4, "copies": 3, "target": 150}),
    ],
)
def test_large_targets_and_long_games_are_solved(name: str, options: dict[str, Any]) -> None:
    game = dd.game(name, **options)
    compiled = compile_game(game)
    plan = prepare(compiled)
    codes = fill(plan)
    draws = options.get("tie") == "draw"
    assert codes.itemsize == (2 if game.longest > (84 if draws else 126) else 1)
    assert verify(plan, codes)


def test_games_that_are_too_large_are_refused_at_once() -> None:
    large: list[tuple[str, dict[str, Any]]] = [
        ("number-duel", {"highest": 99, "copies": 99}),
        ("equation-duel", {"highest": 99}),
        ("numerical-nexus", {"uses": (99,) * 6, "target": 10**6}),
        ("number-quest", {"highest": 30, "target": 10**6}),
    ]
    for name, options in large:
        with pytest.raises(dd.TooLarge, match="needs at least"):
            dd.solve(dd.game(name, **options), cache=False)
    with pytest.raises(dd.TooLarge, match=r"needs at least 140\.8 MiB of memory\. The limit is 1\.0 MiB"):
        dd.solve(dd.game("number-duel"), cache=False, limit=1 << 20)


@pytest.mark.parametrize(
    "state",
    [
        State(0, (51, 0), None),
        State(0, (0, 0), dd.game("number-duel", copies=3).start().table),
        State(0, (0, 0), dd.game("number-duel", highest=9).start().table),
    ],
)
def test_a_position_outside_the_table_is_refused_with_a_clear_message(state: State[Any, Any]) -> None:
    full = dd.game("number-duel").start()
    solution = solve(dd.game("number-duel"))
    state = state if state.table is not None else full._replace(hands=state.hands)
    with pytest.raises(ValueError, match="Number Duel"):
        solution.probe(state)


def test_progress_is_reported_from_start_to_end() -> None:
    told: list[float] = []
    dd.solve(dd.game("number-quest", highest=6), cache=False, progress=lambda _, done: told.append(done))
    assert told == sorted(told)
    assert told[-1] == 1


def test_a_finished_game_has_distance_zero_and_no_best_move(full: Tables) -> None:
    game = full.game
    states, _ = play_on(game, game.start(), random.Random(3), 100)
    outcome = game.outcome(states[-1])
    assert outcome is not None
    assert full.probe(states[-1]) == Verdict(1 if outcome.winner == states[-1].player else -1, 0)
    assert full.best(states[-1]) == []


# Limits and errors


class Blocked(Game[int, int, Any]):
    """A game that is not over at the start, although nothing is legal there."""

    @property
    def moves(self) -> tuple[Any, ...]:
        return (("pass",),)

    @property
    def longest(self) -> int:
        return 1

    def start(self) -> State[int, int]:
        return State(0, (0, 0), 0)

    def forbids(self, state: State[int, int], move: Any) -> str | None:
        return "You can't."

    def after(self, state: State[int, int], move: Any) -> State[int, int]:
        return state

    def outcome(self, state: State[int, int]) -> None:
        return None


@pytest.mark.parametrize("cache", [True, False])
def test_a_game_without_a_first_move_is_refused_with_a_reason(cache: bool) -> None:
    solution = dd.solve(Blocked(), cache=cache)
    with pytest.raises(ValueError, match="Blocked has a position that is not over and allows no move"):
        _ = solution.start


def test_the_reference_counts_positions_within_its_limit() -> None:
    game = dd.game("number-duel", highest=4)
    reference = Reference(game, limit=100_000)
    with pytest.raises(dd.TooLarge):
        reference.by_distance()


def test_a_position_that_no_game_leads_to_is_unknown() -> None:
    game = dd.game("numerical-nexus", target=7)
    state = game.start()
    strange = state._replace(hands=(state.mine._replace(score=6), state.theirs))
    with pytest.raises(dd.UnknownPosition, match="has no position with the hands"):
        solve(game).probe(strange)
    assert issubclass(dd.UnknownPosition, ValueError)


def test_a_cache_of_no_variants_solves_each_variant_again() -> None:
    solved: list[AnyGame] = []

    def solve_small(game: AnyGame) -> Solution:
        solved.append(game)
        return Reference(game)

    solutions, variant = SolutionCache(variants=0, solve=solve_small), dd.game("number-duel", target=7)
    assert solutions(variant).game == solutions(variant).game == variant
    assert solutions.known(variant) is None
    assert solved == [variant, variant]
