"""A version comes back whole, the present is kept, and nobody loses a byte."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from gitstate.errors import GitstateError, Refused, UnknownVersion, UsageError
from gitstate.history.message import FileChange
from gitstate.history.plan import state_path
from gitstate.history.restore import restore
from tests.engines import (
    begun,
    edit,
    files_of,
    files_on_disk,
    numbers,
    snap,
    versions,
)
from tests.support import NUMBERED, Repo, make_repo, wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from gitstate.workspace import Workspace

TASK = "02-current-task.md"


def grown(repo: Repo) -> tuple[Workspace, list[str]]:
    """v1: six files; v2: another task; v3: a folder and a link, two files less."""
    ws = begun(repo)
    edit(ws, "two\n")
    (ws.state_dir / "sub" / "deep").mkdir(parents=True)
    (ws.state_dir / "sub" / "deep" / "x.md").write_text("x\n")
    (ws.state_dir / "link").symlink_to("sub/deep/x.md")
    (ws.state_dir / "run.sh").write_text("#!/bin/sh\n")
    (ws.state_dir / "run.sh").chmod(0o755)
    (ws.state_dir / "04-decision-log.md").unlink()
    (ws.state_dir / "05-file-map.md").unlink()
    (ws.state_dir / TASK).write_text("three\n")
    snap(ws, deletions=True)
    return ws, [version.commit.id for version in reversed(versions(ws))]


def test_the_directory_becomes_the_version_and_back(repo: Repo) -> None:
    ws, commits = grown(repo)
    three = files_on_disk(ws)

    done = restore(ws, "v1")

    assert (done.source, done.version, done.saved) == (1, 4, None)
    assert done.left == ()
    assert done.changed == (
        FileChange(b"02-current-task.md", "changed", ("02-current-task.md",)),
        FileChange(b"04-decision-log.md", "added"),
        FileChange(b"05-file-map.md", "added"),
        FileChange(b"link", "removed"),
        FileChange(b"run.sh", "removed"),
        FileChange(b"sub/deep/x.md", "removed"),
    )
    assert files_on_disk(ws) == files_of(ws, commits[0])
    newest = versions(ws)[0]
    assert newest.record.restored_from == 1
    assert newest.commit.message.startswith("state v4: restored v1\n")
    assert "\nRestored-From: 1\n" in newest.commit.message
    assert newest.commit.tree == versions(ws)[-1].commit.tree
    # empty directories are left alone
    assert (ws.state_dir / "sub" / "deep").is_dir()

    # a restore is undone by another
    assert restore(ws, "v3").version == 5
    assert files_on_disk(ws) == three
    assert (ws.state_dir / "link").is_symlink()
    assert os.access(ws.state_dir / "run.sh", os.X_OK)
    assert not snap(ws).changed
    assert not (ws.state_dir / ".gitstate-tmp").exists()
    repo.git("fsck", "--full", "--strict", "--no-dangling")
    assert repo.git("status", "--porcelain", "-uall") == ""


@pytest.mark.report(18)
def test_the_present_is_saved_first(repo: Repo) -> None:
    ws, commits = grown(repo)
    (ws.state_dir / TASK).write_text("not yet in a version\n")
    (ws.state_dir / "new.md").write_text("new\n")

    done = restore(ws, "v2")

    assert (done.saved, done.version) == (4, 5)
    assert files_on_disk(ws) == files_of(ws, commits[1])
    saved = versions(ws)[1].commit.id
    assert files_of(ws, saved)[TASK] == b"not yet in a version\n"
    assert files_of(ws, saved)["new.md"] == b"new\n"


def test_what_is_as_wanted_makes_no_version(repo: Repo) -> None:
    ws, _ = grown(repo)

    done = restore(ws, "HEAD")

    assert (done.source, done.version, done.saved, done.changed) == (3, None, None, ())
    assert numbers(ws) == [3, 2, 1]


def test_single_files_and_folders(repo: Repo) -> None:
    ws, commits = grown(repo)

    done = restore(ws, "v1", [TASK, "04-decision-log.md"])
    assert [change.path for change in done.changed] == [
        TASK.encode(),
        b"04-decision-log.md",
    ]
    found = files_on_disk(ws)
    assert found[TASK] == b"# 02-current-task.md\n\none\n"
    assert "05-file-map.md" not in found
    assert found["sub/deep/x.md"] == b"x\n"
    assert versions(ws)[0].record.restored_from == 1

    shutil.rmtree(ws.state_dir / "sub")
    snap(ws)
    restore(ws, commits[2], ["sub"])
    assert files_on_disk(ws)["sub/deep/x.md"] == b"x\n"

    restore(ws, "v1", [".agent-state/sub/deep/x.md"])  # not in v1: it goes
    assert "sub/deep/x.md" not in files_on_disk(ws)


def test_a_file_that_is_nowhere(repo: Repo) -> None:
    ws, _ = grown(repo)
    before = files_on_disk(ws)

    with pytest.raises(UnknownVersion) as caught:
        restore(ws, "v1", [TASK, "nothing.md"])

    assert str(caught.value) == "nothing.md is neither in v1 nor on disk"
    assert files_on_disk(ws) == before


def test_a_version_that_is_none_changes_nothing(repo: Repo) -> None:
    ws, _ = grown(repo)
    (ws.state_dir / TASK).write_text("not yet in a version\n")

    with pytest.raises(UnknownVersion):
        restore(ws, "v9")

    assert numbers(ws) == [3, 2, 1]
    assert (ws.state_dir / TASK).read_text() == "not yet in a version\n"


@pytest.mark.parametrize(
    "file",
    ["../code.txt", "a/../../x", "/etc/passwd", "", ".", "./", "sub/./x", "a//b", "/"],
)
def test_a_path_that_leads_out_is_refused(repo: Repo, file: str) -> None:
    ws, _ = grown(repo)

    with pytest.raises(UsageError):
        restore(ws, "v1", [file])


def test_the_ways_to_name_a_file(repo: Repo) -> None:
    ws = begun(repo)

    for name in (
        "x/y.md",
        "./x/y.md",
        ".agent-state/x/y.md",
        "./.agent-state/x/y.md",
        str(ws.state_dir / "x" / "y.md"),
        "x/y.md/",
    ):
        assert state_path(ws, name) == b"x/y.md"
    assert state_path(ws, "\udcff\n") == b"\xff\n"


def test_a_dry_run_touches_nothing(repo: Repo) -> None:
    ws, _ = grown(repo)
    (ws.state_dir / TASK).write_text("not yet in a version\n")
    before = files_on_disk(ws), repo.git("for-each-ref")

    done = restore(ws, "v1", dry_run=True)

    assert (done.source, done.version, done.saved) == (1, None, None)
    assert [change.kind for change in done.changed] == [
        "changed",
        "added",
        "added",
        "removed",
        "removed",
        "removed",
    ]
    assert (files_on_disk(ws), repo.git("for-each-ref")) == before


def test_what_is_in_no_version_is_never_deleted_and_is_listed(repo: Repo) -> None:
    repo.git("config", "gitstate.maxFileSize", "1k")
    ws, commits = grown(repo)
    (ws.state_dir / "large.bin").write_bytes(b"x" * 5000)
    os.mkfifo(ws.state_dir / "pipe")
    nested = make_repo(ws.state_dir / "nested")
    nested.commit("inner.md")

    done = restore(ws, "v1")

    assert dict(done.left) == {
        b"large.bin": "its bytes are in no version: larger than the limit of 1 KiB",
        b"pipe": "its bytes are in no version: a named pipe, not a file",
        b"nested": "its bytes are in no version: a git repository of its own",
    }
    assert (ws.state_dir / "large.bin").stat().st_size == 5000
    assert (ws.state_dir / "pipe").is_fifo()
    assert nested.git("status", "--porcelain") == ""
    held = files_of(ws, commits[0])
    assert {name: data for name, data in files_on_disk(ws).items() if name in held} == (
        held
    )


def test_a_tracked_name_that_now_is_too_large_is_left(repo: Repo) -> None:
    repo.git("config", "gitstate.maxFileSize", "1k")
    ws, _ = grown(repo)
    (ws.state_dir / TASK).write_bytes(b"y" * 5000)

    done = restore(ws, "v1")

    assert dict(done.left) == {
        TASK.encode(): "its bytes are in no version: larger than the limit of 1 KiB"
    }
    assert (ws.state_dir / TASK).read_bytes() == b"y" * 5000
    assert (ws.state_dir / "05-file-map.md").exists()


def test_files_and_folders_take_each_others_place(repo: Repo) -> None:
    ws = begun(repo)
    (ws.state_dir / "x").write_text("a file\n")
    snap(ws)
    (ws.state_dir / "x").unlink()
    (ws.state_dir / "x").mkdir()
    (ws.state_dir / "x" / "y").write_text("in a folder\n")
    snap(ws)

    restore(ws, "v2")
    assert (ws.state_dir / "x").read_text() == "a file\n"
    restore(ws, "v3")
    assert (ws.state_dir / "x" / "y").read_text() == "in a folder\n"
    assert not snap(ws).changed
    repo.git("fsck", "--full", "--strict", "--no-dangling")


@pytest.mark.parametrize("where", ["file", "folder", "state"])
def test_nothing_is_written_through_a_link(
    repo: Repo, tmp_path: Path, where: str
) -> None:
    ws, _ = grown(repo)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "victim").write_text("untouched\n")
    if where == "file":
        (ws.state_dir / TASK).unlink()
        (ws.state_dir / TASK).symlink_to(outside / "victim")
    elif where == "folder":
        shutil.rmtree(ws.state_dir / "sub")
        (ws.state_dir / "sub").symlink_to(outside)
    else:
        ws.state_dir.rename(tmp_path / "moved")
        ws.state_dir.symlink_to(outside)

    if where == "state":
        with pytest.raises(Refused, match="is a link"):
            restore(ws, "v2")
    else:
        restore(ws, "v3")

    assert {path.name: path.read_text() for path in outside.iterdir()} == {
        "victim": "untouched\n"
    }
    if where == "file":
        assert (ws.state_dir / TASK).read_text() == "three\n"
    if where == "folder":
        assert (ws.state_dir / "sub" / "deep" / "x.md").read_text() == "x\n"


def test_a_link_of_a_version_comes_back_as_a_link(repo: Repo, tmp_path: Path) -> None:
    ws = begun(repo)
    (tmp_path / "outside").write_text("secret\n")
    (ws.state_dir / "out").symlink_to(tmp_path / "outside")
    snap(ws)
    (ws.state_dir / "out").unlink()
    (ws.state_dir / "out").write_text("a file now\n")
    snap(ws)

    restore(ws, "v2")

    assert (ws.state_dir / "out").readlink() == tmp_path / "outside"
    assert (tmp_path / "outside").read_text() == "secret\n"
    restore(ws, "v3")
    assert (ws.state_dir / "out").read_text() == "a file now\n"
    assert (tmp_path / "outside").read_text() == "secret\n"


def test_names_of_every_kind_come_back(repo: Repo) -> None:
    ws = begun(repo)
    names = [b"a\nb", b"\xff\xfe", b"-x", b"'\"", " é".encode(), b"d \n/\xff"]
    for name in names:
        repo.write(os.fsdecode(name), ascii(name))
    snap(ws)
    before = files_on_disk(ws)
    for name in names:
        (ws.state_dir / os.fsdecode(name)).unlink()
    snap(ws, deletions=True)

    restore(ws, "v2")

    assert files_on_disk(ws) == before
    done = restore(ws, "v1", [os.fsdecode(b"a\nb")])
    assert [change.path for change in done.changed] == [b"a\nb"]


def test_no_filter_and_no_attribute_changes_the_bytes(repo: Repo) -> None:
    (repo.path / ".gitattributes").write_text("* text eol=crlf ident filter=spoil\n")
    repo.git("config", "filter.spoil.smudge", "tr a-z A-Z")
    repo.git("config", "core.autocrlf", "true")
    ws = begun(repo)
    edit(ws, "unix\n$Id$\r\n\x01\x7f")
    edit(ws, "other\n")

    restore(ws, "v2")

    assert (ws.state_dir / TASK).read_bytes() == b"unix\n$Id$\r\n\x01\x7f"


@pytest.mark.report(17)
def test_every_version_restores_byte_for_byte_after_gc(repo: Repo) -> None:
    ws = begun(repo)
    held = {1: files_on_disk(ws)}
    for number in range(2, 8):
        (ws.state_dir / f"{number}.txt").write_text(os.urandom(1500).hex(" "))
        edit(ws, f"text {number}\n")
        held[number] = files_on_disk(ws)
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now", "--aggressive")

    for number, files in held.items():
        restore(ws, f"v{number}")
        assert files_on_disk(ws) == files


def test_a_restore_while_the_branch_is_checked_out(repo: Repo, tmp_path: Path) -> None:
    ws, commits = grown(repo)
    repo.git("worktree", "add", "-q", str(tmp_path / "x"), "agent-state")

    done = restore(ws, "v1")

    assert done.version == 4
    assert repo.git("rev-parse", "agent-state") == commits[-1]
    assert files_on_disk(ws) == files_of(ws, commits[0])
    repo.git("worktree", "remove", str(tmp_path / "x"))
    snap(ws)
    assert numbers(ws) == [4, 3, 2, 1]


def test_a_deleted_directory_comes_back(repo: Repo) -> None:
    ws, commits = grown(repo)
    shutil.rmtree(ws.state_dir)

    done = restore(ws, "v3")

    assert files_on_disk(ws) == files_of(ws, commits[2])
    assert done.left == ()
    assert not snap(ws).changed
    assert snap(ws).vanished == ()


# --- killed in the middle ----------------------------------------------------------

KILLED = """
import os, signal, sys
from pathlib import Path
from gitstate.history import recovery, restore as module
from gitstate.workspace import Workspace

