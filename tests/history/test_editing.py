"""Edits beside each other and beside people's: nothing is lost, nothing outside is touched."""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

from gitstate.documents import CURRENT_TASK, DECISION_LOG
from gitstate.documents.edit_decisions import add as decide
from gitstate.errors import CannotWrite, LockHeld, Refused
from gitstate.history import editing, primitives, putting
from gitstate.history.editing import Files, edit, locked, viewed
from gitstate.history.leases import Leases
from gitstate.history.primitives import UnsupportedError
from tests.engines import init
from tests.support import Repo, make_repo, wait_for

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gitstate.workspace import Workspace

WRITER = """
import sys
from pathlib import Path
from gitstate.documents import DECISION_LOG
from gitstate.documents.edit_decisions import add
from gitstate.history.editing import edit
from gitstate.workspace import Workspace
ws = Workspace.open(Path(sys.argv[1]))
for turn in range(int(sys.argv[3])):
    said = f"Use {sys.argv[2]}-{turn}"
    edit(ws, lambda files: {DECISION_LOG: add(files.required(DECISION_LOG), said, "why not")[0]},
         wait_s=60)
"""


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """One repository: no edit of a file asks the engine anything."""
    return make_repo(tmp_path / "repo")


@pytest.fixture
def ws(repo: Repo) -> Workspace:
    return init(repo)


def append(name: str, line: str) -> editing.Edit:
    def change(files: Files) -> Mapping[str, str]:
        return {name: (files.text(name) or "") + line}

    return change


def test_fifty_writers_on_one_file_and_one_by_hand(repo: Repo, ws: Workspace) -> None:
    log = ws.state_dir / DECISION_LOG
    writers = [
        subprocess.Popen(
            [sys.executable, "-P", "-c", WRITER, str(repo.path), str(n), "10"],
            stderr=subprocess.PIPE,
        )
        for n in range(5)
    ]
    by_hand = 0
    while any(writer.poll() is None for writer in writers):
        with log.open("a", encoding="utf-8") as file:  # as `echo >>` does, with no lock
            file.write(f"\n<!-- by hand {by_hand} -->\n")
        by_hand += 1
        time.sleep(0.05)
    for writer in writers:
        assert writer.communicate()[1].decode() == ""
        assert writer.returncode == 0

    text = log.read_text()
    assert len(re.findall(r"^## D-\d{4} Use \d-\d$", text, re.MULTILINE)) == 50
    numbers = re.findall(r"^## (D-\d{4}) ", text, re.MULTILINE)
    assert sorted(numbers) == [f"D-{number:04d}" for number in range(1, 51)]
    left = re.findall(r"by hand (\d+)", text)
    assert [int(one) for one in left] == list(range(by_hand))
    assert by_hand > 1
    assert not (ws.state_dir / ".gitstate-tmp").exists()


def test_who_writes_meanwhile_is_read_again(ws: Workspace) -> None:
    task = ws.state_dir / CURRENT_TASK
    before = task.read_text()
    turns: list[str] = []

    def change(files: Files) -> Mapping[str, str]:
        text = files.required(CURRENT_TASK)
        turns.append(text)
        if len(turns) == 1:
            task.write_text(f"{before}by hand\n")
        elif len(turns) == 2:
            beside = task.with_name("beside")  # as an editor saves
            beside.write_text(f"{before}by an editor\n")
            beside.replace(task)
        elif len(turns) == 3:
            task.unlink()
            task.write_text(f"{before}anew\n")
        return {CURRENT_TASK: f"{text}ours\n"}

    assert edit(ws, change) == (CURRENT_TASK,)
    assert turns == [
        before,
        f"{before}by hand\n",
        f"{before}by an editor\n",
        f"{before}anew\n",
    ]
    assert task.read_text() == f"{before}anew\nours\n"


