"""Plugin games: installed with pip, they work like our own; an unusable one stops nothing."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import sysconfig
import urllib.error
import urllib.request
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect, sync_playwright

import digitduels as dd
from browser import ARGUMENTS, CHROMIUM
from conftest import ROOT
from digitduels.record import RecordError, load
from servers import Server

pytestmark = pytest.mark.slow

PLUGIN = ROOT / "tests" / "plugin"
PATIENCE = 120  # seconds for a program
TROUBLES = {
    "number-duel": ("troubled:NumberDuel", "another game has this id"),
    "broken-import": ("no_such_module:Game", "ModuleNotFoundError: No module named 'no_such_module'"),
    "exits": ("exits:Game", "SystemExit: 3"),
    "not-a-game": ("troubled:NotAGame", "it is not a subclass of digitduels.Game"),
    "other-name": ("troubled:NumberDuel", "the id of NumberDuel is 'number-duel'"),
    "Upper Case": ("troubled:NumberDuel", "an id consists of lower-case letters, digits and single hyphens"),
}

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def environment(folder: Path, *packages: Path) -> Path:
    """The Python of a new environment with the packages of the tests and these packages."""
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    (site / "shared.pth").write_text(f"{ROOT / 'src'}\n{sysconfig.get_path('purelib')}\n")
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps"]
    done = subprocess.run(
        [*install, "--no-build-isolation", "--disable-pip-version-check", *map(str, packages)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return python


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with an additional game."""
    return environment(tmp_path_factory.mktemp("plugin"), PLUGIN)


@pytest.fixture(scope="module")
def troubled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with an additional game, and a package whose games are unusable."""
    package = tmp_path_factory.mktemp("troubled")
    entries = "".join(f'"{name}" = "{value}"\n' for name, (value, _) in TROUBLES.items())
    (package / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
        '[project]\nname = "troubled"\nversion = "1"\n'
        f'[project.entry-points."digitduels.games"]\n{entries}'
        '[tool.hatch.build.targets.wheel]\ninclude = ["*.py"]\n'
    )
    (package / "exits.py").write_text("raise SystemExit(3)\n")
    (package / "troubled.py").write_text(
        "from digitduels.games import number_duel\n"
        "class NotAGame: pass\n"
        "class NumberDuel(number_duel.NumberDuel):\n    def after(self, state, move): return state\n"
    )
    return environment(tmp_path_factory.mktemp("troubles"), PLUGIN, package)


@pytest.fixture
def run(home: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a Python with these arguments, and pipes `answers` into it."""
    monkeypatch.delenv("PYTHONPATH", raising=False)

    def start(python: Path, *arguments: str, answers: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [python, *arguments],
            input=answers,
            capture_output=True,
            encoding="utf-8",
            cwd=home,
            timeout=PATIENCE,
            check=False,
        )

    return start


@pytest.fixture
def duels(run: Run, python: Path) -> Run:
    """`duels` in the environment with an additional game."""

    def start(*arguments: str, answers: str = "") -> subprocess.CompletedProcess[str]:
        done = run(python, "-m", "digitduels", *arguments, answers=answers)
        assert (done.returncode, done.stderr) == (0, "")
        return done

    return start


def listed(shown: str) -> list[str]:
    """The ids in the output of `duels games`."""
    return [line for line in shown.splitlines() if re.fullmatch("[a-z-]+", line)]


def test_a_plugin_game_is_listed_and_documented(duels: Run) -> None:
    assert listed(duels("games").stdout) == sorted([*dd.games(), "take-away"])
    assert [game["game"] for game in json.loads(duels("games", "--json").stdout)["games"]][-1] == "take-away"
    assert duels("rules", "take-away").stdout.startswith("# Take Away\n\nTake one or two counters from a heap.")


