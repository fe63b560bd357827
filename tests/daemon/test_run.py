"""The real daemon beside real repositories, from the edit to the version in git."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gitstate.daemon import autostart, run
from gitstate.daemon.presence import presence
from gitstate.errors import printable
from gitstate.history.line import engine_for
from gitstate.history.snapshot import take
from gitstate.workspace import Workspace, state_home
from tests.support import wait_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.daemon.conftest import Daemon, Kept


def save(path: Path, text: str) -> None:
    """As most editors do: written beside and moved into place."""
    beside = path.with_name(f".{path.name}.swp")
    beside.write_text(text)
    beside.replace(path)


def append(path: Path, text: str) -> None:
    path.write_text("")
    for char in text:
        with path.open("a") as stream:
            stream.write(char)


def backup(path: Path, text: str) -> None:
    path.rename(path.with_name(f"{path.name}~"))
    path.write_text(text)
    path.with_name(f"{path.name}~").unlink()


@pytest.mark.parametrize("way", [Path.write_text, save, append, backup])
def test_an_edit_by_any_editor(
    daemon: Daemon, way: Callable[[Path, str], object]
) -> None:
    repo = daemon.repository()
    daemon.start()
    daemon.watching(repo)
    way(repo.state / "02-current-task.md", "the next step")
    repo.wait("the next step")
    assert repo.count() == 2
    assert repo.git("status", "--porcelain") == ""
    assert repo.git("show", "-s", "--format=%s", "agent-state").startswith("state v2: ")


def test_a_burst_is_one_version(daemon: Daemon) -> None:
    repo = daemon.repository()
    daemon.start()
    daemon.watching(repo)
    for number in range(30):
        repo.edit(f"text {number}")
        repo.edit(f"other {number}", "03-known-issues.md")
    repo.wait("text 29")
    assert repo.count() <= 3
    assert repo.shows("03-known-issues.md") == "other 29"


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_worktrees_and_object_formats(daemon: Daemon, object_format: str) -> None:
    repo = daemon.repository("repo", object_format=object_format)
    linked = daemon.worktree(repo, "linked")
    daemon.start()
    daemon.watching(repo, linked)
    repo.edit("main")
    linked.edit("linked")
    repo.wait("main")
    linked.wait("linked")
    assert (repo.count(), linked.count()) == (2, 2)
    repo.git("fsck", "--strict")


def test_a_deletion_is_kept_at_the_second_scan(daemon: Daemon) -> None:
    repo = daemon.repository()
    repo.git("config", "gitstate.scanSeconds", "2")
    daemon.start()
    daemon.watching(repo)
    (repo.state / "05-file-map.md").unlink()
    wait_for(lambda: repo.shows("05-file-map.md") == "")
    assert repo.count() == 2


def remade(repo: Kept) -> None:
    shutil.rmtree(repo.state)
    repo.state.mkdir()


def moved_away_and_back(repo: Kept) -> None:
    repo.state.rename(repo.path / "away")
    (repo.path / "away").rename(repo.state)


def moved_away_and_remade(repo: Kept) -> None:
    repo.state.rename(repo.path / "away")
    repo.state.mkdir()


def stashed(repo: Kept) -> None:
    exclude = repo.path / ".git/info/exclude"
    exclude.write_text("")  # an untracked folder that is not ignored is stashed
    repo.git("stash", "-u", "-q")
    assert not (repo.state / "02-current-task.md").exists()
    repo.git("stash", "pop", "-q")


def whole_repository_moved(repo: Kept) -> None:
    away = repo.path.with_name("away")
    repo.path.rename(away)
    wait_for(lambda: not _health(repo))
    away.rename(repo.path)


def _health(repo: Kept) -> bool:
    found = presence().of(repo.path)
    return found is not None and found.healthy


@pytest.mark.report(19)
@pytest.mark.parametrize(
    "upset",
    [
        remade,
        moved_away_and_back,
        moved_away_and_remade,
        stashed,
        whole_repository_moved,
    ],
)
def test_a_root_that_was_replaced(
    daemon: Daemon, upset: Callable[[Kept], None]
) -> None:
    repo = daemon.repository()
    daemon.start()
    daemon.watching(repo)
    upset(repo)
    repo.edit("first after it")
    repo.wait("first after it")
    daemon.watching(repo)
    repo.edit("second after it")
    repo.wait("second after it")
    repo.git("fsck", "--strict")


@pytest.mark.report(10)
def test_what_git_does_to_the_code_is_left_alone(daemon: Daemon) -> None:
    repo = daemon.repository()
    first = repo.git("rev-parse", "HEAD")
    repo.commit("more.txt")
    daemon.start()
    daemon.watching(repo)
    repo.edit("before the reset")
    repo.git("reset", "-q", "--hard", first)
    repo.wait("before the reset")
    repo.edit("after the reset")
    repo.wait("after the reset")
    assert repo.git("rev-parse", "HEAD") == first
    assert repo.git("status", "--porcelain") == ""
    assert not (repo.path / "more.txt").exists()


def test_a_stop_in_the_middle_of_edits_loses_nothing(daemon: Daemon) -> None:
    repos = [daemon.repository(f"r{number}") for number in range(3)]
    daemon.start()
    daemon.watching(*repos)
    for repo in repos:
        for number in range(20):
            repo.edit(f"text {number}")
    autostart.stop()  # within the quiet time
    assert [repo.shows() for repo in repos] == ["text 19"] * 3
    assert daemon.said("stopped") == ["everything is saved"]
    for repo in repos:
        repo.git("fsck", "--strict")


def test_killed_at_any_moment_it_goes_on(daemon: Daemon) -> None:
    repo = daemon.repository()
    repo.git("config", "gitstate.quietMs", "0")
    for number in range(8):
        daemon.start()
        daemon.watching(repo)
        repo.edit(f"text {number}")
        repo.wait(f"text {number}")
        repo.edit(f"more {number}")
        time.sleep(number * 0.003)  # on the way to the version, and in its middle
        daemon.kill()
    daemon.start()
    repo.wait("more 7")
    repo.git("fsck", "--strict")
    subjects = repo.git("log", "--reverse", "--format=%s", "agent-state").splitlines()
    numbers = [int(line.split(":")[0].removeprefix("state v")) for line in subjects]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_process_that_was_stopped_catches_up(daemon: Daemon) -> None:
    repo = daemon.repository()
    daemon.start()
    daemon.watching(repo)
    os.kill(daemon.pid, signal.SIGSTOP)
    for number in range(50):
        repo.edit(f"text {number}")
    os.kill(daemon.pid, signal.SIGCONT)
    repo.wait("text 49")
    assert repo.count() == 2


@pytest.mark.report(8)
def test_a_stale_lock_is_said_and_waited_out(daemon: Daemon) -> None:
    repo = daemon.repository()
    daemon.start()
    daemon.watching(repo)
    lock = repo.path / ".git/refs/heads/agent-state.lock"
    lock.touch()
    repo.edit("while the lock stands")
    wait_for(lambda: not _health(repo))
    found = presence().of(repo.path)
    assert found is not None
    assert "lock" in (found.problem or "")
    assert len(daemon.said("problem")) == 1
    lock.unlink()
    repo.wait("while the lock stands")
    wait_for(lambda: _health(repo))


def test_one_that_is_broken_stops_nobody(daemon: Daemon) -> None:
    broken, well = daemon.repository("broken"), daemon.repository("well")
    head = broken.path / ".git/HEAD"
    text = head.read_text()
    daemon.start()
    daemon.watching(broken, well)
    head.write_text("garbage")
    broken.edit("cannot be kept yet")
    well.edit("kept")
    well.wait("kept")
    wait_for(lambda: not _health(broken))
    assert _health(well)
    head.write_text(text)
    broken.wait("cannot be kept yet")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_folder_stops_nobody(daemon: Daemon) -> None:
    closed, well = daemon.repository("closed"), daemon.repository("well")
    closed.state.chmod(0)
    try:
        daemon.start()
        well.edit("kept")
        well.wait("kept")
        wait_for(lambda: presence().of(closed.path) and not _health(closed))
    finally:
        closed.state.chmod(0o700)
    closed.edit("kept too")
    closed.wait("kept too")


@pytest.mark.report(21)
def test_eight_writers_in_two_worktrees(daemon: Daemon) -> None:
    main = daemon.repository("main")
    linked = daemon.worktree(main, "linked")
    daemon.start()
    daemon.watching(main, linked)

    def write(number: int) -> None:
        repo = (main, linked)[number % 2]
        for count in range(50):
            repo.write(f"notes-{number}.md", f"{number}: {count}\n")

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for repo, mine in ((main, (0, 2, 4, 6)), (linked, (1, 3, 5, 7))):
        for number in mine:
            wait_for(
                lambda repo=repo, number=number: (  # type: ignore[misc]
                    repo.shows(f"notes-{number}.md") == f"{number}: 49"
                )
            )
        assert repo.git("rev-list", "--min-parents=2", f"refs/heads/{repo.line}") == ""
    main.git("fsck", "--strict")


def test_the_log_never_holds_state_text(daemon: Daemon) -> None:
    repo = daemon.repository()
    daemon.start()
    daemon.watching(repo)
    repo.edit("# hunter2 heading\n\nhunter2 text\n")
    repo.wait("# hunter2 heading\n\nhunter2 text")
    (repo.path / ".git/HEAD").write_text("garbage")
    repo.edit("hunter2 again\n")
    wait_for(lambda: not _health(repo))
    autostart.stop()
    for path in state_home().iterdir():
        if path.is_file():
            assert b"hunter2" not in path.read_bytes(), path


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="reads /proc")
def test_nothing_stays_open_after_a_version(daemon: Daemon) -> None:
    repo = daemon.repository()
    repo.git("config", "gitstate.quietMs", "0")
    folder = Path(f"/proc/{daemon.start()}/fd")
    daemon.watching(repo)

    def descriptors() -> list[str]:
        found = []
        for path in folder.iterdir():
            with contextlib.suppress(FileNotFoundError):  # closed since it was listed
                found.append(str(path.readlink()))
        return sorted(found)

    wait_for(lambda: not any(str(repo.path) in item for item in descriptors()))
    before = descriptors()
    for number in range(10):
        repo.edit(f"text {number}")
        repo.wait(f"text {number}")
    wait_for(lambda: descriptors() == before, what="the same descriptors as before")


def test_a_single_pass(daemon: Daemon) -> None:
    good, bad = daemon.repository("good"), daemon.repository("bad")
    good.edit("good")
    bad.edit("bad")
    (bad.path / ".git/HEAD").write_text("garbage")
    surroundings = dict(os.environ), Path.cwd(), os.umask(0o077)
    try:
        (line,) = run.run_once()
    finally:
        os.environ.update(surroundings[0])
        os.chdir(surroundings[1])
        os.umask(surroundings[2])
    assert line.startswith(f"{printable(bad.path)}: ")
    assert good.shows() == "good"
    assert not presence().running


def test_packing_merges_what_is_there(daemon: Daemon) -> None:
    repo = daemon.repository()
    ws = Workspace.open(repo.path)
    linked = daemon.worktree(repo, "linked")
    for number in range(3):
        for kept in (repo, linked):
            kept.edit(f"text {number}")
            take(Workspace.open(kept.path), verb="test")
    packed = run.pack(ws)
    with engine_for(ws) as engine:
        assert packed.packs == len(engine.packs.ours())
    assert packed.packs <= 5
    assert (repo.shows(), linked.shows()) == ("text 2", "text 2")
    repo.git("fsck", "--strict")
