"""What a server writes down: a line of JSON for each event. Never a URL, a query or a header as it was sent."""

from __future__ import annotations

import datetime
import json
import logging
import sys
from typing import Any

log = logging.getLogger("digitduels")


def event(what: str, level: int = logging.INFO, *, fault: bool = False, **details: Any) -> None:
    """Notes that something happened; where it is a fault of ours that is being handled, with where it was."""
    if log.isEnabledFor(level):
        handled = sys.exc_info() if fault else None
        log.handle(log.makeRecord(log.name, level, "", 0, what, (), handled, extra={"details": details}))


class Lines(logging.Formatter):
    """Makes a line of JSON of whatever is logged, by us or by others."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.datetime.fromtimestamp(record.created, datetime.UTC).isoformat(timespec="milliseconds")
        line = {"time": time, "level": record.levelname.lower(), "event": record.getMessage()}
        line |= getattr(record, "details", {})
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line)


def start(level: int) -> None:
    """Writes everything from a level on to the standard error stream."""
    # No line says from where it was logged, so that nobody has to find out. These are switches that logging documents.
    logging._srcfile = None
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines())
    # What uvicorn warns of is what visitors send.
    for name, least in (("digitduels", level), ("uvicorn", logging.ERROR), ("asyncio", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(max(level, least))
