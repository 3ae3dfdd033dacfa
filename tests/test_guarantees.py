"""The table of guarantees in docs/guarantees.md is true: each test exists, and runs with the command beside it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from conftest import ROOT

PAGE = ROOT / "docs" / "guarantees.md"
ROW = re.compile(r"^\| (.+?) \| `(make \w+)` \| (.+) \|$", re.MULTILINE)
CHECK = re.compile(r"\[(\w+)\]\(\.\./((?:tests|benchmarks)/\1\.py)\)((?:[:,] `\w+`)*)")


def guarantees() -> list[tuple[str, str, str]]:
    """Each guarantee with its command and its tests."""
    table = PAGE.read_text(encoding="utf-8")
    rows = ROW.findall(table)
    assert len(rows) == table.count("\n| ") - 1, "a row has another form"
    return rows


def recipe(target: str) -> str:
    """The commands of a target in the Makefile."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    found = re.search(rf"^{target}:[^\n]*\n((?:\t[^\n]*\n)+)", makefile, re.MULTILINE)
    assert found, target
    return found[1]


def functions(file: Path) -> dict[str, bool]:
    """The functions of a file, and whether each is marked as long, by itself or with the whole file."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    marks = [
        node for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"
    ]
    whole = any("mark.long" in ast.unparse(node.value) for node in marks)
    return {
        node.name: whole or any("mark.long" in ast.unparse(decorator) for decorator in node.decorator_list)
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


@pytest.mark.parametrize(("guarantee", "command", "checks"), guarantees(), ids=lambda text: text[:60])
def test_every_guarantee_is_checked_by_its_command(guarantee: str, command: str, checks: str) -> None:
    matches = list(CHECK.finditer(checks))
    assert "".join(match[0] for match in matches) == checks, "each check is a link to a file, and names in it"
    assert matches
    for _, path, listed in (match.groups() for match in matches):
        known, names = functions(ROOT / path), re.findall(r"\w+", listed)
        assert set(names) <= set(known), "a test in the table does not exist"
        if command == "make soak":
            script = f"-m benchmarks {Path(path).stem}" if path.startswith("benchmarks/") else path
            assert script in recipe("soak")
        else:
            tests = names or [name for name in known if name.startswith("test_")]
            assert {known[name] for name in tests} == {command == "make long"}


def test_the_commands_run_what_is_marked() -> None:
    assert '-m "not long"' in recipe("suite")
    assert "static suite" in recipe("test")
    assert recipe("long").rstrip().endswith("-m long")


def test_every_attack_is_in_the_table() -> None:
    attacks = functions(ROOT / "tests" / "attacks.py")
    scenarios = re.findall(r"^    Scenario\((\w+)", (ROOT / "tests" / "attacks.py").read_text(encoding="utf-8"), re.M)
    (row,) = [checks for _, _, checks in guarantees() if "attacks.py" in checks]
    assert re.findall(r"`(\w+)`", row) == scenarios
    assert set(scenarios) <= set(attacks)


def test_no_test_measures_time() -> None:
    """Waiting with a deadline is fine; comparing how long something took is not."""
    clock = re.compile(r"time\.(perf_counter|process_time)\(|time\.monotonic\(\) - ")
    for file in sorted((ROOT / "tests").glob("test_*.py")):
        assert not clock.search(file.read_text(encoding="utf-8")), file.name
