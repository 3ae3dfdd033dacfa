"""Plugin games: installed with pip, they work like our own; an unusable one stops nothing."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect, sync_playwright

import digitduels as dd
from browser import ARGUMENTS, CHROMIUM
from conftest import DUELS, PATIENCE, ROOT, Run
from digitduels.games import books
from digitduels.record import RecordError, load
from servers import QUICK, SERVE, Server
from test_docs import blocks
from test_sixth_game import ABOUT, EXAMPLE

pytestmark = pytest.mark.slow

(PROJECT,) = blocks(ROOT / "CONTRIBUTING.md", "toml")
BACKEND = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[tool.hatch.build.targets.wheel]
include = ["*.py"]
"""
TROUBLES = {
    "number-duel": ("troubled:NumberDuel", "another game has this id"),
    "broken-import": ("no_such_module:Game", "ModuleNotFoundError: No module named 'no_such_module'"),
    "exits": ("exits:Game", "SystemExit: 3"),
    "not-a-game": ("troubled:NotAGame", "it is not a subclass of digitduels.Game"),
    "other-name": ("troubled:NumberDuel", "the id of NumberDuel is 'number-duel'"),
    "Upper Case": ("troubled:NumberDuel", "an id consists of lower-case letters, digits and single hyphens"),
}


