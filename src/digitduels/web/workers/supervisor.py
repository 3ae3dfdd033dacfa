"""Solving and computer moves outside the event loop: questions to worker processes, with limits of time and number.

Games by the book and variants have processes of their own, so that whatever somebody makes up slows no game down. The
computer's moves in rooms come first, then what is quick, then what is slow. Limits of time count working, not waiting.
"""

from __future__ import annotations

import asyncio
import heapq
import json
import logging
import sys
from asyncio.subprocess import PIPE, Process
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from enum import IntEnum
from itertools import count
from typing import Any, TypeVar

from digitduels.games import AnyGame, games
from digitduels.match import Match
from digitduels.players import PERFECT_PLAYERS
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
WAIT_SECONDS = 15.0  # that a question waits for a worker
AGAIN_SECONDS = 60.0  # after which tables that failed are tried again
MOST_QUICK, MOST_SLOW = 16, 4  # questions that one address may have open

SLOW = {"lab_report", "lab_strip", "start", "puzzle", "sheet", "theory_lines"}  # questions that take more than a moment
SEARCHABLE = {"reply", "hints"}  # questions that can be answered without a solution
HOPELESS = 1000  # variants without a solution that are remembered
BUSY = "The server is busy. Try again in a moment."
TOO_MANY_QUESTIONS = "You have asked several things at once. Wait for the answers, then try again."
TOO_SLOW = "This takes longer than this server gives to one visitor. Choose smaller numbers."
log = logging.getLogger("digitduels")
T = TypeVar("T")


class Urgency(IntEnum):
    """Who comes first."""

    GAME = 0
    """Somebody waits for the computer's move."""
    QUICK = 1
    SLOW = 2


