"""Where the git dir cannot be written, as in an agent's sandbox: as an ordinary user."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.engines import init
from tests.support import Repo, command, gitstate, make_repo

if TYPE_CHECKING:
    from collections.abc import Iterator

NOBODY = 65534
# root without the capabilities that make it more than an owner of files
UNPRIVILEGED = (
    "setpriv",
    "--bounding-set=-dac_override,-dac_read_search,-fowner,-chown",
)
GOAL = "Fix nested brackets in src/core/parser.ts parseExpr"


class Sandbox:
    """A repository of an ordinary user, whose git dir he may read and not write."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.repo = Repo(folder / "repo")
        self.user = NOBODY if os.geteuid() == 0 else None
        self.before: tuple[str, ...] = ()

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self.before, *words],
            cwd=self.repo.path,
            capture_output=True,
            text=True,
            check=False,
            user=self.user,
            group=self.user,
            extra_groups=None if self.user is None else [],
            env={
                "HOME": str(self.folder / "home"),
                "PATH": os.environ["PATH"],
                "LC_ALL": "C.UTF-8",
                **{
                    key: os.environ[key]
                    for key in ("PYTHONPATH", "GIT_CONFIG_NOSYSTEM")
                    if key in os.environ
                },
            },
        )

    def gitstate(self, *words: str) -> subprocess.CompletedProcess[str]:
        done = self.run(*command(*words))
        assert "Traceback" not in done.stderr, done.stderr
        return done

    def lock(self) -> None:
        for path in [*(self.repo.path / ".git").rglob("*"), self.repo.path / ".git"]:
            if not path.is_symlink():
                path.chmod(stat.S_IMODE(path.stat().st_mode) & ~0o222)

    def unlock(self) -> None:
        for path in [self.repo.path / ".git", *(self.repo.path / ".git").rglob("*")]:
            if not path.is_symlink():
                path.chmod(stat.S_IMODE(path.stat().st_mode) | 0o200)


@pytest.fixture
def sandbox(home: Path) -> Iterator[Sandbox]:
    # not below pytest's folder, which only its own user may enter
    folder = Path(tempfile.mkdtemp(prefix="gitstate-sandbox-"))
    try:
        folder.chmod(0o755)
        found = Sandbox(folder)
        shutil.copytree(home, folder / "home")
        make_repo(folder / "repo")
        init(found.repo)
        _become_ordinary(found)
        found.lock()
        yield found
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _become_ordinary(found: Sandbox) -> None:
    """Run as somebody whom modes bind; skips the test where there is no way."""
    if found.user is None:
        return
    paths = [found.folder, *found.folder.rglob("*")]
    for path in paths:
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    try:
        works = found.run(sys.executable, "-P", "-c", "import gitstate").returncode == 0
    except PermissionError:
        works = False
    if works:
        return
    if shutil.which("setpriv") is None:
        pytest.skip("this Python is root's alone, and there is no setpriv")
    for path in paths:
        os.chown(path, 0, 0, follow_symlinks=False)
    found.user, found.before = None, UNPRIVILEGED


def test_the_file_is_edited_and_the_daemon_makes_the_version(sandbox: Sandbox) -> None:
    repo = sandbox.repo
    tip = repo.path / ".git/refs/heads/agent-state"
    before = tip.read_text()

    said = sandbox.gitstate("task", "start", GOAL)

    git_dir = repo.path / ".git"
    assert (said.returncode, said.stdout) == (0, f"task: {GOAL}\n")
    assert said.stderr == (
        f"gitstate: {git_dir} cannot be written from here: the daemon makes the version\n"
    )
    assert GOAL in (repo.state / "02-current-task.md").read_text()
    state = json.loads((repo.state / "long_mem/task-state.json").read_text())
    assert state["goal"] == GOAL
    assert tip.read_text() == before

    for number in range(5):
        logged = sandbox.gitstate("op", "add", "code.txt", "edit", f"change {number}")
        assert (logged.returncode, logged.stdout) == (0, "edit code.txt\n")
    assert (repo.state / "long_mem/operations.log").read_text().count("\n") == 5
    refused = sandbox.gitstate("task", "next", "Go on")
    assert (refused.returncode, refused.stdout) == (1, "")
    shown = sandbox.gitstate("task", "show", "--json")
    assert json.loads(shown.stdout) == state

    sandbox.unlock()  # outside of the sandbox, as the daemon is
    assert (
        gitstate("snapshot", cwd=repo.path, env=_trusting(sandbox)).stdout[:2] == "v2"
    )
    rows = repo.git("ls-tree", "-r", "--name-only", "agent-state").splitlines()
    assert rows[6:] == [
        ".agent-state/long_mem/operations.log",
        ".agent-state/long_mem/task-state.json",
    ]


def _trusting(sandbox: Sandbox) -> dict[str, str]:
    """The environment of one who looks after another user's repository."""
    return {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": str(sandbox.repo.path),
    }
