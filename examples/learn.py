"""A Q-learner that teaches itself a game for a minute and is graded by the exact solution. Try it:

    python examples/learn.py --seconds 60 --plot learning.svg

It plays against itself in 2048 games at once. The value of a move is the reward if it ends the game, or else the
negative value of the opponent's best reply. It learns these values in one large hash table, going backwards through the
moves it has made. From time to time it takes an exam: critical positions, in which some legal move throws the win or
the draw away. The plot shows the share of positions in which its move keeps the value. Perfect play scores 1.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import digitduels as dd
from digitduels.adapters.vector import DuelVectorEnv

GAMES = 2048
MOVES = 32  # how many moves to make in each game before learning from them
SIZE = 1 << 26  # the size of the table in bytes
RANDOM = 0.5  # the share of random moves

Array = np.ndarray[Any, Any]


class Learner:
    """The learned value of every move: 1, 0 or -1 for the player who makes it."""

    def __init__(self, entries: int, moves: int, rng: np.random.Generator) -> None:
        self.rng = rng
        self.factors = rng.integers(2**63, size=entries, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
        self.bits = (SIZE // moves).bit_length() - 1
        self.values = np.zeros((1 << self.bits, moves), np.int8)

    def indices(self, rows: Array) -> Array:
        """The table rows of these positions, by a hash with few collisions."""
        mixed = (rows.astype(np.uint64) * self.factors).sum(axis=1, dtype=np.uint64)
        indices: Array = (mixed >> np.uint64(64 - self.bits)).astype(np.int64)
        return indices

    def choose(self, indices: Array, masks: Array) -> Array:
        """The best legal moves. Ties are broken at random."""
        guesses = self.values[indices] + self.rng.random(masks.shape, np.float32) / 2
        best: Array = np.where(masks, guesses, -9).argmax(axis=1)
        return best

    def learn(self, games: DuelVectorEnv, obs: dict[str, Array]) -> dict[str, Array]:
        """Makes MOVES moves in every game, then learns from them in reverse order."""
        steps = []
        for _ in range(MOVES):
            indices, masks = self.indices(obs["observation"]), obs["action_mask"]
            chance = self.rng.random(GAMES) < RANDOM
            actions = np.where(chance, games.sample_legal(), self.choose(indices, masks))
            obs, rewards, over, _, _ = games.step(actions)
            steps.append((indices, actions, rewards, over, obs["action_mask"]))
        following = self.indices(obs["observation"])
        for indices, actions, rewards, over, replies in reversed(steps):
            best_reply = np.where(replies, self.values[following], -1).max(axis=1)
            self.values[indices, actions] = np.where(over, rewards, -best_reply)
            following = indices
        return obs


class Exam(NamedTuple):
    """Critical positions: their observations, their legal moves, and the moves that keep the value."""

    rows: Array
    masks: Array
    keeping: Array

    @property
    def chance(self) -> float:
        """The score of random legal moves."""
        return float((self.keeping.sum(axis=1) / self.masks.sum(axis=1)).mean())

    def score(self, learner: Learner) -> float:
        moves = learner.choose(learner.indices(self.rows), self.masks)
        return float(self.keeping[np.arange(len(moves)), moves].mean())


def set_exam(games: DuelVectorEnv, count: int, seed: int) -> Exam:
    """Collects different critical positions from random games, judged by the solution."""
    solution, ids = dd.solve(games.game), {move: index for index, move in enumerate(games.game.moves)}
    exam: dict[bytes, tuple[Array, Array, Array]] = {}
    obs, _ = games.reset(seed=seed)
    for turn in range(20 * count):
        game = 7 * turn % GAMES
        judgement = solution.judge(games.state(game))
        if judgement.critical:
            keeping = np.zeros(len(ids), bool)
            keeping[[ids[move] for move in judgement.keeping]] = True
            row = obs["observation"][game]
            exam[row.tobytes()] = row, obs["action_mask"][game].astype(bool), keeping
            if len(exam) == count:
                break
        if turn % 10 == 0:
            obs = games.step(games.sample_legal())[0]
    return Exam(*map(np.array, zip(*exam.values(), strict=True)))


class Point(NamedTuple):
    """The result of an exam: its time, the moves made before it, and its score."""

    seconds: float
    moves: int
    score: float


def train(games: DuelVectorEnv, exam: Exam, seconds: float, seed: int) -> Iterator[Point]:
    """Learns for this many seconds and takes about 40 exams in that time."""
    learner = Learner(exam.rows.shape[1], exam.masks.shape[1], np.random.default_rng(seed))
    obs, _ = games.reset(seed=seed)
    yield Point(0.0, 0, exam.score(learner))
    start, rounds, exams = time.perf_counter(), 0, 1
    while (spent := time.perf_counter() - start) < seconds:
        obs = learner.learn(games, obs)
        rounds += 1
        if spent >= exams * seconds / 40:
            exams += 1
            yield Point(spent, rounds * MOVES * GAMES, exam.score(learner))
    yield Point(time.perf_counter() - start, rounds * MOVES * GAMES, exam.score(learner))


def draw(title: str, exam: Exam, points: list[Point]) -> str:
    """The plot, as SVG."""
    wide, high, left, top = 560, 300, 60, 70
    last = points[-1]

    def x(seconds: float) -> float:
        return left + wide * seconds / last.seconds

    def y(score: float) -> float:
        return top + high * (1 - score)

    def text(at: float, line: float, words: str, more: str = "") -> str:
        return f'<text x="{at:.1f}" y="{line:.1f}" {more}>{words}</text>'

    def level(score: float, words: str, colour: str) -> str:
        return (
            f'<path d="M{left} {y(score):.1f}h{wide}" stroke="{colour}" stroke-width="2" stroke-dasharray="6 5"/>'
            + text(left + wide + 10, y(score) + 5, words, f'fill="{colour}"')
        )

    grid = "".join(
        f'<path d="M{left} {y(tick / 5):.1f}h{wide}" stroke="#DDDDDD"/>'
        + text(left - 8, y(tick / 5) + 5, f"{tick / 5:.1f}", 'text-anchor="end"')
        for tick in range(6)
    )
    ticks = "".join(
        text(x(last.seconds * tick / 6), top + high + 22, f"{last.seconds * tick / 6:.3g}", 'text-anchor="middle"')
        for tick in range(7)
    )
    curve = " ".join(f"{x(point.seconds):.1f},{y(point.score):.1f}" for point in points)
    # The label of the curve must not overlap those of the two levels.
    beside = min(max(y(last.score) + 5, y(1) + 25), y(exam.chance) - 15)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 780 430" width="780" height="430" '
        f'font-family="sans-serif" font-size="13" role="img"><title>{title}</title>'
        '<rect width="780" height="430" fill="white"/>'
        + text(left, 28, title, 'font-size="16" font-weight="bold"')
        + text(left, 50, f"{last.moves / 1e6:.1f} million moves against itself; {len(exam.rows)} critical positions")
        + grid
        + ticks
        + level(1, "exact optimum: 1", "#0072B2")
        + level(exam.chance, f"random moves: {exam.chance:.2f}", "#666666")
        + f'<polyline points="{curve}" fill="none" stroke="#B84A00" stroke-width="3" stroke-linejoin="round"/>'
        + text(left + wide + 10, beside, f"learner: {last.score:.3f}", 'fill="#B84A00" font-weight="bold"')
        + text(left + wide / 2, top + high + 48, "seconds of learning", 'text-anchor="middle"')
        + f'<g transform="translate(18 {top + high / 2}) rotate(-90)">'
        + text(0, 0, "share of critical moves found", 'text-anchor="middle"')
        + "</g></svg>\n"
    )


def make(name: str, pairs: list[str]) -> tuple[DuelVectorEnv, list[str]]:
    """Makes the environment; returns it with its options."""
    # A variant that fits into the table. The games of the books have a hundred times as many positions.
    pairs = pairs or (["target=30", "highest=6"] if name == "number-duel" else [])
    kinds = {option.name: option.kind for option in dd.game(name).options()}
    split = [pair.partition("=") for pair in pairs]
    options = {name: kinds[name].read(value) if name in kinds else value for name, _, value in split}
    return DuelVectorEnv(name, num_envs=GAMES, opponent="self", options=options), pairs


def main() -> None:
    parser = argparse.ArgumentParser(
        description="A Q-learner teaches itself a game and is graded by the exact solution."
    )
    parser.add_argument("--game", default="number-duel", help="any game that can be vectorised")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="an option of the game")
    parser.add_argument("--seconds", type=float, default=60, help="how long to learn")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plot", type=Path, default=Path("learning.svg"), help="the file for the plot")
    arguments = parser.parse_args()
    try:
        games, pairs = make(arguments.game, arguments.set)
    except ValueError as reason:
        parser.error(str(reason))
    exam = set_exam(games, 1000, arguments.seed)
    points = []
    for point in train(games, exam, arguments.seconds, arguments.seed):
        points.append(point)
        print(
            f"{point.seconds:5.1f} s  {point.moves / 1e6:6.1f} million moves  critical moves found: {point.score:.3f}"
        )
    title = f"A Q-learner in {games.game.title} ({', '.join(pairs) or 'as in the book'})"
    arguments.plot.write_text(draw(title, exam, points), encoding="utf-8")
    print(f"Random moves find {exam.chance:.3f}, perfect play finds 1. The plot is in {arguments.plot}.")


if __name__ == "__main__":
    main()
