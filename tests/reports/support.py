"""What the tests of reports ask of a repository."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.support import gitstate

if TYPE_CHECKING:
    from tests.support import Repo

LINE = "agent-state"


def status(repo: Repo) -> dict[str, Any]:
    """``gitstate status --json``."""
    found: dict[str, Any] = json.loads(
        gitstate("status", "--json", cwd=repo.path).stdout
    )
    return found


def newest(repo: Repo, line: str = LINE) -> int:
    """The number of the line's newest version, by git alone; 0 where there is none."""
    trailer = "%(trailers:key=State-Version,valueonly)"
    args = ("log", "-1", f"--format={trailer}", f"refs/heads/{line}", "--")
    return int(repo.git(*args, check=False) or 0)


def held(repo: Repo, name: str = "02-current-task.md", line: str = LINE) -> str:
    """A file's text in the newest version, by git alone."""
    return repo.git("cat-file", "blob", f"{line}:.agent-state/{name}", check=False)


def put(repo: Repo, text: str, name: str = "02-current-task.md") -> None:
    """Write a file as editors do: at once, so that no version holds a half of it."""
    beside = repo.path.with_name(f"{repo.path.name} beside")
    beside.write_text(text)
    beside.replace(repo.state / name)


def sound(repo: Repo) -> None:
    """Git and gitstate both find nothing wrong."""
    assert "error" not in repo.git("fsck", "--full", "--strict")
    gitstate("fsck", cwd=repo.path)
