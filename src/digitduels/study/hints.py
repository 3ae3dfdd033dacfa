"""Hints in four steps, from who is winning to the move itself, and the value of every move."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from digitduels.core import State
from digitduels.games import AnyGame
from digitduels.match import Match
from digitduels.players.levels import natural_weights
from digitduels.sentence import Capital, Count, Line, Moves, PlayedNoun, Playing, Sentence, number_word, signs
from digitduels.solver.solution import Solution
from digitduels.solver.verdict import Judgement
from digitduels.study.foresight import Foresight, PartialJudgement
from digitduels.study.reasons import reason
from digitduels.study.wording import SIGNS, VALUES, standing, with_scores, worth

STEPS = 4
LISTED = 20  # entries in a list of moves with the same result; the last one counts the rest
Position = State[Any, Any]
Judged = Judgement[Any] | PartialJudgement


def hint(state: Position, source: Solution | Foresight, step: int, takebacks: bool = False) -> list[Sentence]:
    """The sentences of a hint step from 1 to 4, in a game that is not over.

    1: who is winning and how many moves keep it that way. 2: the tempting move and its refutation. 3: half the move.
    4: the move, its line and a reason. With Foresight, all steps after the first name the moves to play or to avoid;
    where no result is near, 3 and 4 add the natural move and say that nobody knows whether it is good. `takebacks` says
    whether the player can take back a move.
    """
    if step == 1:
        return _assessment(state.player, source.judge(state))
    if isinstance(source, Foresight):
        return _near_moves(state, source, step)
    return _temptation(state, source, takebacks) if step == 2 else (_half, _whole)[step - 3](state, source)


def hint_in(match: Match, source: Solution | Foresight, step: int, takebacks: bool = True) -> list[Sentence]:
    """A hint in a game. In a lost position the first step also points out a losing move that can be taken back."""
    lines = hint(match.state, source, step, takebacks and match.back(match.state.player) is not None)
    return [*lines, *_regret(match, source)] if step == 1 and takebacks and isinstance(source, Solution) else lines


class Group(NamedTuple):
    """Moves that lead to the same result in the same number of turns."""

    value: int
    sign: str
    words: Sentence
    moves: list[Any]


def values(state: Position, judgement: Judged) -> list[Group]:
    """The moves with a known verdict, grouped by that verdict in words: quickest wins first, quickest losses last."""
    groups: dict[str, Group] = {}  # different plies can be the same number of turns
    for move, verdict in judgement.items():
        if verdict is not None:
            words = worth(state.player, verdict)
            groups.setdefault(words, Group(verdict.value, SIGNS[verdict.value], words, [])).moves.append(move)
    return list(groups.values())


def unknown(judgement: Judged) -> list[Sentence]:
    """How many moves have an unknown verdict, and why; empty if there are none."""
    count = sum(verdict is None for verdict in judgement.values())
    if not count or not isinstance(judgement, PartialJudgement):
        return []
    return [Sentence("? not known yet: {count}.", count=Count(count, "move")), judgement.rest]


def advised(state: Position, solution: Solution) -> Any:
    """The move that the hints lead to: one of the best, or the hardest to answer in a lost position."""
    from digitduels.study.defence import hardest  # slow to import, and puzzles do not need it

    judgement = solution.judge(state)
    if judgement.best_verdict.value > -1:
        return judgement.best_moves[0]
    return hardest(state, solution)


def tempting(state: Position, solution: Solution) -> Any | None:
    """The most natural move of those that throw the value away; None if no move does.

    A move that loses at once is easy to see, so it is tempting only if there is no other.
    """
    judgement = solution.judge(state)
    later = [move for move in judgement.throwing if judgement[move].distance > 1]
    natural = natural_weights(solution.game, state)
    return max(later or judgement.throwing, key=natural.__getitem__, default=None)


# The steps


ONE_MOVE = Sentence("There is only one move.")
NOTHING_NEAR = Sentence("I see no win or loss in the next few moves.")


def _assessment(player: int, judgement: Judged) -> list[Sentence]:
    best, moves = judgement.verdict, len(judgement)
    if isinstance(judgement, PartialJudgement) and best is None:
        return [*_near_losses(judgement), judgement.rest]
    assert best is not None
    verdicts = [verdict for verdict in judgement.values() if verdict is not None]
    lines = standing(player, best)
    if len(verdicts) < moves:
        return lines
    if moves == 1:
        return [*lines, ONE_MOVE]
    if best.value < 0:
        return [*lines, _all_lose(player, moves)]
    keeping, value = sum(verdict.value == best.value for verdict in verdicts), VALUES[best.value]
    if keeping == moves:
        return [*lines, Sentence("{all} moves keep the {value}.", all=_all(moves), value=value)]
    text = f"{{keeping}} of {{moves}} moves {'keeps' if keeping == 1 else 'keep'} the {{value}}."
    return [*lines, Sentence(text, keeping=keeping, moves=moves, value=value)]


def _all(moves: int) -> str:
    return "Both" if moves == 2 else f"All {moves}"


def _all_lose(player: int, moves: int) -> Sentence:
    """Says that every move of a player loses. Where there are only two, the opponent hardly ever has a choice."""
    if moves <= 2:
        return Sentence("Both moves lose." if moves == 2 else "The only move loses.")
    return Sentence(
        "All {moves} moves lose if {player} makes no mistake.",
        you="All {moves} moves lose if you make no mistake.",
        moves=moves,
        player=1 - player,
    )


def _near_losses(judgement: PartialJudgement) -> list[Sentence]:
    """How many moves lose soon, where it is not known how good the position is."""
    losing = len(_losing(judgement))
    if not losing:
        return [NOTHING_NEAR]
    lose = "loses" if losing == 1 else "lose"
    return [
        Sentence(f"{{losing}} of {{moves}} moves {lose} soon.", losing=losing, moves=len(judgement)),
        Sentence("I can't judge the others yet."),
    ]


def _near_moves(state: Position, source: Foresight, step: int) -> list[Sentence]:
    judgement, player = source.judge(state), state.player
    if judgement.verdict is not None:
        best = [move for move, verdict in judgement.items() if verdict == judgement.verdict]
        if judgement.verdict.value > -1:
            return [_play(best, player)]
        lines = [_all_lose(player, len(judgement))]
        if len(best) < len(judgement):
            last = "holds" if len(best) == 1 else "hold"
            moves = Capital(Moves(best, player, "and"))
            lines.append(Sentence(f"{{moves}} {last} out longest.", moves=moves))
        return lines
    losing = _losing(judgement)
    lines = [Sentence("Don't play {moves}.", moves=Moves(losing, player, "or")) if losing else NOTHING_NEAR]
    if step > 2:
        natural = natural_weights(source.game, state)
        move = max((move for move in judgement if move not in losing), key=natural.__getitem__)
        looks = Sentence(
            "{move} looks natural. I can't tell yet whether it is good.", move=Capital(PlayedNoun(move, player))
        )
        lines.append(looks)
    return [*lines, judgement.rest]


def _losing(judgement: PartialJudgement) -> list[Any]:
    return [move for move, verdict in judgement.items() if verdict is not None and verdict.value < 0]


def _temptation(state: Position, solution: Solution, takebacks: bool) -> list[Sentence]:
    from digitduels.players.perfect import error_chance
    from digitduels.study.defence import NOTABLE

    move, player = tempting(state, solution), state.player
    if move is not None:
        tempts = Sentence("Tempting, but wrong: {move}.", move=PlayedNoun(move, player))
        return [tempts, refutation(state, move, solution)]
    if solution.judge(state).best_verdict.value < 0:
        chance = error_chance(state, advised(state, solution), solution)
        if chance >= NOTABLE:
            return [Sentence("Set a trap: find the move that is hardest to answer.")]
        if chance:
            return [Sentence("No move is hard to answer here. Play on and hope for a mistake.")]
        return [
            Sentence("Nothing changes the result now."),
            Sentence(
                "Play it out, or take back {player:whose} last move." if takebacks else "Play it out.", player=player
            ),
        ]
    return [Sentence("No move is wrong here.")]


def _half(state: Position, solution: Solution) -> list[Sentence]:
    if len(solution.game.legal_moves(state)) == 1:
        return [ONE_MOVE]
    start = beginning(solution.game, advised(state, solution))
    use = "Use the {start}." if start.isdigit() else "Use {start}."
    return [Sentence("The move begins with {start}.", page=Sentence(use, start=start), start=start)]


def _whole(state: Position, solution: Solution) -> list[Sentence]:
    from digitduels.players.perfect import FALLIBLE, REPLIES, error_chance
    from digitduels.study.defence import NOTABLE, rate, times_in_ten

    move = advised(state, solution)
    line = [move, *solution.line(solution.game.after(state, move))]
    lines = [_play([move], state.player)]
    if len(line) > 1:
        page = with_scores(solution.game, state, line)
        lines.append(Sentence("With best play: {line}.", page=page, line=Line(line, state.player)))
    if solution.judge(state)[move].value > -1:
        return [*lines, reason(state, move, solution).sentence]
    chance = error_chance(state, move, solution)
    if chance < NOTABLE:
        return lines
    hard = Sentence(
        "It is hard to answer: within {turns} turns, a level {level} opponent goes wrong {rate}.",
        page=Sentence(
            "It is hard to answer: a good player gets it wrong {times} times in 10.", times=times_in_ten(chance)
        ),
        turns=number_word(REPLIES),
        level=FALLIBLE,
        rate=rate(chance),
    )
    return [*lines, hard]


def _play(moves: list[Any], player: int) -> Sentence:
    """Advises one of these moves."""
    if len(moves) == 1:
        return Sentence("{play}.", play=Capital(Playing("play", moves[0], player)))
    return Sentence("Play {moves}.", moves=Moves(moves, player, "or"))


def _regret(match: Match, solution: Solution) -> list[Sentence]:
    """Says that the last move of the player to move gave the result away; empty if it did not."""
    state, count = match.state, match.back(match.state.player)
    if count is None or solution.probe(state).value > -1:
        return []
    had = solution.probe(match.states[-1 - count]).value
    if had < 0:
        return []
    regret = Sentence(
        "{player} can take back {move}: it gave the {value} away.",
        you="Take back your last move, {move}: it gave the {value} away.",
        player=state.player,
        move=PlayedNoun(match.moves[-count], state.player),
        value=VALUES[had],
    )
    return [regret]


# Refutations and half moves


def refutation(state: Position, move: Any, solution: Solution) -> Sentence:
    """How best play answers a move that throws the value away, as a sentence."""
    game, refuter = solution.game, 1 - state.player
    after = game.after(state, move)
    outcome = game.outcome(after)
    if outcome is not None:
        return Sentence("That ends the game. {reason}", reason=outcome.reason)
    reply, *line = solution.line(after)
    then = ": {line}" if line else ""
    end, your_end = (" and wins", " and win") if solution.probe(after).value > 0 else (", and nobody wins",) * 2
    return Sentence(
        f"{{player}} answers with {{reply}}{end}{then}.",
        you=f"You answer with {{reply}}{your_end}{then}.",
        player=refuter,
        reply=PlayedNoun(reply, refuter),
        line=Line(line, state.player),
    )


def beginning(game: AnyGame, move: Any) -> str:
    """Half of a move: its first field, or the kind of operation if it has only one field.

    >>> from digitduels.games import game
    >>> number, nexus = game("number-duel"), game("numerical-nexus")
    >>> beginning(number, number.read("x10")), beginning(nexus, nexus.read("+5")), beginning(nexus, nexus.read("x3"))
    ('10', '+', '×')
    """
    if len(game.move_fields) > 1:
        return signs(game.move_fields[0].label(move[0]))
    operation = re.match(r"[^\W\d_]+|\W", str(move))
    return signs(operation[0] if operation else str(move)[0])
