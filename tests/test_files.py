"""Small files of our own: whole or not at all."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from gitstate.errors import CannotWrite
from gitstate.files import flush, read_json, replace_file, write_json

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "x"
    replace_file(path, b"one")
    before = path.stat().st_ino
    replace_file(path, b"two" * 100_000, durable=True)

    assert path.read_bytes() == b"two" * 100_000
    assert path.stat().st_ino != before
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]
    flush(path)
    flush(tmp_path)


@pytest.mark.parametrize("mode", [0o600, 0o660, 0o664, 0o644])
def test_the_groups_mode_beats_the_umask(tmp_path: Path, mode: int) -> None:
    before = os.umask(0o077)
    try:
        replace_file(tmp_path / "x", b"", mode=mode)
    finally:
        os.umask(before)

    assert (tmp_path / "x").stat().st_mode & 0o777 == mode


@pytest.mark.parametrize("failing", ["write", "fsync"])
def test_when_writing_fails_the_old_file_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    path = tmp_path / "x"
    replace_file(path, b"old")

    def fail(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, failing, fail)
    with pytest.raises(CannotWrite, match="cannot write x: the disk is full"):
        replace_file(path, b"new", durable=True)
    monkeypatch.undo()

    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("untouched")
    (tmp_path / "x").symlink_to(tmp_path / "outside")

    replace_file(tmp_path / "x", b"new")

    assert not (tmp_path / "x").is_symlink()
    assert (tmp_path / "outside").read_text() == "untouched"


def test_no_folder_and_a_folder_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    for path in (tmp_path / "none" / "x", tmp_path / "x"):
        with pytest.raises(CannotWrite):
            replace_file(path, b"")
    assert list(tmp_path.iterdir()) == [tmp_path / "x"]


def test_json_comes_back(tmp_path: Path) -> None:
    value = {"b": [1, None, "é\udcff\n"], "a": {"x": 1.5}}
    write_json(tmp_path / "x", value)

    assert read_json(tmp_path / "x") == value
    assert (tmp_path / "x").read_bytes().isascii()
    assert (tmp_path / "x").read_text().startswith('{\n "a"')


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"3", b"{", b"\xff", b"[" * 100_000, b"\0" * 20]
)
def test_what_is_no_json_object_is_none(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x").write_bytes(data)

    assert read_json(tmp_path / "x") is None
    assert read_json(tmp_path / "none") is None
    assert read_json(tmp_path) is None
