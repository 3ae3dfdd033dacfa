"""Signals: Ctrl-C that waits, and SIGTERM that unwinds."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Delays Ctrl-C until the block ends.

    Raised inside a thread pool, it could leave a lock held for ever. Processes that start in the block cannot handle it
    yet. They inherit the signal mask.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    missed: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: missed.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if hasattr(signal, "pthread_sigmask") else None
    try:
        yield
    finally:
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler)
        if missed:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def exit_on_sigterm(code: int = 1) -> Iterator[None]:
    """Makes SIGTERM raise SystemExit in the block, so that unfinished files are removed and workers end."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.signal(signal.SIGTERM, lambda *_: sys.exit(code))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, handler or signal.SIG_DFL)
