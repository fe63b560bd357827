from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from gitstate.git.objects import object_id
from gitstate.history import spool
from gitstate.history.spool import Rewrite
from tests.engines import begun

if TYPE_CHECKING:
    from pathlib import Path

    from gitstate.workspace import Workspace
    from tests.support import Repo

A, B, C = "a" * 40, "b" * 40, "c" * 64


@pytest.fixture
def ws(repo: Repo) -> Workspace:
    made = begun(repo)
    spool.folder(made).mkdir(exist_ok=True)
    return made


def leave(ws: Workspace, name: str, data: bytes, *, ago: float = 60) -> Path:
    """A file of a hook's, so many seconds old."""
    path = spool.folder(ws) / name
    path.write_bytes(data)
    aged(path, ago)
    return path


def aged(path: Path, ago: float) -> None:
    when = time.time() - ago
    os.utime(path, (when, when))


def rows(ws: Workspace) -> list[tuple[str, str, str, bytes | None]]:
    return [
        (item.commit, item.check, item.reason, item.data) for item in spool.waiting(ws)
    ]


def test_commits_wait_in_their_order(ws: Workspace) -> None:
    leave(ws, A, b"task")
    leave(ws, f"{A}.v", b"stale unchanged since x\n", ago=10)
    leave(ws, f"{B}.v", b"updated\n", ago=20)
    leave(ws, C, b"")
    leave(ws, f"{C}.v", b"unseen during revert\n", ago=30)
    assert rows(ws) == [
        (C, "", "during revert", b""),
        (B, "updated", "", None),
        (A, "stale", "unchanged since x", b"task"),
    ]
    tasks = [item.task for item in spool.waiting(ws)]
    assert tasks == [
        object_id("blob", b"", ws.object_format),
        "-",
        object_id("blob", b"task", ws.object_format),
    ]


def test_without_a_verdict_nothing_counts(ws: Workspace) -> None:
    leave(ws, A, b"task")
    assert rows(ws) == []
    assert not spool.anything(ws)


@pytest.mark.parametrize("text", [b"", b"upd", b"updated"])
def test_what_is_being_written_waits_a_moment(ws: Workspace, text: bytes) -> None:
    path = leave(ws, f"{A}.v", text, ago=0)
    assert rows(ws) == []
    assert spool.anything(ws)
    aged(path, 60)
    check = "updated" if text == b"updated" else ""
    assert [row[1] for row in rows(ws)] == [check]


@pytest.mark.parametrize(
    "name",
    ["x.v", f"{A[:39]}.v", f"{'g' * 40}.v", f"{A.upper()}.v", ".v", f"{A}.v.tmp", "-n"],
)
def test_files_of_nobody(ws: Workspace, name: str) -> None:
    leave(ws, name, b"updated\n")
    assert rows(ws) == []
    assert spool.rewrites(ws) == []
    assert not spool.anything(ws)


def test_a_verdict_of_any_bytes(ws: Workspace) -> None:
    leave(ws, f"{A}.v", b"\xff\0\n")
    leave(ws, f"{B}.v", b"stale \xff\n")
    found = {commit: (check, reason) for commit, check, reason, _ in rows(ws)}
    assert found == {A: ("", ""), B: ("stale", "\ufffd")}


def test_a_folder_in_the_place_of_an_entry(ws: Workspace) -> None:
    (spool.folder(ws) / f"{A}.v").mkdir()
    (spool.folder(ws) / "rewrite.1").mkdir()
    assert rows(ws) == []
    assert spool.rewrites(ws) == []


def test_what_post_rewrite_told(ws: Workspace) -> None:
    rebase = leave(ws, "rewrite.2", f"rebase\n{A} {B}\n{B} {A} more\n".encode())
    amend = leave(ws, "rewrite.10", f"amend\n{A} {A}\n{A} {B}".encode(), ago=120)
    odd = leave(ws, "rewrite.3", b"\xff\n\nno ids here\n-x --y\n", ago=1)
    empty = leave(ws, "rewrite.4", b"", ago=0.5)
    assert spool.rewrites(ws) == [
        Rewrite(amend, "amend", ((A, B),)),
        Rewrite(rebase, "rebase", ((A, B), (B, A))),
        Rewrite(odd, "\ufffd", ()),
        Rewrite(empty, "", ()),
    ]
    assert spool.anything(ws)


def test_a_wish_to_look(ws: Workspace) -> None:
    assert not spool.asked_to_look(ws)
    leave(ws, "look", b"")
    assert spool.asked_to_look(ws)
    assert spool.anything(ws)


def test_what_was_worked_off_is_forgotten(ws: Workspace) -> None:
    for name in (A, f"{A}.v", f"{B}.v", "look", "rewrite.1"):
        leave(ws, name, b"")
    spool.done(ws, [A], spool.rewrites(ws), looked=False)
    assert spool.names(ws) == [f"{B}.v", "look"]
    spool.done(ws, [A, B], [], looked=True)
    assert spool.names(ws) == []


def test_bytes_without_a_verdict_are_swept_when_they_are_old(ws: Workspace) -> None:
    leave(ws, A, b"task", ago=7200)
    leave(ws, B, b"task", ago=7200)
    leave(ws, f"{B}.v", b"updated\n", ago=7200)
    leave(ws, C, b"task", ago=60)
    leave(ws, "look", b"", ago=7200)
    spool.sweep(ws, older_s=3600)
    assert spool.names(ws) == [B, f"{B}.v", C, "look"]


def test_without_a_spool_there_is_nothing(ws: Workspace) -> None:
    spool.folder(ws).rmdir()
    assert (rows(ws), spool.rewrites(ws), spool.names(ws)) == ([], [], [])
    assert not spool.anything(ws)
    spool.sweep(ws, older_s=0)
