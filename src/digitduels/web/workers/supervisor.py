"""Solving and computer moves, in worker processes: pools of workers, a priority queue, timeouts and an answer cache.

Book games and variants have separate pools, so an expensive variant cannot delay a book game. The computer's moves in
rooms come first, then quick questions, then slow ones. Timeouts start when a worker does, not while a question waits.
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
from typing import Any, NamedTuple, TypeVar

from digitduels.games import AnyGame, games
from digitduels.match import Match
from digitduels.players import PERFECT_PLAYERS
from digitduels.record import to_record
from digitduels.web.link import book
from digitduels.web.refusal import Refusal
from digitduels.web.settings import Settings

LONGEST_ANSWER = 1 << 26  # bytes
ANSWER_CACHE = 1 << 23  # bytes
BOOK_SECONDS = 30.0
TABLES_SECONDS = 600.0
THEORY_DELAY = 20.0
FIRST_SECONDS = 10.0  # how long a question waits for tables that are being computed
WAIT_SECONDS = 15.0  # how long a question waits for a worker
AGAIN_SECONDS = 60.0  # before tables that failed are tried again
MOST_QUICK, MOST_SLOW = 16, 4  # open questions per address

SLOW = {"lab_report", "lab_strip", "start", "puzzle", "sheet", "theory_lines"}
SEARCHABLE = {"reply", "hints"}  # questions that a search can answer without a solution
MOST_UNSOLVABLE = 1000  # variants remembered as too large to solve
BUSY = "The server is busy. Try again in a moment."
TOO_MANY_QUESTIONS = "You have asked several things at once. Wait for the answers, then try again."
TOO_SLOW = "This takes longer than this server gives to one visitor. Choose smaller numbers."
log = logging.getLogger("digitduels")
T = TypeVar("T")


class Asker(NamedTuple):
    """Who asks: the key for which open questions are counted, and how many times the usual number it may have."""

    key: str
    share: int = 1


class Urgency(IntEnum):
    """The priority of a question."""

    GAME = 0
    """A player is waiting for the computer's move."""
    QUICK = 1
    SLOW = 2


class Worker:
    """A worker process, which answers one question at a time."""

    def __init__(self, process: Process) -> None:
        self.process = process

    @classmethod
    async def start(cls, *arguments: object) -> Worker:
        # -P keeps Python from importing modules in the server's working directory.
        command = [sys.executable, "-P", "-m", "digitduels.web.workers.process", *map(str, arguments)]
        return cls(await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, limit=LONGEST_ANSWER))

    async def ask(self, question: bytes) -> bytes:
        """Sends a line and returns the answer line, or b"" if the process has ended."""
        assert self.process.stdin is not None
        with suppress(ConnectionError):
            self.process.stdin.write(question + b"\n")
            await self.process.stdin.drain()
            return await self.read_line()
        return b""

    async def read_line(self) -> bytes:
        """Reads the next line from the process."""
        assert self.process.stdout is not None
        return await self.process.stdout.readline()

    async def stop(self) -> None:
        with suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()


def decode(line: bytes) -> Any:
    """Returns the answer in a worker's line, or raises its refusal, or RuntimeError with its traceback."""
    reply = json.loads(line)
    if "refused" in reply:
        raise Refusal(*reply["refused"])
    if "failed" in reply:
        raise RuntimeError(reply["failed"])
    return reply["answer"]


