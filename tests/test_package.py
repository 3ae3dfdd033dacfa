"""The package: its wheel installs and runs with nothing but Python."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

import digitduels as dd
from conftest import ROOT

pytestmark = pytest.mark.slow


def run(*command: str | Path, folder: Path, answers: str = "") -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    result = subprocess.run(
        command, input=answers, capture_output=True, text=True, cwd=folder, env=environment, timeout=300, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built as for a release."""
    out = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", out, ROOT, folder=out)
    (built,) = out.glob("*.whl")
    return built


def test_the_wheel_contains_only_the_package_its_types_and_its_licence(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "digitduels/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    package = ROOT / "src" / "digitduels"
    parts = [*package.rglob("*.py"), *(path for path in (package / "web" / "page").rglob("*") if path.is_file())]
    parts += [*(package / "evals").glob("suite-v*.json"), package / "lab" / "reports.json"]
    parts += (package / "solver").glob("kernel*.[cw]*")
    sources = {str(path.relative_to(ROOT / "src")) for path in parts}
    assert {name for name in names if ".dist-info/" not in name} == {*sources, "digitduels/py.typed"}


def test_the_source_archive_contains_only_what_builds_the_package(tmp_path: Path) -> None:
    run(sys.executable, "-m", "build", "--no-isolation", "--sdist", "--outdir", tmp_path, ROOT, folder=tmp_path)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as files:
        parts = {name.split("/")[1] for name in files.getnames()}
    read = {"README.md", "CHANGELOG.md", "LICENSE"}
    assert parts == {*read, "src", "pyproject.toml", "PKG-INFO", ".gitignore"}


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts of a new environment in which only the wheel is installed."""
    folder = tmp_path_factory.mktemp("empty")
    venv.create(folder)
    programs = folder / "bin"
    install = (sys.executable, "-m", "pip", "--python", programs / "python", "install", "--quiet", "--no-compile")
    run(*install, "--disable-pip-version-check", wheel, folder=folder)
    return programs


def test_the_wheel_installs_and_plays_in_an_empty_environment(programs: Path, home: Path) -> None:
    located = run(programs / "python", "-c", "import digitduels; print(digitduels.__file__)", folder=home)
    assert Path(located.strip()).is_relative_to(programs.parent)
    assert run(programs / "duels", "games", folder=home).split("\n\n")[0].splitlines()[::3] == dd.games()
    output = run(programs / "duels", "play", "number-duel", folder=home, answers="+5\n+10\nx10\n")
    assert output.endswith("Player 1 has reached 50 points and wins the game!\n")


# The release


def test_the_version_is_the_same_everywhere() -> None:
    version, date = re.findall(r"^## (\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)", (ROOT / "CHANGELOG.md").read_text(), re.M)[
        0
    ]
    citation = (ROOT / "CITATION.cff").read_text()
    assert version == dd.__version__
    assert f"\nversion: {version}\ndate-released: {date}\n" in citation


def test_the_supported_versions_of_python_are_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    (matrix,) = re.findall(r"python: \[(.*)\]", (ROOT / ".github" / "workflows" / "ci.yml").read_text())
    assert named == re.findall(r'"(3\.\d+)"', matrix)
    assert project["requires-python"] == f">={named[0]}"
