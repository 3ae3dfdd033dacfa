"""Rule sets by name: a game, one of our presets, or a small TOML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from digitduels import files
from digitduels.games import AnyGame, game, game_class
from digitduels.text import quoted

LARGEST_FILE = 100_000  # bytes

EDITIONS: dict[str, dict[str, dict[str, Any]]] = {
    "equation-duel": {"repaired": {"target": 63, "highest": 7}},
    "number-duel": {"repaired": {"target": 32, "highest": 5}},
    "number-quest": {"repaired": {"target": 28, "copies": 1}},
    "numerical-nexus": {"repaired": {"target": 28}},
    "operation-target": {"repaired": {"target": 85}},
}
"""Our rule sets by game and name. `repaired` is the recommended one: docs/lab.md says how it was chosen."""


def presets(name: str) -> dict[str, dict[str, Any]]:
    """The presets of a game; empty for games of other packages.

    >>> presets("chess")
    {}
    """
    return EDITIONS.get(name, {})


def rule_set(name: str) -> tuple[str, dict[str, Any]]:
    """The game and the options that a text names: GAME, GAME:PRESET, or the path of a TOML file."""
    if name.endswith(".toml"):
        return read_file(Path(name))
    base, colon, preset = name.partition(":")
    game_id = game_class(base)().id
    if not colon:
        return game_id, {}
    known = presets(game_id)
    if preset not in known:
        choices = ", ".join(f"{game_id}:{key}" for key in known) or "none"
        raise ValueError(f"{game_id} has no preset {quoted(preset)}. Its presets: {choices}.")
    return game_id, dict(known[preset])


def read_file(path: Path) -> tuple[str, dict[str, Any]]:
    """Reads the game and the options from a TOML file; raises ValueError with the reason if it is invalid."""
    import tomllib  # few people have such a file

    where = f"The rules in {quoted(str(path))}"
    try:
        content = tomllib.loads(files.read(path, LARGEST_FILE).decode())
    except OSError as error:
        raise ValueError(f"{where} cannot be read: {error.strerror or error}.") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ValueError(f"{where} are not TOML: {error}.") from None
    name, options = content.pop("game", None), content.pop("options", {})
    if not isinstance(name, str) or not isinstance(options, dict) or content:
        raise ValueError(f'{where} must be a line game = "…" and a table [options], nothing else.')
    try:
        rules = game(name, **options)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where}: {error}") from None
    return rules.id, {key: rules.values[key] for key in options}


def to_toml(rules: AnyGame) -> str:
    """The TOML file of a rule set: the game, and the options that differ from the book.

    >>> print(to_toml(game("number-duel", target=60, tie="draw")), end="")
    game = "number-duel"
    <BLANKLINE>
    [options]
    target = 60
    tie = "draw"
    """
    lines = [f'game = "{rules.id}"', "", "[options]"]
    for name in rules.changes:
        value = rules.values[name]
        lines.append(f'{name} = "{value}"' if isinstance(value, str) else f"{name} = {value}")
    return "\n".join(lines) + "\n"


def house_rules(rules: AnyGame) -> str:
    """The rules that differ from the book, in a few words for people; empty if none do.

    >>> house_rules(game("number-duel", target=60, copies=1))
    'first to 60, 1 of each number'
    """
    changes = rules.changes
    return ", ".join(option.rule(changes[option.name]) for option in rules.options() if option.name in changes)


def label(rules: AnyGame) -> str:
    """A rule set in one line: the game, and how it differs from the book.

    >>> label(game("number-duel", target=60)), label(game("number-duel"))
    ('Number Duel: first to 60', 'Number Duel by the book')
    """
    return f"{rules.title}: {house_rules(rules)}" if rules.changes else f"{rules.title} by the book"
