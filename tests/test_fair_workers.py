"""Workers are shared fairly: nobody's variants keep the computer from moving in other people's games."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from starlette.testclient import TestClient

import digitduels as dd
import virtual_time
from digitduels.match import Match
from digitduels.players import player
from digitduels.players.levels import Level
from digitduels.solver.solution_cache import SolutionCache
from digitduels.web.app import App
from digitduels.web.positions.analysis import unsolved_reply
from digitduels.web.refusal import Refusal
from digitduels.web.rooms import acts, opponents
from digitduels.web.rooms.live import LiveRoom, _shared
from digitduels.web.rooms.opponents import FAILED, NOT_NOW, NOT_PERFECT, Opponents
from digitduels.web.rooms.state import Room
from digitduels.web.settings import Settings
from digitduels.web.streams import live
from digitduels.web.streams.fold import NOBODY
from digitduels.web.streams.live import Cache
from digitduels.web.streams.store import Store
from digitduels.web.workers import backoff, supervisor
from digitduels.web.workers.backoff import Backoff
from digitduels.web.workers.supervisor import Supervisor, TooSlow, Urgency, Worker, WorkerDied, WorkerPool
from test_classes import Teacher
from test_rooms import Friends
from variants import solve
from workers import NoProcesses, NoWorkers, OnlyBooks

SLOW = 10.0  # seconds that a stub takes to start or to stop
DEEP = {"highest": 30, "copies": 3}  # in these variants a search reaches its limit


class StubWorker:
    """A worker that answers after the number of seconds in the question, and takes long to stop."""

    async def ask(self, question: bytes) -> bytes:
        await asyncio.sleep(float(question))
        return b'{"answer": null}\n'

    async def read_line(self) -> bytes:
        return b"ready"

    async def stop(self) -> None:
        await asyncio.sleep(SLOW)


@pytest.fixture
def stubs(monkeypatch: pytest.MonkeyPatch) -> list[StubWorker]:
    """Replaces workers by stubs, and returns those that have been started."""
    started: list[StubWorker] = []

    async def start(*_: object) -> StubWorker:
        started.append(StubWorker())
        return started[-1]

    monkeypatch.setattr(Worker, "start", start)
    return started


# The queue


@pytest.mark.parametrize("urgency", Urgency)
def test_askers_take_turns(stubs: list[StubWorker], urgency: Urgency) -> None:
    async def main() -> None:
        pool = WorkerPool(1, 64, 60.0)
        pool.start()
        order: list[str] = []

        async def ask(asker: str) -> None:
            await pool.ask(b"1", urgency, asker=asker)
            order.append(asker)

        async with asyncio.TaskGroup() as asking:
            for asker in "aaaaaabbc":
                asking.create_task(ask(asker))
        assert "".join(order) == "a" + "abcabaaa", "the first one finds an idle worker"

    virtual_time.run(main())


def test_a_question_that_is_given_up_leaves_the_queue(stubs: list[StubWorker]) -> None:
    async def main() -> None:
        pool = WorkerPool(1, 64, 60.0)
        pool.start()
        first = asyncio.create_task(pool.ask(b"20", asker="a"))
        await asyncio.sleep(0)
        second, third = (asyncio.create_task(pool.ask(b"1", asker="b")) for _ in range(2))
        await asyncio.sleep(1)
        second.cancel()
        with pytest.raises(Refusal, match="busy"):
            await third
        assert not any(pool._queued.values())
        await first
        assert (pool.waiting, pool.idle) == (0, True)

    virtual_time.run(main())


def test_a_second_cancellation_loses_no_worker(stubs: list[StubWorker]) -> None:
    async def main() -> None:
        pool = WorkerPool(1, 64, 60.0)
        pool.start()
        task = asyncio.create_task(pool.ask(b"30"))
        await asyncio.sleep(1)
        for _ in range(2):
            task.cancel()
            await asyncio.sleep(0)
        await asyncio.wait([task])
        assert task.cancelled()
        assert await pool.ask(b"1") is None
        assert (pool.waiting, pool.killed, len(stubs)) == (0, 1, 2)

    virtual_time.run(main())


def test_a_spare_worker_takes_over_at_once(stubs: list[StubWorker]) -> None:
    async def main() -> None:
        pool = WorkerPool(1, 64, 5.0, spare=1)
        pool.start()
        busy = [asyncio.create_task(pool.ask(b"1")) for _ in range(2)]
        await asyncio.sleep(1.5)
        assert [task.done() for task in busy] == [True, False], "the spare worker is no second worker"
        with pytest.raises(Refusal, match="longer than this server gives"):
            await pool.ask(b"30")
        now = asyncio.get_running_loop().time()
        await pool.ask(b"1")
        assert asyncio.get_running_loop().time() == now + 1, "before the worker that timed out has stopped"
        await asyncio.sleep(SLOW)
        assert len(pool._idle) == 2

    virtual_time.run(main())


def test_the_worker_that_has_solved_something_comes_before_new_ones(stubs: list[StubWorker]) -> None:
    async def main() -> None:
        pool = WorkerPool(1, 64, 5.0, spare=1)
        pool.start()
        await pool.ask(b"1")
        used = pool._idle[-1]
        pool._add_worker()
        await asyncio.sleep(1)
        assert (len(pool._idle), pool._idle[-1]) == (3, used)

    virtual_time.run(main())


def test_the_priority_of_a_worker_is_lowered_before_it_warms_up(monkeypatch: pytest.MonkeyPatch) -> None:
    read_line, priorities = Worker.read_line, []

    async def note(self: Worker) -> bytes:
        priorities.append(os.getpriority(os.PRIO_PROCESS, self.process.pid))
        return await read_line(self)

    monkeypatch.setattr(Worker, "read_line", note)
    here = os.getpriority(os.PRIO_PROCESS, 0)

    async def main() -> None:
        pool = WorkerPool(1, 9, 60.0, 1 << 25, niceness=here + 1)
        pool.start()
        while not priorities:
            await asyncio.sleep(0.01)
        await pool.stop()

    asyncio.run(main())
    assert priorities[0] == here + 1
    workers = Supervisor(Settings())
    assert 0 == workers.books.niceness < workers.searches.niceness < workers.variants.niceness


# Workers that die


def die_once(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Kills the worker that gets the first question, and returns the levels for which a move was asked."""
    ask, asked = Worker.ask, []

    async def die(self: Worker, question: bytes) -> bytes:
        asked.append(json.loads(question)["with"]["who"])
        if len(asked) > 1:
            return await ask(self, question)
        self.process.send_signal(signal.SIGSTOP)
        asking = asyncio.create_task(ask(self, question))
        await asyncio.sleep(0.05)
        self.process.send_signal(signal.SIGKILL)
        return await asking

    monkeypatch.setattr(Worker, "ask", die)
    return asked


