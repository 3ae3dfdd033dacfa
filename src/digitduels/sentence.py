"""A sentence about the players: a string that can also be addressed to one of them, or use their names.

As a string it is in the third person and calls the players "Player 1" and "Player 2". In a template,
`{player}` is the player that the sentence is about, and `{other}` is the opponent. `{player:whose}` is "Ann's", or
"your" to Ann. `{player:whom}` is "Ann", or "you" to Ann. `{player:Whose}` and `{player:Whom}` start a sentence.
`{player:Label}` is like `{player:Whose}`, but a player without a name is "Player 1", as in the books' labels.

>>> sentence = Sentence("{player} resets {other:whose} score.", you="You reset {other:whose} score.", player=1)
>>> sentence
"Player 2 resets Player 1's score."
>>> sentence.to(("Ann", "Bob")), sentence.to(("Ann", "Bob"), reader=1), sentence.to(("Ann", "Bob"), reader=0)
("Bob resets Ann's score.", "You reset Ann's score.", 'Bob resets your score.')
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

PLAYERS = ("Player 1", "Player 2")
Names = Sequence[str]

_SEAT = re.compile(r"Player \d")  # somebody without a name; some research frameworks count from 0
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SIGNS = str.maketrans({"x": "×", "*": "×", "/": "÷", "-": "−"})


def player_name(player: int) -> str:
    """What the books call a player.

    >>> player_name(0)
    'Player 1'
    """
    return PLAYERS[player]


class Sentence(str):
    """A string that knows its template, its fields, and the player it is about.

    `you` is the form for the player it is about. `book` is the form for two people at one keyboard, in the book's own
    words and signs. `page` says the same in the shorter words of the page, and has forms of its own. A field may be any
    value that can be formatted, another Sentence, or a `Field`.
    """

    __slots__ = ("_parts", "_personal")
    _parts: tuple[str, str | None, str | None, int | None, dict[str, Any], Sentence | None]
    _personal: tuple[str, ...]
    """The names of the fields that depend on the players' names or on the reader."""

    def __new__(
        cls,
        template: str,
        /,
        *,
        you: str | None = None,
        book: str | None = None,
        page: Sentence | None = None,
        player: int | None = None,
        **fields: Any,
    ) -> Sentence:
        personal = tuple([name for name, value in fields.items() if isinstance(value, PERSONAL)])
        sentence = str.__new__(cls, _render(template, player, fields, personal, PLAYERS, None))
        sentence._parts, sentence._personal = (template, you, book, player, fields, page), personal
        return sentence

    @property
    def player(self) -> int | None:
        """The player the sentence is about, or None."""
        return self._parts[3]

    def to(self, names: Names = PLAYERS, reader: int | None = None) -> str:
        """The sentence with these names, in the second person if `reader` is the player it is about."""
        if reader is None and names == PLAYERS:
            return str(self)
        template, you, _, player, fields, _ = self._parts
        if you is not None and reader is not None and reader == player:
            template = you
        return _render(template, player, fields, self._personal, names, reader)

    def depends_on(self, reader: int) -> bool:
        """Whether the sentence may read differently to a player than to spectators."""
        template, you, _, player, fields, _ = self._parts
        if reader == player and (you is not None or "{player:" in template):
            return True
        if player is not None and reader != player and "{other:" in template:
            return True
        return any(fields[name].depends_on(reader) for name in self._personal) if self._personal else False

    def by_the_book(self, names: Names = PLAYERS) -> str:
        """The sentence in the book's words, for two people at one keyboard."""
        template, _, book, player, fields, _ = self._parts
        return _render(template if book is None else book, player, fields, self._personal, names, None, book=True)

    def on_page(self) -> Sentence:
        """The sentence in the words of the page.

        >>> Sentence("Look: {why}", why=Sentence("Ann has exceeded 50.", page=Sentence("Over 50."))).on_page()
        'Look: Over 50.'
        """
        template, you, book, player, fields, page = self._parts
        if page is not None:
            return page
        parts = {name: fields[name].on_page() for name in self._personal if isinstance(fields[name], Sentence)}
        if all(part is fields[name] for name, part in parts.items()):
            return self
        return Sentence(template, you=you, book=book, player=player, **{**fields, **parts})

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        template, you, book, player, fields, page = self._parts
        return (template,), {"you": you, "book": book, "page": page, "player": player, **fields}


def tell(text: str, names: Names = PLAYERS, reader: int | None = None) -> str:
    """A Sentence in the form for this reader; any other string unchanged."""
    return text.to(names, reader) if isinstance(text, Sentence) else text


