"""Sentences in the page's JSON, with the players' names, in a form for each reader.

`of` is the player whom the sentence is about. The page shows `you` to that player, `them` to the other player, and
`text` to everybody else. It also shows `text` where `you` or `them` is missing. So one response fits all readers.
"""

from __future__ import annotations

from collections.abc import Iterable

from digitduels import sentence as words
from digitduels.sentence import PERSONAL, Field, Names
from digitduels.web.positions.answers import Sentence


def wire(sentence: str | Field, names: Names) -> Sentence:
    """Serializes a sentence in the words of the page, a part of one or a plain string, for all readers.

    >>> from digitduels.sentence import Sentence
    >>> sentence = Sentence("{player} resets {other:whose} score.", you="You reset {other:whose} score.", player=1)
    >>> wire(sentence, ("Ann", "Bob"))
    {'text': "Bob resets Ann's score.", 'you': "You reset Ann's score.", 'of': 2, 'them': 'Bob resets your score.'}
    >>> wire("Over.", ("Ann", "Bob"))
    {'text': 'Over.'}
    """
    if not isinstance(sentence, PERSONAL):
        return {"text": sentence}
    if isinstance(sentence, words.Sentence):
        sentence = sentence.on_page()
    text = sentence.to(names)
    subject = getattr(sentence, "player", None) or 0
    # The subject comes first. The sentence may also differ only for the other player.
    special = [
        (seat, addressed)
        for seat in (subject, 1 - subject)
        if sentence.depends_on(seat) and (addressed := sentence.to(names, seat)) != text
    ]
    if not special:
        return {"text": text}
    (seat, you), *others = special
    entry: Sentence = {"text": text, "you": you, "of": seat + 1}
    if others:
        entry["them"] = others[0][1]
    return entry


def wires(sentences: Iterable[str], names: Names) -> list[Sentence]:
    """Serializes several sentences."""
    return [wire(sentence, names) for sentence in sentences]
