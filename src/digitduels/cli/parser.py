"""The parser of the command line: commands that are loaded on demand, examples in the help, arguments in any order."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from itertools import chain
from types import ModuleType
from typing import Any, NoReturn

from digitduels.cli.console import complain, wrap
from digitduels.cli.errors import USAGE
from digitduels.text import did_you_mean, quoted


class Parser(argparse.ArgumentParser):
    """A parser with examples in its help. It does not guess abbreviated options."""

    def __init__(self, *args: Any, examples: Sequence[str] = (), **kwargs: Any) -> None:
        if examples:
            kwargs["epilog"] = "examples:\n" + "\n".join(f"  {example}" for example in examples)
        kwargs |= {"allow_abbrev": False, "formatter_class": _HelpFormatter}
        super().__init__(*args, **kwargs)
        self.commands: dict[str, Parser] = {}

    def add_commands(self, package: ModuleType, words: Sequence[str] | None) -> None:
        """Adds the commands of a package. Only the one that `words` start with is imported; None imports all.

        A command that is not imported has only a summary.
        """
        commands = self.add_subparsers(title="commands", metavar="COMMAND")
        for name, summary in package.COMMANDS.items():
            if words is None or (words and words[0] == name):
                command = _module(package, name)
                parser = commands.add_parser(name, help=summary, description=summary, examples=command.EXAMPLES)
                parser._add_command(command, None if words is None else words[1:])
            else:
                parser = commands.add_parser(name, help=summary)
            self.commands[name] = parser

    def _add_command(self, command: ModuleType, words: Sequence[str] | None) -> None:
        """Adds the arguments of a command, or the commands of a package and what runs without one of them."""
        if hasattr(command, "COMMANDS"):
            default = getattr(command, "DEFAULT", None)
            run = partial(_print_help, self) if default is None else _module(command, default).run
            self.set_defaults(run=run)
            self.add_commands(command, words)
        else:
            self.set_defaults(run=command.run)
            if hasattr(command, "add_arguments"):
                command.add_arguments(self)

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        """Parses a command line. After the command, options and positional arguments may come in any order."""
        return self.parse_args(self._positionals_together(words))

    def _positionals_together(self, words: Sequence[str]) -> list[str]:
        """The same command line without options between positional arguments, which argparse does not support.

        If a positional argument is missing, an option that takes several words leaves its last one:
        `--names Ann Bob number-duel`.
        """
        if self.commands:
            if not words or words[0] in self._option_string_actions:
                return list(words)
            if words[0] not in self.commands:
                self._reject(words[0])
            return [words[0], *self.commands[words[0]]._positionals_together(words[1:])]
        options: list[list[str]] = []  # each with its values
        positionals: list[str] = []
        takes = 0  # how many more words the last option takes
        for index, word in enumerate(words):
            if word == "--":
                positionals += words[index + 1 :]
                break
            if self._parse_optional(word) is not None:
                name, equals, _ = word.partition("=")
                if name not in self._option_string_actions:
                    self._reject(word)
                options.append([word])
                nargs = self._option_string_actions[name].nargs
                takes = 0 if equals or nargs == 0 else 1 if nargs is None else len(words)
            elif takes:
                options[-1].append(word)
                takes -= 1
            else:
                positionals.append(word)
        required = sum(action.required for action in self._get_positional_actions())
        for option in options:
            while len(positionals) < required and len(option) > 2:
                positionals.insert(0, option.pop())
        return [*chain(*options), "--", *positionals] if "--" in words else [*positionals, *chain(*options)]

    def _reject(self, word: str) -> NoReturn:
        """Rejects an unknown command or option, with the one that it may be meant to be."""
        kind = "option" if word.startswith("-") else "command"
        known = self._option_string_actions if kind == "option" else self.commands
        hint = did_you_mean(word.partition("=")[0], known)
        self.error(f"there is no {kind} {quoted(word)}. {hint}`{self.prog} -h` lists the {kind}s.")

    def error(self, message: str) -> NoReturn:
        """Shows the usage and the message, wrapped to the terminal, and exits."""
        self.print_usage(sys.stderr)
        complain(message, f"{self.prog}: error")
        self.exit(USAGE)


def _module(package: ModuleType, name: str) -> ModuleType:
    return import_module(f"{package.__name__}.{name}")


def _print_help(parser: Parser, _: argparse.Namespace) -> int:
    parser.print_help()
    return USAGE


NARROW = 60  # on terminals with fewer columns, the usage is wrapped like any other text
_NO_BREAK = "\u00a0"
_WHOLE_WORDS: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}


class _HelpFormatter(argparse.HelpFormatter):
    """Wraps everything except the examples, so that they can be copied."""

    def add_argument(self, action: argparse.Action) -> None:
        super().add_argument(action)
        if isinstance(action, argparse._SubParsersAction):  # argparse forgets that commands are indented further
            width = max(map(len, action.choices)) + self._current_indent + self._indent_increment
            self._action_max_length = max(self._action_max_length, width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith("examples:"):
            return textwrap.indent(text, indent)
        return textwrap.indent("\n".join(self._split_lines(text, width - len(indent))), indent)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrap(" ".join(text.split()), width, 0)  # never breaks a command

    def _format_usage(self, *details: Any) -> str:
        usage = super()._format_usage(*details)
        if self._width >= NARROW:
            return usage
        # argparse indents every line to the first option, which leaves too little room.
        parts, depth = [""], 0
        for character in " ".join(usage.split()):
            depth += (character in "[({") - (character in "])}")
            if character == " " and not depth:
                parts.append("")
            else:
                parts[-1] += character if character != " " else _NO_BREAK
        filled = textwrap.fill(" ".join(parts), self._width, subsequent_indent="  ", **_WHOLE_WORDS)
        return filled.replace(_NO_BREAK, " ") + "\n\n"

    def _format_args(self, action: argparse.Action, default_metavar: str) -> str:
        several = (
            isinstance(action.metavar, str) and " " in action.metavar
        )  # the metavar itself shows how many arguments there are
        return str(action.metavar) if several else super()._format_args(action, default_metavar)
