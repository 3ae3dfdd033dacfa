"""`duels completion`: prints the completion script of a shell."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from digitduels.cli.arguments import add_command

if TYPE_CHECKING:
    from digitduels.cli.arguments import Commands


def add(commands: Commands) -> None:
    parser = add_command(
        commands,
        "completion",
        run,
        'eval "$(duels completion bash)"',
        "duels completion fish > ~/.config/fish/completions/duels.fish",
    )
    parser.add_argument("shell", choices=["bash", "zsh", "fish", "powershell"], help="the shell")


def run(arguments: argparse.Namespace) -> int:
    from argcomplete.shell_integration import shellcode

    print(shellcode(["duels"], shell=arguments.shell))
    return 0
