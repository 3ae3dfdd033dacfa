"""Who may import whom: the architecture, read from the imports themselves."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import ROOT

PACKAGE = ROOT / "src" / "digitduels"

# From the ground up: a module imports only from layers before its own, or from its own folder.
LAYERS = [
    "text",
    "core",
    "pool",
    "games",
    "files",
    "match",
    "manual",
    "solver",
    "players",
    "study",
    "arena",
    "adapters",
    "evals",
    "web",
    "cli",
]
STRANGERS = {"adapters", "evals", "web"}  # which never import each other
STANDARD_LIBRARY_ONLY = {"text", "core", "pool", "games", "files", "match", "manual"}


def imports() -> Iterator[tuple[str, str]]:
    """Each module of the package with each module it imports, anywhere in its text."""
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from ((module, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{module} imports relatively"
                own = [f"{node.module}.{alias.name}" for alias in node.names] if node.module == "digitduels" else []
                yield from ((module, name) for name in own or [str(node.module)])


def test_imports_run_downwards() -> None:
    for module, imported in imports():
        layer = module.split(".")[0]
        if layer in ("__init__", "__main__") or not imported.startswith("digitduels."):
            continue
        target = imported.split(".")[1]
        if target == "__version__":
            continue
        assert LAYERS.index(target) <= LAYERS.index(layer), f"{module} imports {imported}"
        assert target == layer or not {target, layer} <= STRANGERS, f"{module} imports {imported}"


def test_the_rules_need_nothing_but_the_standard_library() -> None:
    for module, imported in imports():
        if module.split(".")[0] in STANDARD_LIBRARY_ONLY:
            root = imported.split(".")[0]
            assert root == "digitduels" or root in sys.stdlib_module_names, f"{module} imports {imported}"


def test_no_layer_below_the_interfaces_prints_or_reads() -> None:
    for path in PACKAGE.rglob("*.py"):
        if path.is_relative_to(PACKAGE / "cli"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("print", "input"), f"{path.name}, line {node.lineno}"


def test_nobody_but_its_own_file_knows_a_particular_game() -> None:
    names = [path.stem for path in (PACKAGE / "games").glob("*.py") if path.stem != "__init__"]
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        imported = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        for name in names:
            if path.stem != name:
                assert f"digitduels.games.{name}" not in imported, f"{path.name} imports {name}"


@pytest.mark.parametrize(
    ("arguments", "answers"), [(["--help"], ""), (["games"], ""), (["play", "number-duel"], "+5\n+10\nrules\nx10\n")]
)
def test_what_is_heavy_is_not_imported_to_start_or_for_two_people(
    home: Path, arguments: list[str], answers: str
) -> None:
    script = (
        "import sys; from digitduels.cli.main import main\n"
        f"try: main({arguments!r})\n"
        "except SystemExit: pass\n"
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], input=answers, capture_output=True, text=True, check=True)
    assert not {"numpy", "numba", "rich", "fastapi"} & set(done.stderr.split())
