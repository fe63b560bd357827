"""Finding the worktree: what is said where git does not answer, or refuses."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from gitstate.errors import EXIT_REFUSED
from tests.support import Repo, gitstate, make_repo

if TYPE_CHECKING:
    from pathlib import Path

BROKEN = {
    "silent": ("exit 0", "git rev-parse does not answer as git does; is {git} git?"),
    "chatty": ("echo x", "git rev-parse does not answer as git does; is {git} git?"),
    "failing": ("exit 7", "git rev-parse: exit code 7; is {git} git?"),
}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return make_repo(tmp_path / "shop")


def program(folder: Path, body: str) -> str:
    """A folder for the front of PATH whose ``git`` is this shell script."""
    folder.mkdir()
    path = folder / "git"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.parametrize("verb", ["status", "snapshot", "init", "doctor", "uninstall"])
@pytest.mark.parametrize(("body", "said"), BROKEN.values(), ids=BROKEN)
def test_a_program_that_is_not_git(
    repo: Repo, tmp_path: Path, verb: str, body: str, said: str
) -> None:
    path = program(tmp_path / "bin", body)
    done = gitstate(verb, cwd=repo.path, check=False, env={"PATH": path})
    text = said.format(git=tmp_path / "bin" / "git")
    assert (done.returncode, done.stdout, done.stderr) == (
        EXIT_REFUSED,
        "",
        f"gitstate: {text}\n",
    )


def test_a_repository_of_another_user(repo: Repo, tmp_path: Path) -> None:
    real = shutil.which("git")
    path = program(
        tmp_path / "bin", f'GIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec {real} "$@"'
    )
    done = gitstate("status", cwd=repo.path, check=False, env={"PATH": path})
    said = (
        f"gitstate: {repo.path} is another user's repository, which git does not open; if "
        f"you trust it, run `git config --global --add safe.directory {repo.path}`\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (EXIT_REFUSED, "", said)
