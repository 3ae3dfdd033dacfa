"""A game between people at one keyboard: the book's questions in the book's words, and a few commands besides."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from digitduels.cli.console import LONGEST, Console
from digitduels.cli.saved_games import Save
from digitduels.core import IllegalMove, InvalidMove
from digitduels.manual import manual
from digitduels.match import Match
from digitduels.record import save
from digitduels.sentence import Count, Played, Sentence, tell_by_the_book
from digitduels.text import clean

HELP = (
    "?        this help",
    "rules    the rules of the game",
    "moves    the moves so far",
    "undo     take back the number just chosen, or else the last move",
    "concede  give up; the other player wins",
    "save     say where the game is kept; save FILE writes a copy",
    "quit     leave; the game is kept",
)
AT_THE_END = (
    "rematch  the same game again, with the seats swapped",
    "undo     take back the last move and go on",
    "moves    the moves of the game",
    "save     say where the game is kept; save FILE writes a copy",
    "quit     leave",
)


class Quit(Exception):
    """The player leaves the game."""


class Session:
    """Plays a match, and rematches, until the players leave."""

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
            "save": self.save_as,
            "quit": self.quit,
            "exit": self.quit,
        }
        self.at_the_end = {name: self.commands[name] for name in ("moves", "undo", "save", "quit", "exit", "rules")}
        self.at_the_end |= {"rematch": self.rematch, "r": self.rematch, "u": self.undo, "": self.quit}
        self.at_the_end |= {"?": self.help_at_the_end, "help": self.help_at_the_end}
        self.help_lines: tuple[str, ...] = HELP
        self.end_lines: tuple[str, ...] = AT_THE_END
        self.end_keys = "r: rematch, u: undo"
        self.chosen: tuple[Any, ...] = ()

    def run(self) -> int:
        """Plays until the players leave, keeps the game, and returns the exit code."""
        try:
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
            return 130

    def say(self, *lines: str) -> None:
        """Says something to the people who play: here two, who read what the book says."""
        self.console.say(*(tell_by_the_book(line, self.match.names) for line in lines))

    def open(self) -> None:
        """The first lines: of a new game, or of one that goes on."""
        match = self.match
        if not match.moves:
            self.say(*match.game.welcome(match.state))
        else:
            count = Count(len(match.moves), "move")
            self.say(f"{match.game.title}, going on after {count}.", *match.game.view(match.state))

    # A turn

    def turn(self) -> None:
        """Asks one player for a move and plays it; ends early if a command changes the game."""
        match, game = self.match, self.match.game
        state = match.state
        self.chosen = ()
        self.say("", *game.turn(state))
        while len(self.chosen) < len(game.prompts):
            prompt = game.prompts[len(self.chosen)].format(player=match.names[state.player])
            text = self.console.ask(prompt)
            command, argument = self.command(text, self.commands)
            if command is not None:
                if command(argument):
                    return
                continue
            try:
                self.chosen = game.answer(state, self.chosen, text)
            except InvalidMove as error:
                self.say(Sentence("Error: {reason}", reason=error.reason))
            except IllegalMove as error:
                # If the turn did not begin with the possible answers, the refusal lists them.
                possible = "" if game.turn(state) else f" Possible: {game.notation.offer(game.choices(state))}."
                self.say(Sentence("Error: {reason}{possible}", reason=error.reason, possible=possible))
            if len(self.chosen) == len(game.prompts) and not self.accepts(game.partial(self.chosen)):
                self.chosen = ()
        move = game.partial(self.chosen)
        match.play(move)
        self.keep()
        self.say(*game.announce(state, move, match.state))

    def accepts(self, move: Any) -> bool:
        """Whether a move that was answered is played."""
        return True

    def command(
        self, text: str, commands: dict[str, Callable[[str], bool]]
    ) -> tuple[Callable[[str], bool] | None, str]:
        """The command in a text, if there is one, and its argument."""
        word, _, argument = text.strip().partition(" ")
        if argument and word.lower() != "save":
            return None, ""
        return commands.get(word.lower()), clean(argument, LONGEST)

    # After the game

    def end(self) -> None:
        """Announces the result and asks what next."""
        self.result()
        while True:
            text = self.ask_what_next()
            command, argument = self.command(text, self.at_the_end)
            if command is None:
                self.say("The game is over.", *self.end_lines)
            elif command(argument):
                return

    def result(self) -> None:
        """The lines that end a game."""
        self.say(*self.match.ending())

    def ask_what_next(self) -> str:
        prompt = f"\n{self.end_keys}, Enter: leave > "
        if self.console.interactive:
            return self.console.ask(prompt)
        # In a pipe the output ends like the book's unless there is an answer to this question.
        text = self.console.line()
        if text is None:
            raise Quit
        self.console.say(prompt + clean(text, 80))
        return text

    # The commands: each returns whether the turn starts again.

    def help(self, _: str) -> bool:
        game, state = self.match.game, self.match.state
        possible = game.notation.offer(game.choices(state, self.chosen))
        answers = Sentence(
            "{player} can answer: {possible}",
            you="You can answer: {possible}",
            player=state.player,
            possible=possible,
        )
        self.say(*game.view(state), answers, *self.help_lines)
        return False

    def help_at_the_end(self, _: str) -> bool:
        self.say(*self.end_lines)
        return False

    def rules(self, _: str) -> bool:
        self.console.say(*manual(self.match.game).splitlines())  # about any two players, so without names
        return False

    def moves(self, _: str) -> bool:
        match = self.match
        if not match.moves:
            self.say("No moves yet.")
        for number, (state, move) in enumerate(zip(match.states, match.moves, strict=False), 1):
            player = state.player
            self.say(
                Sentence(
                    "{number}. {player}: {move}",
                    you="{number}. You: {move}",
                    player=player,
                    number=number,
                    move=Played(move, player),
                )
            )
        return False

    def undo(self, _: str) -> bool:
        match, game = self.match, self.match.game
        if self.chosen and match.outcome is None:
            self.say(
                Sentence(
                    "{player} takes back {answer}.",
                    you="You take back {answer}.",
                    player=match.state.player,
                    answer=game.notation.label(self.chosen[-1]),
                )
            )
            self.chosen = self.chosen[:-1]
            return False
        try:
            taken = self.take_back()
        except IllegalMove as error:
            self.say(error.reason)
            return False
        self.keep()
        self.say(*taken, *game.view(match.state))
        return True

    def take_back(self) -> list[Sentence]:
        """Takes back the last move, or the concession, and says so; IllegalMove if there is none."""
        return self.match.take_back()

    def concede(self, _: str) -> bool:
        self.match.concede(self.match.state.player)
        self.keep()
        return True

    def save_as(self, argument: str) -> bool:
        if argument:
            try:
                path = Path(argument).expanduser()
                if path.exists():
                    self.say(f"Error: {path} exists already; name another file.")
                else:
                    save(self.match, path)
                    self.say(f"A copy of the game is in {path}.")
            except (OSError, RuntimeError, ValueError) as error:
                self.say(f"Error: the game could not be written to {argument}: {reason(error)}.")
            return False
        self.keep()
        if self.saving:
            self.say(f"The game is kept after every move, in {self.save.path}.")
        return False

    def quit(self, _: str) -> bool:
        raise Quit

    def rematch(self, _: str) -> bool:
        self.begin(self.match.rematch())
        return True

    def begin(self, match: Match) -> None:
        """Starts another match."""
        self.match, self.save = match, Save()
        self.say("")
        self.open()

    # Keeping

    def keep(self) -> None:
        """Saves the match; if that fails, says so once and plays on."""
        before = self.save.path
        try:
            self.save.keep(self.match)
        except OSError as error:
            if self.saving:
                self.say(f"Warning: the game cannot be saved ({reason(error)}). It goes on unsaved.")
            self.saving = False
            return
        self.saving = True
        if before not in (None, self.save.path):
            self.say(f"Warning: {before} was changed by another program. This game is now kept as {self.save.name}.")

    def farewell(self) -> None:
        """Where the game is, in one line."""
        if self.match.outcome is None and self.match.moves:
            self.keep()
            where = (
                f"saved. Go on with: duels resume {self.save.name}" if self.saving else "lost: it could not be saved."
            )
            self.say(f"The game is {where}")


def reason(error: Exception) -> str:
    """Why a file could not be read or written, for people."""
    return getattr(error, "strerror", None) or str(error).rstrip(".")
