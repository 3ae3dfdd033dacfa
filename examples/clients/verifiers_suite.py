"""verifiers runs suite-v1 with our players: perfect, random, and one that answers in prose."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

EXAMPLES = Path(__file__).parents[1] / "verifiers"
RUNS = {"digitduels-positions": ("perfect", "random", "prose"), "digitduels-games": ("perfect", "random")}
sys.path.append(str(EXAMPLES))

from skill import report  # noqa: E402


def main() -> None:
    server = subprocess.Popen([sys.executable, EXAMPLES / "players.py", "0"], stdout=subprocess.PIPE, text=True)  # noqa: S603
    try:
        url = server.stdout.readline().strip()
        for environment, players in RUNS.items():
            for player in players:
                print(f"{environment}, {player}: {run(environment, player, url)}", flush=True)
    finally:
        server.terminate()
        server.wait()


def run(environment: str, player: str, url: str) -> str:
    """Runs an environment with a player and returns the report."""
    with TemporaryDirectory() as folder:
        command = [Path(sys.executable).with_name("vf-eval"), environment, "--model", player]
        command += ["--client.base-url", url, "--no-push", "--output-dir", folder, "--run.name", "run"]
        paths = [str(EXAMPLES), os.environ.get("PYTHONPATH", "")]
        variables = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=variables)  # noqa: S603
        with (Path(folder) / "run" / "traces.jsonl").open(encoding="utf-8") as file:
            return report(file)


if __name__ == "__main__":
    main()
