"""Our own players as models for Inspect: they run without a network and serve as fixed references.

`digitduels/perfect`, `digitduels/random` and `digitduels/1` to `digitduels/7` answer in the requested form. The others
make mistakes on purpose: `digitduels/prose` never gives JSON, `digitduels/illegal` never gives a legal move, and
`digitduels/hasty` gives one only on a retry. `digitduels/copier` repeats the example answer of the prompt.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage
from inspect_ai.tool import ToolChoice, ToolInfo

from digitduels.evals.protocol import NoAnswer, answer, seen
from digitduels.match import Match
from digitduels.players import OPPONENTS, player
from digitduels.record import replay
from digitduels.solver.solution_cache import solution_of
from digitduels.text import quoted

CARELESS = ("prose", "illegal", "hasty", "copier")


class Players(ModelAPI):
    """A player that answers like a model. It reads the game from the metadata of the message, not from the prompt."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        if model_name not in (*OPPONENTS, *CARELESS):
            raise ValueError(
                f"There is no player {quoted(model_name)}. The players are {', '.join((*OPPONENTS, *CARELESS))}."
            )
        self.seed = seed

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        questions = [message for message in input if message.role == "user"]
        metadata = next((message.metadata for message in reversed(questions) if message.metadata), None)
        if metadata is None or "record" not in metadata:
            text = "I only play the games of Digit Duels."
        else:
            text = self.reply(replay(metadata["record"]), metadata.get("move"), metadata.get("about"), len(questions))
        if self.model_name == "copier":
            text = copied(message.text for message in input)
        output = ModelOutput.from_content(self.model_name, text)
        # Without usage figures, some of Inspect's features download a tokenizer.
        output.usage = ModelUsage(input_tokens=0, output_tokens=0, total_tokens=0)
        return output

    def reply(self, match: Match, token: str | None, about: str | None, attempt: int) -> str:
        """The player's reply to the first or a later prompt of a turn; `attempt` counts from 1."""
        game, state = match.game, match.state
        if about is not None and token is not None:
            return self.explain(match, game.read(token, state), about)
        name = self.model_name if self.model_name in OPPONENTS else "perfect"
        # The seed depends on the game; otherwise all games from one start would be the same.
        move = player(name, game, solution_of, f"{self.seed} {match.seed}").choose(match)
        if self.model_name == "prose":
            return f"I play {move}."
        if self.model_name == "illegal" or (self.model_name == "hasty" and attempt == 1):
            legal = set(game.legal_moves(state))
            move = next((move for move in game.moves if move not in legal), "something else")
        return f"I play {move}.\n{_json(move=str(move))}"

    def explain(self, match: Match, move: Any, about: str) -> str:
        """The player's answer to a question about the rules: correct unless it makes mistakes on purpose."""
        game, state = match.game, match.state
        legal = game.objection(state, move) is None
        if self.model_name == "prose":
            return "It depends."
        if about == "legal":
            return _json(legal=legal != (self.model_name == "illegal"))
        after = state if self.model_name == "illegal" else game.play(state, move)
        return _json(position=seen(game, after, state.player))


def copied(texts: Iterable[str]) -> str:
    """The last JSON object in some prompts, or the last word if there is none."""
    text = "\n".join(texts)
    try:
        return _json(**answer(text))
    except NoAnswer:
        return text.split()[-1]


def _json(**values: Any) -> str:
    return json.dumps(values, ensure_ascii=False)