def install(package: Path) -> Path:
    """Installs a package with pip, and returns the folder that has to be on the path of Python."""
    folder = package / "installed"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    done = subprocess.run(
        [*pip, "--no-build-isolation", "--target", str(folder), str(package)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the example of CONTRIBUTING.md is installed as a package of its own."""
    package = tmp_path_factory.mktemp("plugin")
    (package / "pyproject.toml").write_text(PROJECT.text + BACKEND)
    (package / "take_away.py").write_text(EXAMPLE.text, encoding="utf-8")
    return install(package)


@pytest.fixture(scope="module")
def troubles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which a package is installed whose games are unusable."""
    package = tmp_path_factory.mktemp("troubled")
    entries = "".join(f'"{name}" = "{value}"\n' for name, (value, _) in TROUBLES.items())
    (package / "pyproject.toml").write_text(
        f'[project]\nname = "troubled"\nversion = "1"\n[project.entry-points."digitduels.games"]\n{entries}{BACKEND}'
    )
    (package / "exits.py").write_text("raise SystemExit(3)\n")
    (package / "troubled.py").write_text(
        "from digitduels.games import number_duel\n"
        "class NotAGame: pass\n"
        "class NumberDuel(number_duel.NumberDuel):\n    def after(self, state, move): return state\n"
    )
    return install(package)


@pytest.fixture
def plugged(plugin: Path, duels: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """`duels` with an additional game."""
    games = import_module("digitduels.games")
    with monkeypatch.context() as patch:
        patch.syspath_prepend(plugin)
        patch.setenv("PYTHONPATH", path(plugin))  # for the process that solves in the background
        games._plugins.cache_clear()
        yield duels
    sys.modules.pop("take_away", None)
    games._plugins.cache_clear()


def run(command: list[str], home: Path, *folders: Path, answers: str = "") -> subprocess.CompletedProcess[str]:
    """Runs a command with these folders on the path of Python."""
    return subprocess.run(
        command,
        input=answers,
        capture_output=True,
        encoding="utf-8",
        cwd=home,
        env={**os.environ, "PYTHONPATH": path(*folders)},
        timeout=PATIENCE,
        check=False,
    )


def path(*folders: Path) -> str:
    return os.pathsep.join(map(str, (ROOT / "src", *folders)))


def listed(shown: str) -> list[str]:
    """The ids in the output of `duels games`."""
    return [line for line in shown.splitlines() if re.fullmatch("[a-z-]+", line)]


def test_a_plugin_game_is_listed_and_documented(plugged: Run) -> None:
    listing = plugged("games")
    assert listed(listing.stdout) == sorted([*books(), "take-away"])
    assert listing.stderr == ""
    assert [game["game"] for game in json.loads(plugged("games", "--json").stdout)["games"]][-1] == "take-away"
    assert plugged("rules", "take-away").stdout.startswith(f"# Take Away\n\n{ABOUT}\n")


def test_a_plugin_game_is_played_and_solved(plugged: Run) -> None:
    shown = plugged("play", "take-away", "--set", "heap=4", answers="1\n2\n1\n").stdout
    assert shown.endswith("Player 1 took the last counter.\nPlayer 1 wins the game!\n")
    solo = plugged("play", "take-away", "--set", "heap=4", "--vs", "3", "--seed", "1", answers="1\n1\n1\n1\n")
    assert (solo.returncode, solo.stderr) == (0, "")
    assert re.search("(wins|win) the game!\n", solo.stdout)
    solved = json.loads(plugged("solve", "take-away", "--json").stdout)
    assert (solved["value"], solved["best"]) == ("win", ["take-1"])


@pytest.mark.skipif(CHROMIUM is None, reason="No Chromium on the PATH; on Debian and Ubuntu: apt-get install chromium")
def test_a_plugin_game_is_served_and_played_in_the_browser(plugin: Path, home: Path) -> None:
    with Server(str(home / "games.sqlite"), ("env", f"PYTHONPATH={path(plugin)}", *SERVE)) as server:
        assert [game["game"] for game in fetch(f"{server.url}/api/games")][-1] == "take-away"
        position = fetch(f"{server.url}/api/position/take-away?moves=take-1")
        assert [entry["move"] for entry in position["legal"]] == ["take-1", "take-2", "take-3"]
        with (
            sync_playwright() as playwright,
            playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS) as browser,
        ):
            page = browser.new_page()
            page.goto(f"{server.url}/play/take-away?heap=3&moves=take-1")
            expect(page.get_by_role("heading", level=1)).to_contain_text("Take Away")
            page.get_by_role("region", name="Your move").get_by_role("button", name="→ 0").click()
            expect(page.get_by_text("Player 2 took the last counter.").first).to_be_visible()
            page.goto(f"{server.url}/play/nothing")
            expect(page.get_by_text("Can't open this page").first).to_be_visible()


def fetch(url: str, sent: dict[str, Any] | None = None) -> Any:
    data = None if sent is None else json.dumps(sent).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return json.load(answer)


ADAPTERS = """
import gymnasium, pyspiel, textarena
from digitduels.adapters import gymnasium as _, openspiel, pettingzoo, textarena as _
env = gymnasium.make("digitduels/TakeAway-v0", opponent="random")
env.reset(seed=1)
print(env.action_space)
game = pyspiel.load_game("python_digitduels(game=take-away,heap=4)")
pyspiel.random_sim_test(game, num_sims=5, serialize=True, verbose=False)
state = game.new_initial_state()
for token in ("take-1", "take-2", "take-1"):
    state.apply_action(state.string_to_action(token))
print(state.returns())
print(pettingzoo.env("take-away").possible_agents)
env = textarena.make("digitduels/TakeAway-v0", heap=2)
env.reset(num_players=2)
print(env.step("[take-2]"))
"""


def test_a_plugin_game_is_available_in_the_frameworks(plugin: Path, home: Path) -> None:
    done = run([sys.executable, "-c", ADAPTERS], home, plugin)
    assert done.returncode == 0, done.stderr
    space, *_, returns, agents, step = done.stdout.splitlines()
    assert (space, returns, agents) == ("Discrete(3)", "[1.0, -1.0]", "['player_1', 'player_2']")
    assert step == "(True, {'move': 'take-2'})"


def test_unusable_games_give_one_warning_each_and_stop_nothing(plugin: Path, troubles: Path, home: Path) -> None:
    done = run([*DUELS, "games"], home, plugin, troubles)
    assert listed(done.stdout) == sorted([*books(), "take-away"])
    lines = [f"duels: The game '{name}' of {value} is ignored: {why}" for name, (value, why) in TROUBLES.items()]
    assert sorted(done.stderr.splitlines()) == sorted(lines)
    assert done.returncode == 0
    done = run([*DUELS, "play", "number-duel"], home, plugin, troubles, answers="+5\n+10\nx10\n")
    assert done.stdout.endswith("Player 1 has reached 50 points and wins the game!\n")
    assert done.stderr == ""


LAZY = """
import sys, warnings
warnings.simplefilter("error")
import digitduels as dd
dd.game("number-duel")
dd.game("Number Quest")
from digitduels.cli.main import main
try: main(["--help"])
except SystemExit: pass
print(sorted({"take_away", "troubled", "exits", "importlib.metadata"} & set(sys.modules)), file=sys.stderr)
warnings.resetwarnings()
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    for _ in range(3):
        dd.games(), dd.game("take-away")
print(len(said), file=sys.stderr)
"""


def test_plugins_are_imported_lazily_and_warned_about_once(plugin: Path, troubles: Path, home: Path) -> None:
    done = run([sys.executable, "-c", LAZY], home, plugin, troubles)
    assert done.stderr.splitlines() == ["[]", str(len(TROUBLES))]


def test_saved_games_of_an_uninstalled_game_are_explained(plugin: Path, home: Path) -> None:
    run([*DUELS, "play", "take-away", "--save", "game.json"], home, plugin, answers="2\n")
    gone = "There is no game 'take-away'. The games are equation-duel, "
    with pytest.raises(RecordError, match=f"^The game of this record is not installed. {gone}"):
        load(home / "game.json")
    database = str(home / "games.sqlite")
    with Server(database, ("env", f"PYTHONPATH={path(plugin)}", *QUICK)) as server:
        room = fetch(f"{server.url}/api/games", {"game": "take-away"})["id"]
    with Server(database, QUICK) as server:
        for route in (f"games/{room}", "position/take-away"):
            with pytest.raises(urllib.error.HTTPError) as refused:
                fetch(f"{server.url}/api/{route}")
            assert refused.value.code == 404
            assert gone in json.load(refused.value)["detail"]
        assert fetch(f"{server.url}/api/games")


def test_plugin_games_are_not_books(plugged: Run) -> None:
    assert (len(books()), len(dd.games())) == (5, 6)
