"""Models for Inspect that make mistakes on purpose."""

from __future__ import annotations

import json

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

from digitduels.evals.protocol import seen
from digitduels.evals.provider import Players
from digitduels.record import replay


class Careless(ModelAPI):
    """`prose` never gives JSON, `illegal` never a right answer, and `hasty` gives a legal move only on a retry."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        self.perfect = Players("perfect")

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        questions = [message for message in input if message.role == "user"]
        if self.model_name == "hasty" and len(questions) > 1:
            return await self.perfect.generate(input, tools, tool_choice, config)
        text = "It depends." if self.model_name == "prose" else _wrong(questions[-1])
        output = ModelOutput.from_content(self.model_name, text)
        output.usage = ModelUsage(input_tokens=0, output_tokens=0, total_tokens=0)
        return output


def _wrong(question: ChatMessage) -> str:
    about = question.metadata or {}
    match = replay(about["record"])
    game, state = match.game, match.state
    if about.get("about") == "legal":
        return json.dumps({"legal": game.objection(state, game.read(about["move"], state)) is not None})
    if about.get("about") == "after":
        return json.dumps({"position": seen(game, state, state.player)})
    move = next((move for move in game.moves if game.objection(state, move) is not None), "something else")
    return json.dumps({"move": str(move)})


@modelapi(name="careless")
def careless() -> type[ModelAPI]:
    return Careless
