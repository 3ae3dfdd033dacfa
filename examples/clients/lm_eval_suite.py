"""lm-eval runs suite-v1 with a perfect model, a random mover, and one that answers in prose."""

from __future__ import annotations

import json
import logging
import random
from pathlib import Path
from typing import Any

from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

from digitduels.evals.suite import read_suite

TASK, FOLDER = "digitduels_suite_v1", Path(__file__).parents[1] / "lm_eval"


class Player(LM):
    """A model that knows the suite and recognises a position by its prompt."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind, self.suite, self.random = kind, read_suite(), random.Random(1)

    def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
        return [self.reply(request.args[0]) for request in requests]

    def reply(self, text: str) -> str:
        if self.kind == "prose":
            return "I would add five."
        item = next(
            item
            for item in self.suite.positions
            if item["prompt"] in text and self.suite.variants[item["variant"]]["rules"] in text
        )
        match = self.suite.match(item)
        move = item["keeping"][0] if self.kind == "perfect" else self.random.choice(match.game.legal_moves(match.state))
        return json.dumps({"move": str(move)})

    def loglikelihood(self, requests: list[Any], disable_tqdm: bool = False) -> list[tuple[float, bool]]:
        raise NotImplementedError("The task asks for text.")

    def loglikelihood_rolling(self, requests: list[Any], disable_tqdm: bool = False) -> list[float]:
        raise NotImplementedError("The task asks for text.")


def main() -> None:
    logging.disable(logging.WARNING)
    tasks = TaskManager(include_path=str(FOLDER), include_defaults=False)
    for kind in ("perfect", "random", "prose"):
        results = simple_evaluate(Player(kind), tasks=[TASK], task_manager=tasks)["results"][TASK]
        figures = ", ".join(f"{name} {results[f'{name},none']:.3f}" for name in ("skill", "found", "legal"))
        print(f"{kind}: {figures}")


if __name__ == "__main__":
    main()
