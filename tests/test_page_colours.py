"""The page's colours: every text has enough contrast, in light and dark mode and in the colours of every game."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from digitduels.web.positions.looks import LOOKS, PLAIN, Look

PAGE = Path(__file__).parents[1] / "src" / "digitduels" / "web" / "page"
TEXT_CONTRAST = 4.5  # WCAG 2.2, criterion 1.4.3
SIGN_CONTRAST = 3.0  # WCAG 2.2, criterion 1.4.11
TEXT = ("ink", "soft", "accent", "p1", "p2", "win", "loss", "draw")
SURFACES = ("paper", "card", "tile", "tint")
"""Any text may be on any of these, and on any mixture that a style uses as a background."""
SIGNS = {("win", "tint"), ("loss", "tint")}
"""Only the sign of the current move in a review has these colours."""
FILLED = {"on-accent": "accent", "paper": "ink"}
"""Text colours that are only used together with a background."""
INDIRECT = {"seat": ("p1", "p2", "ink"), "verdict": ("win", "loss", "draw")}
"""Variables that contain one of these colours."""
PLAIN_TEXT = {"inherit", "#000"}  # black is for the list of a select element, which the system draws
PLAIN_BACKGROUNDS = {"none", "#fff", "#0a0f0d99"}  # white is behind a QR code, the last one is behind a dialog

Colour = tuple[float, float, float]


class Style(NamedTuple):
    """A rule of a stylesheet."""

    selector: str
    values: dict[str, str]


def styles() -> Iterator[Style]:
    for path in sorted(PAGE.rglob("*.css")):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
        for selector, body in re.findall(r"([^{}]+)\{([^{}]*)\}", text):
            yield Style(selector.strip(), dict(re.findall(r"([\w-]+)\s*:\s*([^;]+?)\s*(?:;|$)", body)))


STYLES = list(styles())
ROOT = next(style.values for style in STYLES if style.selector == ":root")
MIXTURES = {
    value
    for style in STYLES
    for name in ("background", "background-color", "--tint")
    if (value := style.values.get(name, "")).startswith("color-mix(")
}


def hex_colour(text: str) -> Colour:
    digits = text[1:] if len(text) == 7 else "".join(2 * digit for digit in text[1:])
    red, green, blue = (int(digits[index : index + 2], 16) / 255 for index in (0, 2, 4))
    return red, green, blue


def palette(look: Look, dark: bool) -> dict[str, Colour]:
    """The value of every colour that a style may refer to, by its name or by its mixture."""
    colours = {}
    for name, value in ROOT.items():
        if pair := re.fullmatch(r"light-dark\((#\w+), (#\w+)\)", value):
            colours[name.removeprefix("--")] = hex_colour(pair[1 + dark])
    colours["accent"] = hex_colour(look.dark if dark else look.light)
    for mixture in MIXTURES:
        parts = re.fullmatch(r"color-mix\(in srgb, var\(--(\w+)\) (\d+)%, var\(--(\w+)\)\)", mixture)
        assert parts, f"this test can't read {mixture}"
        share = int(parts[2]) / 100
        red, green, blue = (
            share * one + (1 - share) * two for one, two in zip(colours[parts[1]], colours[parts[3]], strict=True)
        )
        colours[mixture] = red, green, blue
    colours["tint"] = colours.pop(ROOT["--tint"])
    return colours


def contrast(one: Colour, two: Colour) -> float:
    """The contrast ratio of WCAG.

    >>> contrast((0, 0, 0), (1, 1, 1))
    21.0
    """

    def luminance(colour: Colour) -> float:
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
        return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    dark, light = sorted((luminance(one), luminance(two)))
    return (light + 0.05) / (dark + 0.05)


def names_of(value: str) -> tuple[str, ...]:
    """The colours that a value may refer to.

    >>> names_of("var(--verdict, var(--seat))")
    ('win', 'loss', 'draw', 'p1', 'p2', 'ink')
    """
    names = re.findall(r"var\(--([\w-]+)", value)
    return tuple(colour for name in names for colour in INDIRECT.get(name, (name,)))


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("game", [*LOOKS, "another game"])
def test_every_text_has_enough_contrast(game: str, dark: bool) -> None:
    colours = palette(LOOKS.get(game, PLAIN), dark)
    mixtures = MIXTURES - {ROOT["--tint"]}
    pairs = {(text, surface) for text in TEXT for surface in (*SURFACES, *mixtures)} | set(FILLED.items())
    low = {
        f"{text} on {surface}: {ratio:.2f}"
        for text, surface in pairs
        if (ratio := contrast(colours[text], colours[surface]))
        < (SIGN_CONTRAST if (text, surface) in SIGNS else TEXT_CONTRAST)
    }
    assert not low


def test_every_colour_of_the_styles_is_checked_for_contrast() -> None:
    used: set[str] = set()
    for selector, values in STYLES:
        text = values.get("color")
        background = values.get("background", values.get("background-color"))
        if text is not None and text not in PLAIN_TEXT:
            names = names_of(text)
            assert names, f"{selector} has a text colour of its own: {text}"
            if filled := FILLED.get(names[0]):
                assert background == f"var(--{filled})", f"{selector} has this text on another background"
            else:
                assert set(names) <= set(TEXT), f"{selector} has an unchecked text colour: {text}"
            used.update(names)
        if background is not None and background not in PLAIN_BACKGROUNDS and background not in MIXTURES:
            names = names_of(background)
            assert names, f"{selector} has a background of its own: {background}"
            if not set(names) <= set(SURFACES):
                # A filled area has its own text colour, unless it is a dot without text.
                dot = values.get("border-radius") == "50%" or "::before" in selector
                assert dot or (text and FILLED[names_of(text)[0]] == names[0]), f"{selector} has text on {background}"
    assert used == {*TEXT, *FILLED}


def test_variables_contain_only_the_colours_that_are_checked() -> None:
    for selector, values in STYLES:
        for variable, colours in INDIRECT.items():
            if value := values.get(f"--{variable}"):
                assert names_of(value)[0] in colours, selector
        assert selector == ":root" or not values.keys() & {f"--{name}" for name in (*TEXT, *SURFACES, *FILLED)}
