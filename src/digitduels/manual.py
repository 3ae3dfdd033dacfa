"""The rule page of any game, in Markdown: its rules, options, rulings and an example, all from the game itself."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterable
from typing import Any

from digitduels.asking import answer, choices
from digitduels.core import IllegalMove, InvalidMove, State
from digitduels.games import AnyGame
from digitduels.match import Match
from digitduels.options import settings, written
from digitduels.rule_sets import house_rules
from digitduels.sentence import PLAYERS, Names, Sentence, player_name, signs, spoken, tell_by_the_book

PAGE_WIDTH = 120  # characters per line of a rule page
FIRST = Sentence("{player} always begins. The players agree or toss a coin for that seat beforehand.", player=0)
ENDS = "Every game ends, because each move uses something up or makes a number grow."
COMMON = (
    FIRST,
    "A player may concede at any time, also on the other player's turn. The other player wins.",
    "An answer that is not a legal move is rejected with the reason, and the player is asked again.",
    ENDS,
)


def summary(game: AnyGame) -> str:
    """One sentence that says what a game is about."""
    return card(game)[0]


def manual(game: AnyGame, playing: bool = False) -> str:
    """The rule page of a game. With `playing`, only what somebody needs in the middle of a game.

    >>> from digitduels.games import game
    >>> manual(game("number-duel")).splitlines()[0]
    '# Number Duel'
    """
    about, rules = card(game)
    changed = [f"House rules: {house_rules(game)}."] if game.changes else []
    if playing:
        return "\n\n".join((about, *changed, rules, *_typing(game))) + "\n"
    parts = [f"# {game.title}", about, *changed, "## Rules", rules, "## Options", _bullets(_options(game))]
    parts += [
        "## Rulings",
        "What the book leaves open, and what applies here.",
        _bullets((*rulings(game), *COMMON)),
        "## Moves",
        *_typing(game),
        tokens(game),
    ]
    if game.example and not game.changes:
        parts += ["## Example", f"The moves are `{game.example}`.", f"```\n{transcript(game, game.example)}\n```"]
    return "\n\n".join(parts) + "\n"


def plain_text(page: str) -> list[str]:
    """A rule page without Markdown: each paragraph and each entry of a list is one line, ready to be wrapped.

    >>> plain_text("# Title\\n\\nType `+5`\\nor 5.\\n\\n- One.\\n- Two.\\n\\n```\\n5  x\\n```\\n")
    ['Title', '', 'Type +5 or 5.', '', '- One.', '- Two.', '', '    5  x']
    """
    lines: list[str] = []
    for number, part in enumerate(page.strip().split("```")):
        if number % 2:  # a code block
            lines += [f"    {line}".rstrip() for line in part.strip("\n").split("\n")]
            continue
        text = part.replace("`", "")
        for index, paragraph in enumerate(text.split("\n\n")):
            if index:
                lines.append("")
            entries = paragraph.strip().split("\n")
            is_list = paragraph.strip().startswith("- ")
            lines += entries if is_list else [" ".join(entries).lstrip("# ")] if paragraph.strip() else []
    return lines


def briefing(game: AnyGame, names: Names = PLAYERS) -> str:
    """The rules of this variant, for a reader who has nothing else and cannot ask questions.

    It leaves out conceding and invalid answers, which depend on the interface. It also leaves out the example: a reader
    who copied its moves would often play well.
    """
    about, rules = card(game)
    values = [f"`{option.name}={written(getattr(game, option.field))}`: {option.about}." for option in game.options()]
    changed = [f"House rules: {settings(game.changes)}."] if game.changes else []
    parts = [f"# {game.title}", about, *changed]
    parts += ["## Rules", rules, "## Rulings", _bullets((*rulings(game), FIRST.to(names), ENDS))]
    parts += ["## Settings of this game", _bullets(values), "## Moves", tokens(game)]
    return "\n\n".join(parts) + "\n"


def transcript(game: AnyGame, tokens: str) -> str:
    """A game as two people at a terminal see it, including what they type."""
    match = Match(game)
    lines = game.welcome(match.state)
    for token in tokens.split():
        state, move = match.state, game.read(token, match.state)
        lines += ["", *spoken(game.turn(state), tell_by_the_book), *dialogue(game, state, move)]
        match.play(move)
        lines += game.announce(state, move, match.state)
    outcome = game.outcome(match.state)
    lines += game.ending(match.state, outcome) if outcome else ["", "…"]
    return "\n".join(spoken(lines, tell_by_the_book))


def dialogue(game: AnyGame, state: State[Any, Any], move: Any) -> list[str]:
    """The questions of a turn with the answers that make up a move, as lines."""
    lines = []
    for index, (field, value) in enumerate(zip(game.move_fields, move, strict=True)):
        menu = choices(game, state, move[:index]) if field.menu else []
        typed = str(menu.index(value) + 1) if menu else field.label(value)
        lines += (field.prompt.format(player=player_name(state.player)) + typed).split("\n")
    return lines


def card(game: AnyGame) -> tuple[str, str]:
    """The one-line summary of a game and its rules, with the variant's own numbers."""
    first, _, rest = (inspect.getdoc(game) or "").format_map(game.facts).partition("\n")
    paragraphs = [textwrap.fill(" ".join(part.split()), PAGE_WIDTH) for part in rest.split("\n\n")]
    return first, "\n\n".join(paragraphs).strip()


def rulings(game: AnyGame) -> list[str]:
    """How we settle what the book leaves open, with the variant's own numbers, and without what it doesn't have."""
    return list(filter(None, (ruling.format_map(game.facts) for ruling in game.rulings)))


def _typing(game: AnyGame) -> list[str]:
    """How a person types a move, by examples that are possible in the first turn."""
    if not game.spellings:
        return []
    texts = [text for text in game.spellings if _is_possible(game, text)]
    texts = texts or [signs(str(move)) for move in game.legal_moves(game.start())[:3]]
    return [f"For example, you can type {', '.join(f'`{text}`' for text in texts)}."] if texts else []


def _is_possible(game: AnyGame, text: str) -> bool:
    """Whether a text answers the first question of a game."""
    try:
        return bool(answer(game, game.start(), (), text))
    except (InvalidMove, IllegalMove):
        return False


def _bullets(texts: Iterable[str]) -> str:
    return "\n".join(f"- {text}" for text in texts)


def _options(game: AnyGame) -> list[str]:
    return [
        f"`{option.name}={written(getattr(game, option.field))}`: {option.about}; {option.kind}."
        for option in game.options()
    ]


def tokens(game: AnyGame) -> str:
    """The short names of moves, in a sentence."""
    few = game.moves if len(game.moves) < 10 else (*game.moves[:3], *game.moves[-3:])
    names = [f"`{move}`" for move in few]
    if len(game.moves) > len(few):
        names.insert(3, "…")
    return f"Each of the {len(game.moves)} moves has a short name, for records and programs: {' '.join(names)}."
