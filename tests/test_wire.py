"""Sentences on the wire: "you" always means the reader, and every sentence about a reader addresses them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any, cast

import pytest

import digitduels as dd
from digitduels.match import Match
from digitduels.sentence import Played, Sentence
from digitduels.study.puzzles import find
from digitduels.web.positions import analysis
from digitduels.web.positions.answers import Sentence as Wire
from digitduels.web.positions.view import _book_report, view
from digitduels.web.positions.wire import wire
from variants import play_on, solve

NAMES = ("Ann", "Bob {0}")
YOU = re.compile(r"\byour?\b", re.IGNORECASE)
WON = re.compile(r"\byou (win|won|have reached|reach|are the winner)\b|congratulations", re.IGNORECASE)

every_game = pytest.mark.parametrize("name", dd.games())


def text_for(sentence: Wire, reader: int | None) -> str:
    """The form of a sentence that the page shows to a reader; None is a spectator."""
    if "of" not in sentence or reader is None:
        return str(sentence["text"])
    return str(sentence["you"] if sentence["of"] == reader + 1 else sentence.get("them", sentence["text"]))


def sentences(values: Any) -> Iterator[Wire]:
    """Every sentence in a response."""
    if isinstance(values, dict) and "text" in values:
        assert set(values) <= {"text", "you", "of", "them"}
        yield cast(Wire, values)
    elif isinstance(values, dict | list):
        for value in values.values() if isinstance(values, dict) else values:
            yield from sentences(value)


def check(sentence: Wire) -> None:
    """Asserts that a sentence says "you" to the player it is about, and to nobody else."""
    text = text_for(sentence, None)
    assert not YOU.search(text), f"a spectator is addressed: {sentence}"
    for reader in (0, 1):
        message, me, other = text_for(sentence, reader), NAMES[reader], NAMES[1 - reader]
        if YOU.search(message):
            assert me in text, f"{me} is told what {me} has no part in: {sentence}"
        if message != text:
            assert me not in message, f"{me} is called both you and {me}: {sentence}"
        assert message.count(other) == text.count(other), f"{other} is missing for {me}: {sentence}"
        if text.startswith(other):
            assert message.startswith(other), f"{me} is told what {other} did: {sentence}"


def games_to_the_end(name: str, count: int) -> Iterator[Match]:
    """Random finished games, and a conceded one."""
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
def test_you_always_refers_to_the_reader(name: str) -> None:
    addressed = 0
    for match in games_to_the_end(name, 12):
        for ply in range(len(match.moves) + 1):
            for sentence in sentences(view(match.until(ply))):
                check(sentence)
        for sentence in sentences(view(match)):
            check(sentence)
            addressed += "of" in sentence
    assert addressed > 20


@every_game
def test_skipping_a_form_never_changes_a_sentence(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    matches = [match.until(ply) for match in games_to_the_end(name, 6) for ply in range(len(match.moves) + 1)]
    quick = [view(match) for match in matches]
    with monkeypatch.context() as patch:
        for kind in (Sentence, Played):
            patch.setattr(kind, "depends_on", lambda *_: True)
        _book_report.cache_clear()
        assert quick == [view(match) for match in matches]


@every_game
def test_only_the_winner_is_told_that_they_won(name: str) -> None:
    for match in games_to_the_end(name, 12):
        state, outcome = view(match), match.outcome
        assert outcome is not None
        for part in (state["ending"], state["status"]):
            texts = [" ".join(text_for(sentence, reader) for sentence in part) for reader in (0, 1)]
            for reader in (0, 1):
                assert bool(WON.search(texts[reader])) == (outcome.winner == reader), (name, reader, texts)


@every_game
def test_reviews_hints_and_judgements_address_the_right_player(name: str) -> None:
    for match in games_to_the_end(name, 3):
        responses: list[Any] = [analysis.game_review(match, solve), analysis.position(match, solve)]
        for ply in range(0, len(match.moves), 3):
            earlier = match.until(ply)
            responses.append(analysis.position(earlier, solve))
            responses += [analysis.hints(earlier, solve, step) for step in (1, 2, 3, 4)]
            responses.append(analysis.judged_move(earlier, solve, str(match.moves[ply])))
        for sentence in sentences(responses):
            check(sentence)


@every_game
def test_puzzles_address_the_right_player(name: str) -> None:
    puzzles = find([solve(dd.game(name))], None, "1", 1)
    if puzzles is None:  # after both first moves, every move is forced
        assert name == "operation-target"
        return
    (puzzle,), solution = puzzles
    match = Match(puzzle.match.game, names=NAMES)
    for move in puzzle.match.moves:
        match.play(move)
    for move in solution.judge(match.state):
        tried = analysis.attempt(match, solve, str(move), puzzle.tier)
        assert tried["kind"] in ("right", "slower", "wrong")
        assert (tried["kind"] == "right") == bool(tried["moves"])
        for sentence in sentences(tried):
            check(sentence)


def test_a_sentence_has_three_forms() -> None:
    said = Sentence("{player} resets {other:whose} score.", you="You reset {other:whose} score.", player=0)
    sentence = wire(said, ("Ann", "Bob"))
    assert [text_for(sentence, reader) for reader in (None, 0, 1)] == [
        "Ann resets Bob's score.",
        "You reset Bob's score.",
        "Ann resets your score.",
    ]
    assert wire("Ann {player}", ("Ann", "Bob")) == {"text": "Ann {player}"}
    assert wire(Sentence("The game is a draw."), ("Ann", "Bob")) == {"text": "The game is a draw."}


def test_a_move_that_names_a_player_is_addressed_to_that_player() -> None:
    game = dd.game("numerical-nexus")
    theirs, mine = (Played(game.read(token), 0) for token in ("reset-theirs", "reset-mine"))
    assert wire(theirs, ("Ann", "Bob")) == {"text": "reset Bob's score", "you": "reset your score", "of": 2}
    assert wire(mine, ("Ann", "Bob")) == {"text": "reset Ann's score", "you": "reset your score", "of": 1}
    assert wire(Played(dd.game("number-duel").read("x10"), 0), ("Ann", "Bob")) == {"text": "×10"}


def test_wrong_sentences_are_detected() -> None:
    """Proves that the check of this file can fail."""
    wrong: list[Wire] = [
        {"text": "Ann wins.", "you": "You win.", "of": 2},
        {"text": "Ann resets Bob {0}'s score.", "you": "You reset Ann's score.", "of": 2},
        {"text": "Ann wins.", "you": "You win.", "of": 1, "them": "You win."},
        {"text": "You win."},
    ]
    for sentence in wrong:
        with pytest.raises(AssertionError):
            check(sentence)
