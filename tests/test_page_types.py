"""The page's modules: their types hold, and they know no game."""

from __future__ import annotations

import shutil
import subprocess

import pytest

import digitduels as dd
from conftest import ROOT

PAGE = ROOT / "src" / "digitduels" / "web" / "page"
TYPESCRIPT = "7.0.2"


def test_the_types_of_the_page_hold() -> None:
    npx = shutil.which("npx")
    if npx is None:
        pytest.skip("The page's types are checked by tsc, which needs Node.js 20 or newer with npx on the PATH.")
    command = [npx, "--yes", "--package", f"typescript@{TYPESCRIPT}", "tsc", "--project", str(ROOT / "tsconfig.json")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_names_no_game_and_nothing_from_elsewhere() -> None:
    names = {name for game in map(dd.game, dd.games()) for name in (game.id, game.title)}
    for path in PAGE.rglob("*"):
        if path.suffix in (".js", ".ts", ".html", ".css", ".svg"):
            text = path.read_text(encoding="utf-8")
            assert not [name for name in names if name in text], path.name
            assert "//" not in text.replace("http://www.w3.org/2000/svg", "").replace("// ", "") or path.suffix == ".ts"
            assert "innerHTML" not in text, path.name
