"""A game being played: who plays, and every move so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from digitduels.core import OVER, IllegalMove, Outcome, State
from digitduels.games import AnyGame
from digitduels.sentence import PLAYERS, PlayedNoun, Sentence
from digitduels.text import clean, skeleton

# All lengths are in characters.
LONGEST_NAME = 40
LONGEST_REASON = 300
LONGEST_WORDS = 2000  # of one remark
MOST_WORDS = 100  # remarks in a match, so that its record stays small


class Match:
    """A game with its history. The position is the last of `states`; `moves` led there.

    >>> from digitduels.games import game
    >>> match = Match(game("number-duel"))
    >>> for token in "+5 +10 x10".split():
    ...     match.play(match.game.read(token))
    >>> match.outcome
    Outcome(winner=0, reason='Player 1 has reached 50 points.')
    """

    def __init__(
        self,
        game: AnyGame,
        *,
        names: Sequence[str] = PLAYERS,
        first: int = 0,
        position: State[Any, Any] | None = None,
        opening: Iterable[Any] = (),
    ) -> None:
        """Starts a game, and plays the moves of an opening."""
        self.game = game
        self.names = player_names(names)
        self.first = first if position is None else position.player
        self.position = position
        """The first position, if it is not the one of the rules."""
        self.moves: list[Any] = []
        self.states: list[State[Any, Any]] = [position or game.start()._replace(player=first)]
        self.conceded: int | None = None
        self.forfeit: str | None = None
        self.players = ("human", "human")
        """Who plays in each seat: "human", or the name of a computer player."""
        self.seed: str | None = None
        """The seed of the computer players' random choices."""
        self.asked: list[tuple[int, str]] = []
        """The hints that players asked for: the number of moves so far, and the kind of hint."""
        self.words: list[tuple[int, str]] = []
        """The players' remarks: the number of moves so far, and the text."""
        self._latest: tuple[State[Any, Any] | None, Outcome | None] = None, None
        for move in opening:
            self.play(move)
        self.opening = len(self.moves)
        """How many of the moves are a given opening, which nobody chose."""

    @property
    def state(self) -> State[Any, Any]:
        return self.states[-1]

    @property
    def outcome(self) -> Outcome | None:
        if self.conceded is not None:
            return Outcome(1 - self.conceded, concession(self.conceded, self.forfeit))
        state = self.state
        if self._latest[0] is not state:  # cached, because callers ask several times after every move
            self._latest = state, self.game.outcome(state)
        return self._latest[1]

    @property
    def person(self) -> int | None:
        """The seat of the only person in a game against the computer; None if there are two, or none."""
        return self.players.index("human") if self.players.count("human") == 1 else None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to save yet."""
        return not self.moves and self.conceded is None and self.position is None

    def ending(self) -> list[str]:
        """The lines that end the game, in the game's words; empty while the game goes on."""
        outcome = self.outcome
        if outcome is None:
            return []
        if self.conceded is not None:
            return ["", outcome.reason, self.game.victory(outcome.winner)]
        return self.game.ending(self.state, outcome)

    def play(self, move: Any) -> None:
        """Plays a move. If the move is not legal, raises IllegalMove and changes nothing."""
        if self.conceded is not None:
            raise IllegalMove(OVER)
        self.states.append(self.game.play(self.state, move))
        self.moves.append(move)

    def concede(self, player: int, forfeit: str | None = None) -> None:
        """Ends the game: the player concedes, or forfeits for the given reason, and the opponent wins."""
        if self.outcome is not None:
            raise IllegalMove(OVER)
        self.conceded, self.forfeit = player, forfeit

    def say(self, text: str) -> None:
        """Records a player's remark about the next move."""
        if len(self.words) < MOST_WORDS and (words := clean(text, LONGEST_WORDS)):
            self.words.append((len(self.moves), words))

    def back(self, player: int) -> int | None:
        """How many moves to take back to return to a player's last move; None if they have not moved."""
        for count in range(1, len(self.moves) - self.opening + 1):
            if self.states[-1 - count].player == player:
                return count
        return None

    def take_back(self, moves: int = 1) -> list[Sentence]:
        """Takes back a concession, or otherwise the last moves, and returns sentences that say so."""
        if self.conceded is not None:
            player, self.conceded, self.forfeit = self.conceded, None, None
            return [Sentence("{player} takes back the concession.", you="You take back the concession.", player=player)]
        if not 0 < moves <= len(self.moves) - self.opening:
            raise IllegalMove(Sentence("There is nothing to take back."))
        sentences = []
        for _ in range(moves):
            self.states.pop()
            player, move = self.state.player, self.moves.pop()
            sentences.append(
                Sentence(
                    "{player} takes back {move}.",
                    you="You take back {move}.",
                    player=player,
                    move=PlayedNoun(move, player),
                )
            )
        self.words = [remark for remark in self.words if remark[0] <= len(self.moves)]
        return sentences

    def rematch(self) -> Match:
        """The same game again, after the same opening, with the seats swapped."""
        match = self._again(swap_seats(self.names), self.opening)
        match.players = self.players[1], self.players[0]
        match.seed = None if self.seed is None else f"{self.seed} again"  # a different game that can be replayed too
        return match

    def copy(self) -> Match:
        """An independent copy of the match."""
        match = object.__new__(type(self))
        match.__dict__ |= self.__dict__  # faster than copy.copy
        match.moves, match.states = self.moves[:], self.states[:]
        match.asked, match.words = self.asked[:], self.words[:]
        return match

    def until(self, moves: int) -> Match:
        """The match as it was after its first `moves` moves, ready to be continued."""
        match = self._again(self.names, min(self.opening, moves))
        match.players, match.seed = self.players, self.seed
        for move in self.moves[match.opening : moves]:
            match.play(move)
        return match

    def _again(self, names: Sequence[str], opening: int) -> Match:
        """A new match from the same position, after the first moves of the opening."""
        return Match(self.game, names=names, first=self.first, position=self.position, opening=self.moves[:opening])


def concession(player: int, forfeit: str | None = None) -> Sentence:
    """A sentence that says that a player concedes, or forfeits the game for a reason."""
    if forfeit is None:
        return Sentence("{player} concedes.", you="You concede.", player=player)
    return Sentence(
        "{player} forfeits the game: {reason}", you="You forfeit the game: {reason}", player=player, reason=forfeit
    )


def player_names(names: Sequence[str]) -> tuple[str, str]:
    """The two names, cleaned for printing; raises ValueError if they are not two different names."""
    cleaned = [clean(name, LONGEST_NAME) for name in names]
    if len(cleaned) != 2 or not all(cleaned) or skeleton(cleaned[0]) == skeleton(cleaned[1]):
        raise ValueError("The players need two different names.")
    return cleaned[0], cleaned[1]


def swap_seats(names: Sequence[str]) -> tuple[str, ...]:
    """The names after the players change seats. "Player 1" is the name of a seat, so it stays with the seat.

    >>> swap_seats(("Ann", "Bob")), swap_seats(("Ann", "Player 2"))
    (('Bob', 'Ann'), ('Player 1', 'Ann'))
    """
    renamed = [PLAYERS[1 - seat] if name == PLAYERS[seat] else name for seat, name in enumerate(names)]
    return tuple(reversed(renamed))
