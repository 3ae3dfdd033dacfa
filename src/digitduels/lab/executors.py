"""Executors that measure rule sets: in this process, in one process per core, or on a Dask cluster."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from digitduels.text import quoted

Work = tuple[Any, ...]
Executor = Callable[[Callable[..., Any], Sequence[Work]], Iterator[tuple[int, Any]]]
"""Calls a function with each tuple of arguments, and yields (index, result) as results arrive."""

_PATIENCE = 3  # how often in a row processes may die before the executor gives up
_CONNECT = "5s"  # timeout


@contextmanager
def executor(workers: int | None = None, cluster: str | None = None) -> Iterator[Executor]:
    """An executor with `workers` processes (default: one per core), or on the Dask cluster at the address `cluster`."""
    if cluster is not None:
        with _dask(cluster) as run:
            yield run
    elif workers == 1:
        yield lambda function, work: ((index, function(*arguments)) for index, arguments in enumerate(work))
    else:
        with _processes(workers or os.cpu_count() or 1) as run:
            yield run


def single_thread() -> None:
    """Initializes a worker process: one thread, because there is a process per core. Only the parent handles Ctrl-C."""
    os.environ["DIGITDUELS_THREADS"] = "1"
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _processes(workers: int) -> Iterator[Executor]:
    """An executor with a process pool. If a process dies, a new pool repeats the unfinished work."""
    pools: list[ProcessPoolExecutor] = []

    def start() -> ProcessPoolExecutor:
        pools.append(ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), single_thread))
        return pools[-1]

    def run(function: Callable[..., Any], work: Sequence[Work]) -> Iterator[tuple[int, Any]]:
        left, deaths = list(range(len(work)))[::-1], 0
        pool = start()
        while left:
            running: dict[Future[Any], int] = {}
            try:
                while left or running:
                    while left and len(running) < 4 * workers:  # a short queue, so that little is lost if one dies
                        running[pool.submit(function, *work[left[-1]])] = left[-1]
                        left.pop()
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        result = future.result()
                        yield running.pop(future), result
                        deaths = 0
            except BrokenProcessPool:
                deaths += 1
                if deaths > _PATIENCE:
                    raise
                left += running.values()
                pool = start()

    try:
        yield run
    finally:
        for pool in pools:
            processes = list((pool._processes or {}).values())
            pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.kill()


@contextmanager
def _dask(address: str) -> Iterator[Executor]:
    """An executor on a Dask cluster. If a worker dies, the scheduler gives its work to another one."""
    import distributed

    make_client: Any = distributed.Client
    as_completed: Any = distributed.as_completed
    try:
        client = make_client(address, timeout=_CONNECT)
    except (OSError, TimeoutError, ValueError) as error:
        raise ValueError(f"There is no Dask cluster at {quoted(address)}: {error}") from None

    def run(function: Callable[..., Any], work: Sequence[Work]) -> Iterator[tuple[int, Any]]:
        futures = {
            client.submit(_single_threaded, function, arguments, pure=False): index
            for index, arguments in enumerate(work)
        }
        for future, result in as_completed(list(futures), with_results=True):
            yield futures[future], result
            future.release()

    try:
        yield run
    finally:
        client.close()


def _single_threaded(function: Callable[..., Any], arguments: Work) -> Any:
    """Calls a function with one solver thread, because the cluster already runs one task per core."""
    os.environ["DIGITDUELS_THREADS"] = "1"
    return function(*arguments)
