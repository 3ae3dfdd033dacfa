"""The books' samples: their output, line by line, through a pipe and on a terminal, and their games.

Each file in `books/` is a command and everything that two people then see, including their answers. Files named after
a game, or after a fragment of its book, are from the book. The others are in the book's style, but not from the book.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import digitduels as dd
import digitduels.cli.main
import position
from conftest import HINT, LEAVE, Open, Run
from digitduels.pool import Pool
from digitduels.sentence import tell_by_the_book

BOOKS = sorted(Path(__file__).with_name("books").glob("*.txt"))
PROGRAMS = {"duels": digitduels.cli.main.main, "position": position.main}
QUESTION = re.compile(
    r"^(> |.*?, enter your move: |Select a number: |Choose an .*?: |Enter the number .*?: )(.*)$", re.M
)


class Transcript(NamedTuple):
    program: Callable[..., int]
    arguments: list[str]
    text: str

    @classmethod
    def read(cls, path: Path) -> Transcript:
        first, _, text = path.read_text("utf-8").partition("\n")
        program, *arguments = shlex.split(first.removeprefix("$ "))
        return cls(PROGRAMS[program], arguments, text)

    @property
    def answers(self) -> list[tuple[str, str]]:
        """Each question with its answer."""
        return [(question, answer) for question, answer in QUESTION.findall(self.text)]


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_a_piped_game_reads_like_the_book(path: Path, duels: Run) -> None:
    book = Transcript.read(path)
    answers = "".join(f"{answer}\n" for _, answer in book.answers)
    result = duels(*book.arguments, answers=answers, program=book.program)
    assert (result.returncode, result.stdout, result.stderr) == (0, book.text, "")


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_a_game_on_a_terminal_reads_like_the_book(path: Path, duels: Run) -> None:
    book = Transcript.read(path)
    answers = "".join(f"{answer}\ny\n" if answer == "concede" else f"{answer}\n" for _, answer in book.answers)
    result = duels(*book.arguments, answers=f"{answers}\n", columns=200, program=book.program)
    text = book.text if book.answers[-1][1] == "quit" else f"{book.text}{LEAVE}\n"
    assert (result.returncode, re.sub(r".*, do you concede\? \(y/n\) y\n", "", result.stdout)) == (
        0,
        HINT + text,
    )


@pytest.mark.parametrize(
    "name", ["equation-duel", "number-duel", "number-quest-lost-turn", "numerical-nexus", "operation-target"]
)
def test_a_game_on_a_real_terminal_reads_like_the_book(name: str, terminal: Open) -> None:
    book = Transcript.read(Path(__file__).with_name("books") / f"{name}.txt")
    person = terminal(*book.arguments)
    assert person.read(HINT) == HINT
    output = ""
    for question, answer in book.answers:
        output += person.read(question)
        person.type(f"{answer}\n")
    text = book.text
    if book.answers[-1][1] != "quit":
        output += person.read(LEAVE)
        person.type("\n")
        text += LEAVE + "\n"
    assert output + person.rest() == text


def test_every_game_has_its_book() -> None:
    assert set(dd.games()) <= {path.stem for path in BOOKS}


def without(pool: Pool, *numbers: int) -> Pool:
    for number in numbers:
        pool = pool.take(number)
    return pool


# The sample games: a move, and then both scores and what is left of the pool.
TWO_TENS, TWO_NINES, ONE_NINE = Pool.full(10, 2), Pool.full(9, 2), Pool.full(9, 1)
SAMPLES: dict[str, list[tuple[str, tuple[int, int], Pool]]] = {
    "number-duel": [
        ("+5", (5, 0), without(TWO_TENS, 5)),
        ("+10", (5, 10), without(TWO_TENS, 5, 10)),
        ("x10", (50, 10), without(TWO_TENS, 5, 10, 10)),
    ],
    "number-quest": [
        ("+5", (5, 0), without(TWO_NINES, 5)),
        ("x2", (5, 0), without(TWO_NINES, 5, 2)),
        ("+9", (14, 0), without(TWO_NINES, 5, 2, 9)),
        ("+8", (14, 8), without(TWO_NINES, 5, 2, 9, 8)),
        ("x6", (84, 8), without(TWO_NINES, 5, 2, 9, 8, 6)),
    ],
    "equation-duel": [
        ("6x7", (42, 0), without(ONE_NINE, 6, 7)),
        ("9-5", (42, 4), without(ONE_NINE, 6, 7, 9, 5)),
        ("8+2", (52, 4), without(ONE_NINE, 6, 7, 9, 5, 8, 2)),
    ],
}
WINNERS = {"number-duel": 0, "number-quest": 1, "equation-duel": 1}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_game_has_the_scores_pools_and_winner_of_its_book(name: str) -> None:
    match = dd.Match(dd.game(name))
    for text, scores, pool in SAMPLES[name]:
        assert match.outcome is None
        match.play(match.game.read(text))
        assert (match.state.hands, match.state.table) == (scores, pool)
    assert match.outcome is not None
    assert match.outcome.winner == WINNERS[name]


def test_the_sample_game_of_operation_target_matches_its_book() -> None:
    match = dd.Match(dd.game("operation-target"))
    for text, number in (("x2", 2), ("x2", 4), ("+1", 5), ("+1", 6), ("x2", 12), ("x2", 24)):
        assert match.outcome is None
        match.play(match.game.read(text))
        assert match.state.table == number
    assert match.outcome is not None
    assert match.outcome.winner == 0


def test_the_announcements_of_the_numerical_nexus_sample_match_its_book() -> None:
    announcements = {
        "+5": "Player 1's score is now 5. Remaining +5 uses: 0.",
        "+3": "Player 2's score is now 3. Remaining +3 uses: 1.",
        "×2": "Player 1's score is now 10. Remaining ×2 uses: 1.",
        "+ 5": "Player 2's score is now 8. Remaining +5 uses: 0.",
        "× 2": "Player 1's score is now 20. Remaining ×2 uses: 0.",
        "×3": "Player 2's score is now 24. Remaining ×3 uses: 0.",
        "+ 3": "Player 1's score is now 23. Remaining +3 uses: 1.",
        "reset Player 1": "Player 2 resets Player 1's score to 0. No remaining resets.",
        "reset Player 2": "Player 1 resets Player 2's score to 0. No remaining resets.",
        "add 3": "Player 2's score is now 3. Remaining +3 uses: 0.",
    }
    match = dd.Match(dd.game("numerical-nexus"))
    for text, announcement in announcements.items():
        before, move = match.state, match.game.read(text, match.state)
        match.play(move)
        (line,) = match.game.announce(before, move, match.state)
        assert tell_by_the_book(line) == announcement
    assert match.outcome is None


def test_the_closest_score_wins_as_in_the_book_of_equation_duel() -> None:
    outcome = dd.game("equation-duel").outcome(dd.State(0, (47, 49), Pool((0,) * 8 + (1,), 1)))
    assert outcome is not None
    assert outcome.winner == 1
