"""A game between people at one keyboard: the book's questions in the book's words, plus a few commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from digitduels.asking import answer, follow_up, offer
from digitduels.cli.console import BOLD, LEAVING, LONGEST, Console, copyable, together
from digitduels.cli.errors import INTERRUPTED, reason_of
from digitduels.cli.saved_games import Save
from digitduels.core import IllegalMove, InvalidMove, State, notation_of
from digitduels.manual import manual, plain_text
from digitduels.match import Match
from digitduels.record import save
from digitduels.sentence import PLAYERS, Count, Line, Played, Sentence, player_name, signed, spoken, tell_by_the_book
from digitduels.text import clean, quoted

HELP = (
    "?        show the position, your choices and this list",
    "board    show the position",
    "rules    show the rules",
    "moves    list the moves so far, with the scores",
    "undo     take back your last answer, or else the last move",
    "concede  give up; concede NAME on the other player's turn",
    "save     say where the game is saved; save FILE writes a copy",
    "quit     leave; the game is saved",
)
AT_THE_END = (
    "rematch  play again with the seats swapped",
    "undo     take back the last move and play on",
    "moves    list the moves, with the scores",
    "save     say where the game is saved; save FILE writes a copy",
    "quit     leave",
)
END_KEYS = "r: rematch, u: undo"
HINTLESS = "There are no hints between two people. After the game, `duels review` explains what decided it."
HELP_HINT = "Type ? at any time for help."


class Quit(Exception):
    """The player leaves the game."""


class Session:
    """Plays a match and its rematches until the players leave."""

    def __init__(self, match: Match, save: Save, console: Console) -> None:
        self.match = match
        self.save = save
        self.console = console
        self.saving = True
        self.commands: dict[str, Callable[[str], bool]] = {
            "?": self.help,
            "help": self.help,
            "rules": self.rules,
            "moves": self.moves,
            "undo": self.undo,
            "concede": self.concede,
            "board": self.board,
            "save": self.save_as,
        } | dict.fromkeys(LEAVING, self.quit)
        self.at_the_end = {name: self.commands[name] for name in ("moves", "undo", "save", "rules", *LEAVING)}
        self.at_the_end |= {"rematch": self.rematch, "r": self.rematch, "u": self.undo, "": self.quit}
        self.at_the_end |= {"?": self.help_at_the_end, "help": self.help_at_the_end}
        self.help_lines: tuple[str, ...] = HELP
        self.end_lines: tuple[str, ...] = AT_THE_END
        self.end_keys = END_KEYS
        self.chosen: tuple[Any, ...] = ()
        self.half: tuple[str, str] | None = None  # the first word of an incomplete move, and the question for the rest
        self.swapped = 0  # 1 if the players sit in each other's first seats
        self.winners: list[int | None] = []  # of the games before this one, by first seat

    def run(self) -> int:
        """Plays until the players leave, saves the game, and returns the exit code."""
        try:
            if self.console.interactive:
                self.say(HELP_HINT, "")
            self.open()
            while True:
                while self.match.outcome is None:
                    self.turn()
                self.end()
        except (Quit, EOFError):
            self.farewell()
            return 0
        except KeyboardInterrupt:
            self.farewell()
            return INTERRUPTED

    def say(self, *lines: str, style: str = "") -> None:
        """Prints lines for the players."""
        self.console.say(*spoken(lines, self.tell), style=style)

    def tell(self, text: str) -> str:
        """A sentence as the players read it. Two people read the book form."""
        return tell_by_the_book(text, self.match.names)

    def open(self) -> None:
        """Prints the first lines of a new or resumed game."""
        match = self.match
        if not match.moves:
            self.say(*match.game.welcome(match.state))
            return
        if len(match.moves) == match.opening:
            opening = Line(match.moves, match.first)
            about = Sentence("{title}, after the opening: {line}.", title=match.game.title, line=opening)
        else:
            about = Sentence(
                "{title}, resumed after {count}.", title=match.game.title, count=Count(len(match.moves), "move")
            )
        position = self.position()
        self.say(about, *(["", *position] if position else []))

    def position(self) -> list[str]:
        """The lines that show the position before a turn."""
        return self.match.game.view(self.match.state)

    # A turn

    def turn(self) -> None:
        """Asks one player for a move and plays it; returns early if a command changes the game."""
        match, game = self.match, self.match.game
        state = match.state
        self.chosen, self.half = (), None
        self.say("")
        self.say(*game.turn(state))
        while len(self.chosen) < len(game.move_fields):
            text = self.console.ask(self.prompt(state))
            command, argument = self.command(text, self.commands)
            if command is not None:
                if command(argument):
                    return
                continue
            if not text.strip():
                continue
            try:
                self.answer(state, text)
            except InvalidMove as error:
                self.say(Sentence("Error: {reason}", reason=error.reason))
            except IllegalMove as error:
                # If the turn did not begin with the choices, the error lists them.
                shown = spoken(game.turn(state), self.tell)
                possible = "" if shown else f" Possible: {offer(game, state)}."
                self.say(Sentence("Error: {reason}{possible}", reason=error.reason, possible=possible))
            if len(self.chosen) == len(game.move_fields) and not self.accepts(notation_of(game).partial(self.chosen)):
                self.chosen = ()
        move = notation_of(game).partial(self.chosen)
        match.play(move)
        self.keep()
        self.say(*game.announce(state, move, match.state))

    def prompt(self, state: State[Any, Any]) -> str:
        """The current question: the game's next prompt, or the one that completes a move."""
        if self.half is not None:
            return self.half[1]
        return self.match.game.move_fields[len(self.chosen)].ask(self.match.names[state.player])

    def answer(self, state: State[Any, Any], text: str) -> None:
        """Parses an answer to the current question; raises InvalidMove or IllegalMove if it is wrong."""
        game, names = self.match.game, self.match.names
        if text.strip().lower() in ("hint", "values"):
            raise InvalidMove(HINTLESS)
        half = None if self.chosen else follow_up(game, state, text, names)
        if half is not None:
            self.half = half
            return
        begun, self.half = self.half, None
        self.chosen = answer(game, state, self.chosen, text, names, begun and begun[0])

    def accepts(self, move: Any) -> bool:
        """Whether to play a complete move. Subclasses may ask the person again."""
        return True

    def command(
        self, text: str, commands: dict[str, Callable[[str], bool]]
    ) -> tuple[Callable[[str], bool] | None, str]:
        """Parses a command and its argument; the command is None if there is none."""
        word, _, argument = text.strip().partition(" ")
        if argument and word.lower() not in ("save", "concede"):
            return None, ""
        return commands.get(word.lower()), clean(argument, LONGEST)

    # After the game

    def end(self) -> None:
        """Announces the result and asks what to do next."""
        self.result()
        while True:
            text = self.ask_what_next()
            command, argument = self.command(text, self.at_the_end)
            if command is None:
                self.say("The game is over.", *self.end_lines)
            elif command(argument):
                return

    def result(self) -> None:
        """Prints the lines that end a game. The last one names the winner."""
        *lines, winner = self.match.ending()
        self.say(*lines)
        self.say(winner, style=self.winner_style)
        if self.winners:
            self.say("", self.running_score())

    def running_score(self) -> Sentence:
        """How many games each player has won since the first one."""
        winners, first = [*self.winners, self._winner()], self.match.person or 0
        won = [winners.count(seat ^ self.swapped) for seat in (first, 1 - first)]
        draws = winners.count(None)
        return Sentence(
            "Games won: {player:Whom} {first}, {other:Whom} {second}" + (", draws {draws}." if draws else "."),
            player=first,
            first=won[0],
            second=won[1],
            draws=draws,
        )

    def _winner(self) -> int | None:
        """The first seat of the winner of this game; None for a draw."""
        outcome = self.match.outcome
        return None if outcome is None or outcome.winner is None else outcome.winner ^ self.swapped

    @property
    def winner_style(self) -> str:
        """The ANSI style of the line that names the winner."""
        return BOLD

    def ask_what_next(self) -> str:
        prompt = f"\n{self.end_keys}, {together('Enter: leave >')} "
        if self.console.interactive:
            return self.console.ask(prompt)
        # In a pipe, the output ends as in the book unless the input has an answer to this question.
        text = self.console.line()
        if text is None:
            raise Quit
        self.console.say(prompt + clean(text, 80))
        return text

    # The commands. Each returns whether the turn starts again.

    def help(self, _: str) -> bool:
        game, state = self.match.game, self.match.state
        possible = offer(game, state, self.chosen)
        answers = Sentence(
            "{player} can answer: {possible}",
            you="You can answer: {possible}",
            player=state.player,
            possible=possible,
        )
        self.say(*game.view(state), answers, *self.help_lines, *self.chosen_so_far())
        return False

    def help_at_the_end(self, _: str) -> bool:
        self.say(*self.end_lines)
        return False

    def board(self, _: str) -> bool:
        self.say(*self.match.game.view(self.match.state), *self.chosen_so_far())
        return False

    def rules(self, _: str) -> bool:
        match = self.match
        for line in plain_text(manual(match.game, playing=True)):  # without the players' names
            self.console.say_wrapped(line)
        self.say(f"More: {copyable('rules', match.game.id)}")
        self.say("", *self.chosen_so_far())
        return False

    def chosen_so_far(self) -> list[str]:
        """A line with the fields of a move that the player has already chosen; empty if there are none."""
        fields = zip(self.match.game.move_fields, self.chosen, strict=False)
        labels = [self.half[0]] if self.half else [field.label(value) for field, value in fields]
        return [f"Chosen so far: {', '.join(labels)}"] if labels else []

    def moves(self, _: str) -> bool:
        match = self.match
        if not match.moves:
            self.say("No moves yet.")
        for number, (state, move) in enumerate(zip(match.states, match.moves, strict=False), 1):
            self.say(self.move_line(number, state, move))
        return False

    def move_line(self, number: int, state: State[Any, Any], move: Any) -> Sentence:
        """A line in the list of moves: what the move did, and the scores after it."""
        effect, player = self.match.game.effect(state, move), state.player
        first, second = effect.scores
        text = "{number}. {subject}: {move}."
        if effect.note is not None:
            text += " {note}"
        if self.match.game.board(state).table.score is None and first is not None:
            text += " ({scores})"
        elif effect.result != first:
            text += " Now: {first}."
        return Sentence(
            text.replace("{subject}", "{player}"),
            you=text.replace("{subject}", "You"),
            player=player,
            number=number,
            move=effect.equation or Played(move, player),
            note=effect.note,
            first=signed(first),
            scores=Sentence(
                "{player:Whom}: {first}, {other:Whom}: {second}", player=0, first=signed(first), second=signed(second)
            ),
        )

    def undo(self, _: str) -> bool:
        match, game = self.match, self.match.game
        if (self.half or self.chosen) and match.outcome is None:
            self.say(
                Sentence(
                    "{player} takes back {answer}.",
                    you="You take back {answer}.",
                    player=match.state.player,
                    answer=quoted(self.half[0])
                    if self.half
                    else game.move_fields[len(self.chosen) - 1].label(self.chosen[-1]),
                )
            )
            self.half, self.chosen = None, self.chosen[:-1]
            return False
        try:
            lines = self.take_back()
        except IllegalMove as error:
            self.say(error.reason)
            return False
        self.keep()
        self.say(*lines, *self.position())
        return True

    def take_back(self) -> list[Sentence]:
        """Takes back the last move or concession and says so; raises IllegalMove if there is none."""
        return self.match.take_back()

    def concede(self, argument: str) -> bool:
        player = self.match.state.player if not argument else self.conceder(argument)
        if player is None:
            self.say(f"Error: {quoted(argument)} does not play here. Type {self.ways_to_concede()}.")
            return False
        question = Sentence("{player}, do you concede?", you="Do you concede?", player=player)
        if self.console.interactive and not self.console.agrees(self.tell(question)):
            return False
        self.match.concede(player)
        self.keep()
        return True

    def conceder(self, text: str) -> int | None:
        """The player that a text names; None if it names neither."""
        for player, name in enumerate(self.match.names):
            if text.casefold() in (name.casefold(), player_name(player).casefold(), str(player + 1)):
                return player
        return None

    def ways_to_concede(self) -> str:
        """The commands by which the players concede."""
        return " or ".join(together(f"concede {name}") for name in self.match.names)

    def save_as(self, argument: str) -> bool:
        if argument:
            try:
                path = Path(argument).expanduser()
                if path.exists():
                    self.say(f"Error: {path} already exists. Choose another name.")
                else:
                    save(self.match, path)
                    self.say(f"Saved a copy to {path}.")
            except (OSError, RuntimeError, ValueError) as error:
                self.say(f"Error: can't write to {argument}: {reason_of(error)}.")
            return False
        self.saving = True  # so that a failure is reported again
        self.keep(even_empty=True)
        if self.saving:
            self.say("The game is saved after every move, in this file:", str(self.save.path))
        return False

    def quit(self, _: str) -> bool:
        raise Quit

    def rematch(self, _: str) -> bool:
        self.winners.append(self._winner())
        self.swapped = 1 - self.swapped
        rematch = self.match.rematch()
        named = [seat for seat in (0, 1) if rematch.names[seat] not in PLAYERS or seat == rematch.person]
        if not named:
            seats: str = "You swap seats: the player who was Player 2 is now Player 1."
        else:
            rest = ", and {other:whom} {their_seat}." if len(named) == 2 else "."
            seats = Sentence(
                f"You swap seats: {{player}} is now {{seat}}{rest}",
                you=f"You swap seats: you are now {{seat}}{rest}",
                player=named[0],
                seat=player_name(named[0]),
                their_seat=player_name(1 - named[0]),
            )
        self.match = rematch
        self.say("", seats)
        self.begin(rematch)
        return True

    def begin(self, match: Match) -> None:
        """Starts another match."""
        self.match, self.save = match, Save()
        self.say("")
        self.open()

    # Saving

    def keep(self, even_empty: bool = False) -> None:
        """Saves the match, or deletes its file if it is empty again. If that fails, warns once and continues."""
        before = self.save.path
        try:
            if self.match.is_empty and not even_empty and not self.save.theirs:
                self.save.discard()
            else:
                self.save.keep(self.match)
        except OSError as error:
            if self.saving:
                self.say(f"Warning: can't save the game ({reason_of(error)}). You can play on, but nothing is saved.")
            self.saving = False
            return
        self.saving = True
        if before not in (None, self.save.path):
            self.say(f"Warning: another program changed {before}. This game is now saved as {self.save.name}.")

    def farewell(self) -> None:
        """Says where the game is saved."""
        if self.match.outcome is None and self.match.moves:
            self.keep()
            if self.saving:
                self.say(f"The game is saved. Resume with: {copyable('resume', self.save.name)}")
            else:
                self.say("The game couldn't be saved, so it is gone.")