def tell_by_the_book(text: str, names: Names = PLAYERS) -> str:
    """A Sentence in the form for two people at one keyboard; any other string unchanged."""
    return text.by_the_book(names) if isinstance(text, Sentence) else text


def spoken(lines: Iterable[str], form: Callable[[str], str] = str) -> list[str]:
    """Lines in one form. A Sentence that is empty in this form is left out; any other empty string is a blank line.

    >>> spoken(["One.", "", Sentence("", book="Only in the book."), "", "Two."])
    ['One.', '', 'Two.']
    """
    texts: list[str] = []
    omitted = False  # whether anything was left out since the last text
    for line in lines:
        text = form(line)
        if not text and isinstance(line, Sentence):
            omitted = True
        elif text or not (omitted and texts[-1:] == [""]):
            texts.append(text)
            omitted = omitted and not text
    # What a blank line separates may have been left out.
    return texts[:-1] if omitted and texts[-1:] == [""] else texts


def book_only(lines: Iterable[str]) -> list[str]:
    """Lines that only two people at one keyboard read."""
    return [Sentence("", book="{line}", line=line) if line else line for line in lines]


def _render(
    template: str,
    player: int | None,
    fields: Mapping[str, Any],
    personal: Iterable[str],
    names: Names,
    reader: int | None,
    book: bool = False,
) -> str:
    values = fields
    if personal:
        values = {**fields, **{name: _fill(fields[name], names, reader, book) for name in personal}}
    if player is not None:
        if names is PLAYERS and reader is None:
            seats = _THIRD_PERSON[player]
        else:
            you, other = _Name(names[player], reader == player), _Name(names[1 - player], reader == 1 - player)
            seats = {"player": you, "other": other}
        return template.format(**values, **seats)
    return template.format(**values)


def _fill(value: Field | Sentence, names: Names, reader: int | None, book: bool) -> str:
    return value.by_the_book(names) if book and isinstance(value, Sentence) else value.to(names, reader)


class _Name:
    """A player in a sentence."""

    def __init__(self, name: str, is_reader: bool) -> None:
        self.name, self.is_reader = name, is_reader

    def __format__(self, case: str) -> str:
        match case:
            case "":
                return self.name
            case "whom":
                return "you" if self.is_reader else self.name
            case "Whom":
                return "You" if self.is_reader else self.name
            case "whose":
                return "your" if self.is_reader else f"{self.name}'s"
            case "Whose":
                return "Your" if self.is_reader else f"{self.name}'s"
            case "Label":
                return self.name if _SEAT.fullmatch(self.name) and not self.is_reader else format(self, "Whose")
        raise ValueError(f"A player has no case {case!r}.")


_FIRST, _SECOND = (_Name(name, False) for name in PLAYERS)
_THIRD_PERSON = ({"player": _FIRST, "other": _SECOND}, {"player": _SECOND, "other": _FIRST})


# Fields that depend on the names or on the reader.


class Field:
    """A part of a sentence that formats itself."""

    def to(self, names: Names = PLAYERS, reader: int | None = None) -> str:
        raise NotImplementedError

    def depends_on(self, reader: int) -> bool:
        """Whether the part may read differently to a player than to spectators."""
        return True

    def __str__(self) -> str:
        return self.to()


PERSONAL = (Field, Sentence)  # the types that depend on the reader


class Played(Field):
    """A move as people write it: ×10, or "reset Ann's score".

    A move whose token does not read well has two templates about its player: `phrase` begins with a verb whose past
    tense is the same, and `noun` is a noun, such as "the reset of Ann's score".
    """

    template = "phrase"
    """The attribute of the move that has the template for it."""

    def __init__(self, move: Any, player: int) -> None:
        self.move, self.player = move, player

    def to(self, names: Names = PLAYERS, reader: int | None = None) -> str:
        template = getattr(self.move, self.template, None)
        if template is None:
            return self.without_template(signs(str(self.move)))
        return _render(template, self.player, {}, (), names, reader)

    def without_template(self, move: str) -> str:
        """A move that people write as its token."""
        return move

    def depends_on(self, reader: int) -> bool:
        return getattr(self.move, self.template, None) is not None


class PlayedNoun(Played):
    """A move as a noun: ×10, or "the reset of Ann's score"."""

    template = "noun"


class Playing(Played):
    """A verb and a move: "played ×10", or "reset Ann's score"."""

    def __init__(self, verb: str, move: Any, player: int) -> None:
        super().__init__(move, player)
        self.verb = verb

    def without_template(self, move: str) -> str:
        return f"{self.verb} {move}"


