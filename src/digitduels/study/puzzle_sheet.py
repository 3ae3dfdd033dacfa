"""Puzzles on paper: a sheet with an answer key, as Markdown or as HTML for printing."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from digitduels.manual import summary
from digitduels.rule_sets import house_rules
from digitduels.sentence import Capital, Line, Moves, PlayedNoun, Sentence
from digitduels.solver.solution import Solution
from digitduels.study.hints import refutation
from digitduels.study.puzzles import TIERS, Puzzle
from digitduels.study.reasons import reason

_STYLE = """
@page { margin: 2cm; }
body { font: 12pt/1.4 sans-serif; max-width: 40em; margin: 1em auto; padding: 0 1em; }
section { break-inside: avoid; margin: 1.5em 0; }
pre { font: 11pt/1.4 monospace; border: 1px solid; padding: .5em; white-space: pre-wrap; }
.answers { break-before: page; }
"""


class Item(NamedTuple):
    """A puzzle in words."""

    heading: str
    position: list[str]
    question: str
    answer: str


def items(puzzles: Sequence[Puzzle], solution: Solution) -> list[Item]:
    """The puzzles of a sheet in words."""
    game, rows = solution.game, list[Item]()
    for number, puzzle in enumerate(puzzles, 1):
        state, move = puzzle.match.state, puzzle.answer[0]
        moves = Sentence("{moves}.", moves=Capital(Moves(puzzle.answer, state.player, "or")))
        key: list[str] = [moves, reason(state, move, solution).sentence]
        line = solution.line(state)
        if len(line) > 1:
            key.append(Sentence("With best play: {line}.", line=Line(line, state.player)))
        if puzzle.trap is not None:
            wrong = Sentence("Not {move}.", move=PlayedNoun(puzzle.trap, state.player))
            key += [wrong, refutation(state, puzzle.trap, solution)]
        heading = f"Puzzle {number}: {TIERS[puzzle.tier]}"
        rows.append(Item(heading, [*game.view(state)], puzzle.question(solution), " ".join(key)))
    return rows


def markdown(puzzles: Sequence[Puzzle], solution: Solution, seed: object) -> str:
    """A sheet as Markdown, with the answers at the end."""
    parts = [f"# {title(solution, seed)}\n", *(f"{line}\n" for line in about(solution))]
    rows = items(puzzles, solution)
    for item in rows:
        position = "\n".join(item.position)
        parts.append(f"## {item.heading}\n\n```text\n{position}\n```\n\n{item.question}\n\nAnswer: ____________\n")
    parts.append("## Answers\n\n" + "".join(f"{number}. {item.answer}\n" for number, item in enumerate(rows, 1)))
    return "\n".join(parts)


def html(puzzles: Sequence[Puzzle], solution: Solution, seed: object) -> str:
    """A sheet as an HTML page for printing, with the answers on a separate page."""
    heading = escape(title(solution, seed))
    rows = items(puzzles, solution)
    sections = "".join(
        f"<section>\n<h2>{escape(item.heading)}</h2>\n<pre>{escape(chr(10).join(item.position))}</pre>\n"
        f"<p>{escape(item.question)}</p>\n<p>Answer: ____________</p>\n</section>\n"
        for item in rows
    )
    intro = "".join(f"<p>{escape(line)}</p>\n" for line in about(solution))
    answers = "".join(f"<li>{escape(item.answer)}</li>\n" for item in rows)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{heading}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{heading}</h1>\n{intro}"
        f'{sections}<section class="answers">\n<h2>Answers</h2>\n<ol>\n{answers}</ol>\n</section>\n</body>\n</html>\n'
    )


def title(solution: Solution, seed: object) -> str:
    """The title of a sheet."""
    return f"{solution.game.title}: puzzles, sheet {seed}"


def about(solution: Solution) -> list[str]:
    """The summary of the game, and its house rules if it has any."""
    game = solution.game
    return [summary(game), *([f"House rules: {house_rules(game)}."] if game.changes else [])]
