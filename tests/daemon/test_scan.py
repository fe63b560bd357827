from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from gitstate.daemon import scan as module
from gitstate.daemon.scan import Scan, scan
from gitstate.workspace import SCRATCH
from tests.support import wait_for

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    (folder / "archive").mkdir(parents=True)
    (folder / "02-current-task.md").write_text("task")
    (folder / "archive" / "old.md").write_text("old")
    return folder


def look(root: Path) -> Scan:
    return scan(os.fsencode(root))


def test_two_looks_at_the_same_are_equal(root: Path) -> None:
    first, second = look(root), look(root)
    assert (first.digest, first.visible) == (second.digest, second.visible)
    assert list(first.directories.values()) == [
        os.fsencode(root),
        os.fsencode(root / "archive"),
    ]


def replace(root: Path) -> None:
    (root / "new").write_text("task")  # the same bytes and size, another inode
    (root / "new").replace(root / "02-current-task.md")


CHANGES: dict[str, Callable[[Path], object]] = {
    "append": lambda root: (root / "02-current-task.md").write_text("task two"),
    "same size": lambda root: (root / "02-current-task.md").write_text("TASK"),
    "replaced": replace,
    "deleted": lambda root: (root / "02-current-task.md").unlink(),
    "new": lambda root: (root / "03-known-issues.md").touch(),
    "deep": lambda root: (root / "archive" / "old.md").write_text("older"),
    "new folder": lambda root: (root / "resolved").mkdir(),
    "mode": lambda root: (root / "02-current-task.md").chmod(0o755),
    "renamed": lambda root: (root / "archive").rename(root / "completed"),
    "link": lambda root: (root / "link").symlink_to("02-current-task.md"),
    "strange name": lambda root: (root / os.fsdecode(b"a\n\xff'-")).touch(),
    "old time": lambda root: os.utime(root / "02-current-task.md", (1, 1)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_shows(root: Path, name: str) -> None:
    before = look(root)
    CHANGES[name](root)
    after = look(root)
    assert after.digest != before.digest
    assert after.visible != before.visible


def test_a_hard_link_made_elsewhere_is_not_visible(root: Path, tmp_path: Path) -> None:
    before = look(root)
    (tmp_path / "elsewhere").hardlink_to(root / "02-current-task.md")
    after = look(root)
    assert after.digest != before.digest
    assert after.visible == before.visible


def test_the_scratch_folder_and_inner_repositories_are_not_entered(root: Path) -> None:
    (root / "inner" / ".git").mkdir(parents=True)
    (root / "inner" / "file").touch()
    (root / SCRATCH).mkdir()
    before = look(root)
    (root / "inner" / "file").write_text("x")
    (root / SCRATCH / "displaced").touch()
    after = look(root)
    assert after.digest == before.digest
    assert os.fsencode(root / "inner") not in after.directories.values()


def test_links_are_not_followed(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / "link").symlink_to(outside)
    before = look(root)
    (outside / "file").touch()
    assert look(root).digest == before.digest


def test_what_is_no_directory_is_told_apart(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("absent", "file", "link", "directory")]
    paths[1].touch()
    paths[3].mkdir()
    paths[2].symlink_to(paths[3])
    found = [look(path) for path in paths]
    assert len({item.digest for item in found}) == 4
    assert [len(item.directories) for item in found] == [0, 0, 0, 1]


def test_what_is_young_is_not_settled(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not look(root).settled
    monkeypatch.setattr(module, "_YOUNG_NS", -(10**18))
    assert look(root).settled


def test_a_deletion_is_young_too(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_YOUNG_NS", 300_000_000)
    wait_for(lambda: look(root).settled)
    (root / "02-current-task.md").unlink()
    assert not look(root).settled
    wait_for(lambda: look(root).settled)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_folder_is_part_of_the_answer(root: Path) -> None:
    before = look(root)
    (root / "archive").chmod(0)
    try:
        assert look(root).digest != before.digest
    finally:
        (root / "archive").chmod(0o700)
