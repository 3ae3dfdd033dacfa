"""Every game in TextArena, for players that read and write text. Importing this module registers the environments.

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

ROLES = ("Player 0", "Player 1")  # TextArena counts from 0
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")


class TextDuelEnv(textarena.Env):  # type: ignore[misc]
    """A match between two players that exchange text; `match` is the game so far.

    The move is in the last brackets of a reply, or is the whole reply if there are none. Only the author sees the reply
    itself; the opponent sees the move and its effect. After a reply without a legal move, the author gets the reason
    and up to `error_allowance` more tries in that turn, and then forfeits the game.
    """

    match: Match

    def __init__(self, game_id: str, error_allowance: int = 1, **options: Any) -> None:
        self.game = game(game_id, **options)
        self.error_allowance = error_allowance

    def reset(self, num_players: int, seed: int | None = None) -> None:
        self.match = Match(self.game)
        self.match.players = ROLES
        # The game is deterministic, so the seed is not passed on. TextArena would seed Python's global generator.
        self.state = textarena.TwoPlayerState(num_players, error_allowance=self.error_allowance)
        self.state.reset(game_state={}, player_prompt_function=self._prompt, role_mapping=dict(enumerate(ROLES)))
        self._show()

    def step(self, action: str | None) -> tuple[bool, dict[str, Any]]:
        state, match = self.state, self.match
        action = action or ""  # None if a model only called tools
        if state.done:
            return True, {}
        player = state.current_player_id
        state.add_observation(action, ObservationType.PLAYER_ACTION, from_id=player, to_id=player)
        match.say(action)
        try:
            # Parsed without the position: with it, "reset 1" would mean the player that TextArena calls 0.
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
            text = f"[{move}] {report.to(ROLES, reader)}"
            state.add_observation(text, ObservationType.GAME_ACTION_DESCRIPTION, to_id=reader)
        self._show()
        return self._end({"move": str(move)})

    def _end(self, info: dict[str, Any]) -> tuple[bool, dict[str, Any]]:
        """Ends the step with this info, and reports the outcome if the game is over."""
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
        """The position in words, for TextArena's renderer."""
        return "\n".join(tell(line, ROLES) for line in self.game.view(self.match.state))

    def _show(self) -> None:
        """Shows both players the position."""
        self.state.add_observation(self.get_board_str(), ObservationType.GAME_BOARD)


class Transcript(LLMObservationWrapper):  # type: ignore[misc]
    """All observations of a player so far. TextArena's own wrapper would keep those of the last game after a reset."""

    def reset(self, num_players: int, seed: int | None = None) -> Any:
        self.full_observations: dict[int, list[Any]] = {}
        return super().reset(num_players, seed)


class Brackets(ActionFormattingWrapper):  # type: ignore[misc]
    """Adds missing brackets to a reply. TextArena's own wrapper fails if the reply is None."""

    def action(self, action: str | None) -> str:
        return str(super().action(action or ""))


for _name in games():
    register_with_versions(
        f"digitduels/{game_class(_name).__name__}-v0",
        entry_point=TextDuelEnv,
        wrappers={"default": [Transcript, Brackets]},
        game_id=_name,
    )
