"""Input normalisation: makes typed text comparable, and safe to display."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

Key = tuple[tuple[str, ...], tuple[str, ...]]

_LEXEME = re.compile(r"\d+|[^\W\d_]+|[^\w\s]")
_HYPHEN = re.compile(r"(?<=[a-z])[-_]+(?=[a-z])")
_BLANK = "\u115f\u1160\u2800\u3164\uffa0"  # letters and signs that are invisible

# Letters of other scripts, and digits, that look like Latin letters.
_LOOKALIKES = str.maketrans(
    "АВЕЗКМНОРСТУХІЈЅаеорсухіјѕһԁԛԝӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧαιονρυχԼՏՍօսոհ0|1lI",
    "ABE3KMHOPCTYXIJSaeopcyxijshdqwiABEZHIKMNOPTYXaiovpuxLSUounhoiiii",
)

# Every way to write an operation, and its sign. "by" and brackets are ignored: "multiply by 3", "[1]".
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
    """A key for comparing texts whatever their spacing, case and spelling: the numbers in order, the words sorted.

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
    chars = (
        " " if char.isspace() or char in _BLANK else char for char in unicodedata.normalize("NFC", text[: 10 * most])
    )
    printable = "".join(char for char in chars if unicodedata.category(char)[0] != "C")
    return " ".join(printable.split())[:most].strip()


@lru_cache(4096)  # the names of a class are compared again and again
def skeleton(text: str) -> str:
    """A key that is equal for texts which look alike: whatever their case, accents, width, script and invisible signs.

    >>> skeleton("Ann") == skeleton("\u0410nn") == skeleton("\uff21nn") == skeleton("A\u0301n\u200bn")
    True
    """
    parts = unicodedata.normalize("NFKD", text).translate(_LOOKALIKES).casefold().translate(_LOOKALIKES)
    return "".join(char for char in parts if unicodedata.category(char)[0] not in "MC" and char not in _BLANK)


def quoted(value: object) -> str:
    """A value, safe to print in a sentence: short, and without control characters."""
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 128:
        return f"a number of about {value.bit_length() * 30103 // 100000 + 1} digits"
    text = value if isinstance(value, str) else repr(value)
    short = clean(text, 41)
    return f"'{short[:40]}…'" if len(short) > 40 else f"'{short}'" if isinstance(value, str) else short


def did_you_mean(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """A question that names the known word nearest to a mistyped one, with a space after it; empty if none is near.

    >>> did_you_mean("begginer", ["beginner", "coach"]), did_you_mean("x", ["beginner", "coach"])
    ('Did you mean beginner? ', '')
    """
    import difflib  # only needed for mistakes

    near = difflib.get_close_matches(word[:100], known, 1, cutoff)
    return f"Did you mean {near[0]}? " if near else ""


def percent(share: float) -> str:
    """A fraction as a percentage."""
    return f"{share:.0%}".replace("%", " %")
