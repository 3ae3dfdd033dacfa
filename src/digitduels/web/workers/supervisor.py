"""Solving and computer moves, in worker processes: pools of workers, fair queues, timeouts and an answer cache.

Book games and variants have separate pools, so an expensive variant cannot delay a book game. The computer's moves in
rooms come first, then quick questions, then slow ones; within each of these, the askers take turns. Timeouts start when
a worker does, not while a question waits.

In a variant, levels play by search at once, in a third pool if the worker for variants is busy. If a solution would
have helped, the variant is solved meanwhile, for the next moves. Only perfect play waits for that.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from enum import IntEnum
from typing import Any, TypeVar

from digitduels.games import AnyGame, games
from digitduels.match import Match
from digitduels.players import PERFECT_PLAYERS
from digitduels.record import to_record
from digitduels.web.positions.link import book
from digitduels.web.refusal import Refusal
from digitduels.web.rotation import Rotation
from digitduels.web.sender import Asker
from digitduels.web.settings import Settings
from digitduels.web.workers.backoff import Backoff

LONGEST_ANSWER = 1 << 26  # bytes
ANSWER_CACHE = 1 << 23  # bytes
BOOK_SECONDS = 30.0
TABLES_SECONDS = 600.0
THEORY_DELAY = 20.0
FIRST_SECONDS = 10.0  # how long a question waits for tables that are being computed
WAIT_SECONDS = 15.0  # how long a question waits for a worker
AGAIN_SECONDS = 60.0  # before tables that failed are tried again
WORKERS_TRIED = 2  # for one question, if they die
SEARCH_MEMORY = 1 << 26  # bytes
SEARCH_NICENESS, SOLVING_NICENESS = 5, 10
MOST_QUICK, MOST_SLOW = 16, 4  # open questions per address

SLOW = {"lab_report", "lab_strip", "start", "puzzle", "sheet", "theory_lines"}
MOST_UNSOLVABLE = 1000  # variants remembered as too large to solve
BUSY = "The server is busy. Try again in a moment."
TOO_MANY_QUESTIONS = "You have asked several things at once. Wait for the answers, then try again."
TOO_SLOW = "This takes longer than this server gives to one visitor. Choose smaller numbers."
DIED = "Something went wrong. Try again in a moment."
NOT_YET = "Other variants have to be worked out first. Try again in a moment."
log = logging.getLogger("digitduels")
T = TypeVar("T")


SERVER = Asker("server")


class WorkerDied(Refusal):
    """The refusal of a question whose workers ended without an answer, in time and within their limits."""

    def __init__(self) -> None:
        super().__init__(503, DIED, again=2)


class TooSlow(Refusal):
    """The refusal of a question that timed out. That proves nothing: the machine may have been busy."""

    def __init__(self) -> None:
        super().__init__(413, TOO_SLOW)


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
        self._killed = False

    @classmethod
    async def start(cls, *arguments: object) -> Worker:
        # -P keeps Python from importing modules in the server's working directory.
        command = [sys.executable, "-P", "-m", "digitduels.web.workers.process", *map(str, arguments)]
        # In a session of its own: a signal to all processes of a terminal or a group is for the server, which then
        # finishes open requests and stops its workers.
        return cls(
            await asyncio.create_subprocess_exec(
                *command, stdin=PIPE, stdout=PIPE, limit=LONGEST_ANSWER, start_new_session=True
            )
        )

    async def ask(self, question: bytes) -> bytes:
        """Sends a line and returns the answer line, or b"" if the process has ended."""
        assert self.process.stdin is not None
        with suppress(ConnectionError):
            self.process.stdin.write(question + b"\n")
            await self.process.stdin.drain()
            line = await self.read_line()
            return line if line.endswith(b"\n") else b""
        return b""

    async def read_line(self) -> bytes:
        """Reads the next line from the process."""
        assert self.process.stdout is not None
        return await self.process.stdout.readline()

    def lower_priority(self, niceness: int) -> None:
        with suppress(AttributeError, OSError):
            os.setpriority(os.PRIO_PROCESS, self.process.pid, niceness)

    async def stop(self) -> None:
        assert self.process.stdout is not None
        # asyncio warns if it kills a process that has ended in the meantime.
        if not self._killed and not self.process.stdout.at_eof():
            self._killed = True
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
    """A fixed number of workers, replaced when they die, and a queue of questions in which the askers take turns.

    `spare` more workers stay idle, to take over at once. `niceness` lowers the priority of all workers.
    """

    def __init__(
        self, workers: int, queue: int, seconds: float, *arguments: object, spare: int = 0, niceness: int = 0
    ) -> None:
        self.workers, self.queue, self.seconds, self.arguments = workers, queue, seconds, arguments
        self.spare, self.niceness = spare, niceness
        self.killed = 0
        """The number of workers that crashed, or were killed because they took too much time or memory."""
        self._most_slow = max(1, workers - 1)  # leaves a worker for quick questions
        self._idle: list[Worker] = []
        self._queued: dict[Urgency, Rotation[asyncio.Future[Worker]]] = {urgency: Rotation() for urgency in Urgency}
        self._open: Counter[Urgency] = Counter()
        self._busy: Counter[Urgency] = Counter()
        self._workers: set[Worker] = set()
        self._starting: set[asyncio.Task[None]] = set()
        self._stopped = False

    @property
    def waiting(self) -> int:
        """The number of unanswered questions."""
        return self._open.total()

    @property
    def idle(self) -> bool:
        """Whether a question would be answered at once."""
        return bool(self._idle) and self._open.total() < self.workers

    def start(self) -> None:
        for _ in range(self.workers + self.spare):
            self._add_worker()

    async def stop(self) -> None:
        self._stopped = True
        for task in self._starting:
            task.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)
        for worker in list(self._workers):
            await worker.stop()

    async def ask(
        self, question: bytes, urgency: Urgency = Urgency.QUICK, seconds: float | None = None, asker: str = ""
    ) -> Any:
        """Returns a worker's answer. Raises Refusal if the pool is busy or the question times out.

        If the worker dies, asks another one.
        """
        if urgency is not Urgency.GAME and self._open[urgency] >= self.queue:
            raise Refusal(503, BUSY, again=2)
        self._open[urgency] += 1
        try:
            for _ in range(WORKERS_TRIED):
                worker = await self._acquire(urgency, asker)
                try:
                    line = await self._ask(worker, question, seconds or self.seconds)
                finally:
                    self._busy[urgency] -= 1
                    self._dispatch()
                if line:
                    return decode(line)
            raise WorkerDied
        finally:
            self._open[urgency] -= 1

    async def _acquire(self, urgency: Urgency, asker: str) -> Worker:
        """Waits for an idle worker and reserves it."""
        turn: asyncio.Future[Worker] = asyncio.get_running_loop().create_future()
        self._queued[urgency].add(asker, turn)
        self._dispatch()
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                return await turn
        except (TimeoutError, asyncio.CancelledError) as error:
            self._queued[urgency].discard(asker, turn)
            if turn.done() and not turn.cancelled():  # a worker was assigned in the same moment
                self._busy[urgency] -= 1
                self._idle.append(turn.result())
                self._dispatch()
            if isinstance(error, TimeoutError):
                raise Refusal(503, BUSY, again=2) from None
            raise

    def _dispatch(self) -> None:
        """Assigns idle workers to the next questions in the queue."""
        while self._idle and self._busy.total() < self.workers:
            urgency = next((urgency for urgency, queued in self._queued.items() if queued), None)
            if urgency is None or (urgency is Urgency.SLOW and self._busy[urgency] >= self._most_slow):
                return
            turn = self._queued[urgency].take()
            if not turn.done():
                self._busy[urgency] += 1
                turn.set_result(self._idle.pop())

    async def _ask(self, worker: Worker, question: bytes, seconds: float) -> bytes:
        """Returns the worker's answer, or b"" if the worker has died."""
        line = b""
        try:
            async with asyncio.timeout(seconds):
                line = await worker.ask(question)
        except TimeoutError:
            raise TooSlow from None
        finally:  # nothing here waits, because the asker may be cancelled again
            if line:
                self._idle.append(worker)
            else:  # it crashed, or the question timed out or was cancelled
                self.killed += 1
                self._add_worker(instead_of=worker)
        return line

    def _add_worker(self, instead_of: Worker | None = None) -> None:
        if self._stopped:
            return
        task = asyncio.create_task(self._start_worker(instead_of))
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)

    async def _start_worker(self, instead_of: Worker | None) -> None:
        """Starts a worker and makes it available when it reports that it is ready. Retries until that succeeds."""
        if instead_of is not None:
            await self._remove(instead_of)
        while True:
            with suppress(OSError):  # the system is out of processes or file handles
                worker = await Worker.start(*self.arguments)
                self._workers.add(worker)
                if self.niceness:
                    worker.lower_priority(self.niceness)
                if await worker.read_line():
                    self._idle.insert(0, worker)  # the others come first, since they may have the solution in memory
                    self._dispatch()
                    return
                await self._remove(worker)
            log.error("A worker could not be started. Trying again.")
            await asyncio.sleep(1)

    async def _remove(self, worker: Worker) -> None:
        await worker.stop()
        self._workers.discard(worker)