def test_what_is_written_in_the_very_moment_of_the_exchange_stays(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = ws.state_dir / CURRENT_TASK
    real, turns = primitives.exchange, []

    def late(one: primitives.At, other: primitives.At) -> None:
        turns.append(1)
        if len(turns) == 1:
            beside = task.with_name("beside")
            beside.write_text("theirs\n")
            beside.replace(task)
        real(one, other)

    monkeypatch.setattr(putting, "exchange", late)
    edit(ws, append(CURRENT_TASK, "ours\n"))
    assert task.read_text() == "theirs\nours\n"
    assert len(turns) == 3  # there, back, and there again


def test_a_file_that_is_open_for_writing_is_waited_for(ws: Workspace) -> None:
    task = ws.state_dir / CURRENT_TASK
    with task.open("r+") as file:
        if not _knows_writers(ws, file.fileno()):
            pytest.skip("no leases here: nobody knows who writes")
        done = threading.Thread(target=edit, args=(ws, append(CURRENT_TASK, "ours\n")))
        done.start()
        file.write("theirs")
        file.flush()
        assert "ours" not in task.read_text()
    done.join()
    assert task.read_text().startswith("theirs")
    assert task.read_text().endswith("ours\n")


def _knows_writers(ws: Workspace, _: int) -> bool:
    scratch = os.open(ws.state_dir, os.O_RDONLY)
    reading = os.open(ws.state_dir / CURRENT_TASK, os.O_RDONLY)
    try:
        return Leases(scratch).alone(reading) is False
    finally:
        os.close(reading)
        os.close(scratch)


def test_who_writes_without_pause_wins(ws: Workspace) -> None:
    task = ws.state_dir / CURRENT_TASK

    def change(files: Files) -> Mapping[str, str]:
        text = files.required(CURRENT_TASK)
        task.write_text(f"{text}again\n")
        return {CURRENT_TASK: "ours\n"}

    with pytest.raises(Refused, match="without pause: nothing was changed"):
        edit(ws, change, wait_s=0.05)
    assert "ours" not in task.read_text()


def test_several_files_or_none(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    (ws.state_dir / "one.md").write_text("one\n")
    real, turns = primitives.exchange, []

    def late(one: primitives.At, other: primitives.At) -> None:
        turns.append(other.name)
        if len(turns) == 2:
            beside = ws.state_dir / "beside"
            beside.write_text("theirs\n")
            beside.replace(ws.state_dir / CURRENT_TASK)
        real(one, other)

    monkeypatch.setattr(putting, "exchange", late)
    seen: list[str | None] = []

    def change(files: Files) -> Mapping[str, str]:
        seen.append(files.text("one.md"))
        return {
            "new/deep.md": "new\n",
            "one.md": f"{files.text('one.md')}two\n",
            CURRENT_TASK: f"{files.text(CURRENT_TASK)}ours\n",
        }

    edit(ws, change)
    assert seen == ["one\n", "one\n"]  # the first file was put back
    assert (ws.state_dir / "one.md").read_text() == "one\ntwo\n"
    assert (ws.state_dir / CURRENT_TASK).read_text() == "theirs\nours\n"
    assert (ws.state_dir / "new/deep.md").read_text() == "new\n"


def test_without_such_a_rename_a_plain_one_does(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(*_: object) -> None:
        raise UnsupportedError

    monkeypatch.setattr(primitives, "_special_rename", unsupported)
    monkeypatch.setattr(putting, "exchange", unsupported)
    edit(ws, lambda _: {CURRENT_TASK: "ours\n", "new.md": "new\n"})
    assert (ws.state_dir / CURRENT_TASK).read_text() == "ours\n"
    assert (ws.state_dir / "new.md").read_text() == "new\n"


def test_the_mode_stays(ws: Workspace) -> None:
    for name, mode in ((CURRENT_TASK, 0o600), (DECISION_LOG, 0o755)):
        (ws.state_dir / name).chmod(mode)
        edit(ws, append(name, "more\n"))
        assert (ws.state_dir / name).stat().st_mode & 0o7777 == mode


def test_a_text_that_was_half_written_is_not_judged(ws: Workspace) -> None:
    task = ws.state_dir / CURRENT_TASK
    whole = task.read_text()
    task.write_text(whole[:100])

    def change(files: Files) -> Mapping[str, str]:
        text = files.required(CURRENT_TASK)
        if text != whole:
            task.write_text(whole)
            raise Refused("half of it")
        return {CURRENT_TASK: f"{text}ours\n"}

    edit(ws, change)
    assert task.read_text() == f"{whole}ours\n"


def test_nothing_changed_nothing_written(ws: Workspace) -> None:
    before = (ws.state_dir / CURRENT_TASK).stat()
    assert edit(ws, lambda files: {CURRENT_TASK: files.required(CURRENT_TASK)}) == ()
    assert edit(ws, lambda _: {}) == ()
    assert (ws.state_dir / CURRENT_TASK).stat() == before


def test_what_the_edit_refuses_is_refused(ws: Workspace) -> None:
    def change(_: Files) -> Mapping[str, str]:
        raise Refused("no")

    with pytest.raises(Refused, match="no"):
        edit(ws, change)
    edit(ws, append(CURRENT_TASK, "the lock is free again\n"))


# --- what is no file -----------------------------------------------------------------


def test_no_link_is_followed(ws: Workspace, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("outside\n")
    (ws.state_dir / "link.md").symlink_to(outside / "file")
    (ws.state_dir / "folder").symlink_to(outside)
    dangling = ws.state_dir / "dangling.md"
    dangling.symlink_to(outside / "nothing")

    for name, line in (
        ("link.md", ".agent-state/link.md is a link: gitstate edits real files only"),
        ("dangling.md", ".agent-state/dangling.md is a link"),
        ("folder/file", "a folder of .agent-state/folder/file is a link or a file"),
    ):
        with pytest.raises(Refused, match=re.escape(line)):
            edit(ws, append(name, "more\n"))
    with pytest.raises((Refused, CannotWrite)):
        edit(ws, lambda _: {"folder/new": "new\n"})
    assert [one.name for one in outside.iterdir()] == ["file"]
    assert (outside / "file").read_text() == "outside\n"


@pytest.mark.parametrize("name", ["../x", "/x", "a//b", "", ".", ".gitstate-tmp/x"])
def test_no_name_leads_out(ws: Workspace, name: str) -> None:
    with pytest.raises(Refused, match="not a file of the state directory: "):
        edit(ws, lambda _: {name: "x\n"})


def test_a_link_in_the_place_of_the_directory(repo: Repo, ws: Workspace) -> None:
    repo.state.rename(repo.path / "moved")
    repo.state.symlink_to(repo.path / "moved")
    with pytest.raises(Refused, match=r"\.agent-state is no folder"):
        edit(ws, append(CURRENT_TASK, "x\n"))
    repo.state.unlink()
    with pytest.raises(Refused, match=r"\.agent-state is no folder"), viewed(ws):
        pass


def test_special_files_and_folders(ws: Workspace) -> None:
    os.mkfifo(ws.state_dir / "pipe")
    (ws.state_dir / "folder").mkdir()
    (ws.state_dir / "large").write_bytes(b"x" * (ws.settings.max_file_size + 1))
    for name, line in (
        ("pipe", ".agent-state/pipe: a named pipe, not a file; it is not edited"),
        ("folder", ".agent-state/folder: a folder; it is not edited"),
        ("large", ".agent-state/large: larger than the limit of 1 MiB"),
    ):
        with pytest.raises(Refused, match=re.escape(line)):
            edit(ws, append(name, "x"))


def test_what_is_no_text(ws: Workspace) -> None:
    (ws.state_dir / "bytes.md").write_bytes(b"one\ntwo \xff\n")
    with pytest.raises(Refused, match=r"bytes\.md is not UTF-8 in line 2: mend that"):
        edit(ws, append("bytes.md", "x"))
    with pytest.raises(Refused, match=r"this is not UTF-8 text: a\\xff"):
        edit(ws, append("new.md", "a\udcff"))
    with pytest.raises(Refused, match="a NUL character cannot stand in"):
        edit(ws, append("new.md", "a\0"))
    with pytest.raises(Refused, match="would be larger than 1 MiB"):
        edit(ws, append("new.md", "x" * (ws.settings.max_file_size + 1)))
    assert not (ws.state_dir / "new.md").exists()


def test_a_missing_file_is_not_made_up(ws: Workspace) -> None:
    (ws.state_dir / CURRENT_TASK).unlink()
    with pytest.raises(Refused) as refused:
        edit(ws, lambda files: {CURRENT_TASK: files.required(CURRENT_TASK)})
    assert str(refused.value) == (
        ".agent-state/02-current-task.md is missing: `gitstate restore HEAD "
        "02-current-task.md` brings it back, `gitstate init` makes a new one"
    )


# --- the lock ------------------------------------------------------------------------


def test_one_at_a_time(ws: Workspace) -> None:
    with locked(ws):
        with pytest.raises(LockHeld, match="another process holds gitstate's lock"):
            edit(ws, append(CURRENT_TASK, "x\n"), wait_s=0.05)
        late = threading.Thread(
            target=edit, args=(ws, append(CURRENT_TASK, "late\n")), daemon=True
        )
        late.start()
        with viewed(ws) as files:  # who only reads does not wait
            assert "late" not in files.required(CURRENT_TASK)
    wait_for(lambda: not late.is_alive())
    assert (ws.state_dir / CURRENT_TASK).read_text().endswith("late\n")


def test_where_folders_cannot_be_locked_it_works_all_the_same(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(9, "Bad file descriptor")  # as NFS

    monkeypatch.setattr(fcntl, "flock", refuse)
    edit(ws, append(CURRENT_TASK, "ours\n"))
    assert (ws.state_dir / CURRENT_TASK).read_text().endswith("ours\n")


def test_a_decision_gets_its_number_inside_the_lock(ws: Workspace) -> None:
    def one(said: str) -> None:
        edit(
            ws,
            lambda files: {
                DECISION_LOG: decide(files.required(DECISION_LOG), said, "why")[0]
            },
            wait_s=30,
        )

    threads = [threading.Thread(target=one, args=(f"Use {n}",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    text = (ws.state_dir / DECISION_LOG).read_text()
    assert sorted(re.findall(r"^## (D-\d{4}) Use", text, re.MULTILINE)) == [
        f"D-{number:04d}" for number in range(1, 9)
    ]
