"""Runs real clients of the research interfaces and writes their output to docs/frameworks/clients.md.

`make clients` runs all of them, and `python examples/clients NAME…` runs some. A client learns for 60 seconds of
processor time. The environment variable SECONDS changes that.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path(__file__).parent
PAGE = FOLDER.parents[1] / "docs" / "frameworks" / "clients.md"
CLIENTS = ("maskable_ppo", "cleanrl_ppo", "tianshou_dqn", "alpha_zero", "lm_eval_suite", "verifiers_suite")


def main() -> int:
    names = sys.argv[1:] or CLIENTS
    if unknown := set(names) - set(CLIENTS):
        print(f"There is no client {min(unknown)!r}. They are {', '.join(CLIENTS)}.")
        return 2
    failed = 0
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}  # waiting threads would use processor time
    for name in names:
        start = time.monotonic()
        command = [sys.executable, FOLDER / f"{name}.py"]
        run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, env=environment)  # noqa: S603
        print(f"{name} ({time.monotonic() - start:.0f} s)\n{run.stdout}", flush=True)
        if run.returncode:
            failed += 1
            continue
        page = PAGE.read_text(encoding="utf-8")
        before, after = re.split(rf"<!-- {name} -->\n.*?<!-- end -->", page, flags=re.DOTALL)
        output = f"<!-- {name} -->\n```text\n{run.stdout}```\n<!-- end -->"
        PAGE.write_text(f"{before}{output}{after}", encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
