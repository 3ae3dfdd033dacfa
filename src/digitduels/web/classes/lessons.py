"""Suggestions for teachers: presets for a class, each with a reason, and lesson plans for some of the games."""

from __future__ import annotations

from typing import Annotated, TypedDict

from digitduels.study.serialization import OptionValue
from digitduels.web.classes.answers import ClassMode, ClassStart


class LessonPreset(TypedDict):
    title: str
    reason: str
    game: str
    options: dict[str, OptionValue]
    mode: ClassMode
    start: ClassStart


class LessonStep(TypedDict):
    time: str
    what: str


class LessonQuestion(TypedDict):
    ask: str
    answer: str


class LessonPlan(TypedDict):
    age: str
    aim: str
    questions: list[LessonQuestion]


class Lessons(TypedDict):
    """Suggestions for teachers."""

    presets: list[LessonPreset]
    steps: list[LessonStep]
    plans: Annotated[dict[str, LessonPlan], "By game."]


PRESETS: list[LessonPreset] = [
    {
        "title": "A first lesson",
        "reason": "Number Quest: every number counts, both players are in it to the end, and mistakes can be repaired.",
        "game": "number-quest",
        "options": {},
        "mode": "pairs",
        "start": "book",
    },
    {
        "title": "Ten minutes with young pupils",
        "reason": "Operation Target: add 1 or double. A game takes a minute, and the class can list all of them.",
        "game": "operation-target",
        "options": {},
        "mode": "pairs",
        "start": "book",
    },
    {
        "title": "A tournament",
        "reason": "Numerical Nexus: the longest fight. Balanced starts, so that the seat does not decide.",
        "game": "numerical-nexus",
        "options": {},
        "mode": "rounds",
        "start": "fair",
    },
    {
        "title": "Everyone against the computer",
        "reason": "Number Duel at a level that a beginner can beat. Who finds the short win?",
        "game": "number-duel",
        "options": {},
        "mode": "computer",
        "start": "book",
    },
]

TIMETABLE = (
    ("5 min", "Show the wall. Everybody scans or types the code and a first name."),
    ("5 min", "On Teach, open “One large board” and play one game together. The class chooses the moves."),
    ("10 min", "Press “Pair and start”. Walk around. The desk marks boards that are stuck."),
    ("5 min", "Press “Pause”. Ask question 1 and question 2. Let pupils show moves on the wall."),
    (
        "10 min",
        "Press “Resume”, then “Next round”: everybody meets somebody else. Those who moved first now move second.",
    ),
    ("5 min", "Press “End the class”. Ask question 3. Open the results, and try one missed moment together."),
)

PLANS: dict[str, LessonPlan] = {
    "operation-target": {
        "age": "from 8 years",
        "aim": "Pupils double and add in their heads, and find out that a game can be decided before it seems to be.",
        "questions": [
            {
                "ask": "You can't repeat your own last operation. How many different games are there? List them.",
                "answer": "Four. Only the first move of each player is free: after it, all moves are forced.",
            },
            {
                "ask": "Would you rather begin? Which first move do you choose?",
                "answer": "Yes: begin with ×2. Then Player 2 has to go past 23. After +1, Player 1 has to.",
            },
            {
                "ask": "Change the target to 24. Who wins now?",
                "answer": "Player 2, whatever Player 1 does. With 25 it is Player 1 again, with ×2.",
            },
        ],
    },
    "number-quest": {
        "age": "from 10 years",
        "aim": "Pupils use all four operations with a purpose, and look at what the other player needs.",
        "questions": [
            {
                "ask": "From which scores can you reach 50 in one move, if every number is still in the pool?",
                "answer": "From 41 to 49 by adding, from 25 with ×2, and from 10 with ×5. Aim for these scores.",
            },
            {
                "ask": "The other player can win on the next move. What can you do about it?",
                "answer": "Win first. Or take the number they need, if it is the last of its kind in the pool.",
            },
            {
                "ask": "Why is it dangerous to be close to 50 and not on it?",
                "answer": "If you go over 50, you lose at once, and the small numbers run out. − and ÷ bring you back.",
            },
        ],
    },
}


def lessons() -> Lessons:
    """The suggestions."""
    steps: list[LessonStep] = [{"time": time, "what": what} for time, what in TIMETABLE]
    return {"presets": PRESETS, "steps": steps, "plans": PLANS}