@pytest.mark.slow
@pytest.mark.parametrize("level", [2, 7])
def test_a_move_whose_worker_is_killed_comes_from_another_one_at_the_same_level(
    tmp_path: Path, tables: Path, monkeypatch: pytest.MonkeyPatch, level: int
) -> None:
    asked = die_once(monkeypatch)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tables))
    settings = Settings(rate=0, workers=1, variant_timeout=60.0, database=str(tmp_path / "games.sqlite"))
    with TestClient(App(settings, workers=OnlyBooks(settings))) as client:
        game = Friends(client, join=False, seat=2, computer={"level": level})
        state = game.wait(1)
        killed = client.app.runtime.workers.books.killed  # type: ignore[attr-defined]
    assert (asked, killed) == ([str(level)] * 2, 1)
    assert len(state["status"]) == 2, "the move and whose turn it is, without a note"
    match = Match(dd.game("number-quest"))
    with player(str(level), match.game, solve, seed=game.id) as opponent:
        assert state["last"]["move"] == str(opponent.choose(match))


def test_a_question_whose_workers_all_die_is_refused_as_a_failure_of_the_server(
    stubs: list[StubWorker], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def die(*_: object) -> bytes:
        return b""

    monkeypatch.setattr(StubWorker, "ask", die)

    async def main() -> None:
        pool = WorkerPool(1, 64, 60.0)
        pool.start()
        with pytest.raises(WorkerDied) as refusal:
            await pool.ask(b"1")
        assert (refusal.value.status, refusal.value.headers) == (503, {"Retry-After": "2"})
        assert pool.killed == supervisor.WORKERS_TRIED

    virtual_time.run(main())


def test_a_pool_that_is_stopped_starts_no_workers(stubs: list[StubWorker]) -> None:
    async def main() -> None:
        pool = WorkerPool(1, 64, 60.0)
        pool.start()
        await pool.ask(b"1")
        asking = asyncio.create_task(pool.ask(b"30"))
        await asyncio.sleep(1)
        stopping = asyncio.create_task(pool.stop())
        await asyncio.sleep(1)
        asking.cancel()
        await stopping
        await asyncio.sleep(60)
        assert (pool.killed, len(stubs)) == (1, 1)

    virtual_time.run(main())


class Ending:
    """The process of a worker: it ends a second after it is killed, and has ended if `over`."""

    def __init__(self, over: bool) -> None:
        self.stdout = asyncio.StreamReader()
        if over:
            self.stdout.feed_eof()
        self.kills = 0

    def kill(self) -> None:
        self.kills += 1

    async def wait(self) -> None:
        await asyncio.sleep(1)


@pytest.mark.parametrize("over", [False, True])
def test_a_worker_is_killed_once_and_only_if_it_lives(over: bool) -> None:
    async def main() -> None:
        process = Ending(over)
        worker = Worker(cast("Any", process))
        first = asyncio.create_task(worker.stop())
        await asyncio.sleep(0.5)
        first.cancel()
        await worker.stop()
        assert process.kills == (0 if over else 1)

    virtual_time.run(main())


class Unwilling:
    """Refuses every move at the levels that it is told to, and records what it was asked."""

    def __init__(self, error: Exception, *levels: int) -> None:
        self.error, self.levels = error, levels
        self.asked: list[int] = []

    async def reply(self, match: Match, level: int, seed: str, founder: str) -> str:
        self.asked.append(level)
        if level in self.levels:
            raise self.error
        return str(match.game.legal_moves(match.state)[0])


ERRORS = [
    (Refusal(413, "Too large."), NOT_PERFECT, "Too large."),
    (Refusal(429, "Later."), NOT_NOW, "Later."),
    (Refusal(422, "Unknown position."), NOT_NOW, "Unknown position."),
    (WorkerDied(), None, FAILED),
    (RuntimeError("a bug"), None, FAILED),
]


@pytest.mark.parametrize("level", range(1, 8))
@pytest.mark.parametrize(("error", "instead", "reason"), ERRORS, ids=lambda value: str(value)[:12])
def test_a_substitute_never_plays_at_a_higher_level(
    level: int, error: Exception, instead: str | None, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opponents, "RETRY_SECONDS", 0.0)
    room = room_of("number-quest", {"target": 60}, level)

    async def choose(*levels: int) -> tuple[list[int], str | None]:
        chooser = Unwilling(error, *levels)
        _, note = await Opponents(None, None, chooser, None)._choose(room, "founder")  # type: ignore[arg-type]
        return chooser.asked, note

    asked, note = asyncio.run(choose(*range(1, 8)))
    substitute = 6 if level == 7 and instead is not None else level
    assert asked == [level, substitute, substitute]
    assert note == f"The computer chose this move at random. {reason}"
    if instead is not None:
        asked, note = asyncio.run(choose(7))
        assert (asked, note) == (([7, 6], instead) if level == 7 else ([level], None))


def room_of(game: str, options: dict[str, Any], level: int | None = None, number: int = 0) -> Room:
    """A game that has just begun, with the computer to move at a level."""
    computer = None if level is None else (0, level)
    kept, *_ = acts.begin(Match(dd.game(game, **options)), 1, "Ann", computer, time.time(), f"key {number}")
    return Room(kept)


# Variants


class ScriptedPool(NoProcesses):
    """A pool that answers with a function, and records what it was asked, and by whom."""

    def __init__(self, answer: Callable[[str, dict[str, Any]], Awaitable[Any]]) -> None:
        super().__init__()
        self._answer = answer
        self.asked: list[tuple[str, str]] = []

    async def ask(
        self, question: bytes, urgency: Urgency = Urgency.QUICK, seconds: float | None = None, asker: str = ""
    ) -> Any:
        task = json.loads(question)
        self.asked.append((task["ask"], asker))
        return await self._answer(task["ask"], task["with"])


class Scripted(Supervisor):
    """A busy worker for variants, which solves one when the test allows it, or fails, and a worker that searches."""

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__(Settings())
        self.error, self.done = error, asyncio.Event()
        self.solved = False
        self.variants, self.searches = ScriptedPool(self._variants), ScriptedPool(self._searches)

    async def _variants(self, name: str, arguments: dict[str, Any]) -> Any:
        if name == "unsolved_reply":
            return ["solution" if self.solved else None, self.solved]
        assert name == "warm"
        await self.done.wait()
        if self.error is not None:
            raise self.error
        self.solved = True
        return None

    async def _searches(self, name: str, arguments: dict[str, Any]) -> Any:
        assert name == "unsolved_reply"
        return ["search", False]


def variant(target: int) -> Match:
    return Match(dd.game("number-quest", target=target))


def test_levels_play_at_once_while_a_variant_is_being_solved_and_perfect_play_waits() -> None:
    async def main() -> None:
        workers = Scripted()
        assert await workers.reply(variant(60), 6, "seed", "a") == "search"
        assert await workers.reply(variant(60), 6, "seed", "b") == "search"
        perfect = [asyncio.create_task(workers.reply(variant(60), 7, "seed", founder)) for founder in "bcd"]
        await virtual_time.until(lambda: len(workers.variants.asked) >= 4)  # type: ignore[attr-defined]
        await asyncio.sleep(0)
        assert not any(task.done() for task in perfect)
        workers.done.set()
        assert await asyncio.gather(*perfect) == ["solution"] * 3
        asked = workers.variants.asked  # type: ignore[attr-defined]
        assert [founder for name, founder in asked if name == "warm"] == ["a"], "solved once, for all of them"

    virtual_time.run(main())


def test_one_variant_at_a_time_is_solved_for_a_founder() -> None:
    async def main() -> None:
        workers = Scripted()
        for target in range(60, 70):
            assert await workers.reply(variant(target), 6, "seed", "a") == "search"
        with pytest.raises(Refusal) as refusal:
            await workers.reply(variant(70), 7, "seed", "a")
        assert refusal.value.status == 429
        assert await workers.reply(variant(71), 6, "seed", "b") == "search"
        await asyncio.sleep(0)
        asked = workers.variants.asked  # type: ignore[attr-defined]
        assert [founder for name, founder in asked if name == "warm"] == ["a", "b"]
        workers.done.set()

    virtual_time.run(main())


@pytest.mark.parametrize("error", [Refusal(413, "Too large."), WorkerDied()], ids=str)
def test_after_a_failure_a_founders_variants_are_not_solved_for_a_while(error: Refusal) -> None:
    async def main() -> None:
        workers = Scripted(error)
        workers.done.set()
        for target, founder in ((60, "a"), (61, "a"), (62, "b")):
            assert await workers.reply(variant(target), 6, "seed", founder) == "search"
            await virtual_time.until(lambda: not workers._solving)
        asked: list[tuple[str, str]] = workers.variants.asked  # type: ignore[attr-defined]
        assert asked == [("warm", "a"), ("warm", "b")]
        with pytest.raises(Refusal) as refusal:
            await workers.reply(variant(61), 7, "seed", "a")
        assert refusal.value.status == 429, "not now"
        with pytest.raises(Refusal) as refusal:
            await workers.reply(variant(60), 7, "seed", "c")
        assert refusal.value.status == (413 if error.status == 413 else 429)
        await asyncio.sleep(backoff.FIRST_PAUSE)
        assert await workers.reply(variant(63), 6, "seed", "a") == "search"
        await virtual_time.until(lambda: not workers._solving)
        assert asked[-1] == ("warm", "a")

    virtual_time.run(main())


def test_a_variant_that_took_too_long_is_tried_again_and_one_that_is_too_large_is_not() -> None:
    async def main(error: Refusal) -> list[str]:
        workers = Scripted(error)
        workers.done.set()
        for founder in "ab":  # each after the pauses of the other
            assert await workers.reply(variant(60), 6, "seed", founder) == "search"
            await virtual_time.until(lambda: not workers._solving)
            with pytest.raises(Refusal) as refusal:
                await workers.reply(variant(60), 7, "seed", "c")
            assert refusal.value.status == 413
            await asyncio.sleep(backoff.LONGEST_PAUSE)
        return [founder for name, founder in workers.variants.asked if name == "warm"]  # type: ignore[attr-defined]

    assert virtual_time.run(main(TooSlow())) == ["a", "b"]
    assert virtual_time.run(main(Refusal(413, "Too large."))) == ["a"]


def test_pauses_double_up_to_a_limit_and_are_forgotten() -> None:
    pauses, now = Backoff(), 0.0
    lengths = []
    for _ in range(12):
        pauses.fail("a", now)
        length = next(seconds for seconds in range(1, 1000) if not pauses.pauses("a", now + seconds))
        lengths.append(length)
        now += length
    assert lengths == [2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600, 600]
    assert not pauses.pauses("b", 0.0)
    now += backoff.LONGEST_PAUSE + 1
    pauses.fail("a", now)
    assert pauses.pauses("a", now + 1)
    assert not pauses.pauses("a", now + 3)


def test_the_founders_who_pause_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backoff, "MOST_PAUSED", 10)
    pauses = Backoff()
    for number in range(30):
        pauses.fail(str(number), 0.0)
    assert [pauses.pauses(str(number), 1.0) for number in (0, 19, 20, 29)] == [False, False, True, True]


