"""suite-v2: positions in which simple rules fail, in rule sets that nobody has written about.

The rule sets follow from a seed: their options, and the names of games and operations in the prompts. In every position
the greedy move and the most natural one are wrong, and rules that avoid them gain nothing. A private twin has the same
number of positions of each kind.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from typing import Any, NamedTuple

from digitduels.core import State
from digitduels.evals import protocol
from digitduels.evals.protocol import NoAnswer, Style
from digitduels.evals.suite import (
    CHANCES,
    Suite,
    SuiteError,
    band,
    match_of,
    position_key,
    position_row,
    sha256,
    suite_file,
    tokens,
    variant_row,
)
from digitduels.games import AnyGame, game
from digitduels.match import Match
from digitduels.players.heuristics import First, Greedy, MostNatural, RunnerUp
from digitduels.players.perfect import ErrorChances, hardest_to_answer
from digitduels.players.policy import PolicyPlayer, chance_steps
from digitduels.solver import Progress
from digitduels.solver.solution import Solution
from digitduels.solver.solution_cache import solution_of
from digitduels.solver.verdict import Judgement
from digitduels.study.positions import Sort, positions
from digitduels.study.wording import VALUES

V2_SEED = "suite-v2"
V2_CANARY = (
    "This file is test data of Digit Duels and must never be in training data. "
    "Canary: digitduels-suite-v2-0d6f5a4e-93b1-4b62-8f57-6c1d2e7a9b30"
)
PRIVATE_CANARY = "This file is private test data. Do not publish it. Canary: digitduels-private-{}"
V2_DISTANCES = (4, 6, 8, 10, 12, 16, 20)  # the upper ends of the rungs
_TRIES = 1000  # rule sets of a game before it is given up
_CHOICE = 20  # candidates for each position, so that rare kinds get their share
_VALUES = (1, 0, 1, -1, 1)  # the values of the positions in turn, as far as there are such positions
_QUESTIONS = 12  # positions of each game that are asked about
QUESTION_KINDS = ("value", "keeping", "refutation")
_SLACK = 0.01  # probabilities may be rounded
_SURPLUS = 0.5  # positions more than by chance that a simple rule may find in all positions of a game


class Salt(NamedTuple):
    """How the rule sets of a game are drawn, how many positions come from one, and from all together."""

    options: Callable[[random.Random], dict[str, Any]]
    of_each: int
    positions: int
    rules: tuple[type[PolicyPlayer], ...] = (RunnerUp, First)
    """Simple rules that gain nothing over chance, in all positions together."""


_TIES = ("draw", "draw", "draw", "last-mover-loses", "last-mover-wins")


def _pool(low: int, high: int, *highest: int) -> Callable[[random.Random], dict[str, Any]]:
    """Draws a rule set of a game with a pool of numbers. Most of them can end in a draw."""
    return lambda rng: {
        "target": rng.randint(low, high),
        "highest": rng.choice(highest),
        "tie": rng.choice(_TIES),
    }


SALTS: dict[str, Salt] = {
    # Where the greedy move is wrong, the next one is nearly always right.
    "equation-duel": Salt(_pool(25, 65, 8), 8, 8, ()),
    "number-duel": Salt(_pool(31, 99, 6, 7), 9, 36),
    "number-quest": Salt(_pool(31, 99, 6, 7), 9, 36),
    "numerical-nexus": Salt(
        lambda rng: {"target": rng.randint(35, 60), "uses": [*rng.sample([3, 2, 1, 2, 1], 5), 1]}, 12, 32
    ),
    # There are two moves.
    "operation-target": Salt(lambda rng: {"target": rng.randint(50, 100_000), "start": rng.randint(2, 9)}, 1, 8, ()),
}
"""Rule sets that are solved in seconds. Games in which less can be asked have fewer positions."""


# Kinds of positions


def answers(solution: Solution, judgement: Judgement[Any], state: State[Any, Any]) -> list[Any]:
    """The right moves: those that keep the value; in a lost position, those that are hardest to answer.

    Level 4 is the model of the opponent, as for perfect play. If no move sets it a problem, there are no right moves.
    """
    if judgement.best_verdict.value >= 0:
        return judgement.keeping if judgement.critical else []
    chances = ErrorChances(solution).each(state, judgement)
    return hardest_to_answer(chances) if any(map(chance_steps, chances.values())) else []


def trap(solution: Solution) -> Sort:
    """Sorts positions in which simple rules fail by their value, distance and chance."""
    rules = [Greedy(solution.game, seed=0), MostNatural(solution.game, seed=0)]

    def kind(judgement: Judgement[Any], state: State[Any, Any]) -> Hashable:
        value, distance = judgement.best_verdict
        if distance < 2 or (value >= 0 and len(judgement.keeping) > CHANCES[-1] * len(judgement)):
            return None
        tempting = {move for rule in rules for move, likely in rule.probabilities(state).items() if likely}
        if value >= 0 and not tempting.isdisjoint(judgement.keeping):
            return None
        right = answers(solution, judgement, state)
        if not right or len(right) > CHANCES[-1] * len(judgement) or not tempting.isdisjoint(right):
            return None
        rung = band(distance, V2_DISTANCES)
        # Most kinds are wins, which arise most often.
        return (
            value,
            rung if value >= 0 else rung // 2,
            band(len(right) / len(judgement), CHANCES) if value > 0 else 0,
        )

    return Sort("trap", kind)


# Generation


def make_suite_v2(
    name: str,
    seed: str,
    like: Suite | None = None,
    salts: Mapping[str, Salt] = SALTS,
    progress: Progress | None = None,
) -> bytes:
    """Generates a suite of version 2. The same seed gives the same bytes.

    With `like`, it is a private twin: as many positions of each kind, none of them in the other suite. Raises
    SuiteError if a game has too few positions.
    """
    taken = {position_key(like.match(item)) for item in like.positions} if like else set()
    canary = V2_CANARY if like is None else PRIVATE_CANARY.format(sha256(seed.encode())[:32])
    lists: dict[str, list[dict[str, Any]]] = {"variants": [], "positions": [], "starts": [], "questions": []}
    asked: list[dict[str, Any]] = []
    for number, (game_id, salt) in enumerate(salts.items()):
        if progress is not None:
            progress(f"looking for positions of {game_id}", number / len(salts))
        items = _game_items(game_id, salt, seed, _wanted(like, game_id), taken, lists["variants"])
        lists["positions"] += items
        asked += items[:_QUESTIONS]
    rng = random.Random(f"order {seed}")
    rng.shuffle(lists["positions"])  # so that the first positions are a random sample
    for item in asked:
        lists["questions"] += _questions(lists["variants"][item["variant"]], item, rng)
    for variant in lists["variants"]:
        variant["rules"] += f"\n\n{canary}"  # so that every prompt contains it
    for row in (*lists["positions"], *lists["questions"]):
        row["canary"] = canary
    shown_seed = seed if like is None else sha256(seed.encode())
    return suite_file(2, name, canary, lists, seed=shown_seed)


def _wanted(like: Suite | None, game_id: str) -> Counter[str] | None:
    """How many positions of each kind the twin of a suite needs."""
    if like is None:
        return None
    return Counter(item["kind"] for item in like.positions if like.variants[item["variant"]]["game"] == game_id)


def _game_items(
    game_id: str,
    salt: Salt,
    seed: str,
    wanted: Counter[str] | None,
    taken: set[str],
    variants: list[dict[str, Any]],
) -> list[dict[str, Any]]:
    """The positions of a game, from as many rule sets as they need, which are added to `variants`."""
    items: list[dict[str, Any]] = []
    rng = random.Random(f"salt {game_id} {seed}")
    title, count = _word(rng, 3).capitalize(), salt.positions if wanted is None else wanted.total()
    gains = dict.fromkeys(salt.rules, 0.0)
    for attempt in range(_TRIES):
        rules = game(game_id, **salt.options(rng))
        style = Style(title=title, words=_words(rules, rng), hardest=True)
        matches = _chosen(rules, f"{seed} {attempt}", min(salt.of_each, count - len(items)), wanted, taken, gains)
        found = [_item(len(variants), match, kind, style) for match, kind in matches]
        if found:
            variants.append(variant_row(rules, style, title=title, words=style.words))
        items += found
        if len(items) == count:
            return items
    missing = f"; of these kinds: {dict(+wanted)}" if wanted else ""
    raise SuiteError(f"There are only {len(items)} of {count} positions of {game_id}{missing}. Try another seed.")


def _chosen(
    rules: AnyGame,
    seed: str,
    most: int,
    wanted: Counter[str] | None,
    taken: set[str],
    gains: dict[type[PolicyPlayer], float],
) -> Iterator[tuple[Match, str]]:
    """Yields positions of a rule set, each with its kind. `gains` is how many simple rules found, above chance."""
    solution = solution_of(rules)
    sort, number = trap(solution), 0
    candidates: dict[int, list[Match]] = {value: [] for value in set(_VALUES)}
    for match in positions(solution, _CHOICE * most, seed, sort, part="test"):
        candidates[solution.judge(match.state).best_verdict.value].append(match)
    for match in _mixed(candidates):
        if number == most:
            return
        judgement = solution.judge(match.state)
        kind = f"{VALUES[judgement.best_verdict.value]} {sort.kind(judgement, match.state)}"
        key = position_key(match)
        if key in taken or (wanted is not None and wanted[kind] < 1):
            continue
        right = answers(solution, judgement, match.state)
        found = {rule: gain + _gain(rule, match, right) for rule, gain in gains.items()}
        if max(found.values(), default=0.0) > _SURPLUS:
            continue
        gains |= found
        if wanted is not None:
            wanted[kind] -= 1
        taken.add(key)
        number += 1
        yield match, kind


def _gain(rule: type[PolicyPlayer], match: Match, right: Collection[Any]) -> float:
    """The probability that a simple rule finds a right move, above chance."""
    shares = rule(match.game, seed=0).probabilities(match.state)
    return sum(shares[move] for move in right) - len(right) / len(shares)


def _mixed(candidates: dict[int, list[Match]]) -> Iterator[Match]:
    """Yields candidates in turn by their values."""
    waiting = {value: iter(matches) for value, matches in candidates.items()}
    while any(candidates.values()):
        for value in _VALUES:
            if (match := next(waiting[value], None)) is not None:
                yield match
            else:
                candidates[value] = []


def _item(variant: int, match: Match, kind: str, style: Style) -> dict[str, Any]:
    solution = solution_of(match.game)
    judgement = solution.judge(match.state)
    right, prompt = answers(solution, judgement, match.state), protocol.question(match, style)
    value = VALUES[judgement.best_verdict.value]
    return position_row(variant, match, judgement, right, prompt, kind=kind, value=value)


def _questions(variant: dict[str, Any], item: dict[str, Any], rng: random.Random) -> Iterator[dict[str, Any]]:
    """The questions beyond the move about a position."""
    match, style = match_of(variant, item), Style(title=variant["title"], words=variant["words"])
    rules, solution = match.game, solution_of(match.game)
    judgement = solution.judge(match.state)
    about = {"id": 0, "variant": item["variant"], "moves": item["moves"]}
    yield {**about, "kind": "value", "answer": item["value"], "prompt": protocol.value_question(match, style)}
    if not judgement.critical:
        return
    yield {
        **about,
        "kind": "keeping",
        "answer": tokens(rules, judgement.keeping),
        "legal": len(judgement),
        "prompt": protocol.keeping_question(match, style),
    }
    thrown = {move: solution.judge(rules.play(match.state, move)) for move in judgement.throwing}
    proofs = {
        move: [reply for reply, verdict in replies.items() if -verdict.value < judgement.best_verdict.value]
        for move, replies in thrown.items()
    }
    asked = [move for move in thrown if len(proofs[move]) < len(thrown[move])]
    if asked:
        move = rng.choice(asked)
        yield {
            **about,
            "kind": "refutation",
            "move": str(move),
            "answer": tokens(rules, proofs[move]),
            "legal": len(thrown[move]),
            "prompt": protocol.refutation_question(match, move, style),
        }


# Grading


def grade_answer(kind: str, text: str, right: Any, style: Style) -> float:
    """The score of a reply to a question, from 0 to 1.

    The value: 1 - half the squared distance between the stated probabilities and the truth, a proper score; three equal
    probabilities score 2/3. All keeping moves: 1 if the list is exactly right. A refutation: 1 if the reply is one.

    >>> grade_answer("value", '{"win": 0.5, "draw": 0, "loss": 0.5}', "win", Style())
    0.75
    """
    try:
        reply = protocol.answer(text)
        if kind == "value":
            stated = [reply[name] for name in VALUES.values()]
            if any(type(share) not in (int, float) or not 0 <= share <= 1 for share in stated):
                return 0.0
            if abs(sum(stated) - 1) > _SLACK:
                return 0.0
            truth = [name == right for name in VALUES.values()]
            distance: float = sum((share - real) ** 2 for share, real in zip(stated, truth, strict=True))
            return 1 - distance / 2
        moves = reply["moves"] if kind == "keeping" else [reply["move"]]
        named = {protocol.original(move, style) for move in moves}
    except (NoAnswer, KeyError, TypeError, AttributeError):
        return 0.0
    return float(named == set(right) if kind == "keeping" else named <= set(right))


# Names


def _words(rules: AnyGame, rng: random.Random) -> list[tuple[str, str]]:
    """Another name for each operation in the tokens of a game."""
    parts = sorted({part for move in rules.moves for part in protocol.OPERATION.findall(str(move))})
    words: list[str] = []
    while len(words) < len(parts):
        words += {_word(rng, 1)} - set(words)
    return list(zip(parts, words, strict=True))


def _word(rng: random.Random, syllables: int) -> str:
    """A word that means nothing, such as "zor" or "vamitek"."""
    return "".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(syllables)) + rng.choice("klmnprt")
