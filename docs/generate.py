"""Writes what is generated: docs/games/, a page for each game, and the page's types.d.ts. `make docs` runs it."""

from __future__ import annotations

import sys
from pathlib import Path

import digitduels as dd
from digitduels.manual import manual, summary
from digitduels.study.ideas import ideas
from digitduels.web.app import PAGE, App
from digitduels.web.description import typescript_file
from digitduels.web.settings import Settings

FOLDER = Path(__file__).parent / "games"
NOTE = "This page is written by `make docs`"


def pages() -> dict[Path, str]:
    """Every generated file: where it belongs, and what it says."""
    found = {FOLDER / f"{name}.md": page(name) for name in dd.games()}
    found[FOLDER / "README.md"] = index()
    found[PAGE / "js" / "types.d.ts"] = typescript_file(App(Settings()).endpoints)
    return found


def page(name: str) -> str:
    book = f"Where the book slips, and what we do: [errata](../errata.md#{name})."
    return f"{manual(dd.game(name))}{advice(name)}\n---\n\n{NOTE}; `duels rules {name}` prints the rules. {book}\n"


def advice(name: str) -> str:
    """The ideas of a game, each with its position."""
    game = dd.game(name)
    found = [f"**{idea.title}.** {idea.about} {idea.example(game)}\n" for idea in ideas(game)]
    return "\n".join(["", "## Ideas", "", *found]) if found else ""


def index() -> str:
    rows = ["| game | what it is about | a game lasts at most |", "|---|---|---:|"]
    for name in dd.games():
        game = dd.game(name)
        rows.append(f"| [{game.title}]({name}.md) | {summary(game)} | {game.longest} moves |")
    return "\n".join(["# The games", "", *rows, "", f"{NOTE}.", ""])


def main() -> int:
    """Writes the files; with --check only says which are out of date."""
    stale = 0
    for path, text in pages().items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        if "--check" in sys.argv[1:]:
            print(f"{path.name} is out of date; run make docs.")
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
            print(f"{path.name} written.")
    return 1 if stale and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    raise SystemExit(main())