class WorkerPool:
    """A fixed number of workers, replaced when they die, and a priority queue of questions."""

    def __init__(self, workers: int, queue: int, seconds: float, *arguments: object) -> None:
        self.workers, self.queue, self.seconds, self.arguments = workers, queue, seconds, arguments
        self.killed = 0
        """The number of workers that crashed, or were killed because they took too much time or memory."""
        self._most_slow = max(1, workers - 1)  # leaves a worker for quick questions
        self._slow = 0
        self._idle: list[Worker] = []
        self._queued: list[tuple[Urgency, int, asyncio.Future[Worker]]] = []
        self._number = count()
        self._open: Counter[Urgency] = Counter()
        self._workers: set[Worker] = set()
        self._starting: set[asyncio.Task[None]] = set()

    @property
    def waiting(self) -> int:
        """The number of unanswered questions."""
        return self._open.total()

    def start(self) -> None:
        for _ in range(self.workers):
            self._add_worker()

    async def stop(self) -> None:
        for task in self._starting:
            task.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)
        for worker in list(self._workers):
            await worker.stop()

    async def ask(self, question: bytes, urgency: Urgency = Urgency.QUICK, seconds: float | None = None) -> Any:
        """Returns a worker's answer. Raises Refusal if the pool is busy or the question times out."""
        if urgency is not Urgency.GAME and self._open[urgency] >= self.queue:
            raise Refusal(503, BUSY, again=2)
        self._open[urgency] += 1
        try:
            worker = await self._acquire(urgency)
            try:
                async with asyncio.timeout(seconds or self.seconds):
                    return await self._ask(worker, question)
            except TimeoutError:
                raise Refusal(413, TOO_SLOW) from None
            finally:
                self._slow -= urgency is Urgency.SLOW
                self._dispatch()
        finally:
            self._open[urgency] -= 1

    async def _acquire(self, urgency: Urgency) -> Worker:
        """Waits for an idle worker and reserves it."""
        turn: asyncio.Future[Worker] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._queued, (urgency, next(self._number), turn))
        self._dispatch()
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                return await turn
        except (TimeoutError, asyncio.CancelledError) as error:
            if turn.done() and not turn.cancelled():  # a worker was assigned in the same moment
                self._slow -= urgency is Urgency.SLOW
                self._release(turn.result())
            if isinstance(error, TimeoutError):
                raise Refusal(503, BUSY, again=2) from None
            raise

    def _release(self, worker: Worker) -> None:
        self._idle.append(worker)
        self._dispatch()

    def _dispatch(self) -> None:
        """Assigns idle workers to the first questions in the queue."""
        while self._idle and self._queued:
            urgency, _, turn = self._queued[0]
            if not turn.done():
                if urgency is Urgency.SLOW and self._slow >= self._most_slow:
                    return
                self._slow += urgency is Urgency.SLOW
                turn.set_result(self._idle.pop())
            heapq.heappop(self._queued)

    async def _ask(self, worker: Worker, question: bytes) -> Any:
        line = b""
        try:
            line = await worker.ask(question)
        finally:
            if line:
                self._idle.append(worker)
            else:  # it crashed, or the question timed out or was cancelled
                self.killed += 1
                self._workers.discard(worker)
                await worker.stop()
                self._add_worker()
        if not line:
            raise Refusal(413, TOO_SLOW)
        return decode(line)

    def _add_worker(self) -> None:
        task = asyncio.create_task(self._start_worker())
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)

    async def _start_worker(self) -> None:
        """Starts a worker and makes it available when it reports that it is ready. Retries until that succeeds."""
        while True:
            with suppress(OSError):  # the system is out of processes or file handles
                worker = await Worker.start(*self.arguments)
                self._workers.add(worker)
                if await worker.read_line():
                    self._release(worker)
                    return
                self._workers.discard(worker)
                await worker.stop()
            log.error("A worker could not be started. Trying again.")
            await asyncio.sleep(1)