class Worker:
    """A process that answers one question at a time."""

    def __init__(self, process: Process) -> None:
        self.process = process

    @classmethod
    async def start(cls, *arguments: object) -> Worker:
        # -P: nothing is imported from the folder that the server happens to run in.
        command = [sys.executable, "-P", "-m", "digitduels.web.workers.process", *map(str, arguments)]
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

    def __init__(self, workers: int, queue: int, seconds: float, *arguments: object) -> None:
        self.workers, self.queue, self.seconds, self.arguments = workers, queue, seconds, arguments
        self.killed = 0
        """Workers that died, or were ended because they took too long or too much."""
        self._most_slow = max(1, workers - 1)  # so that somebody is always there for what is quick
        self._slow = 0
        self._idle: list[Worker] = []
        self._line: list[tuple[Urgency, int, asyncio.Future[Worker]]] = []
        self._number = count()
        self._open: Counter[Urgency] = Counter()
        self._workers: set[Worker] = set()
        self._hiring: set[asyncio.Task[None]] = set()

    @property
    def waiting(self) -> int:
        """Questions that are not answered yet."""
        return self._open.total()

    def start(self) -> None:
        for _ in range(self.workers):
            self._hire()

    async def stop(self) -> None:
        for task in self._hiring:
            task.cancel()
        await asyncio.gather(*self._hiring, return_exceptions=True)
        for worker in list(self._workers):
            await worker.stop()

    async def ask(self, question: bytes, urgency: Urgency = Urgency.QUICK, seconds: float | None = None) -> Any:
        """The answer; raises Refusal if there is none in time."""
        if urgency is not Urgency.GAME and self._open[urgency] >= self.queue:
            raise Refusal(503, BUSY, again=2)
        self._open[urgency] += 1
        try:
            worker = await self._get(urgency)
            try:
                async with asyncio.timeout(seconds or self.seconds):
                    return await self._ask(worker, question)
            except TimeoutError:
                raise Refusal(413, TOO_SLOW) from None
            finally:
                self._slow -= urgency is Urgency.SLOW
                self._serve()
        finally:
            self._open[urgency] -= 1

    async def _get(self, urgency: Urgency) -> Worker:
        """A worker of one's own."""
        turn: asyncio.Future[Worker] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._line, (urgency, next(self._number), turn))
        self._serve()
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                return await turn
        except (TimeoutError, asyncio.CancelledError) as error:
            if turn.done() and not turn.cancelled():  # it came just now
                self._slow -= urgency is Urgency.SLOW
                self._offer(turn.result())
            if isinstance(error, TimeoutError):
                raise Refusal(503, BUSY, again=2) from None
            raise

    def _offer(self, worker: Worker) -> None:
        self._idle.append(worker)
        self._serve()

    def _serve(self) -> None:
        """Gives idle workers to those who are first in line."""
        while self._idle and self._line:
            urgency, _, turn = self._line[0]
            if not turn.done():
                if urgency is Urgency.SLOW and self._slow >= self._most_slow:
                    return
                self._slow += urgency is Urgency.SLOW
                turn.set_result(self._idle.pop())
            heapq.heappop(self._line)

    async def _ask(self, worker: Worker, question: bytes) -> Any:
        line = b""
        try:
            line = await worker.ask(question)
        finally:
            if line:
                self._idle.append(worker)
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
                    self._offer(worker)
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
        self._failed: set[str] = set()
        self._asking: Counter[tuple[str, bool]] = Counter()
        self._aside = ThreadPoolExecutor(1, "aside")
        self._beside = 0
        self._queue = settings.queue
        self._remembered: OrderedDict[bytes, str] = OrderedDict()
        self._size = 0
        self._hopeless: OrderedDict[AnyGame, None] = OrderedDict()

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
        return not self._failed and all(event.is_set() for event in self.ready.values())

    async def reply(self, match: Match, level: int, seed: str) -> str:
        """The computer's move in a room, which comes before all other questions."""
        move: str = await self._answer(Urgency.GAME, "reply", match, who=str(level), seed=seed)
        return move

    async def ask(self, what: str, match: Match, address: str = "", **arguments: Any) -> Any:
        """The answer to one of the questions of answers.py, asked from an address; raises Refusal."""
        slow = what in SLOW or bool(match.game.changes) or match.position is not None
        with self._one_of_few(address, slow):
            return await self._answer(Urgency.SLOW if slow else Urgency.QUICK, what, match, **arguments)

    async def _answer(self, urgency: Urgency, what: str, match: Match, **arguments: Any) -> Any:
        """The answer; by a search if there is no solution, or not yet, and the question does not need one."""
        if what not in SEARCHABLE or arguments.get("who") in PERFECT_PLAYERS:
            return await self._ask(urgency, what, match, **arguments)
        game = match.game
        if game not in self._hopeless and (game.changes or what != "reply" or self.ready[game.id].is_set()):
            try:
                return await self._ask(urgency, what, match, **arguments)
            except Refusal as refusal:
                if refusal.status != 413 or not game.changes:
                    raise
                self._hopeless[game] = None
                if len(self._hopeless) > HOPELESS:
                    self._hopeless.popitem(last=False)
        return await self._ask(urgency, what, match, searching=True, **arguments)

    async def _ask(self, urgency: Urgency, what: str, match: Match, **arguments: Any) -> Any:
        question = json.dumps({"ask": what, "record": to_record(match), "with": arguments}).encode()
        if question in self._remembered:
            self._remembered.move_to_end(question)
            return json.loads(self._remembered[question])
        if not match.game.changes:
            await self._tables(match.game.id, "searching" not in arguments)
            # A position that was set up may be one that nobody has worked out: it gets no more time than a variant.
            seconds = None if match.position is None else self.variants.seconds
            answer = await self.books.ask(question, urgency, seconds)
        else:
            answer = await self.variants.ask(question, urgency)
        self._remember(question, json.dumps(answer))
        return answer

    async def aside(self, work: Callable[[], T], address: str = "") -> T:
        """What is short but not instant, such as reading a variant's rules: beside the event loop, one at a time."""
        if self._beside >= self._queue:
            raise Refusal(503, BUSY, again=2)
        self._beside += 1
        try:
            with self._one_of_few(address, False):
                return await asyncio.get_running_loop().run_in_executor(self._aside, work)
        finally:
            self._beside -= 1

    @contextmanager
    def _one_of_few(self, address: str, slow: bool) -> Iterator[None]:
        """Raises Refusal if an address has too many open questions already; the server itself has no address."""
        who = address, slow
        if address and self._asking[who] >= (MOST_SLOW if slow else MOST_QUICK):
            raise Refusal(429, TOO_MANY_QUESTIONS, again=2)
        self._asking[who] += 1
        try:
            yield
        finally:
            self._asking[who] -= 1
            if not self._asking[who]:
                del self._asking[who]

    def _remember(self, question: bytes, answer: str) -> None:
        if question in self._remembered:  # asked twice at once
            return
        self._size += len(question) + len(answer)
        self._remembered[question] = answer
        while self._size > ANSWER_CACHE:
            old, text = self._remembered.popitem(last=False)
            self._size -= len(old) + len(text)

    async def _tables(self, name: str, waits: bool) -> None:
        """Lets the tables of a game be made next; waits until they are there, but not for ever."""
        if name in self._missing:  # somebody waits, so it is the next
            self._missing.remove(name)
            self._missing.insert(0, name)
        if not waits:
            return
        try:
            async with asyncio.timeout(FIRST_SECONDS):
                await self.ready[name].wait()
        except TimeoutError:
            title = book(name).title
            raise Refusal(503, f"{title} is being worked out for the first time. Try again in a moment.", 5) from None

    async def _warm(self) -> None:
        """Makes the tables of all games, or finds that they are there."""
        while self._missing:
            await self._make(self._missing.pop(0))
        # What is known of whole games takes seconds; it is worked out before somebody asks, but not in the first rush.
        await asyncio.sleep(THEORY_DELAY)
        for name in self.ready:
            with suppress(Refusal, RuntimeError):
                await self.ask("theory_lines", Match(book(name)))
        while self._failed:
            await asyncio.sleep(AGAIN_SECONDS)
            for name in list(self._failed):
                await self._make(name)

    async def _make(self, name: str) -> None:
        question = json.dumps({"ask": "warm", "record": to_record(Match(book(name))), "with": {}}).encode()
        try:
            await self.books.ask(question, Urgency.SLOW, TABLES_SECONDS)
            self._failed.discard(name)
        except (Refusal, RuntimeError) as error:
            self._failed.add(name)
            log.warning("The tables of %s are missing: %s", name, error)
        self.ready[name].set()
