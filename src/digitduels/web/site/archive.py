"""The package as one archive for a browser: the modules that answer without a server, and nothing else."""

from __future__ import annotations

import ast
import io
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import digitduels

ANSWERING = "digitduels.web.local"
FOUND_BY_NAME = "games"  # a folder whose modules are imported by their names
DATA = ("*.wasm",)
OURS = Path(digitduels.__file__).parent
MISSING_THERE = {"llvmlite", "msgspec", "numba", "numpy", "starlette", "uvicorn"}  # packages that a browser lacks


def package_archive() -> bytes:
    """Returns a ZIP file with everything that `digitduels.web.local` imports, at once or later."""
    paths = [path for name in needed_modules() if (path := _path(name))]
    paths += [path for pattern in DATA for path in OURS.rglob(pattern)]
    return archive_of((path.relative_to(OURS.parent).as_posix(), path.read_bytes()) for path in sorted(paths))


def archive_of(files: Iterable[tuple[str, bytes]]) -> bytes:
    """Returns a ZIP file. The same files give the same bytes."""
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in files:
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return body.getvalue()


def needed_modules() -> list[str]:
    """Returns the modules of our package that a browser can import. Those that need a missing package are left out."""
    found: dict[str, bool] = {}
    todo = [ANSWERING, *(f"digitduels.{FOUND_BY_NAME}.{path.stem}" for path in (OURS / FOUND_BY_NAME).glob("[!_]*.py"))]
    while todo:
        name = todo.pop()
        path = _path(name)
        if path is None or name in found:
            continue
        imported = list(_imports(ast.parse(path.read_text(encoding="utf-8"))))
        found[name] = not any(root in MISSING_THERE for at_once, root in imported if at_once and "." not in root)
        if found[name]:
            todo += [name.rpartition(".")[0], *(module for _, module in imported)]
    return sorted(name for name, possible in found.items() if possible)


def _path(name: str) -> Path | None:
    """Returns the file of a module of our package; None if there is no such module."""
    if name.split(".")[0] != "digitduels":
        return None
    path = OURS.parent.joinpath(*name.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


def _imports(tree: ast.AST, at_once: bool = True) -> Iterator[tuple[bool, str]]:
    """Yields what a module imports, except for type checkers, and whether it does so at once: not in a function."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from ((at_once, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield at_once, node.module
            yield from ((at_once, f"{node.module}.{alias.name}") for alias in node.names)
        yield from _imports(node, at_once and not isinstance(node, ast.FunctionDef))