class Supervisor:
    """Runs the worker pools, and answers questions about games with them."""

    def __init__(self, settings: Settings) -> None:
        memory, queue, seconds = settings.variant_memory << 20, settings.queue, settings.variant_timeout
        self.books = WorkerPool(settings.workers, queue, BOOK_SECONDS, memory)
        self.variants = WorkerPool(1, queue, seconds, memory, seconds, spare=1, niceness=SOLVING_NICENESS)
        self.searches = WorkerPool(1, queue, seconds, SEARCH_MEMORY, seconds, "searching", niceness=SEARCH_NICENESS)
        self.ready = {name: asyncio.Event() for name in games()}
        self._missing = games()
        self._failed: set[str] = set()
        self._open: Counter[tuple[str, bool]] = Counter()
        self._aside = ThreadPoolExecutor(1, "aside")
        self._aside_open = 0
        self._queue = settings.queue
        self._cache: OrderedDict[bytes, str] = OrderedDict()
        self._cache_size = 0
        self._unsolvable: OrderedDict[str, str] = OrderedDict()
        """Variants that cannot be solved here, and why."""
        self._slow = Backoff()
        """Variants that took too long, which are tried again after a pause."""
        self._solving: dict[str, asyncio.Task[Refusal | None]] = {}
        """Variants that are being solved, or wait for it, for the computer's moves."""
        self._solving_for: set[str] = set()
        """For whom: one variant at a time."""
        self._backoff = Backoff()

    async def __aenter__(self) -> Supervisor:
        for pool in self.pools.values():
            pool.start()
        self._warming = asyncio.create_task(self._warm())
        return self

    async def __aexit__(self, *_: object) -> None:
        tasks = [self._warming, *self._solving.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._aside.shutdown(wait=False, cancel_futures=True)
        for pool in self.pools.values():
            await pool.stop()

    @property
    def pools(self) -> dict[str, WorkerPool]:
        return {"books": self.books, "variants": self.variants, "searches": self.searches}

    @property
    def warm(self) -> bool:
        """Whether the tables of all games are ready."""
        return not self._failed and all(event.is_set() for event in self.ready.values())

    async def reply(self, match: Match, level: int, seed: str, founder: str) -> str:
        """Returns the computer's move in a room, ahead of all other questions. The founder started the game."""
        return await self._reply(Urgency.GAME, match, Asker(founder), str(level), seed)

    async def ask(self, name: str, match: Match, asker: Asker = SERVER, **arguments: Any) -> Any:
        """Answers one of the questions in analysis.py. Raises Refusal if it cannot."""
        variant = bool(match.game.changes)
        solves = name != "reply" or arguments["who"] in PERFECT_PLAYERS
        slow = name in SLOW or (solves if variant else match.position is not None)
        urgency = Urgency.SLOW if slow else Urgency.QUICK
        with self._limit_open_questions(asker, slow):
            if name == "reply":
                return await self._reply(urgency, match, asker, **arguments)
            if name == "hints" and variant:
                return await self._hint_in_variant(urgency, match, asker, **arguments)
            return await self._ask(urgency, name, match, asker, **arguments)

    async def _reply(self, urgency: Urgency, match: Match, asker: Asker, who: str, seed: str) -> str:
        """Returns the move of a computer player. Levels look ahead if there is no solution yet."""
        arguments: dict[str, Any] = {"who": who, "seed": seed}
        if match.game.changes and urgency is not Urgency.SLOW:
            return await self._reply_in_variant(urgency, match, asker, **arguments)
        if who not in PERFECT_PLAYERS and not self.ready[match.game.id].is_set():
            arguments["searching"] = True
        move: str = await self._ask(urgency, "reply", match, asker, **arguments)
        return move

    async def _reply_in_variant(self, urgency: Urgency, match: Match, asker: Asker, **arguments: Any) -> str:
        move: str | None
        move, final = await self._ask(urgency, "unsolved_reply", match, asker, **arguments)
        if move is None:
            await self._solve(match.game, asker)
            move, _ = await self._ask(urgency, "unsolved_reply", match, asker, **arguments)
            if move is None:  # other variants have displaced the solution
                raise Refusal(429, NOT_YET, again=2)
        elif not final:
            with suppress(Refusal):
                self._start_solving(match.game, asker)
        return move

    async def _hint_in_variant(self, urgency: Urgency, match: Match, asker: Asker, **arguments: Any) -> Any:
        """Returns a hint with the solution or, if the variant cannot be solved, with a search."""
        if self._why_unsolvable(match.game) is None:
            try:
                return await self._ask(urgency, "hints", match, asker, **arguments)
            except Refusal as refusal:
                if refusal.status != 413:
                    raise
                self._remember_unsolvable(match.game, refusal)
        return await self._ask(urgency, "hints", match, asker, searching=True, **arguments)

    async def _ask(self, urgency: Urgency, name: str, match: Match, asker: Asker, **arguments: Any) -> Any:
        question = json.dumps({"ask": name, "record": to_record(match), "with": arguments}).encode()
        if question in self._cache:
            self._cache.move_to_end(question)
            return json.loads(self._cache[question])
        searching = "searching" in arguments
        if not match.game.changes:
            await self._request_tables(match.game.id, wait=not searching)
            # The table may lack a position that a visitor set up, so solving it gets no more time than a variant.
            seconds = None if match.position is None else self.variants.seconds
            answer = await self.books.ask(question, urgency, seconds, asker.key)
        else:
            level = name == "unsolved_reply" and arguments["who"] not in PERFECT_PLAYERS
            pool = self.searches if searching or (level and not self.variants.idle) else self.variants
            answer = await pool.ask(question, urgency, None, asker.key)
        if name != "unsolved_reply" or answer[1]:
            self._cache_answer(question, json.dumps(answer))
        return answer

    # Solving variants for the computer's moves: once for all who wait for it, slowly, and after failures not at once.

    async def _solve(self, game: AnyGame, asker: Asker) -> None:
        """Solves a variant, so that a worker has its solution in memory. Raises Refusal if that fails."""
        refusal = await asyncio.shield(self._start_solving(game, asker))
        if refusal is not None:
            raise refusal

    def _start_solving(self, game: AnyGame, asker: Asker) -> asyncio.Task[Refusal | None]:
        """Starts to solve a variant, unless that has begun. Raises Refusal if it cannot be solved, or not now."""
        rules, key, refusal = _rules_of(game), asker.key, self._why_unsolvable(game)
        if refusal is not None:
            raise refusal
        if rules not in self._solving:
            if key in self._solving_for or self._backoff.pauses(key, asyncio.get_running_loop().time()):
                raise Refusal(429, NOT_YET, again=2)

            def end(_: object) -> None:
                del self._solving[rules]
                self._solving_for.remove(key)

            self._solving_for.add(key)
            self._solving[rules] = task = asyncio.create_task(self._work_out(game, key))
            task.add_done_callback(end)
        return self._solving[rules]

    async def _work_out(self, game: AnyGame, key: str) -> Refusal | None:
        """Solves a variant, and returns the reason if that fails."""
        try:
            await self.variants.ask(_warming_question(game), Urgency.SLOW, None, key)
            return None
        except (Refusal, RuntimeError) as error:
            if isinstance(error, Refusal) and error.status == 503 and not isinstance(error, WorkerDied):
                return error  # the server was busy, and nobody has tried
            self._backoff.fail(key, asyncio.get_running_loop().time())
            if isinstance(error, Refusal) and error.status == 413:
                self._remember_unsolvable(game, error)
                return error
            log.error("A variant could not be solved: %s", error)
            return Refusal(429, NOT_YET, again=2)

    def _why_unsolvable(self, game: AnyGame) -> Refusal | None:
        """Why a variant cannot be solved, or not now; None if it may be tried."""
        rules = _rules_of(game)
        if rules in self._unsolvable:
            return Refusal(413, self._unsolvable[rules])
        return TooSlow() if self._slow.pauses(rules, asyncio.get_running_loop().time()) else None

    def _remember_unsolvable(self, game: AnyGame, refusal: Refusal) -> None:
        if isinstance(refusal, TooSlow):
            self._slow.fail(_rules_of(game), asyncio.get_running_loop().time())
            return
        self._unsolvable[_rules_of(game)] = str(refusal)
        if len(self._unsolvable) > MOST_UNSOLVABLE:
            self._unsolvable.popitem(last=False)

    async def aside(self, work: Callable[[], T], asker: Asker = SERVER) -> T:
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
    def _limit_open_questions(self, asker: Asker, slow: bool) -> Iterator[None]:
        """Raises Refusal if a client has too many open questions."""
        client = asker.key, slow
        if asker is not SERVER and self._open[client] >= asker.share * (MOST_SLOW if slow else MOST_QUICK):
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
        try:
            await self.books.ask(_warming_question(book(name)), Urgency.SLOW, TABLES_SECONDS, SERVER.key)
            self._failed.discard(name)
        except (Refusal, RuntimeError) as error:
            self._failed.add(name)
            log.warning("The tables of %s are missing: %s", name, error)
        self.ready[name].set()


def _warming_question(game: AnyGame) -> bytes:
    return json.dumps({"ask": "warm", "record": to_record(Match(game)), "with": {}}).encode()


def _rules_of(game: AnyGame) -> str:
    """Returns the rules of a variant as a short key. A game itself takes far more memory."""
    return json.dumps([game.id, game.changes])
