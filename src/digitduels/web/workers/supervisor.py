"""Solving and computer moves outside the event loop: questions to worker processes, with limits of time and number.

Games by the book and variants have processes of their own, so that whatever somebody makes up slows no game down.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from asyncio.subprocess import PIPE, Process
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from typing import Any, TypeVar

from digitduels.games import games
from digitduels.match import Match
from digitduels.record import to_record
from digitduels.web.link import book
from digitduels.web.refusal import Refusal
from digitduels.web.settings import Settings

LONGEST_ANSWER = 1 << 26  # bytes
ANSWER_CACHE = 1 << 23  # bytes; the same question has the same answer
BOOK_SECONDS = 30.0
TABLES_SECONDS = 600.0
THEORY_DELAY = 20.0
FIRST_SECONDS = 10.0  # that a question waits for tables that are being made

SLOW = {"start", "puzzle", "sheet", "theory_lines"}  # questions that take more than a moment
BUSY = "The server is busy. Try again in a moment."
TOO_SLOW = "This takes longer than this server gives to one visitor. Choose smaller numbers."
log = logging.getLogger("digitduels")
T = TypeVar("T")


class Worker:
    """A process that answers one question at a time."""

    def __init__(self, process: Process) -> None:
        self.process = process

    @classmethod
    async def start(cls, *arguments: object) -> Worker:
        command = [sys.executable, "-m", "digitduels.web.workers.process", *map(str, arguments)]
        return cls(await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, limit=LONGEST_ANSWER))

    async def ask(self, question: bytes) -> bytes:
        """The line that answers a line; b"" if the process has come to its end."""
        assert self.process.stdin is not None
        with suppress(ConnectionError):
            self.process.stdin.write(question + b"\n")
            await self.process.stdin.drain()
            return await self.hear()
        return b""

    async def hear(self) -> bytes:
        """The next line that the process says."""
        assert self.process.stdout is not None
        return await self.process.stdout.readline()

    async def stop(self) -> None:
        with suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()


class WorkerPool:
    """Some workers, replaced when they die, and the questions that wait for them."""

    def __init__(self, count: int, queue: int, seconds: float, *arguments: object) -> None:
        self.count, self.queue, self.seconds, self.arguments = count, queue, seconds, arguments
        self.waiting = 0
        """Questions that are not answered yet."""
        self.killed = 0
        """Supervisor that were ended because they took too long or too much."""
        self._slow = asyncio.Semaphore(max(1, count - 1))  # so that somebody is always there for what is quick
        self._idle: asyncio.LifoQueue[Worker] = asyncio.LifoQueue()
        self._workers: set[Worker] = set()
        self._hiring: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        for _ in range(self.count):
            self._hire()

    async def stop(self) -> None:
        for task in self._hiring:
            task.cancel()
        await asyncio.gather(*self._hiring, return_exceptions=True)
        for worker in list(self._workers):
            await worker.stop()

    async def ask(self, question: bytes, *, slow: bool = False, seconds: float | None = None) -> Any:
        """The answer; raises Refusal if there is none in time."""
        if self.waiting >= self.queue:
            raise Refusal(503, BUSY, again=2)
        self.waiting += 1
        worker = None
        try:
            async with asyncio.timeout(seconds or self.seconds), self._slow if slow else nullcontext():
                worker = await self._idle.get()
                return await self._ask(worker, question)
        except TimeoutError:
            raise (Refusal(413, TOO_SLOW) if worker else Refusal(503, BUSY, again=2)) from None
        finally:
            self.waiting -= 1

    async def _ask(self, worker: Worker, question: bytes) -> Any:
        line = b""
        try:
            line = await worker.ask(question)
        finally:
            if line:
                self._idle.put_nowait(worker)
            else:  # it died, or is still at work on what nobody waits for any more
                self.killed += 1
                self._workers.discard(worker)
                await worker.stop()
                self._hire()
        if not line:
            raise Refusal(413, TOO_SLOW)
        reply = json.loads(line)
        if "refused" in reply:
            raise Refusal(*reply["refused"])
        if "failed" in reply:
            raise RuntimeError(reply["failed"])
        return reply["answer"]

    def _hire(self) -> None:
        task = asyncio.create_task(self._prepare())
        self._hiring.add(task)
        task.add_done_callback(self._hiring.discard)

    async def _prepare(self) -> None:
        """Starts a worker, and offers it when it says that it is ready."""
        while True:
            with suppress(OSError):  # no more processes or files at the moment
                worker = await Worker.start(*self.arguments)
                self._workers.add(worker)
                if await worker.hear():
                    self._idle.put_nowait(worker)
                    return
                self._workers.discard(worker)
                await worker.stop()
            log.error("A worker could not be started. Trying again.")
            await asyncio.sleep(1)


class Supervisor:
    """Keeps the worker processes, and asks them about games."""

    def __init__(self, settings: Settings) -> None:
        memory = settings.memory << 20
        self.books = WorkerPool(settings.workers, settings.queue, BOOK_SECONDS, memory)
        self.variants = WorkerPool(1, settings.queue, settings.seconds, memory, settings.seconds)
        self.ready = {name: asyncio.Event() for name in games()}
        self._missing = games()
        self._aside = ThreadPoolExecutor(1, "aside")
        self._beside = 0
        self._queue = settings.queue
        self._remembered: OrderedDict[bytes, str] = OrderedDict()
        self._size = 0

    async def __aenter__(self) -> Supervisor:
        self.books.start()
        self.variants.start()
        self._warming = asyncio.create_task(self._warm())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._warming.cancel()
        with suppress(asyncio.CancelledError):
            await self._warming
        self._aside.shutdown(wait=False, cancel_futures=True)
        await self.books.stop()
        await self.variants.stop()

    @property
    def warm(self) -> bool:
        """Whether all tables are there."""
        return all(event.is_set() for event in self.ready.values())

    async def ask(self, what: str, match: Match, **arguments: Any) -> Any:
        """The answer to one of the questions of answers.py; raises Refusal."""
        question = json.dumps({"ask": what, "record": to_record(match), "with": arguments}).encode()
        if question in self._remembered:
            self._remembered.move_to_end(question)
            return json.loads(self._remembered[question])
        if not match.game.changes:
            await self._tables(match.game.id)
            # A position that was set up may be one that nobody has worked out: it gets no more time than a variant.
            odd = match.position is not None
            answer = await self.books.ask(
                question, slow=odd or what in SLOW, seconds=self.variants.seconds if odd else None
            )
        else:
            answer = await self.variants.ask(question)
        self._remember(question, json.dumps(answer))
        return answer

    async def aside(self, work: Callable[[], T]) -> T:
        """What is short but not instant, such as reading a variant's rules: beside the event loop, one at a time."""
        if self._beside >= self._queue:
            raise Refusal(503, BUSY, again=2)
        self._beside += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._aside, work)
        finally:
            self._beside -= 1

    def _remember(self, question: bytes, answer: str) -> None:
        if question in self._remembered:  # asked twice at once
            return
        self._size += len(question) + len(answer)
        self._remembered[question] = answer
        while self._size > ANSWER_CACHE:
            old, text = self._remembered.popitem(last=False)
            self._size -= len(old) + len(text)

    async def _tables(self, name: str) -> None:
        """Waits until the tables of a game are there, but not for ever."""
        if name in self._missing:  # somebody waits, so it is the next
            self._missing.remove(name)
            self._missing.insert(0, name)
        try:
            async with asyncio.timeout(FIRST_SECONDS):
                await self.ready[name].wait()
        except TimeoutError:
            title = book(name).title
            raise Refusal(503, f"{title} is being worked out for the first time. Try again in a moment.", 5) from None

    async def _warm(self) -> None:
        """Makes the tables of all games, or finds that they are there."""
        while self._missing:
            name = self._missing.pop(0)
            question = json.dumps({"ask": "warm", "record": to_record(Match(book(name))), "with": {}}).encode()
            try:
                await self.books.ask(question, slow=True, seconds=TABLES_SECONDS)
            except Refusal as refusal:
                log.warning("The tables of %s are missing: %s", name, refusal)
            self.ready[name].set()
        # What is known of whole games takes seconds; it is worked out before somebody asks, but not in the first rush.
        await asyncio.sleep(THEORY_DELAY)
        for name in self.ready:
            with suppress(Refusal):
                await self.ask("theory_lines", Match(book(name)))
