"""Repositories with gitstate for the tests of the verbs that write state."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from gitstate.commands import init as init_verb
from gitstate.workspace import Workspace
from tests.engines import files_on_disk
from tests.inside import call
from tests.support import NUMBERED, Repo, make_repo

if TYPE_CHECKING:
    from pathlib import Path

CONTEXT, CONVENTIONS, TASK, ISSUES, DECISIONS, MAP = NUMBERED
GOAL = "Fix nested brackets in src/core/parser.ts parseExpr"
NOW = "2026-11-29T14:05:00+01:00"


class Kept(Repo):
    """A repository with gitstate; ``do`` is a verb that must work."""

    def do(self, *words: str) -> str:
        said = call(self.path, *words)
        assert (said.code, said.err) == (0, ""), (words, said)
        return said.out

    def refuses(self, *words: str) -> str:
        """What a verb refuses, with nothing written."""
        before = files_on_disk(self.ws)
        said = call(self.path, *words)
        assert (said.code, said.out) == (1, ""), (words, said)
        assert files_on_disk(self.ws) == before
        return said.err.removeprefix("gitstate: ").removesuffix("\n")

    @property
    def ws(self) -> Workspace:
        return Workspace.open(self.path)

    def says(self, name: str) -> str:
        """A file without its header and the template's guidance."""
        text = (self.state / name).read_text()
        body = text.split("---\n", 2)[2] if text.startswith("---\n") else text
        return re.sub(r"\n*<!--.*?-->", "", body, flags=re.DOTALL)


def begin(path: Path, lang: str) -> Kept:
    repo = Kept(make_repo(path).path)
    repo.commit("src/core/parser.ts", "x\n")
    repo.commit("src/core/tokens.ts", "y\n")
    init_verb.run(repo.path, lang, no_hooks=True, no_daemon=True, dry_run=False)
    return repo


@pytest.fixture(autouse=True)
def now(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock stands."""
    monkeypatch.setenv("GITSTATE_NOW", NOW)


@pytest.fixture
def repo(tmp_path: Path) -> Kept:
    """One in English."""
    return begin(tmp_path / "repo", "en")


@pytest.fixture
def zh(tmp_path: Path) -> Kept:
    """One in Chinese."""
    return begin(tmp_path / "zh", "zh")
