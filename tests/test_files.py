"""Atomic file replacement keeps the permissions of files."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from digitduels import files

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows has no umask")


def permissions(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o027, 0o077])
def test_a_new_file_has_the_permissions_that_the_umask_leaves(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        files.write(tmp_path / "new", b"content")
    finally:
        os.umask(before)
    assert permissions(tmp_path / "new") == 0o666 & ~umask


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o444])
def test_a_replaced_file_keeps_its_permissions(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "old"
    path.write_bytes(b"old")
    path.chmod(mode)
    with files.writing(path) as file:
        (temporary,) = tmp_path.glob(".old.*")
        assert permissions(temporary) & ~mode == 0  # nobody else can read it meanwhile
        file.write(b"new")
    assert (path.read_bytes(), permissions(path)) == (b"new", mode)


def test_a_link_in_place_of_the_temporary_file_changes_no_permissions_elsewhere(tmp_path: Path) -> None:
    victim, path = tmp_path / "victim", tmp_path / "old"
    victim.touch(0o600)
    path.touch(0o644)
    path.chmod(0o666)
    with files.writing(path, follow_links=False):
        (temporary,) = tmp_path.glob(".old.*")
        temporary.unlink()
        temporary.symlink_to(victim)
    assert permissions(victim) == 0o600


def test_writing_never_changes_the_umask_of_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def umask(_: int) -> int:
        raise AssertionError(f"{threading.current_thread().name} changes the umask of all threads.")

    monkeypatch.setattr(os, "umask", umask)
    files.write(tmp_path / "new", b"content")
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    files.write(tmp_path / "file", b"old")

    def write_half() -> None:
        with files.writing(tmp_path / "file") as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_bytes() == b"old"
