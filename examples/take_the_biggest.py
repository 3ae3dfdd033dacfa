"""A player program: reads a question, answers with a move, one line of JSON each.

It plays the legal move with the largest numbers in it, which is greedy and not clever. Try it:

    duels match "python examples/take_the_biggest.py" random --game number-duel --games 20
"""

import json
import re
import sys


def size(token: str) -> tuple[int, str]:
    """How large the numbers of a move are; moves of the same size go by their text."""
    return sum(map(int, re.findall(r"\d+", token))), token


for line in sys.stdin:
    question = json.loads(line)
    print(json.dumps({"move": max(question["legal"], key=size)}), flush=True)
