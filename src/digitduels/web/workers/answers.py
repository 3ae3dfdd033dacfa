"""The questions about a game, each a function of a match and of a function that solves games.

They run in worker processes. Sentences go out as the page gets them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from digitduels.core import State, TooLarge
from digitduels.games import AnyGame
from digitduels.manual import card
from digitduels.match import Match
from digitduels.players import player
from digitduels.sentence import Names, Played, tell
from digitduels.solver import Solution
from digitduels.solver.search import Search
from digitduels.solver.solution import Truth
from digitduels.solver.verdict import Judgement, Verdict
from digitduels.study import puzzle_sheet, puzzles, serialization
from digitduels.study.decisions import Decision, decisions
from digitduels.study.fair_starts import fair_start
from digitduels.study.foresight import NEVER, PLIES, near_hint
from digitduels.study.hints import hint_in, refutation, warning
from digitduels.study.puzzles import NONE, TIERS, Puzzle, find, order
from digitduels.study.reasons import reason
from digitduels.study.review import review
from digitduels.study.score_map import cells
from digitduels.study.theory import theory
from digitduels.study.wording import standing, worth
from digitduels.web import link
from digitduels.web.wire import Wire, wire, wires

WIDEST = 250  # scores of a map
LAB_POSITIONS = 2_000_000  # of a game that is measured while somebody waits
STRIP = 15  # steps to each side of a strip
STRIP_POSITIONS = 20_000_000
STRIP_SECONDS = 1.2
LETTERS = {1: "w", 0: "d", -1: "l"}

SEARCHES = 4  # games of which a worker remembers what it has looked at
VARIANT_POSITIONS = 10_000  # that a look ahead in a variant may take


class TooLargeHere(TooLarge):
    """A game that is too large for this question; the text is for the visitor."""


Solve = Callable[[AnyGame], Solution]


class Lookahead:
    """Near results by a search, and by the solution what a search does not find in time."""

    def __init__(self, game: AnyGame, solve: Solve) -> None:
        self.game, self._solve = game, solve
        self.search = Search(game, VARIANT_POSITIONS) if game.changes else Search(game)
        self._too_large = False

    def within(self, state: State[Any, Any], plies: int) -> dict[Any, Verdict | None]:
        verdicts = self.search.within(state, plies)
        if self.search.exhausted and not self._too_large:
            try:
                return self._solve(self.game).within(state, plies)
            except (TooLarge, MemoryError):
                self._too_large = True
        return verdicts


lookahead_of = lru_cache(SEARCHES)(Lookahead)


def warm(match: Match, solve: Solve) -> None:
    """Nothing but the solution, so that it is there when it is needed."""
    solve(match.game)


def start(match: Match, solve: Solve, seed: str) -> list[str]:
    """The opening of a fair start."""
    return [str(move) for move in fair_start(solve(match.game), seed)]


def reply(match: Match, solve: Solve, who: str, seed: str, searching: bool = False) -> str:
    """The move of a computer player. A level needs no solution: with `searching` it only looks ahead."""
    truth: Truth | None = None
    if searching or match.game.changes:
        lookahead = lookahead_of(match.game, solve)
        truth = lookahead.search if searching else lookahead
    with player(who, match.game, solve, seed=seed, truth=truth) as opponent:
        return str(opponent.choose(match))


def position(match: Match, solve: Solve) -> dict[str, Any]:
    """The value of a position and of every move in it."""
    player, outcome = match.state.player, match.outcome
    if outcome is not None:
        nothing: Judgement[Any] = Judgement((), lambda _: None)
        return serialization.solved(match, nothing) | {"standing": wires([outcome.reason], match.names)}
    judgement = solve(match.game).judge(match.state)
    answer = serialization.solved(match, judgement)
    for entry, (move, verdict) in zip(answer["each"], judgement.items(), strict=True):
        entry["shown"] = Played(move, player).to(match.names)
        entry["words"] = wire(worth(player, verdict), match.names)
    return answer | {"standing": wires(standing(player, judgement.best), match.names)}


def hints(match: Match, solve: Solve, step: int, takebacks: bool = True, searching: bool = False) -> list[Wire]:
    """The lines of a hint. With `searching` they tell what is near, and that the rest is not known."""
    if not searching:
        return wires(hint_in(match, solve(match.game), step, takebacks), match.names)
    near = lookahead_of(match.game, solve).search.within(match.state, PLIES)
    return wires(near_hint(match.game, match.state, near, step, NEVER), match.names)


def judged_move(match: Match, solve: Solve, move: str) -> dict[str, Any]:
    """What a move is worth and why, and the warning of a coach, if there is one."""
    state, solution = match.state, solve(match.game)
    chosen = match.game.read(move, state)
    verdict, warned = solution.judge(state)[chosen], warning(state, chosen, solution)
    why = refutation(state, chosen, solution) if warned else reason(state, chosen, solution).sentence
    return {
        "keeps": warned is None,
        "warning": None if warned is None else wire(warned, match.names),
        **serialization.judged(verdict),
        "words": wire(worth(state.player, verdict), match.names),
        "why": wire(why, match.names),
        "line": _line(match, state, chosen, solution),
    }


def game_review(match: Match, solve: Solve) -> dict[str, Any]:
    """The review of a game."""
    solution = solve(match.game)
    result, names = review(match, solution), match.names
    answer = serialization.reviewed(match, result)
    for entry, decision in zip(answer["turns"], result.decisions, strict=True):
        entry |= _decision(match, decision, solution)
        graded = result.defences.get(decision.ply)
        entry["reason"] = _perhaps(result.reasons.get(decision.ply), names)
        entry["defended"] = _perhaps(graded and graded.sentence, names)
    return answer | {
        "sentence": wire(result.sentence, names),
        "answer": _perhaps(result.answer, names),
        "resistance": _perhaps(result.resistance, names),
        "story": wire(result.story, names),
        "lines": wires(result.lines(), names),
        "ribbon": result.ribbon,
        "players": list(match.players),
        "asked": [list(question) for question in match.asked],
        "link": link.written(match),
    }


def graded(match: Match, solve: Solve) -> list[dict[str, Any]]:
    """How both players of a game chose: critical moves, how many they found, and how many a random mover would find.

    Also what they missed, each with a link to a review in which they can try the moment again, and in words for paper;
    and all critical positions that they met, each with a large board for the class.
    """
    solution, page = solve(match.game), f"/review/{match.game.id}?{link.written(match)}"
    grades: list[dict[str, Any]] = [
        {"critical": 0, "found": 0, "chance": 0.0, "misses": [], "met": []} for _ in range(2)
    ]
    for decision in decisions(match, solution):
        if not decision.critical:
            continue
        grade = grades[decision.player]
        grade["critical"] += 1
        grade["found"] += decision.found
        grade["chance"] += decision.chance
        grade["met"].append(_position(match, decision))
        if decision.swing and decision.move is not None:
            grade["misses"].append(_moment(match, decision) | {"path": f"{page}&at={decision.ply}"})
    return grades


def _position(match: Match, decision: Decision) -> dict[str, Any]:
    """A critical position for the whole class, without names."""
    game, state = match.game, match.states[decision.ply]
    board = link.written(Match(game, position=state))
    return {
        "found": decision.found,
        "path": f"/teach?show=board&game={game.id}&{board}",
        "position": [line for line in game.view(state) if line],
        "quest": str(decision.quest),
    }


def _moment(match: Match, decision: Decision) -> dict[str, Any]:
    """A miss in words, for the player whose miss it was."""
    seat = decision.player
    said = [*match.game.view(match.states[decision.ply]), decision.deed, decision.quest]
    *position, deed, quest = (tell(line, match.names, seat) for line in said if line)
    return {
        "move": decision.ply - match.opening + 1,
        "distance": decision.before.distance,
        "position": position,
        "deed": deed,
        "quest": quest,
    }


def _decision(match: Match, decision: Decision, solution: Solution) -> dict[str, Any]:
    """A turn of a review in words: what was done and, if it changed the result, what it changed."""
    move, names = decision.move, match.names
    words: dict[str, Any] = {
        "shown": wire(decision.deed if move is None else Played(move, decision.player), names),
    }
    if decision.swing:
        words |= {
            "lesson": wire(decision.lesson, names),
            "answer": _perhaps(decision.answer, names),
            "quest": wire(decision.quest, names),
        }
        state = match.states[decision.ply]
        words["line"] = None if move is None else _line(match, state, move, solution)
        # Who concedes out of turn had no move to choose.
        words["better"] = _line(match, state, decision.best[0], solution) if decision.best else None
    return words


def _line(match: Match, state: State[Any, Any], move: Any, solution: Solution) -> list[dict[str, Any]]:
    """A move and the best play that follows, step by step."""
    line = []
    for played in (move, *solution.line(match.game.after(state, move))):
        shown = wire(Played(played, state.player), match.names)
        line.append({"move": str(played), "player": state.player + 1, "shown": shown})
        state = match.game.after(state, played)
    return line


def _perhaps(sentence: str | None, names: Names) -> Wire | None:
    return None if sentence is None else wire(sentence, names)


def scores(match: Match, solve: Solve) -> dict[str, Any] | None:
    """Who wins at which scores: a row for each score of the player who waits, a letter for each of the mover's."""
    state = match.state
    if match.game.outcome(state) is not None:
        return None
    found = cells(solve(match.game), state)
    every = {*found, *(score for row in found.values() for score in row)}
    if not every or not 0 < max(every) - min(every) < WIDEST:
        return None
    low, high = min(every), max(every)
    hands = match.game.board(state).hands
    span = range(low, high + 1)
    rows = ["".join(LETTERS.get(found.get(theirs, {}).get(mine, 9), ".") for mine in span) for theirs in span]
    return {
        "low": low,
        "high": high,
        "rows": rows,
        "mine": hands[state.player].score,
        "theirs": hands[1 - state.player].score,
    }


