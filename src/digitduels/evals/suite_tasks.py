"""The suite as tasks for Inspect."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState, generate

from digitduels.evals.protocol import Style
from digitduels.evals.suite import SUITE, SUITE_V2, Suite, read_suite
from digitduels.evals.suite_v2 import QUESTION_KINDS, grade_answer
from digitduels.evals.tasks import about, decide, duel, exact_game, exact_position, shares
from digitduels.players.levels import LEVELS_VERSION
from digitduels.record import to_record
from digitduels.text import clean

SUITE_TASK_VERSION = 2
"""Increased whenever prompts change that are not in the file of the suite: those of games and of refusals."""


@task
def suite_v1(file: str | None = None) -> Task:
    """The frozen positions of suite-v1, or of a private twin of it: one move in each."""
    return _moves(read_suite(Path(file or SUITE)))


@task
def suite_v2(file: str | None = None) -> Task:
    """The frozen positions of suite-v2, or of a twin of it: one move in each."""
    return _moves(read_suite(Path(file or SUITE_V2)))


def _moves(suite: Suite) -> Task:
    samples = []
    for item in suite.positions:
        match, variant = suite.match(item), suite.variants[item["variant"]]
        record = to_record(match)
        samples.append(
            Sample(
                id=item["id"],
                input=[
                    ChatMessageSystem(content=variant["rules"]),
                    ChatMessageUser(content=item["prompt"], metadata={"record": record, "words": _words(variant)}),
                ],
                target=item["keeping"],
                metadata={
                    "game": variant["game"],
                    "options": variant["options"],
                    "book": variant["book"],
                    "words": _words(variant),
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


def _words(variant: Mapping[str, Any]) -> list[list[str]]:
    """The other names of the operations in a rule set."""
    return [list(pair) for pair in variant.get("words", ())]


@task
def suite_v2_questions(file: str | None = None) -> Task:
    """Questions of suite-v2 beyond the move: the value, all moves that keep it, and the refutation of a move."""
    suite = read_suite(Path(file or SUITE_V2))
    samples = []
    for item in suite.questions:
        variant = suite.variants[item["variant"]]
        about = {"record": to_record(suite.match(item)), "words": _words(variant), "about": item["kind"]}
        samples.append(
            Sample(
                id=item["id"],
                input=[
                    ChatMessageSystem(content=variant["rules"]),
                    ChatMessageUser(content=item["prompt"], metadata={**about, "move": item.get("move")}),
                ],
                target=json.dumps(item["answer"]),
                metadata={**about, "game": variant["game"], "start": str(item["id"]), "pair": str(item["id"])},
            )
        )
    return Task(
        MemoryDataset(samples, f"{suite.name} questions"),
        solver=generate(tool_calls="none"),
        scorer=exact_solution(),
        version=SUITE_TASK_VERSION,
        metadata={"suite": suite.sha256, "name": suite.name},
    )


@scorer(metrics=[shares([f"{kind}/asked_{kind}" for kind in QUESTION_KINDS])])
def exact_solution() -> Scorer:
    """Scores answers about the solution, from 0 to 1."""

    async def score(state: TaskState, target: Target) -> Score:
        kind, text = state.metadata["about"], state.output.completion
        value = dict.fromkeys([*QUESTION_KINDS, *(f"asked_{kind}" for kind in QUESTION_KINDS)], 0.0)
        style = Style(words=state.metadata["words"])
        points = grade_answer(kind, text, json.loads(target.text), style)
        return Score(value={**value, kind: points, f"asked_{kind}": 1.0}, answer=clean(text[-200:], 200))

    return score


@task
def suite_v1_games(file: str | None = None) -> Task:
    """The frozen starts of suite-v1, or of a private twin: whole games against perfect play, from both seats."""
    suite = read_suite(Path(file or SUITE))
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
