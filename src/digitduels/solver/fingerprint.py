"""A fingerprint of the source code behind the rules of a game. The cache uses it to detect changes.

It covers the modules of the game's classes, the pool's module, and every module that they import, directly or
indirectly, including imports inside functions. It leaves out the standard library, and uses only the version of other
distributions. It does not detect changes in data files, or in modules that are imported without an import statement.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import sys
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, resolve_name
from pathlib import Path

from digitduels import pool
from digitduels.games import AnyGame

_DISTRIBUTION = "distribution "  # the prefix of a distribution, in a list of modules


def roots(kind: type[AnyGame]) -> set[str]:
    """The modules of a game's classes, and the pool's."""
    return {pool.__name__} | {base.__module__ for base in kind.__mro__ if not _standard(base.__module__)}


def modules(kind: type[AnyGame]) -> list[str]:
    """The modules that a game consists of, and the distributions that it uses."""
    own = {_top(name) for name in roots(kind)}
    known, waiting = set[str](), sorted(roots(kind))
    while waiting:
        name = waiting.pop()
        if name in known:
            continue
        if name.startswith(_DISTRIBUTION) or _top(name) in own or not (others := _distributions(_top(name), own)):
            known.add(name)
            waiting += [] if name.startswith(_DISTRIBUTION) else _imports(name)
        else:
            waiting += others
    return sorted(known)


def digest(names: Iterable[str]) -> str | None:
    """A digest of the source of modules and the versions of distributions; None if a module has no source."""
    sha256 = hashlib.sha256()
    for name in names:
        content = _content(name)
        if content is None:
            return None
        sha256.update(f"{name} {len(content)}\n".encode() + content)
    return sha256.hexdigest()


@cache
def _content(name: str) -> bytes | None:
    """The source of a module or the version of a distribution."""
    try:
        if name.startswith(_DISTRIBUTION):
            return metadata.version(name.removeprefix(_DISTRIBUTION)).encode()
        if name == "__main__":
            return inspect.getsource(sys.modules[name]).encode()
        spec = _spec(name)
        if spec is None or spec.loader is None:
            return None
        text = spec.loader.get_source(name)  # type: ignore[attr-defined]
        if text is None and spec.origin is not None:  # an extension module
            return Path(spec.origin).read_bytes()
        return None if text is None else text.encode()
    except (ImportError, AttributeError, OSError, TypeError, SyntaxError):
        return None


@cache
def _imports(name: str) -> list[str]:
    """The modules that a module imports, except those of the standard library."""
    try:
        tree = ast.parse(_content(name) or b"")
    except (SyntaxError, ValueError):  # an extension module
        return []
    spec, names = _spec(name), list[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                parts = alias.name.split(".")
                names += [".".join(parts[:end]) for end in range(1, len(parts) + 1)]
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            package = resolve_name(base, spec.parent if spec is not None else None) if node.level else base
            names += [package, *(f"{package}.{alias.name}" for alias in node.names if alias.name != "*")]
    return [module for module in names if not _standard(module) and _spec(module) is not None]


@cache
def _spec(name: str) -> ModuleSpec | None:
    """The spec of a module; None if there is no such module."""
    parent = name.rpartition(".")[0]
    if parent and getattr(_spec(parent), "submodule_search_locations", None) is None:
        return None
    try:
        return find_spec(name)
    except Exception:  # find_spec imports the parent, which may raise anything
        return None


def _distributions(top: str, own: set[str]) -> list[str]:
    """The distributions that a package belongs to, except the game's own."""
    packages = _packages()
    theirs = set(packages.get(top, ()))
    if any(theirs & set(packages.get(name, ())) for name in own):
        return []
    return sorted(_DISTRIBUTION + name for name in theirs)


@cache
def _packages() -> dict[str, list[str]]:
    return dict(metadata.packages_distributions())


def _top(name: str) -> str:
    return name.partition(".")[0]


def _standard(name: str) -> bool:
    return name != "__main__" and _top(name) in sys.stdlib_module_names
