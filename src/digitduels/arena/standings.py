"""The standings of a tournament: results by seat, ratings, skill and grades."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from digitduels.arena.evidence import observations
from digitduels.arena.grading import Grade, skill
from digitduels.arena.ratings import Bout, ratings, score
from digitduels.arena.tournament import PlayedGame, TournamentPlan, names

VERSION = 1


def bouts(played: Iterable[PlayedGame]) -> dict[tuple[int, int], list[Bout]]:
    """The points of the first player of each pair, for each observation."""
    games = list(played)
    return {
        pair: [
            (sum(_points(game, pair[0]) for game in group), len(group))
            for group in independent(game for game in games if game.task.pair == pair)
        ]
        for pair in sorted({game.task.pair for game in games})
    }


def independent(played: Iterable[PlayedGame]) -> list[list[PlayedGame]]:
    """Groups games that count as one observation."""
    return observations(
        played,
        start=lambda game: game.start,
        bout=lambda game: (game.task.pair, game.task.number // 2),
        course=lambda game: game.course,
    )


def standings(plan: TournamentPlan, played: Sequence[PlayedGame]) -> dict[str, Any]:
    """All results as JSON values, the best player first. Players are numbered from 1."""
    results = bouts(played)
    labels = names(plan.players, plan.game)
    rated = ratings(results, len(plan.players), plan.seed)
    rows = []
    for index, command in enumerate(plan.players):
        own = [game for game in played if index in game.task.pair]
        grades = [_grade(group, index) for group in independent(own)]
        reasons = Counter[str](
            game.record["forfeit"] for game in own if game.record["conceded"] == game.task.seats.index(index) + 1
        )
        rating = {name: round(value, 1) for name, value in rated[index]._asdict().items()}
        rows.append(
            {
                "player": labels[index],
                "command": command,
                "rating": rating,
                "seats": [_tally(played, index, seat) for seat in (0, 1)],
                "skill": skill(grades, plan.seed),
                "grade": _total(grades)._asdict(),
                "reasons": dict(reasons),
            }
        )
    pairs = [
        {
            "players": [labels[index] for index in pair],
            "seats": [_tally([game for game in played if game.task.pair == pair], pair[0], seat) for seat in (0, 1)],
            "score": {name: round(value, 4) for name, value in score(results[pair], plan.seed)._asdict().items()},
        }
        for pair in plan.pairs
    ]
    return {
        "version": VERSION,
        "game": plan.game,
        "options": plan.options,
        "start": plan.start,
        "seed": plan.seed,
        "games": len(played),
        "different": len({game.course for game in played}),
        "starts": len({game.start for game in played}),
        "players": sorted(rows, key=lambda row: -row["rating"]["value"]),
        "pairs": pairs,
    }


def _grade(games: Iterable[PlayedGame], index: int) -> Grade:
    """The total grade of a player in some of its games."""
    return _total(game.grades[game.task.seats.index(index)] for game in games)


def _total(grades: Iterable[Grade]) -> Grade:
    total = functools.reduce(Grade.plus, grades, Grade())
    return total._replace(chance=round(total.chance, 4))


def _points(game: PlayedGame, index: int) -> float:
    winner = game.record["outcome"]["winner"]
    return 0.5 if winner is None else float(game.task.seats[winner - 1] == index)


def _tally(played: Iterable[PlayedGame], index: int, seat: int) -> dict[str, int]:
    """The results of a player in one seat."""
    points = [_points(game, index) for game in played if game.task.seats[seat] == index]
    return {"wins": points.count(1), "draws": points.count(0.5), "losses": points.count(0)}
