"""The page's source is formatted, linted, type-checked and unit-tested with tools from npm, and self-contained."""

from __future__ import annotations

import json

import pytest

from node import ROOT, run

pytestmark = pytest.mark.slow

PAGE = ROOT / "src" / "digitduels" / "web" / "page"
CONFIGURATION = ["package.json", "tsconfig.json", "eslint.config.js", ".prettierrc.json"]
UNITS = sorted((ROOT / "tests" / "js").glob("*.test.js"))
LONGEST = 120  # characters in a line


def test_the_page_is_formatted() -> None:
    run("prettier", "--check", "--log-level", "warn", str(PAGE), "tests/js", *CONFIGURATION)


def test_the_page_is_linted() -> None:
    run("eslint", "--max-warnings", "0", str(PAGE), "tests/js", "eslint.config.js")


def test_the_types_of_the_page_are_correct() -> None:
    run("tsc", "--project", "tsconfig.json")


def test_the_pure_modules_pass_their_unit_tests() -> None:
    assert UNITS
    report = run("node", "--test", "--test-reporter", "tap", *map(str, UNITS))
    assert "# pass 0" not in report
    assert "# skipped 0" in report


def test_lines_are_not_too_long() -> None:
    for path in (*PAGE.rglob("*.js"), *PAGE.rglob("*.ts"), *PAGE.rglob("*.css"), *UNITS):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            assert len(line) <= LONGEST, f"{path.name}:{number}"


def test_no_two_scripts_have_the_same_name() -> None:
    # In a site without a server, site/transport.js takes the place of transport.js.
    names = [path.name for path in (PAGE / "js").rglob("*.js") if path != PAGE / "js" / "site" / "transport.js"]
    assert len(names) == len(set(names))


def test_the_tools_are_pinned_and_name_no_registry() -> None:
    package = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))
    lock = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))
    assert "dependencies" not in package
    for name, version in package["devDependencies"].items():
        assert lock["packages"][f"node_modules/{name}"]["version"] == version
    for name, entry in lock["packages"].items():
        assert "resolved" not in entry, name
        assert not name or entry["integrity"], name


def test_the_page_names_no_other_site() -> None:
    for path in PAGE.rglob("*"):
        if path.suffix in (".js", ".html", ".css", ".svg"):
            text = path.read_text(encoding="utf-8")
            assert "//" not in text.replace("http://www.w3.org/2000/svg", "").replace("// ", ""), path.name
