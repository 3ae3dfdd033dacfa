"""The HTML of every page: its title, the data that it shows first, and links to its files. Scripts do the rest."""

from __future__ import annotations

import html
import json
from typing import TypedDict

from starlette.requests import Request
from starlette.responses import Response

from digitduels.games import game_class, games
from digitduels.manual import summary
from digitduels.web.assets import CORE, Assets, compressed_response
from digitduels.web.positions import link
from digitduels.web.positions.answers import GameCard, PositionView
from digitduels.web.positions.questions import game_cards
from digitduels.web.positions.view import beginner, view
from digitduels.web.reach import Reach
from digitduels.web.refusal import Refusal

ABOUT = "Five number duels for two. Play a friend or the computer, at once and without an account."
TITLES = {
    "play": "Play {title}",
    "explore": "Explore {title}",
    "review": "A game of {title}",
    "puzzle": "A puzzle: {title}",
    "learn": "{title}: the rules",
}
INVITATIONS = {
    "": ("Digit Duels", ABOUT),
    "g": ("A number duel with a friend", "Open the link to play or to watch. No account, nothing to install."),
    "j": ("Join your class", "Type your name and play number duels with your class. No account, nothing to install."),
    "puzzle": ("Today's puzzle", "One position, one winning move. The puzzle is the same for everybody today."),
}
"""The title and the description of a shared link to a page without a game in its path."""
MODULES = {"": "home", "g": "room"}  # the modules of other pages are named after their path
WITH_POSITION = {"play", "explore"}  # pages whose HTML contains the position that they show first
MOST_DATA = 100_000  # characters of data in the HTML; a page fetches larger data itself


class Given(TypedDict, total=False):
    """The data that a page shows first."""

    games: list[GameCard]
    position: PositionView
    query: str
    """The query of the position, in a page that cannot know its own."""


class Document:
    """Renders the pages of a server. They say how many hours it stores a class after the last act or move in it."""

    def __init__(self, assets: Assets, class_retention: float, reach: Reach | None = None) -> None:
        self._assets, self._class_retention, self._reach = assets, class_retention, reach
        self._home: Given = {}
        text = assets.files["index.html"].body.decode()
        text = text.replace('="/js/main.js"', f'="/{CORE}"')
        for name in assets.files:
            text = text.replace(f'="/{name}"', f'="{assets.url(name)}"')
        self._start, self._rest = text.split("<title>Digit Duels</title>")
        self._rest = self._rest.replace("</body>", "{data}</body>")

    def answer(self, request: Request, status: int = 200) -> Response:
        """Returns the page for a request."""
        area = request.url.path.split("/")[1]
        name = request.path_params.get("game")
        known = name if name in games() else None
        data: Given = {}
        if not area:
            data = self._home = self._home or home()
        elif known and area in WITH_POSITION:
            data = _position(known, request)
        origin = f"{request.url.scheme}://{request.url.netloc}"
        client = request.client.host if request.client else None
        hint = self._reach.hint(request.url.hostname, client) if self._reach else ""
        body = self.render(origin, area, known, data, hint or "").encode()
        headers = {"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-cache"}
        response = compressed_response(request, body, None, headers)
        response.status_code = status
        return response

    def render(self, origin: str, area: str, name: str | None, data: Given, hint: str = "") -> str:
        """Returns the HTML of a page: of an area and perhaps a game, with the data that it shows first.

        The hint is about how others reach the server.
        """
        rules = link.book(name) if name else None
        title, about = INVITATIONS.get(area, INVITATIONS[""])
        if rules:
            title, about = TITLES.get(area, "{title}").format(title=rules.title), summary(rules)
        picture = f"og/{name}.png" if f"og/{name}.png" in self._assets.files else "og/plain.png"
        head = [
            f"<title>{html.escape(title if title == 'Digit Duels' else f'{title} · Digit Duels')}</title>",
            f'<meta name="description" content="{html.escape(about)}" />',
            f'<meta name="class-retention" content="{self._class_retention:g}" />',
            *([f'<meta name="reach" content="{html.escape(hint)}" />'] if hint else []),
            *(
                f'<meta property="og:{key}" content="{html.escape(text)}" />'
                for key, text in (
                    ("site_name", "Digit Duels"),
                    ("type", "website"),
                    ("title", title),
                    ("description", about),
                    ("image", origin + self._assets.url(picture)),
                )
            ),
            '<meta name="twitter:card" content="summary_large_image" />',
            *(f'<link rel="modulepreload" href="{self._assets.url(module)}" />' for module in self._modules(area)),
        ]
        text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
        element = (
            f'<script type="application/json" id="given">{text}</script>' if data and len(text) < MOST_DATA else ""
        )
        return self._start + "\n    ".join(head) + self._rest.replace("{data}", element)

    def _modules(self, area: str) -> list[str]:
        """Returns the scripts to preload for a page, besides those of the first view."""
        return self._assets.further(f"js/pages/{MODULES.get(area, area)}.js")


def home() -> Given:
    """Returns the data of the first page: all games, and a game against the computer."""
    # The game with the most options has the most to discover.
    name = max(games(), key=lambda name: len(game_class(name).options()))
    return {"games": game_cards(), "position": view(link.read(name, first_pairs(name))[0], effects=True)}


def first_pairs(name: str) -> list[tuple[str, str]]:
    """Returns the link of a first game: against the level for a beginner."""
    return [("vs", str(beginner(link.book(name)))), ("seat", "1")]


def _position(name: str, request: Request) -> Given:
    """Returns the position of a valid link to a book game. For other links, the page fetches it or shows the error."""
    pairs = request.query_params.multi_items()
    if not {key for key, _ in pairs} <= {*link.KEYS, *link.PAGE_ONLY}:
        return {}
    try:
        return {"position": view(link.read(name, pairs)[0])}
    except Refusal:
        return {}