class Supervisor:
    """Runs the worker pools, and answers questions about games with them."""

    def __init__(self, settings: Settings) -> None:
        memory = settings.memory << 20
        self.books = WorkerPool(settings.workers, settings.queue, BOOK_SECONDS, memory)
        self.variants = WorkerPool(1, settings.queue, settings.seconds, memory, settings.seconds)
        self.ready = {name: asyncio.Event() for name in games()}
        self._missing = games()
        self._failed: set[str] = set()
        self._open: Counter[tuple[str, bool]] = Counter()
        self._aside = ThreadPoolExecutor(1, "aside")
        self._aside_open = 0
        self._queue = settings.queue
        self._cache: OrderedDict[bytes, str] = OrderedDict()
        self._cache_size = 0
        self._unsolvable: OrderedDict[AnyGame, None] = OrderedDict()

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
        """Whether the tables of all games are ready."""
        return not self._failed and all(event.is_set() for event in self.ready.values())

    async def reply(self, match: Match, level: int, seed: str) -> str:
        """Returns the computer's move in a room, ahead of all other questions."""
        move: str = await self._answer(Urgency.GAME, "reply", match, who=str(level), seed=seed)
        return move

    async def ask(self, name: str, match: Match, asker: Asker | None = None, **arguments: Any) -> Any:
        """Answers one of the questions in answers.py. Raises Refusal if it cannot. The server itself has no asker."""
        slow = name in SLOW or bool(match.game.changes) or match.position is not None
        with self._limit_open_questions(asker, slow):
            return await self._answer(Urgency.SLOW if slow else Urgency.QUICK, name, match, **arguments)

    async def _answer(self, urgency: Urgency, name: str, match: Match, **arguments: Any) -> Any:
        """Answers with the solution or, if there is none yet and the question allows it, with a search."""
        if name not in SEARCHABLE or arguments.get("who") in PERFECT_PLAYERS:
            return await self._ask(urgency, name, match, **arguments)
        game = match.game
        if game not in self._unsolvable and (game.changes or name != "reply" or self.ready[game.id].is_set()):
            try:
                return await self._ask(urgency, name, match, **arguments)
            except Refusal as refusal:
                if refusal.status != 413 or not game.changes:
                    raise
                self._unsolvable[game] = None
                if len(self._unsolvable) > MOST_UNSOLVABLE:
                    self._unsolvable.popitem(last=False)
        return await self._ask(urgency, name, match, searching=True, **arguments)

    async def _ask(self, urgency: Urgency, name: str, match: Match, **arguments: Any) -> Any:
        question = json.dumps({"ask": name, "record": to_record(match), "with": arguments}).encode()
        if question in self._cache:
            self._cache.move_to_end(question)
            return json.loads(self._cache[question])
        if not match.game.changes:
            await self._request_tables(match.game.id, wait="searching" not in arguments)
            # The table may lack a position that a visitor set up, so solving it gets no more time than a variant.
            seconds = None if match.position is None else self.variants.seconds
            answer = await self.books.ask(question, urgency, seconds)
        else:
            answer = await self.variants.ask(question, urgency)
        self._cache_answer(question, json.dumps(answer))
        return answer

    async def aside(self, work: Callable[[], T], asker: Asker | None = None) -> T:
        """Runs short but not instant work, such as reading a variant's rules, in a thread, one job at a time."""
        if self._aside_open >= self._queue:
            raise Refusal(503, BUSY, again=2)
        self._aside_open += 1
        try:
            with self._limit_open_questions(asker, False):
                return await asyncio.get_running_loop().run_in_executor(self._aside, work)
        finally:
            self._aside_open -= 1

    @contextmanager
    def _limit_open_questions(self, asker: Asker | None, slow: bool) -> Iterator[None]:
        """Raises Refusal if a client has too many open questions."""
        client = asker.key if asker else "", slow
        if asker and self._open[client] >= asker.share * (MOST_SLOW if slow else MOST_QUICK):
            raise Refusal(429, TOO_MANY_QUESTIONS, again=2)
        self._open[client] += 1
        try:
            yield
        finally:
            self._open[client] -= 1
            if not self._open[client]:
                del self._open[client]

    def _cache_answer(self, question: bytes, answer: str) -> None:
        if question in self._cache:  # two clients asked at the same time
            return
        self._cache_size += len(question) + len(answer)
        self._cache[question] = answer
        while self._cache_size > ANSWER_CACHE:
            old, text = self._cache.popitem(last=False)
            self._cache_size -= len(old) + len(text)

    async def _request_tables(self, name: str, wait: bool) -> None:
        """Moves a game to the front of the queue for tables. With `wait`, waits for its tables, with a timeout."""
        if name in self._missing:
            self._missing.remove(name)
            self._missing.insert(0, name)
        if not wait:
            return
        try:
            async with asyncio.timeout(FIRST_SECONDS):
                await self.ready[name].wait()
        except TimeoutError:
            title = book(name).title
            raise Refusal(503, f"{title} is being worked out for the first time. Try again in a moment.", 5) from None

    async def _warm(self) -> None:
        """Computes the tables of all games, or loads them from the cache on disk."""
        while self._missing:
            await self._make_tables(self._missing.pop(0))
        # The theory of a game takes seconds: compute it before the first request, but after the rush of a restart.
        await asyncio.sleep(THEORY_DELAY)
        for name in self.ready:
            with suppress(Refusal, RuntimeError):
                await self.ask("theory_lines", Match(book(name)))
        while self._failed:
            await asyncio.sleep(AGAIN_SECONDS)
            for name in list(self._failed):
                await self._make_tables(name)

    async def _make_tables(self, name: str) -> None:
        question = json.dumps({"ask": "warm", "record": to_record(Match(book(name))), "with": {}}).encode()
        try:
            await self.books.ask(question, Urgency.SLOW, TABLES_SECONDS)
            self._failed.discard(name)
        except (Refusal, RuntimeError) as error:
            self._failed.add(name)
            log.warning("The tables of %s are missing: %s", name, error)
        self.ready[name].set()
