"""`duels serve`: starts the server and prints its address, or explains why it cannot start."""

from __future__ import annotations

import argparse
import asyncio
import errno
import logging
import socket
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from digitduels.cli.console import Console, complain
from digitduels.cli.errors import FAILURE, Failure, reason_of, usage
from digitduels.cli.parser import Parser
from digitduels.text import quoted

if TYPE_CHECKING:
    from digitduels.web.settings import Settings

EXAMPLES = (
    "duels serve --open",
    "duels serve --host 0.0.0.0 --port 8080",
    "duels serve --database postgresql://duels@localhost/duels --check",
)


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--host", metavar="H", help="the address to listen on; 0.0.0.0 for all (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, metavar="P", help="the port to listen on (default: 8000)")
    parser.add_argument("--database", metavar="URL", help="where games are stored (default: a file in your home)")
    parser.add_argument("--open", action="store_true", help="open the browser")
    parser.add_argument(
        "--check", action="store_true", help="only check that the server could start, and say what a start would change"
    )


def run(arguments: argparse.Namespace) -> int:
    settings = read_settings(host=arguments.host, port=arguments.port, database=arguments.database)
    console = Console()
    if arguments.check:
        pending = _check_database(settings)
        open_listener(settings).close()
        console.say(f"Configuration OK. {pending}")
        return 0
    migrate_database(settings)
    listener = open_listener(settings)
    port = listener.getsockname()[1]
    here = f"http://{'localhost' if _is_everywhere(listener) else _bracketed(settings.host)}:{port}/"
    console.say(f"Digit Duels is at {here}", *_exposure(settings, listener), "Ctrl-C stops it.")
    start(settings, listener, (_origin(settings, listener) or here) if arguments.open else None)
    return 0


def read_settings(**options: Any) -> Settings:
    """The settings from the command line and the environment. An invalid one is a usage error."""
    from digitduels.web.app import PAGE
    from digitduels.web.settings import Settings, renamed_variables

    try:
        settings = Settings.read(**options)
    except ValueError as error:
        usage(str(error))
    for sentence in renamed_variables():
        complain(sentence)
    if not (PAGE / "index.html").is_file():
        raise Failure(FAILURE, "The files of the page are missing. Install Digit Duels again.")
    return settings


def start(settings: Settings, listener: socket.socket, address: str | None) -> None:
    """Serves until a signal, after opening an address in the browser. On a terminal, only errors are logged."""
    from digitduels.web import logs
    from digitduels.web.server import serve

    if address is not None:
        # In a process of its own: what browsers print stays off the terminal, and one without a window delays nothing.
        nothing = subprocess.DEVNULL
        command = [sys.executable, "-m", "webbrowser", address]
        subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing)  # noqa: S603
    logs.start(logging.ERROR if sys.stderr.isatty() else logging.INFO)
    serve(settings, listener)


def _check_database(settings: Settings) -> str:
    """Says what a start would change in the database; raises a Failure with the reason if it cannot be used."""
    from digitduels.web.streams.connect import check_store
    from digitduels.web.streams.store import StoreError

    try:
        return check_store(settings.database)
    except StoreError as error:
        raise Failure(FAILURE, str(error)) from None


def migrate_database(settings: Settings) -> None:
    """Opens the database once, which migrates it; raises a Failure with the reason if it cannot be used."""
    from digitduels.web.streams.connect import open_store
    from digitduels.web.streams.store import StoreError

    try:
        asyncio.run(open_store(settings.database).close())
    except StoreError as error:
        raise Failure(FAILURE, str(error)) from None


def open_listener(settings: Settings) -> socket.socket:
    """Opens the listening socket; raises a Failure that says what to do if that fails."""
    from digitduels.web.server import listen

    try:
        return listen(settings)
    except socket.gaierror:
        usage(f"--host must be an address or a name of this machine; {quoted(settings.host)} is not.")
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            reason = f"Port {settings.port} is in use. Choose another with --port, or 0 for any free port."
        elif error.errno == errno.EACCES:
            reason = f"Port {settings.port} requires administrator rights. Choose 1024 or higher with --port."
        elif error.errno == errno.EADDRNOTAVAIL:
            usage(f"--host must be an address of this machine; {quoted(settings.host)} is not.")
        else:
            reason = f"The server cannot listen at {quoted(settings.host)}: {reason_of(error)}."
        raise Failure(FAILURE, reason) from None


def _is_everywhere(listener: socket.socket) -> bool:
    """Whether the server listens on all addresses of this machine."""
    return listener.getsockname()[0] in ("0.0.0.0", "::")  # noqa: S104


def _exposure(settings: Settings, listener: socket.socket) -> list[str]:
    """Warnings about a server that other machines can reach, and its address for them."""
    if listener.getsockname()[0] in ("127.0.0.1", "::1"):
        return []
    origin = _origin(settings, listener) if _is_everywhere(listener) else None
    return [
        *([f"Others in your network find it at {origin}/"] if origin else []),
        "Anyone who can reach this machine can play here, start games and use its processor. There are no passwords, "
        "and connections are not encrypted. Put a public server behind a proxy: see docs/hosting.md.",
    ]


def _origin(settings: Settings, listener: socket.socket) -> str | None:
    """The address of the server for other devices, or None."""
    from digitduels.web.reach import Reach

    return Reach(settings, *listener.getsockname()[:2]).origin


def _bracketed(host: str) -> str:
    """A host as part of a URL, with brackets around an IPv6 address."""
    return f"[{host}]" if ":" in host else host
