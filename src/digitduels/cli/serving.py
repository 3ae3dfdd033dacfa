"""`duels serve`: the server in the foreground, what it says when it starts, and what can be wrong with it."""

from __future__ import annotations

import argparse
import asyncio
import errno
import logging
import signal
import socket
import sys
import webbrowser

from digitduels.cli.main import FAILURE, Failure, make_console, usage
from digitduels.text import quoted
from digitduels.web import logs
from digitduels.web.app import PAGE
from digitduels.web.server import Server, allow_many_connections, listen, take_turns_quickly
from digitduels.web.settings import Settings
from digitduels.web.store import StoreError, open_store


def serve(arguments: argparse.Namespace) -> int:
    """Serves until it is told to stop."""
    try:
        settings = Settings.read(host=arguments.host, port=arguments.port, database=arguments.database)
    except ValueError as error:
        usage(str(error))
    if not (PAGE / "index.html").is_file():
        raise Failure(FAILURE, "The files of the page are missing. Install Digit Duels anew.")
    check_database(settings)
    listener = open_listener(settings)
    console = make_console()
    if arguments.check:
        listener.close()
        console.say("All is well.")
        return 0
    port = listener.getsockname()[1]
    here = f"http://{'localhost' if is_everywhere(listener) else bracketed(settings.host)}:{port}/"
    console.say(f"Digit Duels is at {here}", *exposure(listener), "Ctrl-C stops it.")
    if arguments.open:
        webbrowser.open(here)
    # Told to stop, the server ends what it is doing; that is what was asked for, and no failure.
    signal.signal(signal.SIGTERM, lambda *_: None)
    logs.start(logging.WARNING if sys.stderr.isatty() else logging.INFO)
    allow_many_connections()
    take_turns_quickly()
    Server(settings).run([listener])
    return 0


def check_database(settings: Settings) -> None:
    """Opens the database once, which brings it up to date; a Failure that says why if it cannot be used."""
    try:
        asyncio.run(open_store(settings.database).close())
    except StoreError as error:
        raise Failure(FAILURE, str(error)) from None


def open_listener(settings: Settings) -> socket.socket:
    """The socket that is listened on; a Failure that says what to do if it cannot be had."""
    try:
        return listen(settings)
    except socket.gaierror:
        usage(f"--host must be an address or a name of this machine; {quoted(settings.host)} is not.")
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            reason = f"Port {settings.port} is in use. Choose another with --port, or 0 for any that is free."
        elif error.errno == errno.EACCES:
            reason = f"Port {settings.port} is not for everybody. Choose one from 1024 on with --port."
        elif error.errno == errno.EADDRNOTAVAIL:
            usage(f"--host must be an address of this machine; {quoted(settings.host)} is not.")
        else:
            reason = f"The server cannot listen at {quoted(settings.host)}: {error.strerror or error}."
        raise Failure(FAILURE, reason) from None


def is_everywhere(listener: socket.socket) -> bool:
    """Whether other machines can reach it at any address of this one."""
    return listener.getsockname()[0] in ("0.0.0.0", "::")  # noqa: S104


def exposure(listener: socket.socket) -> list[str]:
    """What others can do who can reach the server, and where they find it."""
    host, port = listener.getsockname()[:2]
    if host in ("127.0.0.1", "::1"):
        return []
    lines = [
        "Everybody who can reach this machine can play here, start games and make it work; nobody needs a password,",
        "and what is sent can be read on the way. Put a server for the public behind a proxy: see docs/server.md.",
    ]
    if is_everywhere(listener) and (found := local_address()):
        lines.insert(0, f"Others in your network find it at http://{found}:{port}/")
    return lines


def local_address() -> str | None:
    """The address of this machine in its network. Nothing is sent to find it out."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address that is nobody's
        except OSError:
            return None
        return str(probe.getsockname()[0])


def bracketed(host: str) -> str:
    """A host as it stands in an address."""
    return f"[{host}]" if ":" in host else host
