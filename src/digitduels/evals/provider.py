"""Our own players as models for Inspect: they run without a network and serve as fixed references.

`digitduels/perfect`, `digitduels/random` and `digitduels/1` to `digitduels/7` answer in the requested form.
`digitduels/copier` repeats the example answer of the prompt.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage
from inspect_ai.tool import ToolChoice, ToolInfo

from digitduels.evals.protocol import NoAnswer, Style, answer, renamed, seen
from digitduels.evals.suite_v2 import QUESTION_KINDS
from digitduels.match import Match
from digitduels.players import OPPONENTS, PERFECT_PLAYERS, player
from digitduels.players.heuristics import HEURISTICS
from digitduels.record import replay
from digitduels.solver.solution_cache import solution_of
from digitduels.study.wording import VALUES
from digitduels.text import quoted

COPIER = "copier"


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
        known = (*OPPONENTS, *HEURISTICS, COPIER)
        if model_name not in known:
            raise ValueError(f"There is no player {quoted(model_name)}. The players are {', '.join(known)}.")
        self.seed = seed

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        questions = [message for message in input if message.role == "user"]
        metadata = next((message.metadata for message in reversed(questions) if message.metadata), None)
        if self.model_name == COPIER:
            text = copied(message.text for message in input)
        elif metadata is None or "record" not in metadata:
            text = "I only play the games of Digit Duels."
        elif "about" in metadata:
            text = self.explain(replay(metadata["record"]), metadata["move"], metadata["about"], _style(metadata))
        else:
            text = self.reply(replay(metadata["record"]), _style(metadata))
        output = ModelOutput.from_content(self.model_name, text)
        # Without usage figures, some of Inspect's features download a tokenizer.
        output.usage = ModelUsage(input_tokens=0, output_tokens=0, total_tokens=0)
        return output

    def reply(self, match: Match, style: Style) -> str:
        """The player's move, in the requested form."""
        # The seed depends on the game; otherwise all games from one start would be the same.
        name, seed = self.model_name, f"{self.seed} {match.seed}"
        plays = (
            HEURISTICS[name](match.game, seed) if name in HEURISTICS else player(name, match.game, solution_of, seed)
        )
        chosen = plays.choose(match)
        token = renamed(str(chosen), style)
        return f"I play {token}.\n{_json(move=token)}"

    def explain(self, match: Match, token: str, about: str, style: Style) -> str:
        """The right answer to a question about the rules or the solution."""
        game, state = match.game, match.state
        if about in QUESTION_KINDS:
            return self.solve(match, token, about, style)
        move = game.read(token, state)
        if about == "legal":
            return _json(legal=game.objection(state, move) is None)
        return _json(position=seen(game, game.play(state, move), state.player))

    def solve(self, match: Match, token: str, about: str, style: Style) -> str:
        """The answer to a question about the solution: right for perfect play, else what the player would do."""
        game, state, solution = match.game, match.state, solution_of(match.game)
        judgement = solution.judge(state)
        if self.model_name not in PERFECT_PLAYERS:
            if about == "value":
                return _json(**dict.fromkeys(VALUES.values(), 1 / 3))
            if about == "refutation":
                match.play(game.read(token, state))
            chosen = answer(self.reply(match, style))["move"]
            return _json(moves=[chosen]) if about == "keeping" else _json(move=chosen)
        if about == "value":
            return _json(**{name: float(value == judgement.best_verdict.value) for value, name in VALUES.items()})
        if about == "refutation":
            judgement = solution.judge(game.play(state, game.read(token, state)))
        tokens = [renamed(str(move), style) for move in judgement.keeping]
        return _json(moves=tokens) if about == "keeping" else _json(move=tokens[0])


def _style(metadata: Mapping[str, Any]) -> Style:
    return Style(words=metadata.get("words", ()))


def copied(texts: Iterable[str]) -> str:
    """The last JSON object in some prompts, or the last word if there is none."""
    text = "\n".join(texts)
    try:
        return _json(**answer(text))
    except NoAnswer:
        return text.split()[-1]


def _json(**values: Any) -> str:
    return json.dumps(values, ensure_ascii=False)