def test_a_search_says_whether_a_solution_would_help_and_uses_the_one_in_memory() -> None:
    solved: list[dd.Game[Any, Any, Any]] = []

    def note(game: dd.Game[Any, Any, Any]) -> Any:
        solved.append(game)
        return solve(game)

    solutions = SolutionCache(2, note)
    deep, shallow = Match(dd.game("number-quest", target=100, **DEEP)), Match(dd.game("operation-target", target=20))
    assert unsolved_reply(deep, solutions, "2", "seed")[1], "level 2 sees only one move"
    move, final = unsolved_reply(deep, solutions, "6", "seed 3")
    assert not final
    assert move is not None
    assert unsolved_reply(deep, solutions, "7", "seed") == (None, False)
    assert unsolved_reply(shallow, solutions, "6", "seed")[1]
    assert not solved
    small = Match(dd.game("number-quest", target=30, highest=5))
    solutions(small.game)
    with player("7", small.game, solve, seed="seed") as opponent:
        assert unsolved_reply(small, solutions, "7", "seed") == (str(opponent.choose(small)), True)


def test_levels_use_the_solution_in_memory_when_their_search_reaches_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("digitduels.web.positions.analysis.VARIANT_POSITIONS", 10)
    match = Match(dd.game("number-quest", target=31, highest=5))
    solutions = SolutionCache(2, solve)
    without = [unsolved_reply(match, solutions, "6", str(seed)) for seed in range(20)]
    assert not any(final for _, final in without)
    solution = solutions(match.game)
    expected = [(str(Level(6, solution, str(seed)).choose(match)), True) for seed in range(20)]
    assert [unsolved_reply(match, solutions, "6", str(seed)) for seed in range(20)] == expected
    assert [move for move, _ in without] != [move for move, _ in expected]


