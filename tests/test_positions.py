"""Questions about a game in a link are answered without a server, and without a web package."""

from __future__ import annotations

import json
import subprocess
import sys

from conftest import PATIENCE

PROGRAM = """
import asyncio, json, sys
from digitduels.solver import Reference
from digitduels.web.positions.questions import QUESTIONS
from digitduels.web.refusal import Refusal

class Directly:
    async def ask(self, question, match, **values):
        return question(match, Reference, **values)

    async def aside(self, work):
        return work()

LINK = {"target": "12", "moves": "x2"}
FURTHER = {
    "/api/objection/{game}": {"picks": "0"},
    "/api/reply/{game}": {"vs": "2"},
    "/api/judge/{game}": {"move": "+1"},
    "/api/attempt/{game}": {"move": "+1", "tier": "2"},
    "/api/puzzle": {"game": "operation-target"},
    "/api/sheet": {"game": "operation-target"},
}
answers = {}
for path, question in QUESTIONS.items():
    pairs = list((LINK | FURTHER.get(path, {})).items())
    try:
        answers[path] = asyncio.run(question.ask("operation-target" if "{game}" in path else None, pairs, Directly()))
    except ValueError as error:
        answers[path] = str(error)
print(json.dumps(answers))
assert not {"starlette", "msgspec", "uvicorn", "fastapi"} & set(sys.modules)
"""


def test_every_question_is_answered_without_a_web_package() -> None:
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert result.returncode == 0, result.stderr
    answers = json.loads(result.stdout)
    assert answers["/api/position/{game}"]["moves"] == ["x2"]
    assert answers["/api/reply/{game}"]["position"]["moves"] == ["x2", answers["/api/reply/{game}"]["move"]]
    assert answers["/api/solve/{game}"]["each"]
    assert isinstance(answers["/api/puzzle"], str)  # so small a game has no puzzle
    assert [path for path, answer in answers.items() if isinstance(answer, str)] == ["/api/puzzle", "/api/sheet"]
