"""Somebody who pushes code, with git's real hooks and a real remote."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from gitstate.hooks.git import gate
from tests.hooks.git.coding import Coder, Ran
from tests.support import Repo

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

BLOCK = ("gitstate.gatePush=block",)


@dataclass
class Pusher:
    """A coder with a bare ``origin`` that has what HEAD was."""

    coder: Coder
    remote: Repo

    def push(
        self,
        *words: str,
        to: str = "origin",
        settings: tuple[str, ...] = BLOCK,
        env: Mapping[str, str] | None = None,
    ) -> Ran:
        ran = self.coder.git("push", "-q", to, *words, settings=settings, env=env)
        assert "Traceback" not in ran.err
        return ran

    def there(self) -> dict[str, str]:
        """The remote's refs."""
        rows = self.remote.git("for-each-ref", "--format=%(refname) %(objectname)")
        return dict(row.split() for row in rows.splitlines())


@pytest.fixture
def pusher(tmp_path: Path) -> Pusher:
    coder = Coder.begin(tmp_path)
    Repo(tmp_path).git("init", "-q", "--bare", "-b", "main", "remote.git")
    coder.repo.git("remote", "add", "origin", "../remote.git")
    coder.repo.git("push", "-q", "--no-verify", "origin", "main")
    return Pusher(coder, Repo(tmp_path / "remote.git"))


def said(ran: Ran) -> list[str]:
    """What gitstate said."""
    lines = ran.err.splitlines()
    return [
        line.removeprefix("gitstate: ") for line in lines if line.startswith("gitstate")
    ]


def names(ran: Ran) -> list[str]:
    """The subjects of the commits that were named."""
    return re.findall(r"\b[0-9a-f]{12} \(([^)]*)\)", ran.err)


def stale(pusher: Pusher, subject: str) -> str:
    """A commit without an update; its id."""
    pusher.coder.code()
    pusher.coder.git("commit", "-q", "-m", subject)
    return pusher.coder.head()


def check(pusher: Pusher, remote: str, lines: str) -> subprocess.CompletedProcess[str]:
    """The check as the hook starts it."""
    return subprocess.run(
        [sys.executable, "-I", "-S", gate.__file__, "pre-push", remote, remote],
        cwd=pusher.coder.repo.path,
        input=lines,
        capture_output=True,
        text=True,
        check=False,
    )
