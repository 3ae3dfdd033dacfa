"""The linter: what is wrong with a rule set, each finding with a line of play that shows it.

A finding is a theorem about the solved game, or says that it is a measurement with our levels. Nothing here knows a
particular game: the rules, the options, the moves and the endings are asked from the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from digitduels.core import TooLarge, winning_score
from digitduels.games import AnyGame, game
from digitduels.lab.census import (
    BOTH_PAST,
    DECIDED,
    EMPTY,
    EQUAL_SCORES,
    FORBIDDEN,
    GOAL,
    PAST,
    RESULTS,
    STUCK,
    Broken,
    Census,
    Line,
    explore,
    plain,
)
from digitduels.lab.measures import Report, measure
from digitduels.lab.prose import winning_moves
from digitduels.options import Choice, around
from digitduels.sentence import Count, player_name, signs
from digitduels.sentence import Line as Moves
from digitduels.solver import solve
from digitduels.solver.arrays import split
from digitduels.solver.solution import Progress, Solution
from digitduels.solver.tables import Tables
from digitduels.text import percent

LINT_VERSION = 2
"""Increased when findings change, so that stored ones of another version are not used."""
SEVERITIES = ("note", "warning", "error")  # the worst last
QUICK = 5  # plies of a forced win that is a warning
UNFAIR = 0.7  # what one seat scores between equals
NEAREST = 40  # rule sets to try in search of one without a finding
SMALL = 5_000_000  # the maximum number of positions of such a rule set


@dataclass(frozen=True)
class Finding:
    """Something that a designer should know about a rule set."""

    code: str
    severity: str
    text: str
    line: tuple[str, ...] = ()
    """Moves, as tokens, that show it."""
    shown: str = ""
    """The same moves, as people write them."""
    measured: bool = False
    """Whether it depends on how our levels play. Everything else is a theorem about the solved game."""
    remedy: dict[str, Any] | None = None
    """The options to change for the nearest rule set without this finding, if one is known."""

    def to_dict(self) -> dict[str, Any]:
        """The finding as JSON values."""
        return {**vars(self), "line": list(self.line)}


def finding_from(values: dict[str, Any]) -> Finding:
    """Deserializes a finding from the JSON values of `Finding.to_dict`."""
    return Finding(**{**values, "line": tuple(values["line"])})


def _finding(code: str, severity: str, text: str, line: Line = (), measured: bool = False) -> Finding:
    return Finding(code, severity, text, tuple(map(str, line)), str(Moves(list(line), 0)) if line else "", measured)


# Findings


def lint(
    rules: AnyGame,
    *,
    solution: Solution | None = None,
    options: bool = True,
    limit: int | None = None,
    progress: Progress | None = None,
) -> list[Finding]:
    """What a designer should know about a rule set, the worst first. Needs no levels.

    `options` includes options that change nothing, for which the other values are solved as well.
    """
    try:
        if solution is None:
            solution = solve(rules, cache=False, limit=limit, progress=progress)
        # The census of a game without a table raises Broken before anything is solved.
        findings = [*_theorems(solution, census(solution, progress))]
        if options:
            findings += _idle_options(solution)
    except Broken as broken:
        return [_broken(rules, broken)]
    return ranked(findings)


def ranked(findings: Iterable[Finding]) -> list[Finding]:
    """Findings, the worst first."""
    return sorted(findings, key=lambda finding: -SEVERITIES.index(finding.severity))


def census(solution: Solution, progress: Progress | None = None) -> Census:
    """The census of a solved game."""
    if not isinstance(solution, Tables):
        return plain(solution)
    from digitduels.lab.census_kernels import census_of_table  # compiles kernels

    return census_of_table(solution, progress)


def _broken(rules: AnyGame, broken: Broken) -> Finding:
    texts = {
        "stuck": "There is a position that is not over and allows no move.",
        "endless": f"A game can last longer than {rules.longest} moves, the most that the rules promise.",
    }
    return _finding(broken.code, "error", texts[broken.code], broken.line)


def _theorems(solution: Solution, facts: Census) -> Iterator[Finding]:
    rules, value, events = solution.game, solution.start.value, facts.examples
    line = tuple(solution.line(rules.start()))
    goal, board = winning_score(rules), rules.board(rules.start())
    losing = [seat for seat in (0, 1) if RESULTS[seat] not in events]
    if len(losing) == 2:
        yield _finding("always-drawn", "warning", "Every game ends in a draw.", line)
        losing = []
    elif value == 0:
        yield _finding("drawn", "note", "With best play the game is a draw.", line)
    else:
        yield _decided(solution, line)
    for seat in losing:
        yield _finding("no-chance", "warning", f"{player_name(seat)} can never win.", line)
    if 2 * facts.free <= facts.length:
        text = f"After {Count(facts.free, 'move')} everything is forced, in games of up to {facts.length} moves."
        yield _finding("forced", "warning", text if facts.free else "There is never a choice.", line)
    if goal is not None and GOAL not in events:
        yield _finding("target-unreachable", "warning", f"Nobody can ever reach exactly {goal}.", line)
    tied = [index for index, tie in enumerate(EQUAL_SCORES) if tie in events]
    if len(tied) == 1 and tied[0] < 2 and DECIDED[1 - tied[0]] in events:  # else scores do not matter at the end
        text = f"Equal scores at the end always mean that {player_name(tied[0])} wins: that rule favours one seat."
        yield _finding("one-sided-tie", "warning", text, events[EQUAL_SCORES[tied[0]]])
    if not tied and set(DECIDED) & set(events):
        example = events[EMPTY if EMPTY in events else STUCK]
        yield _finding("no-tie", "note", "Scores are never equal when no move is left.", example)
    yield from _moves(rules, facts)
    if goal is not None and PAST not in events:
        yield _finding("never-past", "note", f"No game ends with a score above {goal}.", line)
    elif goal is not None and BOTH_PAST not in events and board.table.score is None:
        yield _finding(
            "never-both-past", "note", f"Both players are never above {goal} in the same game.", events[PAST]
        )
    if not any(part.stocks for part in (board.table, *board.hands)):
        if EMPTY not in events:
            yield _finding("never-stuck", "note", "Nobody is ever without a legal move.", line)
    elif STUCK not in events:
        yield _finding(
            "never-stuck", "note", "Nobody is ever without a legal move while something is left to use.", line
        )
    elif EMPTY not in events:
        yield _finding("left-over", "note", "When no move is left, something is always left over.", events[STUCK])
    if len(rules.move_fields) > 1 and FORBIDDEN not in events:
        text = "The last choice of a move is never limited: after any legal choice before it, each one is legal."
        yield _finding("nothing-forbidden", "note", text, line)
    if facts.critical and 2 * facts.traps > facts.critical:
        text = (
            f"The most natural move throws the result away in {percent(facts.traps / facts.critical)} of the positions "
            "in which a move can."
        )
        yield _finding("tempting", "warning", text, measured=True)


def _decided(solution: Solution, line: Line) -> Finding:
    """Who wins by force, how soon, with how many first moves, and how few moves of the loser delay it."""
    rules, (value, plies) = solution.game, solution.start
    winner, judgement = (0 if value > 0 else 1), solution.judge(rules.start())
    text, moves = f"{player_name(winner)} wins by force within {Count(plies, 'move')}.", "first moves"
    if winner == 0:
        winning = sum(verdict.value > 0 for verdict in judgement.values())
        text += f" {winning_moves(winning, len(judgement))}"
        judgement = solution.judge(rules.after(rules.start(), line[0]))
        moves = f"replies to {_word(line[0])}"
    if len(judgement) > 1:
        delaying = len(judgement.best_moves)
        text += f" {delaying} of {len(judgement)} {moves} {'holds' if delaying == 1 else 'hold'} out that long."
    return _finding("decided", "warning", text, line) if plies <= QUICK else _finding("winner", "note", text, line)


def _moves(rules: AnyGame, facts: Census) -> Iterator[Finding]:
    """Moves that are never legal, and moves that are legal but never best."""
    never = [move for move in rules.moves if not facts.legal[move]]
    idle = [move for move in rules.moves if facts.legal[move] and not facts.best[move]]
    if never:
        yield _finding("never-legal", "note", f"Never legal: {_listed(map(_word, never))}.")
    if idle:
        text = f"Never a best move: {_listed(map(_word, idle))}."
        if worthless := _worthless(rules, facts):
            text += f" No move with {_listed(worthless)} is ever best."
        yield _finding("never-best", "warning", text, facts.shown[idle[0]])


def _worthless(rules: AnyGame, facts: Census) -> list[str]:
    """The choices, such as a number, that occur in legal moves but in no best move, whichever choice of it they are."""
    if len(rules.move_fields) == 1:
        return []
    legal, best = (
        dict.fromkeys(value for choices in zip(*filter(counts.get, rules.moves), strict=True) for value in choices)
        for counts in (facts.legal, facts.best)
    )
    return [signs(str(value)) for value in legal if value not in best]


def _word(move: Any) -> str:
    return signs(str(move))


def _listed(words: Iterable[str]) -> str:
    first, rest = (words := list(words))[:8], len(words) - 8
    return ", ".join(first) + (f" and {rest} more" if rest > 0 else "")


def _idle_options(solution: Solution) -> Iterator[Finding]:
    """Choices that change nothing, whatever is chosen."""
    rules = solution.game
    for option in rules.options():
        if isinstance(option.kind, Choice):
            words = [word for word in option.kind.words if word != rules.values[option.name]]
            with suppress(TooLarge):
                if all(_same(solution, game(rules.id, **{**rules.values, option.name: word})) for word in words):
                    text = f"The option {option.name} never matters: with every other value all results are the same."
                    yield _finding("option-idle", "warning", text, tuple(solution.line(rules.start())))


def _same(solution: Solution, other: AnyGame) -> bool:
    """Whether a game has the same positions with the same results as a solved one."""
    changed = solve(other, cache=False)
    if isinstance(solution, Tables) and isinstance(changed, Tables):
        one, two = solution.compiled, changed.compiled
        if one.hands != two.hands or one.tables != two.tables:
            return False
        reached, again = (each.reached([each.index(each.game.start())]) for each in (solution, changed))
        if not np.array_equal(reached, again):
            return False
        (values, plies), (others, lengths) = (_results(each, reached) for each in (solution, changed))
        return np.array_equal(values, others) and np.array_equal(plies, lengths)
    states = explore(solution.game)
    return states == explore(other) and all(solution.probe(state) == changed.probe(state) for state in states)


def _results(solution: Tables, reached: Any) -> tuple[Any, Any]:
    """The values and distances of the reached positions."""
    index = np.flatnonzero(reached)
    return solution.probe_many(*split(solution.compiled, index))


# Measurements


def measured(report: Report) -> list[Finding]:
    """What the measures of a rule set say that a designer should know."""
    mean = sum(report.seats.values()) / len(report.seats)
    favoured, score = (0, mean) if mean > 0.5 else (1, 1 - mean)
    if score <= UNFAIR:
        return []
    text = f"{player_name(favoured)} scores {percent(score)} between equal players, on average over levels 3 to 6."
    return [_finding("unfair", "warning", text, measured=True)]


# Remedies


def with_remedies(
    rules: AnyGame,
    findings: list[Finding],
    *,
    tries: int = NEAREST,
    small: int = SMALL,
    progress: Progress | None = None,
) -> list[Finding]:
    """The findings, each warning with the nearest rule set that removes it, among small ones near these rules.

    One option changes, by as little as possible.
    """
    missing = {finding.code for finding in findings if finding.severity == "warning"}
    remedies: dict[str, dict[str, Any]] = {}
    tried = 0
    for changes in _nearby(rules):
        if tried == tries or not missing:
            break
        with suppress(ValueError):  # invalid, or too large
            variant = game(rules.id, **{**rules.values, **changes})
            solution = solve(variant, cache=False, positions=small)
            tried += 1
            others = lint(variant, solution=solution, options="option-idle" in missing)
            if "unfair" in missing:
                others += measured(measure(variant, lengths=False, wobble=False, solution=solution))
            removed = missing - {finding.code for finding in others}
            remedies |= dict.fromkeys(removed, changes)
            missing -= removed
        if progress is not None:
            progress("looking for remedies", tried / tries)
    return [replace(finding, remedy=remedies.get(finding.code)) for finding in findings]


def _nearby(rules: AnyGame) -> list[dict[str, Any]]:
    """Rule sets in which one option differs, those with the smallest differences first."""
    changes = [
        (_distance(rules.values[option.name], value), {option.name: value})
        for option in rules.options()
        for value in around(option, getattr(rules, option.field))
        if value != getattr(rules, option.field)
    ]
    return [change for _, change in sorted(changes, key=lambda pair: pair[0])]


def _distance(value: Any, other: Any) -> float:
    """How far two values of an option are apart, as a share of the value."""
    return abs(other - value) / max(1, value) if isinstance(value, int) else 0.1