def test_a_plugin_game_is_played_and_solved(duels: Run) -> None:
    shown = duels("play", "take-away", "--set", "heap=4", answers="1\n2\n1\n").stdout
    assert shown.endswith("Player 1 took the last one.\nPlayer 1 wins the game!\n")
    assert "wins the game!" in duels("play", "take-away", "--vs", "3", "--seed", "1", answers="1\n1\n1\n1\n").stdout
    solved = json.loads(duels("solve", "take-away", "--json").stdout)
    assert (solved["value"], solved["best"]) == ("win", ["take-1"])


@pytest.mark.skipif(CHROMIUM is None, reason="No Chromium on the PATH; on Debian and Ubuntu: apt-get install chromium")
def test_a_plugin_game_is_served_and_played_in_the_browser(python: Path, home: Path) -> None:
    with Server(str(home / "games.sqlite"), (str(python), "-m", "digitduels", "serve")) as server:
        assert [game["game"] for game in fetch(f"{server.url}/api/games")][-1] == "take-away"
        position = fetch(f"{server.url}/api/position/take-away?moves=take-1")
        assert [entry["move"] for entry in position["legal"]] == ["take-1", "take-2"]
        with (
            sync_playwright() as playwright,
            playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS) as browser,
        ):
            page = browser.new_page()
            page.goto(f"{server.url}/play/take-away?heap=3&moves=take-1")
            expect(page.get_by_role("heading", level=1)).to_contain_text("Take Away")
            page.get_by_role("region", name="Your move").get_by_role("button", name="→ 0").click()
            expect(page.get_by_text("Player 2 took the last one.").first).to_be_visible()
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
state = game.new_initial_state()
for token in ("take-1", "take-2", "take-1"):
    state.apply_action(state.string_to_action(token))
print(state.returns())
print(pettingzoo.env("take-away").possible_agents)
print("digitduels/TakeAway-v0" in textarena.envs.registration.ENV_REGISTRY)
"""


def test_a_plugin_game_is_available_in_the_frameworks(run: Run, python: Path) -> None:
    done = run(python, "-c", ADAPTERS)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["Discrete(2)", "[1.0, -1.0]", "['player_1', 'player_2']", "True"]


def test_unusable_games_give_one_warning_each_and_stop_nothing(run: Run, troubled: Path) -> None:
    done = run(troubled, "-m", "digitduels", "games")
    assert listed(done.stdout) == sorted([*dd.games(), "take-away"])
    lines = [f"duels: The game '{name}' of {value} is ignored: {why}" for name, (value, why) in TROUBLES.items()]
    assert sorted(done.stderr.splitlines()) == sorted(lines)
    assert done.returncode == 0
    done = run(troubled, "-m", "digitduels", "play", "number-duel", answers="+5\n+10\nx10\n")
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


def test_plugins_are_imported_lazily_and_warned_about_once(run: Run, troubled: Path) -> None:
    assert run(troubled, "-c", LAZY).stderr.splitlines() == ["[]", str(len(TROUBLES))]


def test_saved_games_of_an_uninstalled_game_are_explained(duels: Run, python: Path, home: Path) -> None:
    duels("play", "take-away", "--save", "game.json", answers="2\n")
    gone = "There is no game 'take-away'. The games are equation-duel, "
    with pytest.raises(RecordError, match=f"^The game of this record is not installed. {gone}"):
        load(home / "game.json")
    database = str(home / "games.sqlite")
    with Server(database, (str(python), "-m", "digitduels", "serve")) as server:
        room = fetch(f"{server.url}/api/games", {"game": "take-away"})["id"]
    with Server(database) as server:
        for path in (f"games/{room}", "position/take-away"):
            with pytest.raises(urllib.error.HTTPError) as refused:
                fetch(f"{server.url}/api/{path}")
            assert refused.value.code == 404
            assert gone in json.load(refused.value)["detail"]
        assert fetch(f"{server.url}/api/games")


def test_plugin_games_are_not_books(run: Run, python: Path) -> None:
    done = run(python, "-c", "from digitduels.games import books, games; print(len(books()), len(games()))")
    assert done.stdout == "5 6\n"
