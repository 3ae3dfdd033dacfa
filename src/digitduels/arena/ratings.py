"""Ratings by the Bradley–Terry model, with bootstrap confidence intervals.

A player of strength s beats one of strength t with probability s / (s + t). A rating is 400 times the decimal logarithm
of the strength, and the average rating is 0. A lead of 100 points means 64 % of the game points, and 400 means 91 %.

Games are played in bouts: two games from one start with the seats swapped. Bouts are resampled as a whole, because an
advantage that a start gives to one player in the first game goes to the other in the second. Every pair starts with a
prior of half a bout won and half a bout lost, so that no rating is infinite and a clean sweep still has an interval.
For the same reason each result gets a random weight instead of a random count (Rubin's Bayesian bootstrap).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Bout = tuple[float, int]
"""The points of the first of two players, and the number of games."""
Results = Mapping[tuple[int, int], Sequence[Bout]]
"""The bouts of each pair of players."""
Floats = npt.NDArray[np.float64]

RESAMPLES = 1000  # the number of bootstrap samples
_ROUNDS = 10_000
_CLOSE = 1e-7


class Estimate(NamedTuple):
    """A value with its 95 % confidence interval."""

    value: float
    low: float
    high: float


def ratings(results: Results, players: int, seed: int = 0) -> list[Estimate]:
    """The ratings of players 0, 1, … from the results between them."""
    rng = np.random.default_rng(abs(seed))
    points = np.zeros((1 + RESAMPLES, players, players))
    for (one, two), bouts in results.items():
        ours, theirs = _resample(bouts, rng)
        points[:, one, two] += ours
        points[:, two, one] += theirs
    fitted = fit(points)
    return [_estimate(fitted[0, player], fitted[1:, player]) for player in range(players)]


def score(bouts: Sequence[Bout], seed: int = 0) -> Estimate:
    """The share of the points that the first of two players scores."""
    ours, theirs = _resample(bouts, np.random.default_rng(abs(seed)))
    points, games = map(sum, zip(*bouts, strict=True))
    return _estimate(points / games, (ours / (ours + theirs))[1:])


def skill(parts: Sequence[tuple[int, int, float]], seed: int = 0) -> Estimate:
    """Skill from independent parts of (critical turns found, critical turns, those a random mover finds on average).

    The prior is half a part in which everything was found and half a part in which nothing was, as for points.
    """
    counts = Counter(parts)
    size = max(critical for _, critical, _ in counts)
    found, critical, chance = (np.array(column, float) for column in zip(*counts, strict=True))
    times = np.array(list(counts.values()), float)
    rest = size * (times @ chance) / (times @ critical)  # the random mover's share of the two prior parts
    gain = np.concatenate([found - chance, [size - rest, -rest]])
    most = np.concatenate([critical - chance, [size - rest, size - rest]])
    rng = np.random.default_rng(abs(seed))
    drawn = rng.dirichlet(np.concatenate([times, [0.5, 0.5]]), RESAMPLES)
    return _estimate(times @ gain[:-2] / (times @ most[:-2]), (drawn @ gain) / (drawn @ most))


def fit(points: Floats) -> Floats:
    """The maximum-likelihood ratings for points[…, a, b], the points of a against b, by Hunter's MM iteration."""
    won, games = points.sum(axis=-1), points + np.swapaxes(points, -1, -2)
    strength = np.ones(won.shape)
    for _ in range(_ROUNDS):
        before = strength
        strength = won / (games / (before[..., :, None] + before[..., None, :])).sum(axis=-1)
        strength /= np.exp(np.log(strength).mean(axis=-1, keepdims=True))
        if np.abs(np.log(strength / before)).max() < _CLOSE:
            break
    return np.asarray(400 * np.log10(strength))


def _resample(bouts: Sequence[Bout], rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The points of both players: first the actual ones, then RESAMPLES bootstrap samples."""
    size = max(games for _, games in bouts)
    counts: Counter[Bout] = Counter(bouts)
    kinds: list[Any] = list(dict.fromkeys([(0.0, size), (float(size), size), *counts]))
    real = np.array([counts[kind] for kind in kinds], float)
    prior = np.array([0.5, 0.5] + [0.0] * (len(kinds) - 2))
    drawn = rng.dirichlet(real + prior, RESAMPLES) * (len(bouts) + 1)
    times = np.vstack([real + prior, drawn])
    ours = np.array([points for points, _ in kinds])
    theirs = np.array([games - points for points, games in kinds])
    return times @ ours, times @ theirs


def _estimate(value: float, drawn: Floats) -> Estimate:
    low, high = np.quantile(drawn, (0.025, 0.975))
    return Estimate(float(value), float(min(low, value)), float(max(high, value)))
