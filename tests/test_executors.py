"""Work in processes: what happens to it when a worker, or the process that started the workers, dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import DUELS, PATIENCE
from digitduels.executors import parallel
from processes import processes_of

pytestmark = pytest.mark.slow


def square(number: int) -> int:
    return number * number


def process_id() -> int:
    return os.getpid()


def square_or_die(number: int, flag: str) -> int:
    """Kills its process when it is called with 3 for the first time."""
    if number == 3 and not Path(flag).exists():
        Path(flag).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def fail(number: int) -> int:
    raise LookupError(number)


@pytest.mark.parametrize("workers", [1, 2])
def test_every_call_gives_its_result(workers: int) -> None:
    with parallel(workers) as run:
        assert dict(run(square, [(number,) for number in range(20)])) == {number: number**2 for number in range(20)}
        assert list(run(square, [])) == []


def test_all_runs_share_the_workers() -> None:
    with parallel(2) as run:
        workers = [{worker for _, worker in run(process_id, [()] * 20)} for _ in range(3)]
    assert len(set[int]().union(*workers)) <= 2


def test_the_work_of_a_worker_that_dies_is_repeated(tmp_path: Path) -> None:
    with parallel(2) as run:
        results = dict(run(square_or_die, [(number, str(tmp_path / "died")) for number in range(20)]))
    assert results == {number: number**2 for number in range(20)}
    assert (tmp_path / "died").exists()


@pytest.mark.parametrize("workers", [1, 2])
def test_an_exception_reaches_the_caller(workers: int) -> None:
    with parallel(workers) as run, pytest.raises(LookupError):
        list(run(fail, [(1,), (2,)]))


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import os, pathlib, time\n"
        "from digitduels.executors import parallel\n"
        "def wait(number):\n"
        "    pathlib.Path('workers', str(os.getpid())).touch()\n"
        "    time.sleep(1000)\n"
        "if __name__ == '__main__':\n"
        "    with parallel(2) as run:\n"
        "        list(run(wait, [(1,), (2,)]))\n"
    )
    workers = tmp_path / "workers"
    workers.mkdir()
    parent = subprocess.Popen([sys.executable, str(script)], cwd=tmp_path, start_new_session=True)
    try:
        wait_until(lambda: len(os.listdir(workers)) == 2)
    finally:
        parent.kill()
        parent.wait(PATIENCE)
    wait_until(lambda: not processes_of(parent.pid))


def test_a_terminated_command_unwinds_and_its_workers_end(home: Path) -> None:
    words = ["lab", "sweep", "number-duel", "--set", "target=20..900", "--out", "sweep.parquet"]
    parent = subprocess.Popen([*DUELS, *words], cwd=home, stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        wait_until(lambda: len(processes_of(parent.pid)) > 1)
        parent.terminate()
        assert parent.wait(PATIENCE) == 128 + signal.SIGTERM
    finally:
        parent.kill()
        parent.wait(PATIENCE)
    wait_until(lambda: not processes_of(parent.pid))


def wait_until(happened: object) -> None:
    assert callable(happened)
    end = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)
