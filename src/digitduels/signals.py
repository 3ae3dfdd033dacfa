"""Signals: Ctrl-C that waits, SIGTERM that unwinds, and questions that miss neither."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

RECHECK_SECONDS = 0.5


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


@contextmanager
def recheck_signals() -> Iterator[None]:
    """Lets a blocking read in the block handle every signal.

    A signal interrupts a read, and Python then calls its handler. A signal that arrives just before the read would wait
    for the next key. A timer interrupts the read from time to time.
    """
    if (
        not hasattr(signal, "setitimer")  # as on Windows
        or threading.current_thread() is not threading.main_thread()
        or any(signal.getitimer(signal.ITIMER_REAL))  # somebody else uses the timer
    ):
        yield
        return
    handler = signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, RECHECK_SECONDS, RECHECK_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler or signal.SIG_DFL)
