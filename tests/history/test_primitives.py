"""The renames that lose nothing, on the real file system, and what stands in for them."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from gitstate.history import primitives
from gitstate.history.primitives import (
    At,
    UnsupportedError,
    Way,
    exchange,
    give_back,
    place,
)
from tests.history.contents import texts_of, tree_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ways = pytest.mark.parametrize("way", list(Way))


@contextmanager
def places(folder: Path) -> Iterator[tuple[At, At]]:
    """``one/name`` and ``two/name`` below ``folder``."""
    (folder / "one").mkdir()
    (folder / "two").mkdir()
    one = os.open(folder / "one", os.O_RDONLY)
    two = os.open(folder / "two", os.O_RDONLY)
    yield At(one, b"name"), At(two, b"name")
    os.close(one)
    os.close(two)


def test_exchange_swaps_two_names(tmp_path: Path) -> None:
    with places(tmp_path) as (one, two):
        (tmp_path / "one/name").write_text("1")
        (tmp_path / "two/name").write_text("2")
        exchange(one, two)
        assert texts_of(tmp_path) == {"one/name": "2", "two/name": "1"}
        (tmp_path / "two/name").unlink()
        with pytest.raises(FileNotFoundError):
            exchange(one, two)
        assert texts_of(tmp_path) == {"one/name": "2"}


@ways
def test_place_takes_a_free_name_only(tmp_path: Path, way: Way) -> None:
    with places(tmp_path) as (one, two):
        (tmp_path / "one/name").write_text("1")
        place(one, two, way)
        assert texts_of(tmp_path) == {"two/name": "1"}
        (tmp_path / "one/name").write_text("later")
        with pytest.raises(FileExistsError):
            place(one, two, way)
        assert texts_of(tmp_path) == {"one/name": "later", "two/name": "1"}


@ways
def test_place_moves_a_link_as_a_link(tmp_path: Path, way: Way) -> None:
    with places(tmp_path) as (one, two):
        (tmp_path / "one/name").symlink_to("/nowhere")
        place(one, two, way)
        assert tree_of(tmp_path) == {b"two/name": (0o120000, b"/nowhere")}
        (tmp_path / "one/name").write_text("1")
        with pytest.raises(FileExistsError):
            place(one, two, way)


@ways
def test_folders_are_given_back_over_nothing_of_value(tmp_path: Path, way: Way) -> None:
    with places(tmp_path) as (one, two):
        (tmp_path / "one/name").mkdir()
        (tmp_path / "one/name/file").write_text("1")
        (tmp_path / "two/name").write_text("2")
        with pytest.raises(OSError, match=r"exists|Not a directory"):
            give_back(one, two, way)
        (tmp_path / "two/name").unlink()
        give_back(one, two, way)
        assert texts_of(tmp_path) == {"two/name/file": "1"}


def test_where_the_system_has_no_such_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(primitives, "_library_call", lambda _: None)
    with places(tmp_path) as (one, two):
        (tmp_path / "one/name").write_text("1")
        with pytest.raises(UnsupportedError):
            exchange(one, two)
        place(one, two, Way.EXCHANGE)
        assert texts_of(tmp_path) == {"two/name": "1"}
    with (tmp_path / "two/name").open("rb") as file:
        primitives.write_out(file.fileno())
        primitives.flush(file.fileno())


def without_links(monkeypatch: pytest.MonkeyPatch) -> None:
    def link(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "no hard links here")

    monkeypatch.setattr(os, "link", link)


def test_where_there_are_no_hard_links_it_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_links(monkeypatch)
    with places(tmp_path) as (one, two):
        source, target = tmp_path / "one/name", tmp_path / "two/name"
        source.write_text("1")
        source.chmod(0o755)
        place(one, two, Way.ASIDE)
        assert texts_of(tmp_path) == {"one/name": "1", "two/name": "1"}
        assert target.stat().st_mode & 0o777 == 0o755
        with pytest.raises(FileExistsError):
            place(one, two, Way.ASIDE)
        source.unlink()
        target.unlink()
        source.symlink_to("there")
        place(one, two, Way.ASIDE)
        assert os.fspath(target.readlink()) == "there"


def test_a_copy_that_fails_leaves_no_part_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_links(monkeypatch)

    def write(_fd: int, _data: bytes) -> int:
        raise OSError(errno.ENOSPC, "full")

    with places(tmp_path) as (one, two):
        (tmp_path / "one/name").write_text("1")
        monkeypatch.setattr(os, "write", write)
        with pytest.raises(OSError, match="full"):
            place(one, two, Way.ASIDE)
        assert texts_of(tmp_path) == {"one/name": "1"}
