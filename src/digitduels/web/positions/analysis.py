"""Answers that need the solution of a game or a search. On a server, worker processes compute them.

Each function takes a match and a function that solves games.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import Any

from digitduels.core import MoveError, State, TooLarge, winning_score
from digitduels.games import AnyGame
from digitduels.manual import card
from digitduels.match import Match
from digitduels.options import first_integer
from digitduels.players import PERFECT_PLAYERS, player
from digitduels.record import RecordError
from digitduels.sentence import Names, Played, tell
from digitduels.solver import Solution, UnknownPosition
from digitduels.solver.search import Search
from digitduels.solver.solution_cache import SolutionCache
from digitduels.solver.verdict import Judgement, Verdict
from digitduels.study import puzzle_sheet, puzzles, serialization
from digitduels.study.coach import warning
from digitduels.study.decisions import Decision, decisions
from digitduels.study.fair_starts import fair_start
from digitduels.study.foresight import NEVER, Foresight
from digitduels.study.hints import hint_in, refutation
from digitduels.study.puzzles import NONE, TIERS, Puzzle, find, order
from digitduels.study.reasons import reason
from digitduels.study.review import Review, review
from digitduels.study.score_map import cells
from digitduels.study.theory import theory
from digitduels.study.wording import standing, worth
from digitduels.web.positions import answers, link
from digitduels.web.positions.wire import wire, wires
from digitduels.web.refusal import Refusal

WIDEST = 250  # scores on a map
BOOK = "the rules of the book"
REMEDIES, REMEDY_POSITIONS = 8, 100_000  # rule sets to try in search of one without a finding, and their size
LAB_POSITIONS = 2_000_000  # the largest game that is measured while a visitor waits
STRIP = 15  # values on each side of the current one
# What the strip of a book may take, and that of a variant, whose worker has less memory and time.
STRIP_BYTES, VARIANT_STRIP_BYTES = 400_000_000, 20_000_000
STRIP_SECONDS, VARIANT_STRIP_SECONDS = 25.0, 1.2
LETTERS = {1: "w", 0: "d", -1: "l"}

SEARCHES = 4  # games whose search a worker keeps in memory
VARIANT_POSITIONS = 10_000  # the limit of a search in a variant


class NoPuzzle(ValueError):
    """There is no puzzle of this kind."""


class TooLargeHere(TooLarge):
    """The game is too large for this question. The message is for the visitor."""


TOO_LARGE = "This game is too large to be worked out here. Choose smaller numbers."


def refusal_of(error: Exception) -> Refusal | None:
    """Returns what somebody is told whose question cannot be answered; None if the error is a bug."""
    match error:
        case TooLargeHere():
            return Refusal(413, str(error))
        case MemoryError() | TooLarge():
            return Refusal(413, TOO_LARGE)
        case UnknownPosition() | NoPuzzle() | RecordError() | MoveError():
            return Refusal(422, str(error))
    return None


Solve = Callable[[AnyGame], Solution]


@lru_cache(SEARCHES)
def search_of(game: AnyGame, quick: bool = False) -> Search:
    """Returns the search of a game, with the positions that it has visited. In a variant, it is always quick."""
    return Search(game, VARIANT_POSITIONS) if quick or game.changes else Search(game)


class Lookahead:
    """Finds near results with a quick search. When the search reaches its limit, uses the solution, if there is one."""

    def __init__(self, game: AnyGame, solution: Solution | None) -> None:
        self.game, self._solution = game, solution
        self.complete = True
        """Whether a solution would have given the same results."""

    def within(self, state: State[Any, Any], plies: int) -> dict[Any, Verdict | None]:
        search = search_of(self.game, quick=True)
        verdicts = search.within(state, plies)
        if search.exhausted and self._solution is not None:
            with suppress(UnknownPosition):  # the solution may lack a position that somebody set up
                return self._solution.within(state, plies)
        self.complete = not search.exhausted
        return verdicts


def warm(match: Match, solve: Solve) -> None:
    """Solves the game in advance, and answers nothing."""
    solve(match.game)


def start(match: Match, solve: Solve, seed: str) -> list[str]:
    """Returns the opening moves of a fair start."""
    return [str(move) for move in fair_start(solve(match.game), seed)]


def reply(match: Match, solve: Solve, who: str, seed: str, searching: bool = False) -> str:
    """Returns the move of a computer player. With `searching`, a level looks ahead without a solution."""
    with player(who, match.game, solve, seed=seed, truth=search_of(match.game) if searching else None) as opponent:
        return str(opponent.choose(match))


def unsolved_reply(match: Match, solutions: SolutionCache, who: str, seed: str) -> tuple[str | None, bool]:
    """Returns the move of a computer player, and whether it is final, without solving the game.

    A move that a solution might change is not final. Without a solution, perfect play has no move.
    """
    solution = solutions.known(match.game)
    if solution is None and who in PERFECT_PLAYERS:
        return None, False
    truth = Lookahead(match.game, solution)
    with player(who, match.game, solutions, seed=seed, truth=truth) as opponent:
        return str(opponent.choose(match)), truth.complete


def position(match: Match, solve: Solve) -> answers.Solved:
    """Returns the value of a position and of every legal move."""
    player, outcome = match.state.player, match.outcome
    no_moves: Judgement[Any] = Judgement((), lambda _: None)
    judgement = solve(match.game).judge(match.state) if outcome is None else no_moves
    lines = standing(player, judgement.best_verdict) if outcome is None else [outcome.reason]
    return {
        **serialization.solved_position(match, judgement),
        "each": [
            {
                "move": str(move),
                **serialization.judged(verdict),
                "shown": Played(move, player).to(match.names),
                "words": wire(worth(player, verdict), match.names),
            }
            for move, verdict in judgement.items()
        ],
        "standing": wires(lines, match.names),
    }


def hints(
    match: Match, solve: Solve, step: int, takebacks: bool = True, searching: bool = False
) -> list[answers.Sentence]:
    """Returns the lines of a hint. With `searching`, they cover near results and say that the rest is unknown."""
    source = Foresight(search_of(match.game), NEVER) if searching else solve(match.game)
    return wires(hint_in(match, source, step, takebacks), match.names)


def judged_move(match: Match, solve: Solve, move: str, played: str = "") -> answers.Judgement:
    """Returns what a move is worth and why, the coach's warning if there is one, and the verdict on a second try.

    `played` is the move that was played in the game.
    """
    from digitduels.study.second_try import second_try  # imports NumPy, which a server process does without

    state, solution = match.state, solve(match.game)
    chosen, before = match.game.read(move, state), match.game.read(played, state) if played else None
    verdict, caution = solution.judge(state)[chosen], warning(state, chosen, solution)
    why = refutation(state, chosen, solution) if caution else reason(state, chosen, solution).sentence
    tried = second_try(state, chosen, solution, before)
    return {
        "keeps": caution is None,
        "warning": _optional_wire(caution, match.names),
        **serialization.judged(verdict),
        "words": wire(worth(state.player, verdict), match.names),
        "why": wire(why, match.names),
        "kept": tried.kept,
        "tried": wire(tried.sentence, match.names),
        "line": _line(match, state, chosen, solution),
    }


def game_review(match: Match, solve: Solve) -> answers.Review:
    """Returns the review of a game."""
    solution = solve(match.game)
    result, names = review(match, solution), match.names
    return {
        **serialization.reviewed_game(match, result),
        "turns": [_review_turn(match, result, decision, solution) for decision in result.decisions],
        "sentence": wire(result.sentence, names),
        "answer": _optional_wire(result.answer, names),
        "resistance": _optional_wire(result.resistance, names),
        "moments": (result.moments(0), result.moments(1)),
        "story": wire(result.story, names),
        "lines": wires(result.lines(), names),
        "ribbon": result.ribbon,
        "players": list(match.players),
        "asked": [list(question) for question in match.asked],
        "link": link.written(match),
    }


def graded(match: Match, solve: Solve) -> list[answers.Grade]:
    """Grades both players of a game: their critical moves, how many they found, and how many a random mover would.

    Each miss has a link to the review, to try again, and the text for a printout. Each critical position has a link
    to a large board for the class.
    """
    solution, page = solve(match.game), f"/review/{match.game.id}?{link.written(match)}"
    grades: list[answers.Grade] = [
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
            grade["misses"].append(_miss(match, decision, f"{page}&at={decision.ply}"))
    return grades


def _position(match: Match, decision: Decision) -> answers.Position:
    """Returns a critical position for the whole class, without names."""
    game, state = match.game, match.states[decision.ply]
    board = link.written(Match(game, position=state))
    return {
        "found": decision.found,
        "path": f"/teach?show=board&game={game.id}&{board}",
        "position": [line for line in game.view(state) if line],
        "quest": str(decision.quest),
    }


def _miss(match: Match, decision: Decision, path: str) -> answers.Miss:
    """Returns a miss in words, addressed to the player who missed."""
    seat = decision.player
    lines = [*match.game.view(match.states[decision.ply]), decision.deed, decision.quest]
    *position, deed, quest = (tell(line, match.names, seat) for line in lines if line)
    return {
        "move": decision.ply - match.opening + 1,
        "distance": decision.before.distance,
        "position": position,
        "deed": deed,
        "quest": quest,
        "answer": None if decision.answer is None else str(decision.answer),
        "path": path,
    }


def _review_turn(match: Match, result: Review, decision: Decision, solution: Solution) -> answers.ReviewTurn:
    """Returns a turn of a review in words, with a lesson if it changed the result."""
    move, names, defence = decision.move, match.names, result.defences.get(decision.ply)
    turn: answers.ReviewTurn = {
        **serialization.reviewed_turn(match, result, decision),  # type: ignore[typeddict-item]  # the rest comes below
        "shown": wire(decision.deed if move is None else Played(move, decision.player), names),
        "reason": _optional_wire(result.reasons.get(decision.ply), names),
        "defended": _optional_wire(defence and defence.sentence, names),
    }
    if decision.ply in result.moments(decision.player):
        turn["quest"] = wire(decision.question, names)
    if decision.swing:
        state = match.states[decision.ply]
        turn["lesson"] = wire(decision.lesson, names)
        turn["answer"] = _optional_wire(decision.answer, names)
        turn["line"] = None if move is None else _line(match, state, move, solution)
        # A player who concedes out of turn had no move to choose.
        turn["better"] = _line(match, state, decision.best[0], solution) if decision.best else None
    return turn


def _line(match: Match, state: State[Any, Any], move: Any, solution: Solution) -> list[answers.LineStep]:
    """Returns a move and the best play that follows, move by move."""
    line: list[answers.LineStep] = []
    for played in (move, *solution.line(match.game.play(state, move))):
        shown = wire(Played(played, state.player), match.names)
        line.append({"move": str(played), "player": state.player + 1, "shown": shown})
        state = match.game.play(state, played)
    return line


def _optional_wire(sentence: str | None, names: Names) -> answers.Sentence | None:
    return None if sentence is None else wire(sentence, names)


def scores(match: Match, solve: Solve) -> answers.Scores | None:
    """Returns who wins at which scores: a row per score of the opponent, with a letter per score of the mover."""
    state = match.state
    if match.game.outcome(state) is not None:
        return None
    values = cells(solve(match.game), state)
    all_scores = {*values, *(score for row in values.values() for score in row)}
    hands = match.game.board(state).hands
    mine, theirs = hands[state.player].score, hands[1 - state.player].score
    if mine is None or theirs is None or not all_scores or not 0 < max(all_scores) - min(all_scores) < WIDEST:
        return None
    low, high = min(all_scores), max(all_scores)
    span = range(low, high + 1)
    rows = ["".join(LETTERS.get(values.get(row, {}).get(column, 9), ".") for column in span) for row in span]
    return {"low": low, "high": high, "rows": rows, "mine": mine, "theirs": theirs}


def puzzle(match: Match, solve: Solve, tier: int | None, seed: str, everywhere: bool) -> answers.FoundPuzzle:
    """Returns a puzzle of this game or, with `everywhere`, of the first game that has one."""
    (item,), solution = _find_puzzles(match, solve, tier, seed, 1, everywhere)
    return {**_puzzle(item, solution), "question": wire(item.question(solution), item.match.names)}


def sheet(match: Match, solve: Solve, tier: int | None, seed: str, count: int) -> answers.Sheet:
    """Returns puzzles to print, from easy to hard, with their answers and the scores for a number line."""
    selection, solution = _find_puzzles(match, solve, tier, seed, count, False)
    selection.sort(key=lambda puzzle: (puzzle.tier, len(solution.judge(puzzle.match.state))))
    items = puzzle_sheet.items(selection, solution)
    rules = [" ".join(paragraph.split()) for paragraph in card(solution.game)[1].split("\n\n")]
    return {
        "title": puzzle_sheet.title(solution, seed),
        "about": [*puzzle_sheet.about(solution), *rules],
        "goal": winning_score(solution.game),
        "puzzles": [
            {
                **_puzzle(puzzle, solution),
                "heading": item.heading,
                "position": item.position,
                "question": item.question,
                "answer": item.answer,
                "scores": solution.game.board(puzzle.match.state).scores,
            }
            for puzzle, item in zip(selection, items, strict=True)
        ],
    }


def _find_puzzles(
    match: Match, solve: Solve, tier: int | None, seed: str, count: int, everywhere: bool
) -> tuple[list[Puzzle], Solution]:
    games = (link.book(name) for name in order(seed)) if everywhere else [match.game]
    result = find(map(solve, games), tier, seed, count)
    if result is None:
        raise NoPuzzle(NONE)
    return result


def _puzzle(puzzle: Puzzle, solution: Solution) -> answers.PuzzleText:
    return {
        "game": solution.game.id,
        "title": solution.game.title,
        "tier": puzzle.tier,
        "tiers": {str(tier): about for tier, about in TIERS.items()},
        "link": link.written(puzzle.match),
    }


def attempt(match: Match, solve: Solve, move: str, tier: int) -> answers.Attempt:
    """Returns the response to a move tried in a puzzle."""
    result = puzzles.attempt(match, match.game.read(move, match.state), solve(match.game), tier)
    return {
        "kind": result.kind,
        "sentences": wires(result.sentences, match.names),
        "moves": [str(played) for played in result.moves],
    }


def theory_lines(match: Match, solve: Solve) -> list[answers.Sentence]:
    """Returns the theory of the whole game."""
    return wires(theory(solve(match.game), match.first), match.names)


def lab_report(match: Match, solve: Solve) -> answers.LabReport:
    """Returns the measures of a rule set, in words and numbers."""
    from digitduels.games import game as game_of
    from digitduels.lab import prose
    from digitduels.lab.lint import lint, measured, ranked, with_remedies
    from digitduels.lab.measures import measure
    from digitduels.lab.sizes import fits, refusal
    from digitduels.lab.stored_reports import stored_findings, stored_report
    from digitduels.rule_sets import house_rules, label

    report, findings = stored_report(match.game), stored_findings(match.game)
    if report is None:
        if not fits(match.game, LAB_POSITIONS):
            raise TooLargeHere(refusal(match.game, LAB_POSITIONS))
        report = measure(match.game, lengths=False, solution=solve(match.game))
    if findings is None:
        findings = ranked([*lint(match.game, solution=solve(match.game)), *measured(report)])
        findings = with_remedies(match.game, findings, tries=REMEDIES, small=REMEDY_POSITIONS)
    _, *rows = prose.comparison([report])
    return {
        "label": label(match.game),
        "outcome": prose.outcome(report),
        "first_moves": prose.first_moves(report),
        "fair": report.fair,
        "deep": report.deep,
        "balance": prose.balance(report),
        "ladder": prose.ladder(report),
        "wobble": prose.wobble_line(report),
        "findings": [
            {
                "severity": finding.severity,
                "text": finding.text,
                "shown": finding.shown,
                "measured": finding.measured,
                "remedy": house_rules(game_of(match.game.id, **{**match.game.values, **finding.remedy})) or BOOK
                if finding.remedy
                else "",
            }
            for finding in findings
        ],
        "rows": [{"name": name, "value": value, "about": prose.MEANINGS.get(name, "")} for name, value in rows],
    }


def lab_strip(match: Match, solve: Solve) -> answers.LabStrip | None:
    """Returns who wins with nearby values of the first integer option, or None if there is no such option."""
    from digitduels.lab.sizes import fits
    from digitduels.lab.strip import winner_for, winners

    game = match.game
    option = first_integer(game.options())
    if option is None:
        return None
    here = game.values[option.name]
    low, high = max(option.kind.low, here - STRIP), min(option.kind.high, here + STRIP)  # type: ignore[union-attr]
    # Nearest values first, in case there is no time for all of them.
    values = sorted(range(low, high + 1), key=lambda value: abs(value - here))
    limit, seconds = (VARIANT_STRIP_BYTES, VARIANT_STRIP_SECONDS) if game.changes else (STRIP_BYTES, STRIP_SECONDS)
    results = dict[int, int | None]()
    if not game.changes or fits(game, LAB_POSITIONS):  # what the report knows
        results[here] = winner_for(solve(game).start.value)
        values.remove(here)
    results |= winners(game, option, values, limit=limit, seconds=seconds)
    return {
        "about": option.about,
        "here": here,
        "cells": [{"value": value, "winner": winner} for value, winner in sorted(results.items())],
    }


ANALYSES: dict[str, Callable[..., Any]] = {
    analysis.__name__: analysis
    for analysis in (
        warm,
        start,
        reply,
        unsolved_reply,
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
