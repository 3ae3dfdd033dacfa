"""`duels site`: writes a folder with the page and everything that it needs, for any web space."""

from __future__ import annotations

import argparse
from pathlib import Path

from digitduels.cli.console import Console
from digitduels.cli.errors import FILE, Failure, quoted_path, reason_of
from digitduels.cli.parser import Parser

RUNTIME = Path("node_modules", "pyodide")
EXAMPLES = ("duels site public", "duels site public --runtime ~/pyodide")


def add_arguments(parser: Parser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="a new folder, or that of an earlier site")
    parser.add_argument(
        "--runtime",
        type=Path,
        default=RUNTIME,
        metavar="DIR",
        help=f"the folder of Pyodide, a Python for browsers (default: {RUNTIME})",
    )


def run(arguments: argparse.Namespace) -> int:
    from digitduels.web.site.export import NotASite, write_site
    from digitduels.web.site.interpreter import NotARuntime

    folder, runtime = arguments.folder, arguments.runtime
    console = Console()
    console.say("Writing the site. It takes a few seconds.")
    try:
        size, compression = write_site(folder, runtime)
    except NotARuntime as error:
        how = "`npm install pyodide` installs Pyodide."
        raise Failure(FILE, f"{quoted_path(runtime)} is not a folder of Pyodide: {error}. {how}") from None
    except NotASite:
        raise Failure(FILE, f"{quoted_path(folder)} contains other files. Choose a new folder.") from None
    except OSError as error:
        raise Failure(FILE, f"{quoted_path(folder)} cannot be written: {reason_of(error)}.") from None
    console.say(f"The site is in {quoted_path(folder)}: {size / 1e6:.1f} MB, with {compression} copies of large files.")
    if compression == "gzip":
        console.say("Without Node.js there are no Brotli copies, which are smaller.")
    console.say(f"To try it: python -m http.server --directory {quoted_path(folder)}")
    return 0