def die(*args, **words):
    os.kill(os.getpid(), signal.SIGKILL)

point = sys.argv[2]
if point == "before the exchange":
    module.apply_plan = die
elif point == "after the exchange":
    module.record_restore = die
else:
    module.close_journal = die
module.restore(Workspace.open(Path(sys.argv[1])), "v1")
"""
POINTS = ("before the exchange", "after the exchange", "after its version")


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("meanwhile", ["nothing", "an edit", "a new file"])
def test_a_restore_that_was_killed_is_finished_by_the_next_command(
    repo: Repo, point: str, meanwhile: str
) -> None:
    ws, commits = grown(repo)
    (ws.state_dir / "mine.md").write_text("not yet in a version\n")
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(repo.path), point], check=False
    )
    assert done.returncode == -9
    assert json.loads((ws.runtime / "restore").read_text())["from"] == 1
    if meanwhile == "an edit":
        (ws.state_dir / TASK).write_text("written after the kill\n")
    elif meanwhile == "a new file":
        (ws.state_dir / "after.md").write_text("written after the kill\n")

    outcome = snap(ws)

    assert outcome.notices == ("finished the restore of v1 that was interrupted",)
    wanted = files_of(ws, commits[0])
    found = files_on_disk(ws)
    if meanwhile == "an edit":
        assert found.pop(TASK) == b"written after the kill\n"
        wanted.pop(TASK)
    elif meanwhile == "a new file":
        assert found.pop("after.md") == b"written after the kill\n"
    assert found == wanted
    assert not (ws.runtime / "restore").exists()
    assert not (ws.state_dir / ".gitstate-tmp").exists()
    saved = next(version for version in versions(ws) if version.number == 4)
    assert files_of(ws, saved.commit.id)["mine.md"] == b"not yet in a version\n"
    assert snap(ws).notices == ()
    assert files_of(ws, versions(ws)[0].commit.id) == files_on_disk(ws)
    assert sum(1 for v in versions(ws) if v.record.restored_from == 1) == 1


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"from": "x"}', '{"from": 1, "target": "zz"}']
)
def test_a_garbled_journal_is_set_aside(repo: Repo, text: str) -> None:
    ws, _ = grown(repo)
    before = files_on_disk(ws)
    (ws.runtime / "restore").write_text(text)

    outcome = edit(ws, "four\n")

    assert outcome.version == 4
    assert not (ws.runtime / "restore").exists()
    assert files_on_disk(ws) == {**before, TASK: b"four\n"}
    assert edit(ws, "five\n").notices == ()


def test_a_journal_whose_version_is_lost(repo: Repo) -> None:
    ws, _ = grown(repo)
    lost = "1" * (40 if ws.object_format == "sha1" else 64)
    journal = {"from": 1, "target": lost, "saved": lost, "files": []}
    (ws.runtime / "restore").write_text(json.dumps(journal))
    before = files_on_disk(ws)

    outcome = snap(ws)

    assert outcome.notices == (
        "a restore was interrupted and cannot be finished; the files are as they are",
    )
    assert files_on_disk(ws) == before


WRITER = """
import os, sys, time
path, stop = sys.argv[1:]
at = 0
while not os.path.exists(stop):
    at += 1
    with open(f"{path}.tmp{at}", "w") as file:
        file.write(f"text {at}\\n")
    os.replace(f"{path}.tmp{at}", path)
    time.sleep(0.002)
print(at)
"""


def test_a_writer_without_pause_loses_nothing(repo: Repo) -> None:
    """Every text that was ever written is in history or on the disk."""
    ws, _ = grown(repo)
    writer = subprocess.Popen(
        [
            sys.executable,
            "-c",
            WRITER,
            str(repo.path / ".agent-state" / TASK),
            str(repo.path / "stop"),
        ],
        stdout=subprocess.PIPE,
    )
    wait_for(lambda: (ws.state_dir / TASK).read_text().startswith("text "))
    for number in (1, 3, 2, 1, 3):
        with contextlib.suppress(GitstateError):  # it may be refused, and said
            restore(ws, f"v{number}")
    (repo.path / "stop").write_text("")
    out, _ = writer.communicate(timeout=20)
    last = int(out)
    outcome = snap(ws)

    found = files_on_disk(ws)
    assert found[TASK] in {f"text {last}\n".encode(), b"three\n"}
    seen = {
        files_of(ws, version.commit.id).get(TASK, b"") for version in versions(ws)
    } | {found[TASK]}
    assert f"text {last}\n".encode() in seen
    assert outcome.vanished == ()
    assert set(NUMBERED[:3]) <= set(found)
