"""Fuzzing of a game's input: no traceback, no hang, and an undamaged match."""

from __future__ import annotations

import random
import subprocess

import pytest

import digitduels as dd
from conftest import Open, Run
from digitduels.cli import saved_games
from digitduels.record import load

pytestmark = pytest.mark.slow

WORDS = [
    "?",
    "help",
    "rules",
    "moves",
    "undo",
    "undo",
    "concede",
    "rematch",
    "save",
    "save x",
    "r",
    "u",
    "quit",
    "exit",
]
ODD = [
    "",
    " ",
    "-1",
    "0",
    "+",
    "1e9",
    "9" * 5000,
    "-" * 5000,
    "+" + "0" * 3000 + "5",
    "½ ² ٣ ５ Ⅷ",
    "{player} %s {0} \\n $(id) `id` ../../x",
    "\x1b[2J\x1b]0;title\x07",
    "\u202e\u2066\u200b\ufeff",
    "é\u0301\u0301\u0301",
    "\x00\x01\x7f\x85\u2028",
    "nan",
    "None",
    "True",
    "Player 1",
    "reset",
    "reset nobody",
    "5 5 5 5",
    "save \x00",
    "save ~nobody-of-this-name",
    "undo undo",
]


def fuzz(game: str, seed: int, count: int) -> str:
    """Random answers: some valid, some odd, some random bytes."""
    rng = random.Random(seed)
    match = dd.Match(dd.game(game))

    def answer() -> str:
        kind = rng.randrange(5)
        if kind == 0:
            return rng.choice(WORDS[:-2])
        if kind == 1:
            return rng.choice(ODD)
        if kind == 2:
            return rng.randbytes(rng.randrange(40)).decode("utf-8", "surrogateescape")
        if kind == 3:
            return str(rng.choice(match.game.moves))
        fields = list(zip(match.game.move_fields, rng.choice(match.game.moves), strict=True))
        field, value = rng.choice(fields)
        return field.label(value)

    return "".join(rng.choice(["\n", "\n", "\n", "\r\n"]).join([answer(), ""]) for _ in range(count))


def assert_unharmed(result: subprocess.CompletedProcess[str]) -> None:
    """Asserts that the program ended normally, printed no control characters, and saved only valid games."""
    assert (result.returncode, result.stderr) == (0, "")
    assert all(char.isprintable() or char == "\n" for char in result.stdout)
    for name in saved_games.names():
        load(saved_games.path_of(name))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("game", dd.games())
def test_any_piped_input_is_harmless(game: str, seed: int, duels: Run) -> None:
    assert_unharmed(duels("play", game, answers=fuzz(game, seed, 150)))
    assert saved_games.names()


@pytest.mark.parametrize("game", dd.games())
def test_random_bytes_without_a_newline_are_harmless(game: str, duels: Run) -> None:
    noise = random.Random(game).randbytes(20_000).replace(b"\n", b"").replace(b"\r", b"")
    assert_unharmed(duels("play", game, answers=noise.decode("utf-8", "surrogateescape")))


@pytest.mark.parametrize("game", dd.games())
@pytest.mark.parametrize("char", ["9", "x", " ", "\0", "é", "\u0301"])
def test_a_line_of_a_megabyte_is_one_invalid_answer(game: str, char: str, duels: Run) -> None:
    move = str(dd.game(game).moves[0])
    result = duels("play", game, answers=f"{char * 1_000_000}\n{move}\n{char * 1_000_000}")
    assert_unharmed(result)
    assert result.stdout.count("Error: ") == (0 if char == " " else 2)  # an empty line is not an error
    assert len(result.stdout) < 10_000
    assert [str(played) for played in load(saved_games.path_of(f"{game}-1")).moves] == [move]


@pytest.mark.parametrize("game", dd.games())
def test_any_typed_input_is_harmless(game: str, terminal: Open) -> None:
    person = terminal("play", game)
    keys = fuzz(game, 5, 60).encode("utf-8", "surrogateescape")
    # Without the keys with which the terminal itself stops, ends or pauses a program.
    person.type(keys.translate(None, b"\x03\x04\x11\x13\x16\x1a\x1c"))
    person.type("\x15\nconcede\nquit\nquit\n")
    output = person.rest()
    assert "Traceback" not in output
    assert person.program.returncode == 0
    for name in saved_games.names():
        load(saved_games.path_of(name))
