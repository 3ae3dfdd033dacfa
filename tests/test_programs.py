"""External programs: good ones, and ones that hang, flood, crash, answer wrongly, answer late or leave children."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import digitduels as dd
from conftest import PATIENCE, ROOT
from digitduels.match import Match
from digitduels.players import Forfeit, player
from digitduels.players.external import LINE, STDERR_TAIL, Program, question, split_name
from processes import alive

pytestmark = pytest.mark.slow

EXAMPLE = shlex.join([sys.executable, str(ROOT / "examples" / "take_the_biggest.py")])
Write = Callable[..., Program]


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Write]:
    """Writes a program with this text and a time limit per move."""
    written: list[Program] = []

    def write(text: str, move_time: float = PATIENCE) -> Program:
        path = tmp_path / f"program {len(written)}.py"
        path.write_text(f"import json, os, sys, time\n{text}\n")
        written.append(Program(shlex.join([sys.executable, "-u", str(path)]), move_time))
        return written[-1]

    yield write
    for started in written:
        started.close()


def match(*tokens: str) -> Match:
    begun = Match(dd.game("number-duel"))
    for token in tokens:
        begun.play(begun.game.read(token))
    return begun


def forfeit(program: Program) -> str:
    """Why the program forfeits at its first move, after which it must not run any more."""
    with pytest.raises(Forfeit) as reason:
        program.choose(match())
    assert program._process is None
    return str(reason.value)


def gone(number: int) -> bool:
    """Waits until a process has ended; returns whether it has."""
    for _ in range(PATIENCE * 100):
        if not alive(number):
            return True
        time.sleep(0.01)
    return False


# Programs that play correctly


@pytest.mark.parametrize("name", dd.games())
def test_the_example_plays_every_game_to_its_end(name: str) -> None:
    played = Match(dd.game(name))
    with Program(EXAMPLE) as one, Program(EXAMPLE) as two:
        while played.outcome is None:
            played.play((one, two)[played.state.player].choose(played))
    assert played.conceded is None
    assert played.moves


def test_a_program_gets_the_game_the_options_the_moves_the_legal_moves_and_its_seat(program: Write) -> None:
    tell = (
        "question = json.loads(input()); print(question, file=sys.stderr); print(json.dumps({'move': '+1', 'more': 1}))"
    )
    teller = program(f"{tell}\ntime.sleep(1000)")
    begun = match("+5")
    assert teller.choose(begun) == begun.game.read("+1")
    teller.close()
    assert eval(teller.errors) == {
        "game": "number-duel",
        "options": begun.game.values,
        "moves": ["+5"],
        "legal": [str(move) for move in begun.game.legal_moves(begun.state)],
        "player": 2,
        "seed": teller.seed,
    }
    assert type(teller.seed) is int


def test_the_question_is_as_documented() -> None:
    page = (ROOT / "docs" / "programs.md").read_text(encoding="utf-8")
    example, answer = re.findall(r"^```json\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    match_so_far = Match(dd.game("operation-target"))
    match_so_far.play(match_so_far.game.read("x2"))
    documented = json.loads(example)
    assert documented == question(match_so_far, documented["seed"])
    assert json.loads(answer)["move"] in documented["legal"]


def test_the_same_seed_gives_a_program_the_same_integer() -> None:
    assert Program(EXAMPLE, seed="0 fair 1").seed == Program(EXAMPLE, seed="0 fair 1").seed
    assert Program(EXAMPLE, seed="0 fair 1").seed != Program(EXAMPLE, seed="0 fair 2").seed
    assert Program(EXAMPLE).seed != Program(EXAMPLE).seed
    assert 0 <= Program(EXAMPLE).seed < 2**32


def test_one_process_serves_a_whole_game(program: Write) -> None:
    counting = program("for n, line in enumerate(sys.stdin, 1): print(json.dumps({'move': f'+{n}'}))")
    begun = match()
    for expected in ("+1", "+2", "+3"):
        begun.play(counting.choose(begun))
        assert str(begun.moves[-1]) == expected


def test_a_program_that_closed_its_input_can_still_answer(program: Write) -> None:
    text = (
        'input(); os.close(0); print(\'{"move": "+1"}\'); time.sleep(0.2); print(\'{"move": "+2"}\'); time.sleep(1000)'
    )
    deaf = program(text)
    assert [str(deaf.choose(match())) for _ in range(2)] == ["+1", "+2"]


def test_standard_error_never_blocks_a_program_and_only_its_end_is_kept(program: Write) -> None:
    text = "sys.stderr.write('x' * 3_000_000 + 'the end'); input(); print('{\"move\": \"+1\"}'); time.sleep(1000)"
    loud = program(text)
    assert str(loud.choose(match())) == "+1"
    loud.close()
    assert len(loud.errors) <= STDERR_TAIL
    assert loud.errors.endswith("the end")


# Programs that fail


def test_a_program_that_hangs_loses_on_time(program: Write) -> None:
    assert forfeit(program("time.sleep(1000)", move_time=0.2)) == "the program gave no answer within 0.2 s."


def test_a_program_that_never_reads_loses_on_time(program: Write) -> None:
    deaf = program('while True: print(\'{"move": "+1"}\')', move_time=0.5)

    def until_its_input_is_full() -> None:
        while True:
            deaf.choose(match())

    with pytest.raises(Forfeit, match="gave no answer"):
        until_its_input_is_full()


def test_a_late_answer_does_not_count(program: Write) -> None:
    late = program('input(); time.sleep(1); print(\'{"move": "+1"}\'); time.sleep(1000)', move_time=0.3)
    assert forfeit(late) == "the program gave no answer within 0.3 s."


def test_endless_output_without_a_newline_loses(program: Write) -> None:
    assert forfeit(program("while True: sys.stdout.write('x' * 10000)")) == (
        f"the program wrote {LINE} bytes and did not end its line."
    )


def test_a_program_that_crashes_loses_and_its_error_is_quoted(program: Write) -> None:
    reason = forfeit(program("input(); raise SystemError('out of ideas')"))
    assert reason == "the program ended without an answer (exit code 1). SystemError: out of ideas"


def test_a_program_that_exits_loses(program: Write) -> None:
    assert forfeit(program("sys.exit(7)")) == "the program ended without an answer (exit code 7)."
    assert forfeit(program("print('{\"move\"', end=''); sys.exit(0)")).startswith("the program ended without an answer")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("hello", "the program's answer is not a JSON object: 'hello'."),
        ("[1]", "the program's answer is not a JSON object: '[1]'."),
        ("[" * 50_000, "the program's answer is not a JSON object: '[[["),
        ("1" * 50_000, "the program's answer is not a JSON object: '111"),
        ("\\xff\\x00\\x1b[2J", "the program's answer is not a JSON object: "),
        ("", "the program's answer is not a JSON object: ''."),
        ("{}", "the program's answer names no move: '{}'."),
        ('{"move": 5}', "the program's answer names no move: '{\"move\": 5}'."),
        ('{"move": "castle"}', "the program played 'castle'. 'castle' is not a move in Number Duel."),
        ('{"move": "+11"}', "the program played '+11'. '+11' is not a move in Number Duel."),
        ('{"move": "x9"}', "the program played 'x9'. "),
    ],
)
def test_a_program_with_a_wrong_answer_loses_and_the_answer_is_quoted(answer: str, reason: str, program: Write) -> None:
    liar = program(f"input(); sys.stdout.buffer.write(b'''{answer}\\n'''); sys.stdout.flush(); time.sleep(1000)")
    begun = match("+9", "+9") if "x9" in answer else match()
    with pytest.raises(Forfeit) as given:
        liar.choose(begun)
    assert str(given.value).startswith(reason)
    assert str(given.value).isprintable()


def test_a_program_that_cannot_be_run_loses(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no program")
    reason = forfeit(Program(shlex.quote(str(tmp_path / "notes.txt"))))
    assert reason == "the program could not be started: Permission denied."


def test_child_processes_are_killed_with_their_program(program: Write) -> None:
    text = "child = os.fork() or os.execlp('sleep', 'sleep', '1000')\nprint(os.getpid(), child, file=sys.stderr)\n"
    family = program(f'{text}input(); print(\'{{"move": "+1"}}\'); time.sleep(1000)')
    family.choose(match())
    family.close()
    parent, child = map(int, family.errors.split())
    assert gone(parent)
    assert gone(child)


def test_child_processes_are_killed_after_their_program_has_exited(program: Write) -> None:
    text = "child = os.fork() or os.execlp('sleep', 'sleep', '1000')\nprint(child, file=sys.stderr)\n"
    orphaned = program(f'{text}input(); print(\'{{"move": "+1"}}\')')
    orphaned.choose(match())
    # The child keeps standard output open, so the end of the program looks like silence.
    orphaned.move_time = 0.2
    assert forfeit(orphaned) == "the program gave no answer within 0.2 s."
    assert gone(int(orphaned.errors))


def test_a_child_process_in_its_own_session_does_not_block_the_game(program: Write) -> None:
    text = "child = os.fork()\nif not child: os.setsid(); time.sleep(1000)\nprint(child, file=sys.stderr)"
    escaped = program(f'{text}\ninput(); print(\'{{"move": "+1"}}\'); time.sleep(1000)')
    escaped.choose(match())
    escaped.close()
    os.kill(int(escaped.errors), 9)
    escaped._tidying.join(PATIENCE)
    assert not escaped._tidying.is_alive()


# Names and commands


def test_a_program_can_be_named() -> None:
    with player(f"greedy={EXAMPLE}", dd.game("number-duel"), dd.solve) as found:
        assert isinstance(found, Program)
        assert found.name == "greedy"
        assert str(found.choose(match())) in ("+10", "x10")


@pytest.mark.parametrize("text", ["my bot=cmd", "'bot'=cmd", "bots/one=cmd", "=cmd", 'a"b=cmd'])
def test_an_invalid_name_is_part_of_the_command(text: str) -> None:
    assert split_name(text) == (None, text)


def test_a_command_line_is_a_player_and_its_words_are_split_without_a_shell() -> None:
    with player(f"{EXAMPLE} '$HOME; *'", dd.game("number-duel"), dd.solve) as found:
        assert isinstance(found, Program)
        assert found.words[-1] == "$HOME; *"
        assert str(found.choose(match())) in ("+10", "x10")


@pytest.mark.parametrize("name", ["8", "", "no-such-program --now", "'open", "./nothing", "\0", "x" * 10_000])
def test_an_unknown_player_is_refused_with_a_list_of_players(name: str) -> None:
    with pytest.raises(ValueError, match=r"The players are random, 1, .*, perfect, or the command of a program\."):
        player(name, dd.game("number-duel"), dd.solve)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf")])
def test_an_invalid_time_limit_is_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match="more than 0 seconds"):
        Program(EXAMPLE, seconds)
