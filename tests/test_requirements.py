"""Dependencies: every imported package is declared, and every installation from a checkout is pinned by hash."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PINNED = {path.stem: path for path in (ROOT / "requirements").glob("*.txt")}
ENTRY = re.compile(r"^([\w.-]+)==(\S+)(?: ; ([^\\]+?))? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.M)


SYSTEMS = (("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64"), ("darwin", "x86_64"), ("win32", "AMD64"))


def requirements(*extras: str) -> list[Requirement]:
    """The declared dependencies, with those of some extras."""
    lines = [*PROJECT["dependencies"], *(line for extra in extras for line in PROJECT["optional-dependencies"][extra])]
    return [Requirement(line) for line in lines]


def environments() -> Iterator[dict[str, str]]:
    """The systems and versions of Python that people have, as markers see them."""
    for version in re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"])):
        for system, machine in SYSTEMS:
            yield {
                "sys_platform": system,
                "platform_machine": machine,
                "os_name": "nt" if system == "win32" else "posix",
                "python_version": version,
                "python_full_version": f"{version}.0",
            }


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


def pins(name: str) -> list[tuple[str, str, str]]:
    """The packages of a requirements file with their versions and for which systems and Pythons those are."""
    found = ENTRY.findall(PINNED[name].read_text())
    return [(canonicalize_name(package), version, marker) for package, version, marker, _ in found]


def installed(name: str, environment: dict[str, str]) -> dict[str, str]:
    """The version of every package that a requirements file installs on a system."""
    applicable = [pin for pin in pins(name) if not pin[2] or Marker(pin[2]).evaluate(environment)]
    versions = {package: version for package, version, _ in applicable}
    assert len(versions) == len(applicable), f"two versions of a package with {environment}"
    return versions


def test_every_imported_package_is_declared() -> None:
    declared = {canonicalize_name(found.name) for found in requirements(*PROJECT["optional-dependencies"])}
    homes = packages_distributions()
    for package in imported(ROOT / "src" / "digitduels"):
        assert any(canonicalize_name(home) in declared for home in homes[package]), f"{package} is not declared"


@pytest.mark.parametrize(("name", "extras"), [("play", []), ("test", ["dev"])])
def test_every_declared_package_is_pinned_within_its_bounds(name: str, extras: list[str]) -> None:
    for environment in environments():
        pinned = installed(name, environment)
        for requirement in requirements(*extras):
            if requirement.name != "digitduels" and (
                not requirement.marker or requirement.marker.evaluate(environment)
            ):
                version = pinned[canonicalize_name(requirement.name)]
                assert version in requirement.specifier, f"{requirement.name} {version} with {environment}"


def test_old_systems_hold_no_others_back() -> None:
    intel, linux = ("darwin", "x86_64"), ("linux", "x86_64")
    pinned = {
        (environment["sys_platform"], environment["platform_machine"]): installed("play", environment)
        for environment in environments()
    }
    for package in ("llvmlite", "numba"):
        assert Version(pinned[intel][package]) < Version(pinned[linux][package])


@pytest.mark.parametrize("name", sorted(PINNED))
def test_pinned_files_contain_nothing_but_versions_and_hashes(name: str) -> None:
    assert ENTRY.sub("", PINNED[name].read_text()) == ""


def test_playing_and_testing_install_the_same_versions() -> None:
    played, tested = ({pin[:2] for pin in pins(name)} for name in ("play", "test"))
    assert played <= tested
