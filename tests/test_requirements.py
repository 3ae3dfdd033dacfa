"""Dependencies: every imported package is declared, and every installation from a checkout is pinned by hash."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PINNED = {path.stem: path for path in (ROOT / "requirements").glob("*.txt")}
ENTRY = re.compile(r"^([\w.-]+)==(\S+)(?: ; ([^\\]+?))? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.M)


def requirements(*extras: str) -> dict[str, Requirement]:
    """The declared dependencies, with those of some extras, by name."""
    lines = [*PROJECT["dependencies"], *(line for extra in extras for line in PROJECT["optional-dependencies"][extra])]
    return {canonicalize_name(found.name): found for found in map(Requirement, lines)}


def imported(folder: Path) -> set[str]:
    """The top-level packages of other projects that the sources in a folder import."""
    names = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names.add(str(node.module).partition(".")[0])
    return names - sys.stdlib_module_names - {"digitduels", "pyodide"}  # pyodide is part of a browser's Python


def pins(name: str) -> list[tuple[str, str]]:
    """The packages of a requirements file with their versions; one package may have several, for several Pythons."""
    return [(canonicalize_name(package), version) for package, version, _, _ in ENTRY.findall(PINNED[name].read_text())]


def test_every_imported_package_is_declared() -> None:
    declared = requirements(*PROJECT["optional-dependencies"])
    homes = packages_distributions()
    for package in imported(ROOT / "src" / "digitduels"):
        assert any(canonicalize_name(home) in declared for home in homes[package]), f"{package} is not declared"


@pytest.mark.parametrize(("name", "extras"), [("play", []), ("test", ["dev"])])
def test_every_declared_package_is_pinned_within_its_bounds(name: str, extras: list[str]) -> None:
    pinned = pins(name)
    for package, requirement in requirements(*extras).items():
        versions = [version for other, version in pinned if other == package]
        assert versions or package == "digitduels", package
        assert all(version in requirement.specifier for version in versions), package


@pytest.mark.parametrize("name", sorted(PINNED))
def test_pinned_files_contain_nothing_but_versions_and_hashes(name: str) -> None:
    assert ENTRY.sub("", PINNED[name].read_text()) == ""


def test_playing_and_testing_install_the_same_versions() -> None:
    assert set(pins("play")) <= set(pins("test"))
