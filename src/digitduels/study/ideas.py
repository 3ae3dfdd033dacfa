"""Three ideas for each game, each with a position that shows it. A test checks every one against the solution."""

from __future__ import annotations

from typing import NamedTuple

from digitduels.games import AnyGame
from digitduels.match import Match
from digitduels.sentence import Line, PlayedNoun, Sentence


class Idea(NamedTuple):
    """Something that helps a player win, and a position in which it does."""

    title: str
    about: str
    moves: str
    """The position, as the moves that lead to it from the start."""
    play: str
    """The best move there."""
    instead: str | None
    """A worse move that looks good; None where there is no choice."""
    reason: str
    """The kind of reason that the best move has."""

    def example(self, game: AnyGame) -> Sentence:
        """The position, its best move and the worse one, in a sentence."""
        match = self.match(game)
        player = match.state.player
        where = "After {line}" if match.moves else "At the start"
        instead = "" if self.instead is None else ", not {instead}"
        return Sentence(
            f"{where}, {{player:whose}} best move is {{play}}{instead}.",
            player=player,
            line=Line(match.moves, match.first),
            play=PlayedNoun(game.read(self.play), player),
            instead=PlayedNoun(game.read(self.instead or self.play), player),
        )

    def match(self, game: AnyGame) -> Match:
        """A match that has reached the position."""
        return Match(game, opening=map(game.read, self.moves.split()))


IDEAS = {
    "equation-duel": (
        Idea(
            "Leave yourself ten",
            "At 40 you need ten more, and 1 + 9, 3 + 7 and 4 + 6 all make ten. Your opponent can break only one "
            "or two of these pairs. A score that many pairs complete is worth more than one that is a little "
            "higher.",
            "",
            "5x8",
            "5x7",
            "double threat",
        ),
        Idea(
            "Take the big numbers yourself",
            "When the numbers run out, the higher score wins. 6 × 7 brings you to 42 and leaves your opponent at "
            "most 4 × 5 = 20. At 17 that is too little. 5 × 7 leaves them 4 × 6.",
            "8+9",
            "6x7",
            "5x7",
            "next turn",
        ),
        Idea(
            "Count the numbers that are left",
            "The game ends when fewer than two numbers are left. With five left, you move, your opponent moves, "
            "and it is over. Be ahead then, and leave no pair that catches up or hits 50.",
            "1+9 7+5",
            "4x8",
            "3x8",
            "no good reply",
        ),
    ),
    "number-duel": (
        Idea(
            "Be one multiplication away",
            "5 × 10 is 50. From 5 you threaten to win with a 10, and the pool has two of them: your opponent can "
            "take only one. A threat with two copies behind it cannot be stopped.",
            "",
            "+5",
            "+9",
            "threat",
        ),
        Idea(
            "Take the number they need",
            "When your opponent is one move from the target, look for the number that takes them there. If one "
            "copy is left, take it now. What it does to your own score matters less.",
            "+5 +2 x5",
            "+2",
            "x10",
            "block",
        ),
        Idea(
            "Let a turn pass",
            "At 0 a multiplication changes nothing: it only takes a number out of the pool and hands over the "
            "turn. Where having to move is a disadvantage, that is the best move there is.",
            "+9 +2 +1 +10 +7 +10 x2 x9 x3 +3",
            "x5",
            "+8",
            "tempo",
        ),
    ),
    "number-quest": (
        Idea(
            "Aim for ten",
            "10 × 5 is 50, and there are two fives. Get to exactly 10 while both are in the pool, and no reply "
            "stops you. A higher score from which nothing hits 50 is worth less.",
            "+2 +7",
            "+8",
            "x9",
            "threat",
        ),
        Idea(
            "Break the pair in time",
            "Two copies of a number make a threat that cannot be stopped. So take one of them before your "
            "opponent is ready. After their +4, only +5 keeps the win. If both fives stay, +6 brings them to ten.",
            "+4",
            "+5",
            "+9",
            "only move",
        ),
        Idea(
            "A safe score first",
            "Before you climb, check what your opponent can hit next turn. At 10 with a five left they win with "
            "×5. Take the last five: that stops them, and it brings you to 45.",
            "+5 +4 x8 +6",
            "+5",
            "+9",
            "block",
        ),
    ),
    "numerical-nexus": (
        Idea(
            "Keep your reset",
            "A reset costs your opponent most when their score is high and their operations are spent. Early it "
            "wins little, and you will miss it later. Here the quiet +1 wins because the reset is still to come.",
            "+5",
            "+1",
            "reset-theirs",
            "in hand",
        ),
        Idea(
            "Spend it when it stops a win",
            "At 25 with ×2 in hand your opponent wins next turn. You cannot take their operations away, so a "
            "reset is the only thing that stops them. Look for 25, 45, 47 and 49, and for what they still have.",
            "+5 +1 +3 +1 x3 +5 +1",
            "reset-theirs",
            "x3",
            "block",
        ),
        Idea(
            "Count the moves that are left",
            "A player who cannot move loses, and nothing may go past 50. Some games never reach 50: the winner "
            "keeps a small addition for the end, and the loser runs out of moves first.",
            "+3 +3 +1 +1 +1 x3 x2",
            "x2",
            "+5",
            "runs out",
        ),
    ),
    "operation-target": (
        Idea(
            "Only the first move is free",
            "You can't repeat your own previous operation, so after your first move you alternate between the "
            "two. Play the whole game through in your head before you choose.",
            "",
            "x2",
            "+1",
            "tempo",
        ),
        Idea(
            "See the doubling that goes over",
            "From 12 on, doubling goes past 23. A player who has to double then loses, and you can see it coming "
            "several moves before.",
            "x2 +1 +1 x2 x2 +1",
            "+1",
            None,
            "no good reply",
        ),
        Idea(
            "Know when it is decided",
            "After both first moves nothing is left to choose. After ×2 both replies lose: ×2 in 5 moves and +1 "
            "in 7. Where every move loses, the slower loss is the better move.",
            "x2",
            "+1",
            "x2",
            "plain",
        ),
    ),
}


def ideas(game: AnyGame) -> tuple[Idea, ...]:
    """The ideas for a game with the book's rules; none for variants and for games without an entry."""
    return () if game.changes else IDEAS.get(game.id, ())
