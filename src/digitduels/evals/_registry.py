"""The entry point for Inspect: our tasks, and our players as models."""

from __future__ import annotations

from inspect_ai.model import ModelAPI, modelapi

from digitduels.evals.suite_tasks import suite_v1, suite_v1_games, suite_v2, suite_v2_questions
from digitduels.evals.tasks import match, positions, rules

__all__ = ["digitduels", "match", "positions", "rules", "suite_v1", "suite_v1_games", "suite_v2", "suite_v2_questions"]


@modelapi(name="digitduels")
def digitduels() -> type[ModelAPI]:
    from digitduels.evals.provider import Players

    return Players