class Capital(Field):
    """A part that begins a sentence.

    >>> str(Capital(Moves(["+5", "x2"], 0)))
    '+5 and ×2'
    """

    def __init__(self, field: Field) -> None:
        self.field = field

    def to(self, names: Names = PLAYERS, reader: int | None = None) -> str:
        text = self.field.to(names, reader)
        return text[:1].upper() + text[1:]

    def depends_on(self, reader: int) -> bool:
        return self.field.depends_on(reader)


class Moves(Field):
    """A list of moves of one player; a long list names only the first few.

    >>> str(Moves(["+5"], 0)), str(Moves(["+5", "x2"], 0, "and")), str(Moves(["+1", "+2", "+3", "+4", "+5"], 0, "or"))
    ('+5', '+5 and ×2', '+1, +2 or 3 others')
    """

    SHOWN = 3

    def __init__(self, moves: Iterable[Any], player: int, joint: str = "and") -> None:
        self.moves, self.player, self.joint = list(moves), player, joint

    def to(self, names: Names = PLAYERS, reader: int | None = None) -> str:
        texts = [PlayedNoun(move, self.player).to(names, reader) for move in self.moves]
        if len(texts) > self.SHOWN:
            texts = [*texts[: self.SHOWN - 1], f"{len(texts) - self.SHOWN + 1} others"]
        return f" {self.joint} ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))


class Line(Field):
    """A sequence of moves, each with the player who makes it. `player` begins. A very long line is cut short.

    >>> str(Line(["+5", "x2"], 0)), Line(["+5", "x2"], 0).to(("Ann", "Bob"), reader=0)
    ('Player 1 +5, Player 2 ×2', 'you +5, Bob ×2')
    """

    LONGEST = 30

    def __init__(self, moves: Iterable[Any], player: int) -> None:
        self.moves, self.player = list(moves), player

    def to(self, names: Names = PLAYERS, reader: int | None = None) -> str:
        texts = []
        for ply, move in enumerate(self.moves[: self.LONGEST]):
            player = (self.player + ply) % 2
            texts.append(f"{_Name(names[player], reader == player):whom} {Played(move, player).to(names, reader)}")
        return ", ".join([*texts, "…"] if len(self.moves) > self.LONGEST else texts)


class Count(Field):
    """A number with its noun.

    >>> str(Count(1, "try", "tries")), str(Count(2, "try", "tries")), str(Count(0, "move"))
    ('1 try', '2 tries', '0 moves')
    """

    def __init__(self, number: int, one: str, many: str | None = None) -> None:
        self.number, self.noun = number, one if number == 1 else many or f"{one}s"

    def to(self, names: Names = PLAYERS, reader: int | None = None) -> str:
        return f"{self.number} {self.noun}"


def signs(token: str) -> str:
    """A move's token with the signs that people write. Words in it stay as they are.

    >>> signs("x10"), signs("x"), signs("9-5"), signs("7/2"), signs("take-1")
    ('×10', '×', '9−5', '7÷2', 'take 1')
    """
    word = len(token) > 1 and token[:2].isalpha()
    return token.replace("-", " ") if word else token.translate(_SIGNS)


def shown_moves(
    moves: Sequence[Any], player: int, names: Names = PLAYERS, reader: int | None = None, most: int | None = None
) -> list[str]:
    """Moves of one player as people read them. If there are more than `most`, the last text counts the others.

    >>> shown_moves(["+1", "+2", "+3"], 0, most=2), shown_moves(["+1", "+2", "+3"], 0, most=3)
    (['+1', 'and 2 others'], ['+1', '+2', '+3'])
    """
    show = partial(Played, player=player)
    listed = moves if most is None or len(moves) <= most else moves[: most - 1]
    texts = [show(move).to(names, reader) for move in listed]
    return texts if len(texts) == len(moves) else [*texts, f"and {len(moves) - len(texts)} others"]


def equation(left: int, operation: str, right: int, result: int) -> str:
    """A calculation as people write it. `operation` is a sign or its token.

    >>> equation(5, "-", 9, -4)
    '5 − 9 = −4'
    """
    return f"{left} {operation} {right} = {result}".translate(_SIGNS)


def signed(number: int | None) -> str:
    """A number with the minus sign that people write, as in equations.

    >>> signed(-4)
    '−4'
    """
    return str(number).translate(_SIGNS)


def number_word(number: int) -> str:
    """A small number as a word, a larger one as digits."""
    return _NUMBERS[number] if 0 <= number < len(_NUMBERS) else str(number)