# Real workers


class OnlyVariants(NoWorkers):
    """Real workers for variants."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        real = Supervisor(settings)
        self.variants, self.searches = real.variants, real.searches


@asynccontextmanager
async def variant_workers() -> AsyncIterator[Supervisor]:
    async with OnlyVariants(Settings(variant_timeout=120.0)) as workers:
        while not (workers.variants.idle and workers.searches.idle):
            await asyncio.sleep(0.05)
        yield workers


@pytest.mark.slow
def test_the_computer_moves_for_others_while_one_founder_has_games_with_ever_new_rules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(supervisor, "WAIT_SECONDS", 300.0)

    async def main() -> None:
        async with variant_workers() as workers:
            attack = [
                asyncio.create_task(workers.reply(variant_of(target), 6, "seed", "attacker"))
                for target in range(100, 200)
            ]
            await asyncio.sleep(0)
            match = Match(dd.game("number-quest", target=45, highest=8))
            moves = 0
            while match.outcome is None:
                reply = await workers.reply(match, 5, "seed", "victim")
                match.play(match.game.read(reply, match.state))
                moves += 1
                if match.outcome is None:
                    match.play(match.game.legal_moves(match.state)[0])
            answered = sum(task.done() for task in attack)
            assert moves >= 3
            assert answered <= len(attack) // 2, "each move of the victim waits for a few of the attacker's"
            for task in attack:
                task.cancel()
            await asyncio.gather(*attack, return_exceptions=True)

    asyncio.run(main())


def variant_of(target: int) -> Match:
    """A variant in which a move takes long to find."""
    return Match(dd.game("number-quest", target=target, **DEEP))


@pytest.mark.slow
def test_perfect_play_is_found_for_others_while_one_founder_has_games_with_ever_new_rules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(supervisor, "WAIT_SECONDS", 300.0)

    async def main() -> None:
        async with variant_workers() as workers:
            attack = [
                asyncio.create_task(workers.reply(variant(target), 7, "seed", "attacker")) for target in range(60, 90)
            ]
            match = Match(dd.game("number-quest", target=45, highest=8))
            move = await workers.reply(match, 7, "seed", "victim")
            with player("7", match.game, solve, seed="seed") as opponent:
                assert move == str(opponent.choose(match))
            results = await asyncio.gather(*attack, return_exceptions=True)
            refused = [result for result in results if isinstance(result, Refusal)]
            assert [refusal.status for refusal in refused] == [429] * (len(attack) - 1)

    asyncio.run(main())


# Founders


class Noting(NoWorkers):
    """Notes for whom moves are chosen."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.founders: list[str] = []

    async def reply(self, match: Match, level: int, seed: str, founder: str) -> str:
        self.founders.append(founder)
        return str(match.game.legal_moves(match.state)[0])


