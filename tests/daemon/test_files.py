from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from gitstate.daemon import files
from gitstate.daemon.files import NotPlainError, make_home, read_plain, same_file, stamp

if TYPE_CHECKING:
    from pathlib import Path


def test_the_home_is_for_the_user_alone(tmp_path: Path) -> None:
    home = tmp_path / "a" / "gitstate"
    make_home(home)
    make_home(home)
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


def test_only_plain_files_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = tmp_path / "plain"
    plain.write_bytes(b"text")
    assert read_plain(plain) == b"text"
    os.mkfifo(tmp_path / "fifo")  # would block for ever
    (tmp_path / "link").symlink_to(plain)
    for name, why in (("fifo", "not a regular"), ("link", "link"), (".", "regular")):
        with pytest.raises(NotPlainError, match=why):
            read_plain(tmp_path / name)
    monkeypatch.setattr(files, "LARGEST", 3)
    with pytest.raises(NotPlainError, match="too large"):
        read_plain(plain)
    with pytest.raises(FileNotFoundError):
        read_plain(tmp_path / "absent")


def test_a_replaced_file_is_another_one(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        assert same_file(fd, path)
        before = stamp(path)
        (tmp_path / "new").touch()
        (tmp_path / "new").replace(path)
        assert not same_file(fd, path)
        assert stamp(path) != before
        path.unlink()
        assert not same_file(fd, path)
        assert stamp(path) is None
        assert stamp("a\0b") is None
    finally:
        os.close(fd)
