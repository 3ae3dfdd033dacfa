"""How often a level plays a move after which its board looks no better, although it saw nothing wrong with another."""

from __future__ import annotations

from collections.abc import Iterator

import digitduels as dd
from digitduels.match import Match
from digitduels.players.levels import TIE, Level, candidates, impression, impressions, natural_weights, tuning
from digitduels.solver import Solution
from digitduels.study.fair_starts import fair_start

PAGE = "levels.md"
GAMES = 100  # per level against itself, half of them from fair starts
HEAD = "| game | level | positions | pointless moves |\n|---|---:|---:|---:|"
NOTE = (
    "The share of turns in which a level plays a move that brings it no nearer to the goal and does not set the\n"
    f"opponent back, although it saw nothing wrong with a move that does: in {GAMES} games of the level against\n"
    "itself, half from the first position and half from fair starts."
)


def rows(name: str) -> Iterator[str]:
    """The table rows of a game."""
    solution = dd.solve(dd.game(name))
    for level in sorted({2, 3, 4, 5, 6} & {*tuning(solution.game).levels}):
        turns, pointless = measure(solution, level)
        yield f"| {solution.game.title} | {level} | {turns:,} | {pointless / turns:.1%} |"


def measure(solution: Solution, level: int) -> tuple[int, float]:
    """The turns in a level's games against itself, and the expected number of pointless moves."""
    turns, pointless = 0, 0.0
    for seed in range(GAMES):
        match = Match(solution.game, opening=fair_start(solution, seed) if seed % 2 else ())
        player = Level(level, solution, seed)
        while match.outcome is None:
            turns += 1
            pointless += share(player, match)
            match.play(player.choose(match))
    return turns, pointless


def share(player: Level, match: Match) -> float:
    """The probability that the player to move plays a pointless move."""
    game, state = match.game, match.state
    natural, probability = natural_weights(game, state), 0.0
    before = impression(game, state, state.player)
    still = {move for move, looks in impressions(game, state).items() if looks <= before * (1 + TIE)}
    for likely, seen in player.looks(state):
        choice = candidates(natural, seen)
        if any(verdict is None or verdict.value >= 0 for move, verdict in seen.items() if move not in still):
            pointless = sum(weight for move, weight in choice.items() if move in still)
            probability += likely * pointless / sum(choice.values())
    return probability