def test_the_founder_of_a_game_is_the_address_that_started_it_or_its_classes(tmp_path: Path) -> None:
    settings = Settings(rate=0, database=str(tmp_path / "games.sqlite"))
    workers = Noting(settings)
    with TestClient(App(settings, workers=workers), client=("192.0.2.7", 1)) as client:
        game = Friends(client, join=False, seat=2, computer={"level": 2})
        game.wait(1)
        game.act(2, "concede")
        assert game.act(2, "rematch").status_code == 201
        game.id, game.tokens = game.state["rematch"], {1: game.tokens[2]}
        game.play("+1")
        game.wait(2)
        assert set(workers.founders) == {"192.0.2.7"}
        workers.founders.clear()
        for _ in range(2):
            teacher = Teacher(client, mode="computer", level=4)
            pupil = teacher.join("Ann")["token"]
            teacher.act("pair")
            teacher.wait_for_a_person(teacher.look(pupil)["game"]["id"])
            teacher.move(pupil)
            teacher.wait_for_a_person(teacher.look(pupil)["game"]["id"])
        assert set(workers.founders) == {"classes at 192.0.2.7"}
    with TestClient(App(settings, workers=(later := Noting(settings)))) as client:
        game.client = client
        game.play("+2")
        game.wait(4)
        assert set(later.founders) == {""}, "only the server that started a game knows its founder"


