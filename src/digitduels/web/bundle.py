"""The page's scripts as browsers get them: without comments, and those of the first view in one file.

The sources are plain ES modules. A browser that has to ask for each of them waits for the network again and again, so
the modules of the first view are put into one module, in the order in which they need each other. Each of them is
still found at its own address, where it hands out what the one module holds: there is never a second copy.
"""

from __future__ import annotations

import posixpath
import re

_IMPORT = re.compile(r'^import (?:\{([^}]*)\}|\* as (\w+)) from "([^"]+)";\n', re.M)
_LATER = re.compile(r'\bimport\("([^"]+)"\)')
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.M)
_COMMENT = re.compile(r"^[ \t]*(?://[^\n]*|/\*(?:[^*]|\*(?!/))*\*/[ \t]*)\n|/\*\*(?:[^*]|\*(?!/))*\*/ ?", re.M)
_INDENT = re.compile(r"^[ \t]+", re.M)


def lean(text: str) -> str:
    """A script or a style without comments and indentation.

    >>> lean('// Why.\\n/** @type {X} */\\nconst a = /** @type {Y} */ (b); // end\\n  call("//");\\n')
    'const a = (b); // end\\ncall("//");\\n'
    """
    return _INDENT.sub("", _COMMENT.sub("", text))


def imports(name: str, text: str) -> list[str]:
    """The modules that a module needs before it runs.

    >>> imports("js/pages/home.js", 'import { h } from "../dom.js";\\n')
    ['js/dom.js']
    """
    return [_resolved(name, match[3]) for match in _IMPORT.finditer(text)]


def graph(texts: dict[str, str], *names: str) -> list[str]:
    """Modules with all that they need, each after what it needs; raises ValueError if they need each other."""
    order: list[str] = []
    open_: list[str] = []

    def visit(name: str) -> None:
        if name in order:
            return
        if name in open_:
            raise ValueError(f"Modules import each other: {' → '.join([*open_[open_.index(name) :], name])}")
        open_.append(name)
        for needed in imports(name, texts[name]):
            visit(needed)
        order.append(open_.pop())

    for name in names:
        visit(name)
    return order


def bundle(texts: dict[str, str], names: list[str], place: str) -> dict[str, str]:
    """One module at `place` that holds these modules, and what is found at the address of each of them."""
    files = {}
    parts = []
    for name in names:
        exported = [match[1] for match in _EXPORT.finditer(texts[name])]
        body = _IMPORT.sub(lambda match, name=name: _taken(match, name), texts[name])  # type: ignore[misc]
        body = _LATER.sub(lambda match, name=name: _later(match, name, names, place), body)  # type: ignore[misc]
        held = ", ".join(exported)
        parts.append(f"export const {_key(name)} = (() => {{\n{_EXPORT.sub('', body)}return {{ {held} }};\n}})();\n")
        way = posixpath.relpath(place, posixpath.dirname(name))
        way = way if way.startswith(".") else f"./{way}"
        files[name] = f'import {{ {_key(name)} }} from "{way}";\nexport const {{ {held} }} = {_key(name)};\n'
    return {**files, place: "".join(parts)}


def _taken(match: re.Match[str], name: str) -> str:
    """What a module imports, taken from a module before it."""
    source = _key(_resolved(name, match[3]))
    if match[2]:
        return f"const {match[2]} = {source};\n"
    return f"const {{ {match[1].replace(' as ', ': ').strip()} }} = {source};\n"


def _later(match: re.Match[str], name: str, names: list[str], place: str) -> str:
    """What a module imports when it needs it: at once if it is there, else from its own address."""
    target = _resolved(name, match[1])
    if target in names:
        return f"Promise.resolve().then(() => {_key(target)})"
    way = posixpath.relpath(target, posixpath.dirname(place))
    return f'import("{way if way.startswith(".") else f"./{way}"}")'


def _key(name: str) -> str:
    """The name of a module inside the one module."""
    return "$" + re.sub(r"\W", "_", name.removesuffix(".js"))


def _resolved(name: str, way: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), way))
