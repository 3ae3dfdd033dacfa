"""Runs a function many times: in this process, in one process per core, or on a Dask cluster."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from queue import SimpleQueue
from typing import Any

from digitduels.signals import uninterrupted
from digitduels.text import quoted

Work = tuple[Any, ...]
Run = Callable[[Callable[..., Any], Sequence[Work]], Iterator[tuple[int, Any]]]
"""Calls a function with each tuple of arguments, and yields (index, result) as results arrive."""

_Start = Callable[[bool], Executor]
"""The executor: the current one, or a new one if that is broken."""

_PATIENCE = 3  # how often in a row workers may die before it gives up
_QUEUE = 4  # calls in the queue of each process; few, so that little is lost if one dies
_CLUSTER_QUEUE = 10_000  # calls in the queue of a cluster
_CONNECT = "5s"  # timeout


class NoCluster(ValueError):
    """There is no Dask cluster at an address. The message says why."""


@contextmanager
def parallel(workers: int | None = None, cluster: str | None = None) -> Iterator[Run]:
    """A function that runs work in `workers` processes (default: one per core), or on the Dask cluster at an address.

    If a worker dies, another one repeats its work. When the block ends early, unfinished work is abandoned.
    """
    if cluster is not None:
        with _connect(cluster) as client:
            executor = client.get_executor(pure=False)
            yield partial(_run, lambda _: executor, _CLUSTER_QUEUE)
    elif (count := workers or cores()) == 1:
        yield lambda function, work: ((index, function(*arguments)) for index, arguments in enumerate(work))
    else:
        with _processes(count) as start:
            yield partial(_run, start, _QUEUE * count)


def cores() -> int:
    """The number of processes that can run at the same time."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _run(start: _Start, most: int, function: Callable[..., Any], work: Sequence[Work]) -> Iterator[tuple[int, Any]]:
    """Implements Run with the executor from `start`, and at most `most` calls in its queue at once."""
    left, deaths = list(range(len(work)))[::-1], 0
    while left:
        executor, running, done = start(deaths > 0), dict[Future[Any], int](), SimpleQueue[Future[Any]]()
        try:
            while left or running:
                with uninterrupted():
                    while left and len(running) < most:
                        future = executor.submit(function, *work[left[-1]])
                        running[future] = left.pop()
                        future.add_done_callback(done.put)
                future = done.get()
                result = future.result()
                yield running.pop(future), result
                deaths = 0
        except BrokenExecutor:
            deaths += 1
            if deaths > _PATIENCE:
                raise
            left += running.values()


# Processes


@contextmanager
def _processes(workers: int) -> Iterator[_Start]:
    """A function that starts a process pool. At the end, terminates all workers."""
    pools: list[ProcessPoolExecutor] = []

    def start(broken: bool) -> Executor:
        if broken or not pools:
            # Forking a process that has threads is unsafe, and the solver has some.
            pools.append(ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _prepare_worker))
        return pools[-1]

    try:
        yield start
    finally:
        for pool in pools:
            for process in (pool._processes or {}).values():
                process.terminate()
            pool.shutdown(cancel_futures=True)


def _prepare_worker() -> None:
    """Initializes a worker: one solver thread, no Ctrl-C, and an end when the process that started it ends."""
    _use_one_thread()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _use_one_thread() -> None:
    os.environ["DIGITDUELS_THREADS"] = "1"  # because there is a worker per core


def _exit_with_parent() -> None:
    """Waits until the pipe from the parent closes, which happens however it ends, and terminates this process."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)


# A cluster


@contextmanager
def _connect(address: str) -> Iterator[Any]:
    """A client of a Dask cluster, whose workers solve with one thread each."""
    import distributed

    make_client: Any = distributed.Client
    try:
        client = make_client(address, timeout=_CONNECT)
    except (OSError, TimeoutError, ValueError) as error:
        raise NoCluster(f"There is no Dask cluster at {quoted(address)}: {error}") from None
    try:
        client.register_worker_callbacks(_use_one_thread)
        yield client
    finally:
        client.close()
