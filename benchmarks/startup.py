"""Startup: `duels --help` compared with `python -c pass`, and the computer's first move with the first prompt."""

from __future__ import annotations

import os
import pty
import statistics
import subprocess
import sys
import tempfile
import time

import digitduels as dd
from digitduels.players.levels import tuning

RUNS = 31
GAMES = 5  # runs per game and level
COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "duels --help": ["-m", "digitduels", "--help"],
    "duels games": ["-m", "digitduels", "games"],
}


def table() -> str:
    durations: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(RUNS):
        for name, arguments in COMMANDS.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
            durations[name].append(time.perf_counter() - start)
    medians = {name: statistics.median(times) for name, times in durations.items()}
    nothing = medians["python -c pass"]
    rows = ["| command | median | times `python -c pass` |", "|---|---:|---:|"]
    rows += [f"| `{name}` | {median * 1000:.0f} ms | {median / nothing:.1f} |" for name, median in medians.items()]
    return "\n".join([*rows, "", first_moves(nothing)])


def first_moves(nothing: float) -> str:
    """The time to the computer's first move with an empty cache, as a multiple of the time to the first prompt."""
    levels = ("1", "2", "3", "4", "5", "6")
    rows = [
        "The time from the command to the first prompt of a game between two people, also as a multiple of",
        "`python -c pass`; at most 12. For each level, the time to the prompt after the computer's first move, with an",
        "empty cache, as a multiple of the first prompt. The first prompts are measured before the levels.",
        "",
        f"| game | prompt | times `pass` | {' | '.join(f'level {level}' for level in levels)} |",
        f"|---|---:|---:|{'---:|' * len(levels)}",
    ]
    prompts = {name: statistics.median(first_prompt("play", name) for _ in range(GAMES)) for name in dd.games()}
    for name, prompt in prompts.items():
        waits: dict[str, list[float]] = {level: [] for level in levels}
        offered = {str(level) for level in tuning(dd.game(name)).levels}
        for run in range(GAMES):
            for level in waits:
                if level in offered:
                    computer = ("--vs", level, "--seat", "2", "--seed", str(run))
                    waits[level].append(first_prompt("play", name, *computer))
        ratios = [f"{statistics.median(waits[level]) / prompt:.1f}" if waits[level] else "–" for level in levels]
        rows.append(
            f"| {dd.game(name).title} | {prompt * 1000:.0f} ms | {prompt / nothing:.1f} | {' | '.join(ratios)} |"
        )
    return "\n".join(rows)


def first_prompt(*arguments: str) -> float:
    """Seconds from the start of `duels` on a terminal to the first prompt."""
    screen, keyboard = pty.openpty()
    with tempfile.TemporaryDirectory() as folder:
        home = {"XDG_CACHE_HOME": f"{folder}/cache", "XDG_STATE_HOME": f"{folder}/state", "TERM": "dumb"}
        start = time.perf_counter()
        program = subprocess.Popen(
            [sys.executable, "-m", "digitduels", *arguments],
            stdin=keyboard,
            stdout=keyboard,
            stderr=keyboard,
            env=os.environ | home,
        )
        output = b""
        # Only a prompt does not end with a newline.
        while not output.endswith((b": ", b"> ")):
            output += os.read(screen, 1 << 16)
        seconds = time.perf_counter() - start
        os.write(screen, b"quit\n")
        program.wait()
    os.close(screen)
    os.close(keyboard)
    return seconds