def puzzle(match: Match, solve: Solve, tier: int | None, seed: str, everywhere: bool) -> dict[str, Any]:
    """A puzzle of this game, or of the first game that has one."""
    found, solution = _puzzles(match, solve, tier, seed, 1, everywhere)
    return _puzzle(found[0], solution)


def sheet(match: Match, solve: Solve, tier: int | None, seed: str, count: int) -> dict[str, Any]:
    """Puzzles to print from easy to hard, with their answers and what a number line shows."""
    found, solution = _puzzles(match, solve, tier, seed, count, False)
    found.sort(key=lambda each: (each.tier, len(solution.judge(each.match.state))))
    items = puzzle_sheet.items(found, solution)
    rules = [" ".join(paragraph.split()) for paragraph in card(solution.game)[1].split("\n\n")]
    return {
        "title": puzzle_sheet.title(solution, seed),
        "about": [*puzzle_sheet.about(solution), *rules],
        "goal": solution.game.goal,
        "puzzles": [
            _puzzle(each, solution) | item._asdict() | {"scores": solution.game.board(each.match.state).scores}
            for each, item in zip(found, items, strict=True)
        ],
    }


def _puzzles(
    match: Match, solve: Solve, tier: int | None, seed: str, count: int, everywhere: bool
) -> tuple[list[Puzzle], Solution]:
    games = (link.book(name) for name in order(seed)) if everywhere else [match.game]
    found = find(map(solve, games), tier, seed, count)
    if found is None:
        raise ValueError(NONE)
    return found