def test_the_founders_in_memory_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opponents, "MOST_FOUNDERS", 10)
    founders = opponents.Founders()
    rooms = [room_of("number-quest", {}, 2, number) for number in range(11)]
    for number, room in enumerate(rooms):
        founders.remember(room.id, f"address {number}")
    assert [founders.of(rooms[number]) for number in (0, 1, 10)] == ["", "address 1", "address 10"]


def test_the_computer_thinks_in_others_games_however_many_one_founder_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opponents, "MOST_OF_FOUNDER", 3)
    asked: list[str] = []

    class Thinking:
        async def reply(self, match: Match, level: int, seed: str, founder: str) -> str:
            asked.append(founder)
            await asyncio.Event().wait()
            return ""

    async def main() -> None:
        computers = Opponents(None, None, Thinking(), None)  # type: ignore[arg-type]
        for number in range(10):
            room = room_of("number-quest", {}, 2, number)
            computers.founders.remember(room.id, "b" if number == 9 else "a")
            computers.wake(room)
        await asyncio.sleep(0)
        assert asked == ["a", "a", "a", "b"]
        await computers.stop()
        await asyncio.sleep(0)
        assert not computers._thinking
        assert not computers._thinking_for

    asyncio.run(main())


# Memory


def cache_of_rooms() -> Cache[LiveRoom]:
    return Cache(cast(Store, None), "game", "", lambda stream: LiveRoom(Room(stream)))


