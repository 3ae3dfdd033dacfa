"""A player program: reads questions and answers each with a move, as one line of JSON.

It plays the legal move with the largest numbers, which is greedy but not clever. Try it:

    duels match "python examples/take_the_biggest.py" random --game number-duel --games 20
"""

import json
import re
import sys


def size(token: str) -> tuple[int, str]:
    """The sum of the numbers in a move; ties are broken by its text."""
    return sum(map(int, re.findall(r"\d+", token))), token


for line in sys.stdin:
    question = json.loads(line)
    print(json.dumps({"move": max(question["legal"], key=size)}), flush=True)
