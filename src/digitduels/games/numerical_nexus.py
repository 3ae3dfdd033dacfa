"""Numerical Nexus: each player spends a small stock of operations on the way to exactly 50."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, NamedTuple

from digitduels.core import Board, Effect, Game, Outcome, Side, State, Stock, outcome_tone
from digitduels.notation import MoveField
from digitduels.options import Integer, Integers, option
from digitduels.sentence import Names, Sentence, book_only, equation, number_word, player_name


class Hand(NamedTuple):
    score: int
    uses: tuple[int, ...]


class Move(NamedTuple):
    operation: str

    def __str__(self) -> str:
        return self.operation

    @property
    def phrase(self) -> str | None:
        """What people call a reset; None for other moves, which people write as their token."""
        return None if self.operation not in RESETS else f"reset {RESETS[self.operation]}"

    @property
    def noun(self) -> str | None:
        """A reset as a noun; None for other moves."""
        return None if self.operation not in RESETS else f"the reset of {RESETS[self.operation]}"


Position = State[Hand, None]

# For each move: the index of its stock in `uses`, then what it multiplies the mover's score by, then what it adds.
EFFECT: Final = {
    "+1": (0, 1, 1),
    "+3": (1, 1, 3),
    "+5": (2, 1, 5),
    "x2": (3, 2, 0),
    "x3": (4, 3, 0),
    "reset-mine": (5, 0, 0),
    "reset-theirs": (5, 1, 0),
}
MOVES: Final = tuple(map(Move, EFFECT))
OPERATIONS: Final = ("+1", "+3", "+5", "×2", "×3", "reset")
RESETS: Final = {"reset-mine": "{player:whose} score", "reset-theirs": "{other:whose} score"}


@dataclass(frozen=True)
class NumericalNexus(Game[Hand, None, Move]):
    """Spend your few operations well. Be the first to hit exactly {target}; run out of moves and you lose.

    Both players start at 0. Each player has {stock}. On your turn you spend one of them. {change_rule} {reset_rule}

    Nothing may take your score past {target}. Reach exactly {target} and you win. If you have no operation that you can
    use, you lose.
    """

    target: int = option(50, Integer(1, 10**6), "the score that wins", rules=("first to {}",))
    uses: tuple[int, ...] = option(
        (3, 2, 1, 2, 1, 1),
        Integers(6, 0, 99),
        "each player's uses of +1, +3, +5, ×2, ×3, reset",
        rules=("uses of +1, +3, +5, ×2, ×3, reset: {}",),
    )

    rulings = (
        "{zero_ruling}",
        "{reset_ruling}",
        "A player to move without a legal operation loses at once.{reset_escape}",
    )
    spellings = ("+5", "add 5", "×2", "reset mine", "reset theirs", "reset 2", "reset the other player")
    example = "+5 +3 x2 x3 +3 +5 x2 x2 reset-theirs +1"

    @property
    def facts(self) -> dict[str, object]:
        names = (*OPERATIONS[:5], "reset" if self.uses[5] == 1 else "resets")
        held = [f"{number_word(count)} {name}" for name, count in zip(names, self.uses, strict=True) if count]
        factors = [name for name, count in zip(OPERATIONS[3:5], self.uses[3:5], strict=True) if count]
        kinds = " and ".join(["additions"] * any(self.uses[:3]) + ["multiplications"] * bool(factors))
        legal = f"{' and '.join(factors)} at a score of 0 {'is' if len(factors) == 1 else 'are'} legal"
        rules = {"change_rule": f"{kinds.capitalize()} change your own score."} if kinds else {}
        if factors:
            rules["zero_ruling"] = f"{legal}: the score stays 0 and the use is spent."
        if self.uses[5]:
            rules["reset_rule"] = "A reset puts either score, your own or your opponent's, back to 0."
            rules["reset_ruling"] = (
                "Each player has their own resets. A reset may be aimed at either score, even at one that is already 0."
            )
            rules["reset_escape"] = " With a reset left there is always one."
        words = ("change_rule", "reset_rule", "zero_ruling", "reset_ruling", "reset_escape")
        stock = " and ".join(filter(None, (", ".join(held[:-1]), held[-1])))
        return super().facts | dict.fromkeys(words, "") | rules | {"stock": stock}

    # The rules

    @property
    def moves(self) -> tuple[Move, ...]:
        return MOVES

    @property
    def longest(self) -> int:
        return 2 * sum(self.uses)

    def start(self) -> Position:
        hand = Hand(0, self.uses)
        return State(0, (hand, hand), None)

    def legality(self, state: Position) -> Hashable:
        return state.mine

    def forbids(self, state: Position, move: Move) -> str | None:
        player, hands, _ = state
        score, uses = hands[player]
        stock, times, plus = EFFECT[move.operation]
        # Each use can be spent once.
        if not uses[stock]:
            return _none_left(player, stock)
        # A score never passes the target.
        if score * times + plus > self.target:
            return _past(player, stock, score * times + plus, self.target)
        return None

    def after(self, state: Position, move: Move) -> Position:
        player, hands, _ = state
        (score, uses), theirs = hands[player], hands[1 - player]
        stock, times, plus = EFFECT[move.operation]
        if move.operation == "reset-theirs":
            theirs = Hand(0, theirs.uses)
        # Built as a tuple, which takes half the time of calling Hand.
        return state.then(tuple.__new__(Hand, (score * times + plus, _spent(uses, stock))), theirs, None)

    def outcome(self, state: Position) -> Outcome | None:
        # Exactly the target wins.
        scores = state.hands[0].score, state.hands[1].score
        if self.target in scores:
            winner = scores.index(self.target)
            return _reached(winner, self.target)
        # A player without a legal operation loses.
        if not self.permitted(state):
            return _stuck(state.player)
        return None

    def effect(self, state: Position, move: Move) -> Effect:
        after, player, (score, _) = self.after(state, move), state.player, state.mine
        scores, outcome = self.scores(after), self.outcome(after)
        tone, note = outcome_tone(player, outcome), None if outcome is None else outcome.reason
        if move.operation in RESETS:
            mine = move.operation == "reset-mine"
            if tone == "neutral" and (score if mine else state.theirs.score):
                tone = "bad" if mine else "good"
            case = "player" if mine else "other"
            return Effect(None, None, scores, note or Sentence(f"{{{case}:Whose}} score is 0.", player=player), tone)
        _, times, plus = EFFECT[move.operation]
        result = score * times + plus
        sign, amount = ("+", plus) if plus else ("x", times)
        return Effect(equation(score, sign, amount, result), result, scores, note, tone)

    # How it looks

    def board(self, state: Position) -> Board:
        first, second = (Side(score, tuple(map(Stock, OPERATIONS, uses, self.uses))) for score, uses in state.hands)
        return Board((first, second), Side())

    def scores(self, state: Position) -> tuple[int, int]:
        return state.hands[0].score, state.hands[1].score

    def arrange(self, player: int, hands: Sequence[Sequence[int]], table: Sequence[int]) -> Position:
        first, second = (Hand(score, tuple(uses)) for score, *uses in hands)
        return State(player, (first, second), None)

    # The words

    move_fields = (
        MoveField(
            labels=dict(zip(EFFECT, (*OPERATIONS[:5], "reset-mine", "reset-theirs"), strict=True)),
            incomplete=dict.fromkeys(("reset", "reset to 0"), "Whose score? "),
        ),
    )

    def phrases(self, state: Position | None, names: Names) -> Iterator[tuple[str, Move]]:
        mine, theirs = MOVES[5:]
        owners = dict.fromkeys(("mine", "me", "my score", "myself", "own", "my own score"), mine)
        owners |= dict.fromkeys(("theirs", "opponent", "the opponent", "opponent's score", "other", "them"), theirs)
        owners |= dict.fromkeys(("their score", "the other player", "the other player's score"), theirs)
        if state is not None:
            for player, move in ((state.player, mine), (1 - state.player, theirs)):
                for name in (str(player + 1), player_name(player), names[player]):
                    owners |= {name: move, f"{name}'s score": move}
        for owner, move in owners.items():
            yield f"reset {owner}", move
            yield f"reset to 0 on {owner}", move

    def view(self, state: Position) -> list[str]:
        lines: list[str] = [
            Sentence("{player:Label} Score: {score}", player=player, score=state.hands[player].score)
            for player in (0, 1)
        ]
        for player in (0, 1):
            left = _listed(state.hands[player].uses)
            lines.append(Sentence("{player:Label} uses left: {left}", player=player, left=left))
        return lines

    def welcome(self, state: Position) -> list[str]:
        title, *view = super().welcome(state)
        return [title, *book_only(view)]  # one person reads the position when the turn begins

    def turn(self, state: Position) -> list[str]:
        # The book's sample shows only the question.
        return [
            Sentence("{player:Whom}: {score}. Left: {left}", book="", player=player, score=score, left=_listed(uses))
            for player, (score, uses) in ((player, state.hands[player]) for player in (state.player, 1 - state.player))
        ]

    def announce(self, state: Position, move: Move, after: Position) -> list[str]:
        player, (score, uses), operation = state.player, after.theirs, move.operation
        stock = EFFECT[operation][0]
        left = uses[stock]
        if operation not in RESETS:
            line = Sentence(
                "{player} plays {operation}: {equation}.",
                you="You play {operation}: {equation}.",
                book="{player:Whose} score is now {score}. Remaining {operation} uses: {left}.",
                player=player,
                equation=self.effect(state, move).equation,
                score=score,
                operation=OPERATIONS[stock],
                left=left,
            )
            return [line]
        mine = operation == "reset-mine"
        whose = "their own" if mine else "{other:whose}"
        line = Sentence(
            f"{{player}} resets {whose} score to 0. {{remaining}}",
            you=f"You reset {'your own' if mine else whose} score to 0. {{remaining}}",
            player=player,
            remaining=f"Remaining resets: {left}." if left else "No remaining resets.",
        )
        return [line]

    def ending(self, state: Position, outcome: Outcome) -> list[str]:
        for player in (0, 1):
            if state.hands[player].score == self.target:
                won = Sentence(
                    "{player} has reached exactly {target} and won the game.",
                    you="Congratulations! You've reached exactly {target} and won the game.",
                    book="Congratulations, {player}! You've reached exactly {target} and won the game.",
                    player=player,
                    target=self.target,
                )
                return [won]
        return ["", *super().ending(state, outcome)]


@cache
def _none_left(player: int, stock: int) -> Sentence:
    return Sentence(
        "{player} has no {operation} left.",
        you="You have no {operation} left.",
        book="You have no {operation} left.",
        player=player,
        operation=OPERATIONS[stock],
    )


def _listed(uses: tuple[int, ...]) -> str:
    """The operations that are left, with how many of each."""
    return ", ".join(f"{name} ({count})" for name, count in zip(OPERATIONS, uses, strict=True))


def _spent(uses: tuple[int, ...], stock: int) -> tuple[int, ...]:
    """The uses left after spending one of a stock."""
    return (*uses[:stock], uses[stock] - 1, *uses[stock + 1 :])


@lru_cache(maxsize=4096)
def _past(player: int, stock: int, score: int, target: int) -> Sentence:
    return Sentence(
        "{operation} would take {player:whose} score to {score}, past {target}.",
        book="{operation} would take your score to {score}, past {target}.",
        player=player,
        operation=OPERATIONS[stock],
        score=score,
        target=target,
    )


@lru_cache(maxsize=64)
def _reached(player: int, target: int) -> Outcome:
    reason = Sentence(
        "{player} has reached exactly {target}.",
        you="You have reached exactly {target}.",
        page=Sentence("{player} hit {target}.", you="You hit {target}.", player=player, target=target),
        player=player,
        target=target,
    )
    return Outcome(player, reason)


@cache
def _stuck(player: int) -> Outcome:
    reason = Sentence(
        "{player} has no valid move and loses.", you="You have no valid move, so you lose.", player=player
    )
    return Outcome(1 - player, reason)