def _puzzle(found: Puzzle, solution: Solution) -> dict[str, Any]:
    return {
        "game": solution.game.id,
        "title": solution.game.title,
        "tier": found.tier,
        "tiers": {str(tier): about for tier, about in TIERS.items()},
        "question": wire(found.question(solution), found.match.names),
        "link": link.written(found.match),
    }


def attempt(match: Match, solve: Solve, move: str, tier: int) -> dict[str, Any]:
    """What happens when somebody tries a move in a puzzle."""
    tried = puzzles.attempt(match, match.game.read(move, match.state), solve(match.game), tier)
    return {
        "kind": tried.kind,
        "sentences": wires(tried.sentences, match.names),
        "moves": [str(played) for played in tried.moves],
    }


def theory_lines(match: Match, solve: Solve) -> list[Wire]:
    """What is known about the whole game."""
    return wires(theory(solve(match.game), match.first), match.names)


def lab_report(match: Match, solve: Solve) -> dict[str, Any]:
    """What a rule set is worth, in words and numbers."""
    from digitduels.lab import prose
    from digitduels.lab.measures import measure
    from digitduels.lab.rule_sets import label
    from digitduels.lab.sizes import fits, refusal
    from digitduels.lab.stored_reports import stored_report

    report = stored_report(match.game)
    if report is None:
        if not fits(match.game, LAB_POSITIONS):
            raise TooLargeHere(refusal(match.game, LAB_POSITIONS))
        report = measure(match.game, lengths=False, solution=solve(match.game))
    _, *rows = prose.comparison([report])
    return {
        "label": label(match.game),
        "outcome": prose.outcome(report),
        "first_moves": prose.first_moves(report),
        "fair": report.fair,
        "deep": report.deep,
        "balance": prose.balance(report),
        "ladder": prose.ladder(report),
        "rows": [{"name": name, "value": value, "about": prose.MEANINGS.get(name, "")} for name, value in rows],
    }


def lab_strip(match: Match, _: Solve) -> dict[str, Any] | None:
    """Who wins with other values of the first option."""
    from digitduels.lab.strip import stepped, winners

    game = match.game
    option = stepped(game)
    if option is None:
        return None
    here = game.values[option.name]
    low, high = max(option.kind.low, here - STRIP), min(option.kind.high, here + STRIP)  # type: ignore[union-attr]
    # The nearest first, so that these are known if there is no time for all.
    values = sorted(range(low, high + 1), key=lambda value: abs(value - here))
    found = winners(game, option, values, limit=STRIP_POSITIONS, seconds=STRIP_SECONDS)
    cells = [{"value": value, "winner": winner} for value, winner in sorted(found)]
    return {"about": option.about, "here": here, "cells": cells}


ANSWERS: dict[str, Callable[..., Any]] = {
    answer.__name__: answer
    for answer in (
        warm,
        start,
        reply,
        position,
        hints,
        judged_move,
        game_review,
        graded,
        scores,
        puzzle,
        sheet,
        attempt,
        theory_lines,
        lab_report,
        lab_strip,
    )
}
