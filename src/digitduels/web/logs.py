"""The server's log: one line of JSON per event. It never contains a URL, query or header from a client."""

from __future__ import annotations

import datetime
import json
import logging
import sys
from typing import Any

log = logging.getLogger("digitduels")


def event(what: str, level: int = logging.INFO, *, fault: bool = False, **details: Any) -> None:
    """Logs an event. With `fault`, adds the traceback of the exception that is being handled."""
    if log.isEnabledFor(level):
        exception = sys.exc_info() if fault else None
        log.handle(log.makeRecord(log.name, level, "", 0, what, (), exception, extra={"details": details}))


class JsonFormatter(logging.Formatter):
    """Formats every log record, ours or a library's, as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.datetime.fromtimestamp(record.created, datetime.UTC).isoformat(timespec="milliseconds")
        line = {"time": time, "level": record.levelname.lower(), "event": record.getMessage()}
        line |= getattr(record, "details", {})
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line)


def start(level: int) -> None:
    """Logs events from a level up to standard error."""
    # Log lines contain no source location, so don't compute it. The logging documentation describes these switches.
    logging._srcfile = None
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    # uvicorn's warnings are about clients' invalid requests.
    for name, least in (("digitduels", level), ("uvicorn", logging.ERROR), ("asyncio", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(max(level, least))
