"""Records of matches: a record is read back as the same match, and everything else is refused."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import digitduels as dd
from conftest import Run
from digitduels.match import LONGEST_WORDS
from digitduels.record import LARGEST, RecordError, dump, parse, replay

RECORD: dict[str, Any] = {
    "format": "digitduels-record",
    "version": 1,
    "game": "number-duel",
    "options": {"target": 50},
    "names": ["Ann", "Bob"],
    "first": 2,
    "moves": ["+5", "+10"],
    "conceded": None,
}
GONE = object()

VARIANTS: dict[str, list[dict[str, Any]]] = {
    "equation-duel": [{}, {"target": 7, "highest": 4, "tie": "draw"}, {"highest": 12}],
    "number-duel": [{}, {"highest": 3, "copies": 3, "tie": "last-mover-wins"}, {"target": 1000000}],
    "number-quest": [{}, {"division": "exact", "invalid": "refused"}, {"target": 12, "copies": 1, "tie": "draw"}],
    "numerical-nexus": [{}, {"uses": [0, 0, 0, 1, 1, 2]}, {"target": 17}],
    "operation-target": [{}, {"target": 10**4000, "start": 10**3999}, {"start": 22}],
}


def with_moves(moves: list[str], conceded: int | None = None) -> dict[str, Any]:
    return RECORD | {"moves": moves, "conceded": conceded}


def with_options(**options: Any) -> dict[str, Any]:
    return RECORD | {"options": options, "moves": []}


def parts(match: dd.Match) -> dict[str, Any]:
    """Everything that defines a match, without its caches."""
    return {name: value for name, value in vars(match).items() if not name.startswith("_")}


@pytest.mark.parametrize("name", dd.games())
@given(data=st.data())
def test_a_record_is_read_back_as_the_same_match(name: str, data: st.DataObject) -> None:
    game = dd.game(name, **data.draw(st.sampled_from(VARIANTS[name])))
    reply = game.play(game.start(), game.legal_moves(game.start())[0])
    match = dd.Match(
        game,
        names=data.draw(st.sampled_from([("Ann", "Bob"), ("Zoë", "×÷ 数"), ('"', "\\")])),
        first=data.draw(st.integers(0, 1)),
        position=data.draw(st.sampled_from([None, reply])),
    )
    for choice in data.draw(st.lists(st.integers(0, 999), max_size=20)):
        possible = match.game.legal_moves(match.state)
        if possible:
            match.say(data.draw(st.text(max_size=20)))
            match.play(possible[choice % len(possible)])
    if match.outcome is None and data.draw(st.booleans()):
        match.concede(data.draw(st.integers(0, 1)))
    again = parse(dump(match))
    assert parts(again) == parts(match)
    assert again.outcome == match.outcome
    assert dump(again) == dump(match)


def test_an_older_record_without_comments_is_read() -> None:
    assert "words" not in RECORD
    assert replay(RECORD).words == []


def test_comments_are_sanitized_and_limited_so_that_records_stay_readable() -> None:
    match = replay(RECORD)
    for _ in range(200):
        match.say("\x1b[2J" + "\\\U0001f600" * 5000)
    assert {(after, len(text)) for after, text in match.words} == {(2, LONGEST_WORDS)}
    assert len(dump(match)) < LARGEST
    assert parse(dump(match)).words == match.words


def test_taking_back_a_move_removes_its_comment() -> None:
    match = replay(RECORD)
    match.words = [(1, "before the second move"), (2, "after it")]
    match.take_back()
    assert match.words == [(1, "before the second move")]
    assert parse(dump(match)).words == match.words


def test_a_record_is_human_readable() -> None:
    text = dump(replay(RECORD | {"names": ["Zoë", "Bob"]})).decode()
    assert '"names": [\n  "Zoë",\n  "Bob"\n ]' in text
    assert '"moves": [\n  "+5",\n  "+10"\n ]' in text


FOREIGN: dict[str, bytes] = {
    "empty": b"",
    "text": b"1. e4 e5\n",
    "binary": bytes(range(256)),
    "zeros": bytes(1000),
    "half of one": json.dumps(RECORD).encode()[:-20],
    "two of them": json.dumps(RECORD).encode() * 2,
    "another format": json.dumps(RECORD | {"format": "chess"}).encode(),
    "a list": json.dumps([RECORD]).encode(),
    "a number": b"7",
    "a huge number": b"9" * 10_000,
    "a number of too many digits": json.dumps(RECORD).replace("50", "5" * 5000).encode(),
    "not a number": json.dumps(with_options(target=float("nan"))).encode(),
    "broken UTF-8": json.dumps(RECORD).encode().replace(b"Ann", b"A\xff"),
    "brackets without end": b"[" * LARGEST,
    "too large": json.dumps(RECORD).encode() + b" " * LARGEST,
    "nested in the options": json.dumps(with_options(target="@")).encode().replace(b'"@"', b"[" * 970 + b"]" * 970),
}
WRONG: dict[str, dict[str, Any]] = {
    "a newer version": {"version": 2},
    "no version": {"version": GONE},
    "a version that is a text": {"version": "1"},
    "no game": {"game": GONE},
    "a game that is none": {"game": "chess"},
    "a game that is a path": {"game": "../../core"},
    "a game that is a number": {"game": 5},
    "no options": {"options": GONE},
    "options that are a list": {"options": []},
    "an option that is none": {"options": {"cheat": 1}},
    "an option that is none and turns the text": {"options": {"\x1b[2J\u202e": 1}},
    "an option out of range": {"options": {"target": 0}},
    "an option that is a fraction": {"options": {"target": 5.5}},
    "an option that is a truth": {"options": {"target": True}},
    "an option that is a list": {"options": {"target": [50]}},
    "a huge pool": {"options": {"highest": 10**9, "copies": 10**9}},
    "one name": {"names": ["Ann"]},
    "three names": {"names": ["Ann", "Bob", "Cem"]},
    "the same names": {"names": ["Ann", "ann "]},
    "names that are numbers": {"names": [1, 2]},
    "names of nothing that can be printed": {"names": ["\x1b", "\ud800"]},
    "no first player": {"first": GONE},
    "a third player": {"first": 3},
    "a first player that is a truth": {"first": True},
    "a first player that is a list": {"first": [1]},
    "moves that are a text": {"moves": "+5"},
    "moves that are numbers": {"moves": [5]},
    "moves that are lists": {"moves": [["+5"]]},
    "somebody else conceded": {"conceded": 0},
    "conceded that is a truth": {"conceded": True},
    "words that are a text": {"words": "hello"},
    "words without a place": {"words": ["hello"]},
    "words at a place that is a truth": {"words": [[True, "hello"]]},
    "words after a move that was never made": {"words": [[3, "hello"]]},
    "words before the game": {"words": [[-1, "hello"]]},
    "words that are numbers": {"words": [[0, 5]]},
    "too many words": {"words": [[0, "hello"]] * 101},
}
BREACHES: dict[str, dict[str, Any]] = {
    "a move that is none": with_moves(["+5", "hello"]),
    "a move of another game": with_moves(["+5", "3+8"]),
    "an empty move": with_moves([""]),
    "a move that is not possible": with_moves(["+5", "+5", "+5"]),
    "a move after the end": with_moves(["+5", "+10", "x10", "+1"]),
    "a concession after the end": with_moves(["+5", "+10", "x10"], conceded=1),
    "a move that turns the text": with_moves(["\x1b[2J\u202e\ud800"]),
    "a very long move": with_moves(["+" + "5" * 100_000]),
}


def changed(**changes: Any) -> bytes:
    return json.dumps({key: value for key, value in (RECORD | changes).items() if value is not GONE}).encode()


REFUSED = {
    **{name: (data, 4) for name, data in FOREIGN.items()},
    **{name: (changed(**changes), 4) for name, changes in WRONG.items()},
    **{name: (json.dumps(record).encode(), 3) for name, record in BREACHES.items()},
}


def assert_refused(duels: Run, path: str, code: int) -> None:
    """Asserts that `resume` reports an invalid file in one harmless line."""
    done = duels("resume", path)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith("duels: ")
    assert done.stderr.endswith(".\n")
    assert done.stderr[:-1].isprintable()
    assert len(done.stderr) < 600


def test_the_template_of_the_broken_records_is_valid(duels: Run, home: Path) -> None:
    (home / "good.json").write_bytes(changed())
    done = duels("resume", "good.json")
    assert done.stdout.startswith("Number Duel, resumed after 2 moves.\n")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", REFUSED)
def test_an_invalid_record_gets_a_clear_message_and_an_exit_code(name: str, duels: Run, home: Path) -> None:
    data, code = REFUSED[name]
    (home / "record.json").write_bytes(data)
    assert_refused(duels, "record.json", code)
    assert (home / "record.json").read_bytes() == data


def test_deeply_nested_json_is_refused() -> None:
    keys = ("version", "game", "options", "names", "first", "moves", "conceded")
    indices = [*(changed(**{key: "@"}) for key in keys), changed(options={"target": "@"})]
    for depth in (10, 100, *range(850, 1000), 100_000):
        for index in indices:
            with pytest.raises(RecordError):
                parse(index.replace(b'"@"', b"[" * depth + b"]" * depth))


def make_fifo(path: Path) -> None:
    os.mkfifo(path)


def make_loop(path: Path) -> None:
    path.symlink_to(path.name)


def make_endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def make_nothing(path: Path) -> None:
    assert not path.exists()


@pytest.mark.parametrize("make", [make_fifo, Path.mkdir, make_loop, make_endless, make_nothing])
def test_special_files_are_never_opened(make: Callable[[Path], None], duels: Run, home: Path) -> None:
    make(home / "record.json")
    assert_refused(duels, "record.json", 4)
    if make is not make_nothing:
        done = duels("play", "number-duel", "--save", "record.json", answers="+5\n")
        assert (done.returncode, done.stdout) == (4, "")


@pytest.mark.parametrize("path", ["no/such/file", "x" * 5000, "\x1b[2J\u202e", ""])
def test_a_missing_file_gets_a_clear_message_and_an_exit_code(path: str, duels: Run) -> None:
    assert_refused(duels, path, 4)


@given(data=st.binary(max_size=300))
def test_random_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(RecordError):
        parse(data)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=10,
)


@given(changes=st.dictionaries(st.sampled_from(list(RECORD)), JSON), options=st.dictionaries(st.text(), JSON))
def test_any_json_is_replayed_or_refused(changes: dict[str, Any], options: dict[str, Any]) -> None:
    refusal = ""
    try:
        match = replay(RECORD | {"options": options} | changes)
        assert parts(parse(dump(match))) == parts(match)
    except (RecordError, dd.InvalidMove, dd.IllegalMove) as error:
        refusal = str(error)
    assert refusal.isprintable()