def test_rooms_with_new_rules_stay_within_the_memory_limit() -> None:
    async def main() -> None:
        rooms = cache_of_rooms()
        for number in range(2000):
            room = rooms.add(LiveRoom(room_of("number-quest", {"target": 1000 + number}, None, number)))
            room.state(NOBODY)
            assert rooms.weight <= live.MOST_STREAM_BYTES
        assert 500 < len(rooms) < 2000
        assert rooms.known(room.value.id) is room
        assert rooms.weight == sum(other.weight for other in rooms._streams.values())
        gc.collect()
        assert len(_shared) <= len(rooms) + 100, "of games in rooms, and of a few that were used last"
        rooms.close()

    asyncio.run(main())


def test_a_room_weighs_what_its_moves_and_its_words_take(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = {"target": 10**6, "highest": 99, "copies": 3}
    large, small = LiveRoom(room_of("number-quest", rules)), LiveRoom(room_of("number-quest", {"target": 60}))
    book = LiveRoom(room_of("number-quest", {}))
    assert large.weight > 5 * small.weight > 10 * book.weight
    match = Match(dd.game("number-quest", **rules))
    for number in range(1, 99):
        match.play(match.game.read(f"+{number}"))
    kept, *_ = acts.begin(match, 0, "Ann", None, time.time(), "key of a long game")
    long = LiveRoom(Room(kept))
    assert long.weight > large.weight + 98 * 1000
    before = long.weight
    text = long.history(0)
    assert long.weight > before + len(text) // 2
    before = long.weight
    long.history(0)
    assert long.weight == before, "nothing is cached twice"


def test_reading_long_games_stays_within_the_memory_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOST_STREAM_BYTES", 1 << 19)

    async def main() -> None:
        rooms = cache_of_rooms()
        for number in range(10):
            match = Match(dd.game("operation-target", target=10**100 + number))
            for _ in range(100):
                match.play(match.game.legal_moves(match.state)[0])
            kept, *_ = acts.begin(match, 0, "Ann", None, time.time(), f"key {number}")
            rooms.add(LiveRoom(Room(kept)))
        ids = list(rooms._streams)
        for id in ids:
            room = rooms.known(id)
            if room is not None:
                room.history(0)
            assert rooms.weight <= 1 << 19
        assert 0 < len(rooms) < len(ids)
        rooms.close()

    asyncio.run(main())
