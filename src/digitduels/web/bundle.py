"""Bundles the page's scripts for browsers: comments removed, and the modules of the first view in one file.

The sources are plain ES modules. Fetching them one by one takes many network round trips, so the modules of the first
view are bundled in dependency order. Each remains available at its own URL, where it re-exports the bundled module, so
no module is ever loaded twice.
"""

from __future__ import annotations

import posixpath
import re

_IMPORT = re.compile(r'^import (?:\{([^}]*)\}|\* as (\w+)) from "([^"]+)";\n', re.M)
_DYNAMIC_IMPORT = re.compile(r'\bimport\("([^"]+)"\)')
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.M)
_COMMENT = re.compile(r"^[ \t]*(?://[^\n]*|/\*(?:[^*]|\*(?!/))*\*/[ \t]*)\n|/\*\*(?:[^*]|\*(?!/))*\*/ ?", re.M)
_INDENT = re.compile(r"^[ \t]+", re.M)


def lean(text: str) -> str:
    """Removes comments and indentation from a script or stylesheet.

    >>> lean('// Why.\\n/** @type {X} */\\nconst a = /** @type {Y} */ (b); // end\\n  call("//");\\n')
    'const a = (b); // end\\ncall("//");\\n'
    """
    return _INDENT.sub("", _COMMENT.sub("", text))


def imports(name: str, text: str) -> list[str]:
    """Returns the modules that a module imports statically.

    >>> imports("js/pages/home.js", 'import { h } from "../dom.js";\\n')
    ['js/dom.js']
    """
    return [_resolve(name, match[3]) for match in _IMPORT.finditer(text)]


def graph(texts: dict[str, str], *names: str) -> list[str]:
    """Returns modules and all their imports in dependency order. Raises ValueError on a circular import."""
    order: list[str] = []
    path: list[str] = []

    def visit(name: str) -> None:
        if name in order:
            return
        if name in path:
            raise ValueError(f"Modules import each other: {' → '.join([*path[path.index(name) :], name])}")
        path.append(name)
        for dependency in imports(name, texts[name]):
            visit(dependency)
        order.append(path.pop())

    for name in names:
        visit(name)
    return order


def bundle(texts: dict[str, str], names: list[str], bundle_path: str) -> dict[str, str]:
    """Returns the bundle of these modules, under `bundle_path`, and for each module a file that re-exports it."""
    files = {}
    parts = []
    for name in names:
        exports = ", ".join(match[1] for match in _EXPORT.finditer(texts[name]))
        body = _IMPORT.sub(lambda match, name=name: _static_import(match, name), texts[name])  # type: ignore[misc]
        body = _DYNAMIC_IMPORT.sub(lambda match, name=name: _dynamic_import(match, name, names, bundle_path), body)  # type: ignore[misc]
        parts.append(f"export const {_key(name)} = (() => {{\n{_EXPORT.sub('', body)}return {{ {exports} }};\n}})();\n")
        path = _relative(bundle_path, name)
        files[name] = f'import {{ {_key(name)} }} from "{path}";\nexport const {{ {exports} }} = {_key(name)};\n'
    return {**files, bundle_path: "".join(parts)}


def _static_import(match: re.Match[str], name: str) -> str:
    """Replaces a static import with a constant from a module earlier in the bundle."""
    source = _key(_resolve(name, match[3]))
    if match[2]:
        return f"const {match[2]} = {source};\n"
    return f"const {{ {match[1].replace(' as ', ': ').strip()} }} = {source};\n"


def _dynamic_import(match: re.Match[str], name: str, names: list[str], bundle_path: str) -> str:
    """Replaces a dynamic import with the bundled module or, for a module outside the bundle, with its URL."""
    target = _resolve(name, match[1])
    if target in names:
        return f"Promise.resolve().then(() => {_key(target)})"
    return f'import("{_relative(target, bundle_path)}")'


def _key(name: str) -> str:
    """Returns the constant that holds a module in the bundle."""
    return "$" + re.sub(r"\W", "_", name.removesuffix(".js"))


def _resolve(name: str, path: str) -> str:
    """Returns the module that a relative path in a module refers to."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), path))


def _relative(target: str, name: str) -> str:
    """Returns the relative path from a module to another."""
    path = posixpath.relpath(target, posixpath.dirname(name))
    return path if path.startswith(".") else f"./{path}"
