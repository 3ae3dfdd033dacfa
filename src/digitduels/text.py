"""What people type and how it is shown back: cleaning, quoting, and reading generously."""

from __future__ import annotations

import re
import unicodedata

Key = tuple[tuple[str, ...], tuple[str, ...]]

_LEXEME = re.compile(r"\d+|[^\W\d_]+|[^\w\s]")
_HYPHEN = re.compile(r"(?<=[a-z])[-_]+(?=[a-z])")
_BLANK = "\u115f\u1160\u2800\u3164\uffa0"  # letters and signs that show nothing
_PLAYER = re.compile(r"Player ([12])")

# Every way to write an operation, and the sign it stands for. "by" and brackets say nothing: "multiply by 3", "[1]".
_SIGNS = {
    **dict.fromkeys(("+", "add", "adds", "plus", "addition"), "+"),
    **dict.fromkeys(("-", "−", "–", "subtract", "subtracts", "minus", "subtraction"), "-"),
    **dict.fromkeys(
        ("x", "*", "×", "✕", "·", "⋅", "times", "multiply", "multiplies", "multiplied", "multiplication"), "x"
    ),
    **dict.fromkeys(("/", "÷", ":", "divide", "divides", "divided", "division"), "/"),
    **dict.fromkeys(("by", "[", "]"), ""),
}


def spelled(text: str) -> Key:
    """What a text says, whatever its spacing, case or spelling: its numbers in order, its words in none.

    >>> spelled("Add 5") == spelled("5 +") == spelled("+5")
    True
    >>> spelled("9 - 5") == spelled("5 - 9")
    False
    """
    plain = _HYPHEN.sub(" ", unicodedata.normalize("NFKC", text[:200]).casefold())
    numbers, words = [], []
    for lexeme in _LEXEME.findall(plain):
        if lexeme[0].isdecimal():
            numbers.append(lexeme.lstrip("0") or "0")
        else:
            words.append(_SIGNS.get(lexeme, lexeme))
    return tuple(numbers), tuple(sorted(filter(None, words)))


def clean(text: str, most: int) -> str:
    """`text` on one line, without control, format or unassigned characters, at most `most` characters long."""
    kept = (
        " " if char.isspace() or char in _BLANK else char for char in unicodedata.normalize("NFC", text[: 10 * most])
    )
    shown = "".join(char for char in kept if unicodedata.category(char)[0] != "C")
    return " ".join(shown.split())[:most].strip()


def quoted(value: object) -> str:
    """A value as it may safely stand in a sentence: short, and without anything that moves a cursor."""
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 128:
        return f"a number of about {value.bit_length() * 30103 // 100000 + 1} digits"
    text = value if isinstance(value, str) else repr(value)
    shown = clean(text, 41)
    return f"'{shown[:40]}…'" if len(shown) > 40 else f"'{shown}'" if isinstance(value, str) else shown


def counted(number: int, noun: str) -> str:
    """So many of something.

    >>> counted(1, "move"), counted(2, "move")
    ('1 move', '2 moves')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def named(text: str, names: tuple[str, str]) -> str:
    """`text` with the players called by their names."""
    return _PLAYER.sub(lambda found: names[int(found[1]) - 1], text)


_SECOND = {"is": "are", "was": "were", "has": "have"}


def addressed(text: str, player: int) -> str:
    """`text`, which tells of the players, as it is said to one of them.

    >>> addressed("Player 1 is winning: 2 more turns; then Player 2 makes the last move and loses.", 0)
    'You are winning: 2 more turns; then Player 2 makes the last move and loses.'
    >>> addressed("Player 1 is winning: 2 more turns; then Player 2 makes the last move and loses.", 1)
    'Player 1 is winning: 2 more turns; then you make the last move and lose.'
    """
    # The name and what it does or owns; a second verb may follow in the same clause.
    clause = rf"(^|[.!?] )?Player {player + 1}\b(?:('s)|( \w+)((?:[^.;:,!?]*? and )(?!Player)\w+s\b)?)?"

    def told(found: re.Match[str]) -> str:
        opening, owner, verb, rest = (part or "" for part in found.groups())
        you = ("Y" if found[1] is not None else "y") + ("our" if owner else "ou")
        begun, _, second = rest.rpartition(" ")
        return f"{opening}{you}{_yours(verb)}{f'{begun} {_yours(second)}' if rest else ''}"

    return re.sub(clause, told, text.replace(f"of Player {player + 1}", "of yours"))


def _yours(verb: str) -> str:
    """A verb in the second person."""
    bare = verb.strip()
    plain = _SECOND.get(bare) or re.sub(r"(?<=ch)es$|(?<=[^s])s$", "", re.sub(r"ies$", "ys", bare))
    return verb.replace(bare, plain)
