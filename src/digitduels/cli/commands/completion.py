"""`duels completion`: prints the completion script of a shell."""

from __future__ import annotations

import argparse

from digitduels.cli.parser import Parser

EXAMPLES = (
    'eval "$(duels completion bash)"',
    "duels completion fish > ~/.config/fish/completions/duels.fish",
)


def add_arguments(parser: Parser) -> None:
    parser.add_argument("shell", choices=["bash", "zsh", "fish", "powershell"], help="the shell")


def run(arguments: argparse.Namespace) -> int:
    from argcomplete.shell_integration import shellcode

    print(shellcode(["duels"], shell=arguments.shell))
    return 0
