"""The npm tools that check the page: installed once, from package-lock.json, into node_modules."""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DEADLINE = 300  # seconds for one command
MISSING = "The page's tools need Node.js 20.19 or newer with npm on the PATH; on Debian and Ubuntu: apt-get install npm"


def run(*command: str) -> str:
    """Runs `node` or an installed tool in the project folder; returns its output. The test fails if the tool does."""
    install()
    program = command[0] if command[0] == "node" else str(ROOT / "node_modules" / ".bin" / command[0])
    result = subprocess.run(
        [program, *command[1:]], capture_output=True, text=True, cwd=ROOT, timeout=DEADLINE, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def install() -> None:
    """Installs the tools if they are missing or outdated; skips the test where npm is missing."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip(MISSING)
    checksum = hashlib.sha256((ROOT / "package-lock.json").read_bytes()).hexdigest()
    installed = ROOT / "node_modules" / ".installed"
    # Several test processes may install at the same time.
    with (ROOT / "package-lock.json").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if installed.exists() and installed.read_text() == checksum:
            return
        command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=DEADLINE, check=False)
        assert result.returncode == 0, result.stdout + result.stderr
        installed.write_text(checksum)
