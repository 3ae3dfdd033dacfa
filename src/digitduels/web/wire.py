"""Sentences as the page gets them: with the names filled in, and in the words for each player.

The page shows `you` to the player `of` whom it is, `them` to the other one, and `text` to everybody else and where
there is nothing special to show. So one answer fits all readers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from digitduels.sentence import PERSONAL, Field, Names

Wire = dict[str, Any]


def wire(said: str | Field, names: Names) -> Wire:
    """A sentence, a part of one or a plain string, for every reader.

    >>> from digitduels.sentence import Sentence
    >>> said = Sentence("{player} resets {other:whose} score.", you="You reset {other:whose} score.", player=1)
    >>> wire(said, ("Ann", "Bob"))
    {'text': "Bob resets Ann's score.", 'you': "You reset Ann's score.", 'of': 2, 'them': 'Bob resets your score.'}
    >>> wire("Over.", ("Ann", "Bob"))
    {'text': 'Over.'}
    """
    if not isinstance(said, PERSONAL):
        return {"text": said}
    text = said.to(names)
    subject = getattr(said, "player", None) or 0
    # The player it is about comes first; it may read differently to the other one alone.
    special = [
        (seat, told)
        for seat in (subject, 1 - subject)
        if said.depends_on(seat) and (told := said.to(names, seat)) != text
    ]
    if not special:
        return {"text": text}
    (seat, you), *others = special
    sent = {"text": text, "you": you, "of": seat + 1}
    return sent | {"them": others[0][1]} if others else sent


def wires(said: Iterable[str], names: Names) -> list[Wire]:
    """Several of them."""
    return [wire(each, names) for each in said]
