"""The suite as tasks for Inspect."""

from __future__ import annotations

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser

from digitduels.evals.protocol import Style
from digitduels.evals.suite import SUITE, SUITE_SHA256, read_suite
from digitduels.evals.tasks import about, decide, duel, exact_game, exact_position
from digitduels.players.levels import LEVELS_VERSION
from digitduels.record import to_record

SUITE_TASK_VERSION = 2
"""Increased whenever prompts change that are not in the file of the suite: those of games and of refusals."""


@task
def suite_v1(file: str | None = None) -> Task:
    """The frozen positions of suite-v1, or of a private twin of it: one move in each."""
    suite = read_suite(SUITE if file is None else Path(file))
    if file is None and suite.sha256 != SUITE_SHA256:
        raise ValueError(f"{SUITE.name} was changed: its SHA-256 is {suite.sha256}, not {SUITE_SHA256}.")
    samples = []
    for item in suite.positions:
        match, variant = suite.match(item), suite.variants[item["variant"]]
        record = to_record(match)
        samples.append(
            Sample(
                id=item["id"],
                input=[
                    ChatMessageSystem(content=variant["rules"]),
                    ChatMessageUser(content=item["prompt"], metadata={"record": record}),
                ],
                target=item["keeping"],
                metadata={
                    "game": variant["game"],
                    "options": variant["options"],
                    "book": variant["book"],
                    "record": record,
                    "start": str(item["id"]),
                    "pair": str(item["id"]),
                    "distance": item["distance"],
                    "chance": len(item["keeping"]) / item["legal"],
                },
            )
        )
    return Task(
        MemoryDataset(samples, suite.name),
        solver=decide(Style(retries=suite.retries), asked=True),
        scorer=exact_position(),
        version=SUITE_TASK_VERSION,
        metadata={"suite": suite.sha256, "name": suite.name, "levels": LEVELS_VERSION},
    )


@task
def suite_v1_games(file: str | None = None) -> Task:
    """The frozen starts of suite-v1, or of a private twin: whole games against perfect play, from both seats."""
    suite = read_suite(SUITE if file is None else Path(file))
    samples = []
    for number, item in enumerate(suite.starts, 1):
        variant, match = suite.variants[item["variant"]], suite.match(item)
        for seat in (1, 2):
            match.seed = f"{suite.name} {number} {seat}"
            samples.append(
                Sample(
                    id=f"{number}-{seat}",
                    input=[ChatMessageSystem(content=variant["rules"])],
                    metadata={**about(match, f"{number}"), "seat": seat, "book": variant["book"]},
                )
            )
    return Task(
        MemoryDataset(samples, f"{suite.name} games"),
        solver=duel("perfect", Style(retries=suite.retries)),
        scorer=exact_game(),
        version=SUITE_TASK_VERSION,
        metadata={"suite": suite.sha256, "name": suite.name, "levels": LEVELS_VERSION},
    )
