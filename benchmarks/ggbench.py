"""Random legal play in our environments with gg-bench's interface, and in gg-bench's own.

Requires a checkout of gg-bench:

GGBENCH=../gg-bench python -m benchmarks ggbench
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from benchmarks.environments import RUNS, repeated
from digitduels.adapters import ggbench


def table() -> str:
    rows = ["| steps/s | game | gg-bench's interface | gg-bench's own | ratio |", "|---:|---|---:|---:|---:|"]
    for number in (88, 185, 390, 417, 951):
        env = getattr(ggbench, f"Env{number}")()
        ours, theirs = moves(env), moves(own(number))
        # Interleaved, so that a burst of load does not slow down only one of them.
        runs = [(ours(), theirs()) for _ in range(RUNS)]
        fast, reference = (max(rates) for rates in zip(*runs, strict=True))
        rows.append(f"| {number} | {env.game.title} | {fast:,.0f} | {reference:,.0f} | {fast / reference:.2f} |")
    return "\n".join(rows)


def moves(env: Any) -> Callable[[], float]:
    """Games in gg-bench's interface. Some of its own games never end, so a game is stopped after 100 steps."""
    choice = random.Random(1).choice

    def play() -> int:
        steps, over = 0, False
        env.reset()
        while not over and steps < 100 and (valid := env.valid_moves()):
            over = env.step(choice(valid))[2]
            steps += 1
        return steps

    return repeated(play)


def own(number: int) -> Any:
    """gg-bench's own environment for a game."""
    path = Path(os.environ.get("GGBENCH", "")) / "gg_bench" / "data" / "envs" / f"env_{number}.py"
    spec = spec_from_file_location(path.stem, path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise SystemExit("Set GGBENCH to a checkout of gg-bench: GGBENCH=../gg-bench python -m benchmarks ggbench")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.CustomEnv()
