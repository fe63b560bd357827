"""What the tests of reports start from: a repository with gitstate, and the real daemon."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.reports.support import status
from tests.support import Repo, gitstate, make_repo, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def kept(repo: Repo) -> Repo:
    """A repository whose state directory is v1."""
    repo.write_six()
    gitstate("init", "--no-daemon", cwd=repo.path)
    return repo


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """The daemon looks often."""
    monkeypatch.setenv("GITSTATE_QUIET_MS", "50")
    monkeypatch.setenv("GITSTATE_SCAN_SECONDS", "1")


@pytest.fixture
def watched(tmp_path: Path, quick: None) -> Iterator[Repo]:
    """The same, looked after by the daemon; it is stopped at the end."""
    del quick
    found = make_repo(tmp_path / "watched")
    found.write_six()
    gitstate("init", cwd=found.path)
    try:
        wait_for(lambda: status(found)["daemon"]["watching"], what="the daemon watches")
        yield found
    finally:
        gitstate("daemon", "stop", cwd=tmp_path)
