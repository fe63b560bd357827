"""The user's own git beside eight writers of state: neither is in the other's way."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gitstate.history import spool
from gitstate.workspace import Workspace
from tests.ledger import Ledger, fsck, leftovers
from tests.shims import build
from tests.support import Repo, gitstate, make_repo, wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SECONDS = float(os.environ.get("RACE_SECONDS", "20"))
pytestmark = pytest.mark.timeout(6 * SECONDS + 240)


@dataclass
class User:
    """A person at work; every command of his that does not exit 0 is written down."""

    repo: Repo
    order: Sequence[Sequence[str]]
    ran: Counter[str] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)

    def git(self, *words: str) -> None:
        done = self._run(*words)
        self.ran[words[0]] += 1
        for _ in range(_LOOKS):
            if words[0] != "fsck" or not _came_meanwhile(done.stderr):
                break
            done = self._run(*words)
        # git passes over a ref that moves while it is packed, as beside any commit, and
        # says so; its exit code is 0
        complaints = [
            line
            for line in done.stderr.splitlines()
            if line.startswith(("error:", "fatal:", "warning:"))
            and not line.startswith(_PASSED_OVER)
        ]
        if done.returncode != 0 or complaints:
            self.failed.append(f"{words} {done.returncode}: {done.stdout}{done.stderr}")

    def _run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["git", *words],
            cwd=self.repo.path,
            capture_output=True,
            text=True,
            check=False,
        )

    def work(self, turn: int) -> None:
        """One turn: two commits, a rebase, and one way of putting the house in order."""
        (self.repo.path / "code.txt").write_text(f"turn {turn}\n")
        self.git("commit", "-q", "-a", "-m", f"turn {turn}")
        self.git("checkout", "-q", "-b", f"topic-{turn}", "HEAD~1")
        (self.repo.path / f"topic-{turn}.txt").write_text(f"topic {turn}\n")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", f"topic {turn}")
        self.git("rebase", "-q", "main")
        self.git("checkout", "-q", "main")
        self.git("merge", "-q", "--ff-only", f"topic-{turn}")
        self.git("branch", "-q", "-d", f"topic-{turn}")
        self.git(*self.order[turn % len(self.order)])
        shutil.rmtree(self.repo.path.with_name("clone"), ignore_errors=True)


def _came_meanwhile(said: str) -> bool:
    """Does ``git fsck`` only miss what refs and reflogs name.

    It reads the objects first and those then: a commit that anybody makes meanwhile is
    called invalid. What is missing indeed is so at the next look, too.
    """
    lines = said.splitlines()
    return bool(lines) and all(
        line.startswith("error: refs/")
        and (": invalid reflog entry " in line or ": invalid sha1 pointer " in line)
        for line in lines
    )


_LOOKS = 3
_PASSED_OVER = (
    "error: cannot lock ref 'refs/heads/agent-state",
    "error: cannot lock ref 'refs/notes/gitstate",
    # a pack that went while a multi-pack-index was written: git leaves it out
    "warning: failed to open pack-index",
    "error: failed to add packfile",
    "warning: failed to add packfile",
)
_ORDER = (
    ("gc", "--quiet", "--prune=now"),
    ("pack-refs", "--all"),
    ("repack", "-q", "-adf"),
    ("gc", "--quiet", "--prune=now"),
    ("multi-pack-index", "write"),
    ("maintenance", "run", "--quiet", "--task=incremental-repack"),
    ("gc", "--quiet", "--prune=now", "--aggressive"),
)
# git says nowhere that these run: a pack of ours may go before they open it, so that
# they are safe beside an agent (a version in some tenths of a second), not beside a crowd
_BARE = (
    ("prune", "--expire=now"),
    ("fsck", "--full", "--strict", "--no-dangling", "--no-progress"),
    ("multi-pack-index", "write", "--bitmap"),
    ("repack", "-q", "-adb"),
    ("multi-pack-index", "verify"),
    ("clone", "--quiet", "--bare", ".", "../clone"),
    ("reflog", "expire", "--expire=now", "--all"),
)


def worktrees(repo: Repo, folder: Path) -> list[Repo]:
    """The main worktree and two linked ones, each with a line of its own."""
    found = [repo]
    for name in ("left", "right"):
        repo.git("worktree", "add", "-q", "-b", name, str(folder / name))
        found.append(Repo(folder / name))
    for place in found:
        gitstate("init", "--no-daemon", cwd=place.path)
    return found


@pytest.mark.parametrize(
    ("engine", "crowd", "flock", "share"),
    [
        ("libgit2", 8, True, 1.0),
        ("git", 8, True, 0.4),
        ("libgit2", 8, False, 0.4),
        ("libgit2", 1, True, 0.4),
    ],
)
def test_writers_beside_the_user(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    engine: str,
    crowd: int,
    *,
    flock: bool,
    share: float,
    record_property: Callable[[str, object], None],
) -> None:
    monkeypatch.setenv("GITSTATE_ENGINE", engine)
    repo = make_repo(tmp_path / "repo")
    repo.commit(text="more\n")
    places = worktrees(repo, tmp_path)
    preload = {} if flock else {"LD_PRELOAD": str(build("no_flock", tmp_path))}
    stop = tmp_path / "stop"
    notes = [tmp_path / f"note-{number}" for number in range(crowd)]
    homes = [places[number % 4 % len(places)] for number in range(crowd)]
    writers = [
        subprocess.Popen(
            [
                *(sys.executable, "-m", "tests.race.writer"),
                *(home.path, f"agent-{number}.md", note, stop),
                "0" if crowd > 1 else "0.3",
            ],
            env={**os.environ, **preload},
            cwd=Path(__file__).parents[2],
        )
        for number, (home, note) in enumerate(zip(homes, notes, strict=True))
    ]
    user = User(repo, _ORDER if crowd > 1 else [*_ORDER, *_BARE])
    seconds = SECONDS * share
    try:
        deadline = time.monotonic() + seconds
        turn = 0
        while time.monotonic() < deadline or turn < len(user.order):
            turn += 1
            user.work(turn)
    finally:
        stop.touch()
        codes = [writer.wait(timeout=120) for writer in writers]

    assert codes == [0] * crowd
    # the hooks' own children may still link the last commits
    spaces = [Workspace.open(place.path) for place in places]
    wait_for(lambda: not any(map(spool.anything, spaces)), limit_s=60)
    assert user.failed == [], user.failed[:20]
    assert repo.git("rev-list", "--branches=main", "--", ".agent-state") == ""
    ledgers = {home.path: Ledger(home, _line(home)) for home in homes}
    failures: Counter[str] = Counter()
    notices: Counter[str] = Counter()
    for number, (home, note) in enumerate(zip(homes, notes, strict=True)):
        *told, last = map(json.loads, note.read_text("ascii").splitlines())
        failures.update(last)
        for version, commit, text, said in told:
            notices.update(said)
            files = {f"agent-{number}.md": text.encode()}
            ledgers[home.path].tell(version, commit, files)
    fsck(repo)
    made = {}
    for ledger in ledgers.values():
        made[ledger.line] = len(ledger.check_line())
        said = gitstate("fsck", cwd=ledger.repo.path)
        assert said.returncode == 0
    told_count = sum(len(ledger.told) for ledger in ledgers.values())
    record_property(
        "figures",
        f"{seconds:g} s, {crowd} writers, {engine}, flock {flock}: user {dict(user.ran)}, "
        f"versions {made}, reports {told_count}, refused {dict(failures)}",
    )
    assert notices == {}
    assert failures == {}
    wait_for(lambda: leftovers(repo) == [])


def _line(home: Repo) -> str:
    name = home.path.name
    return "agent-state" if name == "repo" else f"agent-state.{name}"
