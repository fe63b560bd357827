"""A process is stopped while it holds the lock: no hook waits for it, nor for who does."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.hooks.git.coding import Coder
from tests.support import Repo, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_HOLD = (
    "import fcntl, os, sys\n"
    "fd = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)\n"
    "fcntl.flock(fd, fcntl.LOCK_EX); print('held', flush=True); sys.stdin.read()\n"
)


def is_held(path: Path) -> bool:
    with path.open("r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


@contextlib.contextmanager
def stopped_holder(coder: Coder) -> Iterator[None]:
    """The lock is held by a process that is stopped; it was, all the time, at the end."""
    path = coder.ws().lock_path
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        holder.send_signal(signal.SIGSTOP)
        assert is_held(path)
        yield
        assert holder.poll() is None
        assert is_held(path), "what ran meanwhile cannot have needed the lock"
    finally:
        holder.send_signal(signal.SIGCONT)
        holder.kill()
        holder.communicate()


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def coder(tmp_path: Path) -> Coder:
    """One commit that came with an update, linked; nobody else links from here on."""
    coder = Coder.begin(tmp_path)
    coder.commit(updated=True)
    coder.link()
    return coder


@pytest.fixture
def twin(tmp_path: Path) -> Coder:
    """The same, whose lock is free."""
    coder = Coder.begin(tmp_path / "twin")
    coder.commit(updated=True)
    coder.link()
    return coder


def outcome(coder: Coder, *words: str, gate: str, updated: bool) -> list[str]:
    """All that a commit comes to, without its ids."""
    before = coder.head()
    ran = coder.commit(*words, updated=updated, settings=(f"gitstate.gate={gate}",))
    made = coder.head() != before
    found = [str(ran.code), ran.err, str(made), coder.verdict() if made else ""]
    return [text.replace(before[:12], "BASE") for text in found]


@pytest.mark.parametrize("gate", ["warn", "block"])
@pytest.mark.parametrize("updated", [True, False])
@pytest.mark.parametrize("words", [[], ["--amend"], ["--no-verify"]], ids=" ".join)
def test_a_commit_comes_to_the_same(
    coder: Coder, twin: Coder, words: list[str], gate: str, *, updated: bool
) -> None:
    with stopped_holder(coder):
        found = outcome(coder, *words, gate=gate, updated=updated)
    alone = outcome(twin, *words, gate=gate, updated=updated)
    assert [text.partition(" (v")[0] for text in found] == [
        text.partition(" (v")[0] for text in alone
    ]
    assert (coder.link() != []) == (found[2] == "True")


def test_a_push_comes_to_the_same(coder: Coder, tmp_path: Path) -> None:
    """What has no verdict is to be linked first: where that cannot be, it goes out."""
    Repo(tmp_path).git("init", "-q", "--bare", "remote.git")
    coder.repo.git("remote", "add", "origin", "../remote.git")
    coder.commit("--no-verify")
    block = ("gitstate.gatePush=block",)
    with stopped_holder(coder):
        assert coder.git("push", "-q", "origin", "main", settings=block).code == 0
    assert coder.text() == ""
    assert coder.git("push", "-q", "origin", "main:again", settings=block).code == 0
    coder.repo.git("update-ref", "-d", "refs/remotes/origin/main")
    coder.repo.git("update-ref", "-d", "refs/remotes/origin/again", check=False)
    assert coder.git("push", "-q", "origin", "main:third", settings=block).code == 1


@pytest.mark.parametrize("updated", [True, False])
def test_who_reads_a_commits_output_is_not_kept_by_the_child(
    coder: Coder, *, updated: bool
) -> None:
    """``$(git commit …)``: the end of its output is seen while the child still waits."""
    (coder.runtime / "daemon").unlink()
    with stopped_holder(coder):
        if updated:
            coder.update()
        coder.code()
        script = 'said=$(git commit -m more 2>&1); printf "%s" "$said"'
        done = subprocess.run(
            ["sh", "-c", script], cwd=coder.repo.path, capture_output=True, check=False
        )
        child = int((coder.runtime / "linking").read_text().split()[0])
        assert is_alive(child)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.count(b"gitstate: ") == (0 if updated else 2)
        assert b"1 file changed" in done.stdout
        assert coder.text() == ""
    wait_for(lambda: not is_alive(child), limit_s=60)
    coder.link()  # where it had given up
    assert coder.note().check == ("updated" if updated else "stale")
