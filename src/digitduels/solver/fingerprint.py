"""A fingerprint of the source code behind the rules of a game, so that changes to it are noticed.

It consists of the modules of the game's classes, the pool's module, and every module that they import, directly or
indirectly. All import statements count, including those inside functions. The standard library is left out. For a
package of another distribution, only its version counts. Data files and modules that are imported without an import
statement go unnoticed.
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

_DISTRIBUTION = "distribution "  # the prefix of a distribution, of which only the version counts


def roots(kind: type[AnyGame]) -> set[str]:
    """The modules of a game's classes, and the pool's."""
    return {pool.__name__} | {each.__module__ for each in kind.__mro__ if not _standard(each.__module__)}


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
    whole = hashlib.sha256()
    for name in names:
        content = _content(name)
        if content is None:
            return None
        whole.update(f"{name} {len(content)}\n".encode() + content)
    return whole.hexdigest()


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
    spec, wanted = _spec(name), list[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                parts = alias.name.split(".")
                wanted += [".".join(parts[:end]) for end in range(1, len(parts) + 1)]
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            package = resolve_name(base, spec.parent if spec is not None else None) if node.level else base
            wanted += [package, *(f"{package}.{alias.name}" for alias in node.names if alias.name != "*")]
    return [module for module in wanted if not _standard(module) and _spec(module) is not None]


@cache
def _spec(name: str) -> ModuleSpec | None:
    """Where a module comes from; None if there is no such module."""
    parent = name.rpartition(".")[0]
    if parent and getattr(_spec(parent), "submodule_search_locations", None) is None:
        return None
    try:
        return find_spec(name)
    except Exception:  # this imports its parent, which may do anything
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
