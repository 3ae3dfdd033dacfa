"""Reports as sentences and as tables of text."""

from __future__ import annotations

from collections.abc import Sequence

from digitduels.lab.measures import Outline, Report
from digitduels.rule_sets import label
from digitduels.sentence import Count, Line, player_name
from digitduels.text import percent

FAIRNESS = (
    (0.9, "Both seats are about equally good."),
    (0.7, "{player} has an advantage."),
    (0.4, "{player} has a big advantage."),
    (-1.0, "{player} nearly always wins."),
)

GAUGES = ("fair", "deep")
MEANINGS = {
    "fair": "1 if equal players score alike in both seats, 0 if one seat wins everything: the mean over levels 3 to 6.",
    "deep": "The mean of the six steps from level 1 to level 7: 0 at 50 % against the level below, 1 from 75 % on.",
    **dict.fromkeys(
        (f"wobble of {name}" for name in GAUGES),
        "How far it moves when all levels look a fifth less or a fifth further.",
    ),
    "plies of a game": "How many moves a game between two players of level 4 lasts, on average.",
    "critical positions": "In such games: some move keeps the result and some move throws it away.",
    "only moves": "Critical positions in which a single move keeps the result.",
    "traps": "The most natural move throws the result away.",
    "swings in a game": "How often the result with best play changes.",
    "decided after": "How much of a game is over when the result changes for the last time.",
    "forced moves": "How often somebody has only one legal move in a game.",
    "longest forced win": "In plies, from any position.",
}
"""The meaning of the rows of a comparison. docs/lab.md defines them exactly."""


def outline_lines(outline: Outline) -> list[str]:
    """What is known of a rule set before it is measured, as lines of text."""
    return [
        label(outline.game),
        "",
        outcome(outline),
        first_moves(outline),
        f"With best play: {shown_line(outline)}.",
        f"{outline.reachable:,} positions can arise. The longest forced win takes {outline.longest} moves.",
        "",
    ]


def measure_lines(report: Report) -> list[str]:
    """What a report adds to its outline, as lines of text."""
    return [
        f"Fair {gauge(report.fair)}  {balance(report)}",
        f"Deep {gauge(report.deep)}  {ladder(report)}",
        "",
        "Between two players of level 4:",
        f"  A game lasts {report.length:.1f} moves. {spread(report)}",
        f"  {percent(report.critical)} of the positions are critical, {percent(report.only)} have an only move, "
        f"{percent(report.traps)} are traps.",
        f"  The result changes {report.swings:.1f} times, the last time after {percent(report.decided)} of the game.",
        f"  {report.forced:.1f} moves of a game are forced.",
        "",
        "Player 1 scores between equal levels: "
        + ", ".join(f"{level}: {percent(score)}" for level, score in report.seats.items()),
        "Each level scores against the one below: "
        + ", ".join(f"{level}: {percent(score)}" for level, score in report.steps.items()),
    ]


def wobble_line(report: Report) -> str:
    """How much the gauges depend on our levels, in a sentence; empty if that was not measured."""
    if report.wobble is None:
        return ""
    moves = " and ".join(f"{name} by at most {wobble:.2f}" for name, wobble in report.wobble.items())
    return f"If all levels look a fifth less or further, the gauges move: {moves}."


def outcome(report: Outline) -> str:
    """Who wins with best play, in a sentence."""
    if report.winner is None:
        return "With best play the game is a draw."
    return f"With best play {player_name(report.winner - 1)} wins after {Count(report.plies, 'move')}."


def first_moves(report: Outline) -> str:
    """How many first moves win, in a sentence."""
    return winning_moves(report.first_moves_winning, report.first_moves)


def winning_moves(winning: int, moves: int) -> str:
    """How many of the first moves win, in a sentence."""
    if winning == 0:
        return f"None of the {Count(moves, 'first move')} wins."
    return f"{winning} of {Count(moves, 'first move')} {'wins' if winning == 1 else 'win'}."


def shown_line(report: Outline) -> str:
    """A perfect game, as people write moves."""
    return str(Line(map(report.game.read, report.line), 0))


def balance(report: Report) -> str:
    """How even the seats are, in a sentence."""
    lowest, highest = min(report.seats.values()), max(report.seats.values())
    if lowest < 0.5 < highest and report.fair < FAIRNESS[0][0]:
        return f"The better seat depends on the level: Player 1 scores {percent(lowest)} to {percent(highest)}."
    mean = sum(report.seats.values()) / len(report.seats)
    words = next(words for least, words in FAIRNESS if report.fair >= least)
    favoured = player_name(0 if mean > 0.5 else 1)
    return f"{words.format(player=favoured)} Player 1 scores {percent(mean)} between equal levels."


def ladder(report: Report) -> str:
    """How clearly each level beats the one below, in a sentence."""
    scores = report.steps.values()
    return (
        f"A level scores {percent(sum(scores) / len(scores))} against the one below, on average over six steps, "
        f"and {percent(min(scores))} in the weakest step."
    )


def spread(report: Report) -> str:
    """The distribution of the lengths of games, in a sentence."""
    if report.lengths is None:
        return ""
    shares = report.lengths.shares
    usual = [plies for plies, share in shares.items() if share >= 0.05]
    about = "about " if report.lengths.margins is not None else ""
    likeliest = max(shares, key=lambda plies: shares[plies])
    between = f"Most last {min(usual)} to {max(usual)}; " if len(usual) > 1 else ""
    text = f"{between}{about}{percent(shares[likeliest])} last {likeliest}."
    return text[0].upper() + text[1:]


def gauge(share: float) -> str:
    """A share from 0 to 1 as a bar with a number."""
    full = round(share * 10)
    return f"[{'#' * full}{'.' * (10 - full)}] {share:.2f}"


def comparison(reports: Sequence[Report]) -> list[list[str]]:
    """Reports side by side, one row per measure."""
    rows = [["", *(label(report.game) for report in reports)]]

    def add(name: str, *cells: str) -> None:
        rows.append([name, *cells])

    winners = ["draw" if report.winner is None else player_name(report.winner - 1) for report in reports]
    add("wins with best play", *winners)
    add("in plies", *(str(report.plies) for report in reports))
    add("winning first moves", *(f"{report.first_moves_winning} of {report.first_moves}" for report in reports))
    add("fair", *(f"{report.fair:.2f}" for report in reports))
    add("deep", *(f"{report.deep:.2f}" for report in reports))
    for name in GAUGES:
        add(
            f"wobble of {name}", *("–" if report.wobble is None else f"{report.wobble[name]:.2f}" for report in reports)
        )
    add("plies of a game", *(f"{report.length:.1f}" for report in reports))
    add("critical positions", *(percent(report.critical) for report in reports))
    add("only moves", *(percent(report.only) for report in reports))
    add("traps", *(percent(report.traps) for report in reports))
    add("swings in a game", *(f"{report.swings:.1f}" for report in reports))
    add("decided after", *(percent(report.decided) for report in reports))
    add("forced moves", *(f"{report.forced:.1f}" for report in reports))
    add("longest forced win", *(str(report.longest) for report in reports))
    add("positions that can arise", *(f"{report.reachable:,}" for report in reports))
    for level in reports[0].seats:
        add(f"Player 1, level {level} against {level}", *(percent(report.seats[level]) for report in reports))
    for level in reports[0].steps:
        add(f"level {level} against {level - 1}", *(percent(report.steps[level]) for report in reports))
    return rows
