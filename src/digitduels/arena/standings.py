"""The results of a tournament: results by seat, ratings, grades."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from digitduels.arena.grading import Grade
from digitduels.arena.ratings import Bout, ratings, score
from digitduels.arena.tournament import PlayedGame, TournamentPlan, names

VERSION = 1


def bouts(played: Iterable[PlayedGame]) -> dict[tuple[int, int], list[Bout]]:
    """The points of the first player of each pair, for each start that both played from both seats."""
    points: dict[tuple[int, int], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for game in played:
        points[game.task.pair][game.task.number // 2].append(_points(game, game.task.pair[0]))
    return {pair: [(sum(each), len(each)) for each in starts.values()] for pair, starts in points.items()}


def standings(plan: TournamentPlan, played: Sequence[PlayedGame]) -> dict[str, Any]:
    """All results as JSON values, the best player first. Players are numbered from 1."""
    results = bouts(played)
    labels = names(plan.players)
    rated = ratings(results, len(plan.players), plan.seed)
    rows = []
    for place, command in enumerate(plan.players):
        total, reasons = Grade(), Counter[str]()
        for game in played:
            for seat, who in enumerate(game.task.seats):
                if who == place:
                    total = total.plus(game.grades[seat])
                    if game.record["conceded"] == seat + 1:
                        reasons[game.record["forfeit"]] += 1
        rating = {name: round(value, 1) for name, value in rated[place]._asdict().items()}
        rows.append(
            {
                "player": labels[place],
                "command": command,
                "rating": rating,
                "seats": [_tally(played, place, seat) for seat in (0, 1)],
                "grade": total._asdict(),
                "reasons": dict(reasons),
            }
        )
    pairs = [
        {
            "players": [labels[place] for place in pair],
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
        "players": sorted(rows, key=lambda row: -row["rating"]["value"]),
        "pairs": pairs,
    }


def _points(game: PlayedGame, place: int) -> float:
    winner = game.record["outcome"]["winner"]
    return 0.5 if winner is None else float(game.task.seats[winner - 1] == place)


def _tally(played: Iterable[PlayedGame], place: int, seat: int) -> dict[str, int]:
    """The results of a player in one seat."""
    points = [_points(game, place) for game in played if game.task.seats[seat] == place]
    return {"wins": points.count(1), "draws": points.count(0.5), "losses": points.count(0)}
