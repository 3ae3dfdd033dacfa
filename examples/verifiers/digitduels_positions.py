"""Positions as a verifiers environment: one decision in each, with an exact reward."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import verifiers.v1 as vf
from openai import APIStatusError, AsyncOpenAI
from verifiers.v1.dialects.chat import message_to_wire

from digitduels.core import IllegalMove, InvalidMove
from digitduels.evals import protocol
from digitduels.evals.dataset import reached, read_lines
from digitduels.evals.suite import SUITE, read_suite
from digitduels.match import Match
from digitduels.record import replay, to_record

__all__ = ["Chat", "Positions", "PositionsEnv"]  # verifiers finds harness, taskset and environment here


class Position(vf.TaskData):
    """A question, and the data to score its answer."""

    record: dict[str, Any]
    keeping: list[str]
    chance: float


class Decision(vf.Task[Position]):
    @vf.reward
    async def found(self, trace: vf.Trace) -> float:
        """Whether the move keeps the value of the position."""
        return float(self.move(trace) in self.data.keeping)

    @vf.metric
    async def legal(self, trace: vf.Trace) -> float:
        return float(self.move(trace) is not None)

    @vf.metric
    async def chance(self) -> float:
        """How often a random mover would find such a move."""
        return self.data.chance

    def move(self, trace: vf.Trace) -> str | None:
        try:
            return str(protocol.move(replay(self.data.record), trace.last_reply))
        except (InvalidMove, IllegalMove):
            return None


class PositionsConfig(vf.TasksetConfig):
    file: Path = SUITE
    """A suite, or a dataset in JSON Lines, of which only the critical positions are used."""


class Positions(vf.Taskset[Decision, PositionsConfig]):
    def load(self) -> Iterator[Decision]:
        file = self.config.file
        dataset = file.suffix == ".jsonl"
        for row in read_lines(file) if dataset else read_suite(file).rows():
            if not dataset or row["critical"]:
                position = Position(
                    system_prompt=row["rules"],
                    prompt=row["prompt"],
                    record=to_record(reached(row)),
                    keeping=row["keeping"],
                    chance=row["chance"],
                )
                yield Decision(position, self.config.task)


class PositionsEnvConfig(vf.EnvConfig):
    agent: vf.AgentConfig = vf.AgentConfig(runtime={"type": "subprocess"})  # no sandbox: the model runs nothing


class PositionsEnv(vf.Env[PositionsEnvConfig]):
    async def run(self, task: Decision, agents: vf.Agents) -> None:
        async with agents.agent.interaction(task) as talk:
            await decide(talk, replay(task.data.record))


async def decide(talk: vf.Interaction, match: Match, question: str | None = None) -> Any:
    """Asks for a move, and again after a refusal; None if no answer is a legal move."""
    for _ in range(1 + protocol.RETRIES):
        segment = await talk.turn(question)
        if segment.terminated:
            break
        try:
            return protocol.move(match, segment.last_reply)
        except (InvalidMove, IllegalMove) as error:
            reason = protocol.objection(error, match.state.player, cut_off=talk.trace.is_truncated)
            question = protocol.refusal(reason, match)
    return None


class Chat(vf.Harness[vf.HarnessConfig]):
    """Calls the model from this process. The harness `null` of verifiers starts a program for every answer."""

    APPENDS_SYSTEM_PROMPT = SUPPORTS_RESUME = True
    EXECUTES_CODE = NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        system, prompt = self.resolve_prompt(data)
        prompts = [vf.UserMessage(content=prompt)] if isinstance(prompt, str) else prompt
        messages = [{"role": "system", "content": system}, *map(message_to_wire, prompts)]
        async with AsyncOpenAI(base_url=endpoint, api_key=secret) as client:
            try:
                await client.chat.completions.create(model=ctx.model, messages=messages)
            except APIStatusError as error:  # the model failed or reached a limit; verifiers knows which
                return vf.ProgramResult(1, "", str(error))
        return vf.ProgramResult(0, "", "")
