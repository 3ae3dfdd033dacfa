"""The commands besides play: what they print and how they refuse."""

from __future__ import annotations

import json

import digitduels as dd
from conftest import Run


def test_games_lists_every_game_with_its_options_for_programs(duels: Run) -> None:
    listing = json.loads(duels("games", "--json").stdout)
    assert [game["game"] for game in listing["games"]] == dd.games()
    for game in listing["games"]:
        defaults = {option["name"]: option["default"] for option in game["options"]}
        assert defaults == dd.game(game["game"]).values
