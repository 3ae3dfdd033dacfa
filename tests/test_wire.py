"""Sentences on the wire: everybody reads what is about them, and nobody is called you for what somebody else did."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

import pytest

import digitduels as dd
from digitduels.match import Match
from digitduels.sentence import Played, Sentence
from digitduels.study.puzzles import find
from digitduels.web.view import _book_report, view
from digitduels.web.wire import Wire, wire
from digitduels.web.workers import answers
from variants import play_on, solve

NAMES = ("Ann", "Bob {0}")
YOU = re.compile(r"\byour?\b", re.IGNORECASE)
WON = re.compile(r"\byou (win|won|have reached|reach|are the winner)\b|congratulations", re.IGNORECASE)

every_game = pytest.mark.parametrize("name", dd.games())


def shown(sent: Wire, reader: int | None) -> str:
    """What the page shows of a sentence to a reader; None for a spectator."""
    if "of" not in sent or reader is None:
        return str(sent["text"])
    return str(sent["you"] if sent["of"] == reader + 1 else sent.get("them", sent["text"]))


def sentences(values: Any) -> Iterator[Wire]:
    """Every sentence in an answer."""
    if isinstance(values, dict) and "text" in values:
        assert set(values) <= {"text", "you", "of", "them"}
        yield values
    elif isinstance(values, dict | list):
        for value in values.values() if isinstance(values, dict) else values:
            yield from sentences(value)


def check(sent: Wire) -> None:
    """A sentence says you to the player it is about, and to nobody else."""
    text = shown(sent, None)
    assert not YOU.search(text), f"spectators are no players: {sent}"
    for reader in (0, 1):
        told, me, other = shown(sent, reader), NAMES[reader], NAMES[1 - reader]
        if YOU.search(told):
            assert me in text, f"{me} is told what {me} has no part in: {sent}"
        if told != text:
            assert me not in told, f"{me} is called both you and {me}: {sent}"
        assert told.count(other) == text.count(other), f"{other} is missing for {me}: {sent}"
        if text.startswith(other):
            assert told.startswith(other), f"{me} is told what {other} did: {sent}"


def games_to_the_end(name: str, count: int) -> Iterator[Match]:
    """Random games, one of them conceded."""
    for seed in range(count):
        match = Match(dd.game(name), names=NAMES)
        for move in play_on(match.game, match.state, random.Random(f"{name} {seed}"), 200)[1]:
            match.play(move)
        assert match.outcome is not None
        yield match
    match = match.until(2)
    match.concede(0)
    yield match


@every_game
def test_nobody_is_called_you_for_what_somebody_else_did(name: str) -> None:
    found = 0
    for match in games_to_the_end(name, 12):
        for ply in range(len(match.moves) + 1):
            for sent in sentences(view(match.until(ply))):
                check(sent)
        for sent in sentences(view(match)):
            check(sent)
            found += "of" in sent
    assert found > 20


@every_game
def test_a_form_that_is_not_worked_out_would_be_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    matches = [match.until(ply) for match in games_to_the_end(name, 6) for ply in range(len(match.moves) + 1)]
    quick = [view(match) for match in matches]
    with monkeypatch.context() as patch:
        for kind in (Sentence, Played):
            patch.setattr(kind, "depends_on", lambda *_: True)
        _book_report.cache_clear()
        assert quick == [view(match) for match in matches]


@every_game
def test_the_winner_alone_is_congratulated(name: str) -> None:
    for match in games_to_the_end(name, 12):
        seen, outcome = view(match), match.outcome
        assert outcome is not None
        for told in (seen["ending"], seen["status"]):
            texts = [" ".join(shown(sent, reader) for sent in told) for reader in (0, 1)]
            for reader in (0, 1):
                assert bool(WON.search(texts[reader])) == (outcome.winner == reader), (name, reader, texts)


@every_game
def test_reviews_hints_and_judgements_are_told_to_the_right_player(name: str) -> None:
    for match in games_to_the_end(name, 3):
        told = [answers.game_review(match, solve), answers.position(match, solve)]
        for ply in range(0, len(match.moves), 3):
            earlier = match.until(ply)
            told.append(answers.position(earlier, solve))
            told += [answers.hints(earlier, solve, step) for step in (1, 2, 3, 4)]  # type: ignore[misc]
            told.append(answers.judged_move(earlier, solve, str(match.moves[ply])))
        for sent in sentences(told):
            check(sent)


@every_game
def test_puzzles_are_told_to_the_right_player(name: str) -> None:
    found = find([solve(dd.game(name))], None, "1", 1)
    if found is None:  # after each player's first move everything is forced
        assert name == "operation-target"
        return
    (puzzle,), solution = found
    match = Match(puzzle.match.game, names=NAMES)
    for move in puzzle.match.moves:
        match.play(move)
    for move in solution.judge(match.state):
        tried = answers.attempt(match, solve, str(move), puzzle.tier)
        assert tried["kind"] in ("right", "slower", "wrong")
        assert (tried["kind"] == "right") == bool(tried["moves"])
        for sent in sentences(tried):
            check(sent)


def test_the_three_forms() -> None:
    said = Sentence("{player} resets {other:whose} score.", you="You reset {other:whose} score.", player=0)
    sent = wire(said, ("Ann", "Bob"))
    assert [shown(sent, reader) for reader in (None, 0, 1)] == [
        "Ann resets Bob's score.",
        "You reset Bob's score.",
        "Ann resets your score.",
    ]
    assert wire("Ann {player}", ("Ann", "Bob")) == {"text": "Ann {player}"}
    assert wire(Sentence("The game is a draw."), ("Ann", "Bob")) == {"text": "The game is a draw."}


def test_a_move_that_names_one_player_is_worded_for_that_one() -> None:
    game = dd.game("numerical-nexus")
    theirs, mine = (Played(game.read(token), 0) for token in ("reset-theirs", "reset-mine"))
    assert wire(theirs, ("Ann", "Bob")) == {"text": "reset Bob's score", "you": "reset your score", "of": 2}
    assert wire(mine, ("Ann", "Bob")) == {"text": "reset Ann's score", "you": "reset your score", "of": 1}
    assert wire(Played(dd.game("number-duel").read("x10"), 0), ("Ann", "Bob")) == {"text": "×10"}


def test_a_wrong_sentence_would_be_noticed() -> None:
    """The checks of this file can fail."""
    wrong: list[Wire] = [
        {"text": "Ann wins.", "you": "You win.", "of": 2},
        {"text": "Ann resets Bob {0}'s score.", "you": "You reset Ann's score.", "of": 2},
        {"text": "Ann wins.", "you": "You win.", "of": 1, "them": "You win."},
        {"text": "You win."},
    ]
    for sent in wrong:
        with pytest.raises(AssertionError):
            check(sent)
