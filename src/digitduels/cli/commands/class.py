"""`duels class`: starts the server for a lesson, and opens *Teach* where the pupils' devices can reach it."""  # noqa: N999

from __future__ import annotations

import argparse
from dataclasses import replace

from digitduels.cli.commands.serve import migrate_database, open_listener, read_settings, start
from digitduels.cli.console import BOLD, Console
from digitduels.cli.errors import usage
from digitduels.cli.parser import Parser
from digitduels.text import quoted

EXAMPLES = ("duels class", "duels class --address 192.168.1.20 --port 8080")
OPEN_TO_ALL = (
    "Everybody in your network can open it. There are no passwords, and connections are not encrypted. Ctrl-C stops it."
)
NO_NETWORK = (
    "This computer is in no network, so no other device can join. Everything works on this computer. "
    "Connect it to the network of the pupils' devices and start again."
)
SEGMENTS = {  # three rows of three columns for each character
    "0": " _ | ||_|",
    "1": "     |  |",
    "2": " _  _||_ ",
    "3": " _  _| _|",
    "4": "   |_|  |",
    "5": " _ |_  _|",
    "6": " _ |_ |_|",
    "7": " _   |  |",
    "8": " _ |_||_|",
    "9": " _ |_| _|",
    ".": "       . ",
    ":": "    .  . ",
}


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--address", metavar="A", help="the address of this computer that the pupils use")
    parser.add_argument("--port", type=int, metavar="P", help="the port to listen on (default: 8000)")
    parser.add_argument("--database", metavar="URL", help="where classes are stored (default: a file in your home)")
    parser.add_argument("--no-open", action="store_true", help="do not open the browser")


def run(arguments: argparse.Namespace) -> int:
    from digitduels.web.reach import EVERYWHERE, machine_addresses

    addresses = machine_addresses()
    if arguments.address not in (None, *addresses):
        known = ", ".join(addresses) or "none"
        usage(f"--address must be an address of this computer ({known}); {quoted(arguments.address)} is not.")
    address = arguments.address or next(iter(addresses), None)
    settings = read_settings(host=EVERYWHERE[0], port=arguments.port, database=arguments.database)
    migrate_database(settings)
    listener = open_listener(settings)
    port = listener.getsockname()[1]
    origin = f"http://{address or 'localhost'}:{port}"
    if address is not None:
        settings = replace(settings, origins=",".join(filter(None, (origin, settings.origins))))
    console = Console()
    console.say(*_about(address, [other for other in addresses if other != address]), "")
    if address is not None and (large := enlarged(f"{address}:{port}")) and len(large[0]) <= console.width:
        console.say(*large, "", style=BOLD)
    console.say(f"Teach is at {origin}/teach", style=BOLD)
    start(settings, listener, None if arguments.no_open else f"{origin}/teach")
    return 0


def _about(address: str | None, others: list[str]) -> list[str]:
    """What a teacher has to know before the lesson."""
    if address is None:
        return [NO_NETWORK]
    if not others:
        return [OPEN_TO_ALL]
    several = f"This computer is in several networks. The pupils use {address}; choose another with --address: "
    return [OPEN_TO_ALL, f"{several}{', '.join(others)}."]


def enlarged(text: str) -> list[str]:
    """A text of digits, dots and colons in large characters, three lines high.

    >>> print("\\n".join(enlarged("1234567890.:")))
         _   _       _   _   _   _   _   _
      |  _|  _| |_| |_  |_    | |_| |_| | |      .
      | |_   _|   |  _| |_|   | |_|  _| |_|  .   .
    """
    rows = (" ".join(SEGMENTS[sign][3 * row : 3 * row + 3] for sign in text) for row in range(3))
    return [row.rstrip() for row in rows]
