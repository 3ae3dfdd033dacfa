"""Every game in TextArena, for players who read and write text: importing this module registers the environments.

>>> import textarena
>>> env = textarena.make("digitduels/NumberDuel-v0", target=60)
>>> env.reset(num_players=2)
>>> env.step("I take the five: [+5]")
(False, {'move': '+5'})
>>> env.match.state.hands
(5, 0)
"""

from __future__ import annotations

import re
from typing import Any

from digitduels.adapters import needs
from digitduels.core import IllegalMove, InvalidMove
from digitduels.games import game, game_class, games
from digitduels.manual import briefing
from digitduels.match import Match
from digitduels.sentence import Count, tell

with needs("textarena"):
    import textarena
    from textarena import ObservationType
    from textarena.envs.registration import register_with_versions
    from textarena.wrappers import ActionFormattingWrapper, LLMObservationWrapper

ROLES = ("Player 0", "Player 1")  # as TextArena counts them
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")


class TextDuelEnv(textarena.Env):  # type: ignore[misc]
    """A match between two players of text; `match` is the game so far.

    The last brackets of a reply hold the move, or the whole reply does. Only its author sees a reply again: the
    opponent is told the move and what it did. After a reply without a legal move its author is told why and may try
    `error_allowance` times more in that turn; then the game is forfeited.
    """

    match: Match

    def __init__(self, game_id: str, error_allowance: int = 1, **options: Any) -> None:
        self.game = game(game_id, **options)
        self.error_allowance = error_allowance

    def reset(self, num_players: int, seed: int | None = None) -> None:
        self.match = Match(self.game)
        self.match.players = ROLES
        # Nothing is left to chance, so the seed is not passed on: TextArena would set Python's global one with it.
        self.state = textarena.TwoPlayerState(num_players, error_allowance=self.error_allowance)
        self.state.reset(game_state={}, player_prompt_function=self._prompt, role_mapping=dict(enumerate(ROLES)))
        self._show()

    def step(self, action: str | None) -> tuple[bool, dict[str, Any]]:
        state, match = self.state, self.match
        action = action or ""  # A model that only called tools has said nothing.
        if state.done:
            return True, {}
        player = state.current_player_id
        state.add_observation(action, ObservationType.PLAYER_ACTION, from_id=player, to_id=player)
        match.say(action)
        try:
            # Read without the position, in which "reset 1" would mean the player whom TextArena calls 0.
            move = self.game.read((_BRACKETS.findall(action) or [action])[-1])
            match.play(move)
        except (InvalidMove, IllegalMove) as error:
            reason = tell(error.reason, ROLES, player)
            state.set_invalid_move(reason)
            if state.done:
                match.concede(player, error.reason)
            return self._end({"refused": reason})
        report = self.game.report(match.states[-2], move)
        for reader in (0, 1):
            told = f"[{move}] {report.to(ROLES, reader)}"
            state.add_observation(told, ObservationType.GAME_ACTION_DESCRIPTION, to_id=reader)
        self._show()
        return self._end({"move": str(move)})

    def _end(self, info: dict[str, Any]) -> tuple[bool, dict[str, Any]]:
        """Ends the step with this info, and the game if it is over."""
        state, outcome = self.state, self.match.outcome
        if outcome is not None:
            if outcome.winner is None:
                state.set_draw(outcome.reason)
            else:
                state.set_winner(outcome.winner, outcome.reason)
            for reader in (0, 1):
                state.game_info[reader]["reason"] = tell(outcome.reason, ROLES, reader)
        state.step_info.update(info)
        done, step_info = state.step()
        return done, step_info

    def _prompt(self, player_id: int, game_state: dict[str, Any]) -> str:
        chances = Count(self.error_allowance, "further chance")
        return (
            f"You are {ROLES[player_id]} and play {self.game.title} against {ROLES[1 - player_id]}. "
            f"{ROLES[0]} moves first.\n\n{briefing(self.game, ROLES)}\n"
            "End each reply with the short name of one move in brackets: […]. "
            "Only the last brackets count. After a reply without an allowed move you are told why and have "
            f"{chances} in that turn; then you lose."
        )

    def get_board_str(self) -> str:
        """The position in words; TextArena's renderer asks for it."""
        return "\n".join(tell(line, ROLES) for line in self.game.view(self.match.state))

    def _show(self) -> None:
        """Shows both players the position."""
        self.state.add_observation(self.get_board_str(), ObservationType.GAME_BOARD)


class Transcript(LLMObservationWrapper):  # type: ignore[misc]
    """All that a player has been told so far; TextArena's own would continue the last game after a reset."""

    def reset(self, num_players: int, seed: int | None = None) -> Any:
        self.full_observations: dict[int, list[Any]] = {}
        return super().reset(num_players, seed)


class Brackets(ActionFormattingWrapper):  # type: ignore[misc]
    """Puts a reply without brackets into brackets; TextArena's own fails on a reply of None."""

    def action(self, action: str | None) -> str:
        return str(super().action(action or ""))


for _name in games():
    register_with_versions(
        f"digitduels/{game_class(_name).__name__}-v0",
        entry_point=TextDuelEnv,
        wrappers={"default": [Transcript, Brackets]},
        game_id=_name,
    )
