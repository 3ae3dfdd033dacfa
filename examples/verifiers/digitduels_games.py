"""Whole games as a verifiers environment: from the starts of a suite, in both seats, against one of our players."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import verifiers.v1 as vf
from digitduels_positions import Chat, decide

from digitduels.evals import protocol
from digitduels.evals.leaderboard import performance
from digitduels.evals.suite import SUITE, read_suite
from digitduels.players import OPPONENTS, player
from digitduels.record import replay, to_record
from digitduels.solver.solution_cache import solution_of

__all__ = ["Chat", "Games", "GamesEnv"]


class Start(vf.TaskData):
    record: dict[str, Any]
    seat: int
    opponent: str


class GamesConfig(vf.TasksetConfig):
    file: Path = SUITE
    opponent: Literal[OPPONENTS] = "perfect"


class Games(vf.Taskset[vf.Task[Start], GamesConfig]):
    def load(self) -> Iterator[vf.Task[Start]]:
        suite = read_suite(self.config.file)
        for number, item in enumerate(suite.starts, 1):
            for seat in (1, 2):
                match, rules = suite.match(item), suite.variants[item["variant"]]["rules"]
                match.seed = f"{suite.name} {number} {seat}"
                start = Start(system_prompt=rules, record=to_record(match), seat=seat, opponent=self.config.opponent)
                yield vf.Task[Start](start, self.config.task)


class GamesEnvConfig(vf.EnvConfig):
    agent: vf.AgentConfig = vf.AgentConfig(runtime={"type": "subprocess"})


class GamesEnv(vf.Env[GamesEnvConfig]):
    async def run(self, task: vf.Task[Start], agents: vf.Agents) -> None:
        match, seat = replay(task.data.record), task.data.seat - 1
        opponent = player(task.data.opponent, match.game, solution_of, match.seed)
        async with agents.agent.interaction(task) as talk:
            while match.outcome is None:
                if match.state.player == seat:
                    move = await decide(talk, match, protocol.question(match))
                    if move is None:
                        break  # an unfinished game counts as forfeited
                else:
                    move = opponent.choose(match)
                match.play(move)
        if talk.trace.ok:
            figures = performance(to_record(match), seat, [], whole=True).figures()
            talk.trace.record_reward("points", figures["points"])
            talk.trace.record_metrics({name: figures[name] for name in ("critical", "found", "chance", "forfeits")})
