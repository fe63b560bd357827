"""Where things are, asked of real git: every shape of repository, and what is none."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gitstate.errors import GitFailed, GitstateError, NotARepository
from gitstate.workspace import Workspace, config_home, state_home
from tests.support import Repo, gitstate, make_repo

if TYPE_CHECKING:
    from collections.abc import Mapping


def test_the_main_worktree(repo: Repo) -> None:
    (repo.path / "deep" / "er").mkdir(parents=True)
    for start in (repo.path, repo.path / "deep" / "er"):
        ws = Workspace.open(start)
        git_dir = repo.path / ".git"
        assert (ws.root, ws.git_dir, ws.common_dir) == (repo.path, git_dir, git_dir)
        assert (ws.worktree_id, ws.line) == (None, "agent-state")
        assert ws.ref == "refs/heads/agent-state"
        assert ws.pending_ref == "refs/gitstate/pending/agent-state"
        assert ws.archive_prefix == "refs/gitstate/archive/agent-state/"
        assert ws.state_dir == repo.path / ".agent-state"
        assert ws.runtime == ws.shared == git_dir / "gitstate"
        assert ws.lock_path == git_dir / "gitstate" / "lock"
        assert ws.objects_dir == git_dir / "objects"
        assert ws.object_format == "sha1"
        assert not ws.initialised


def test_a_linked_worktree(repo: Repo, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "si de"))
    ws = Workspace.open(tmp_path / "si de")

    assert (ws.worktree_id, ws.line) == ("si-de", "agent-state.si-de")
    assert ws.runtime == repo.path / ".git" / "worktrees" / "si-de" / "gitstate"
    assert ws.shared == repo.path / ".git" / "gitstate"
    assert ws.root == tmp_path / "si de"


@pytest.mark.parametrize(
    "name", ["new\nline", "sp ace", "quo'te\"", "\udcff", "é", "-x"]
)
def test_odd_places(tmp_path: Path, name: str) -> None:
    repo = make_repo(tmp_path / name)
    ws = Workspace.open(repo.path)

    assert ws.root == repo.path
    assert ws.git_dir == ws.common_dir == repo.path / ".git"


def test_a_git_dir_elsewhere(tmp_path: Path) -> None:
    work = Repo(tmp_path / "work")
    work.path.mkdir()
    work.git("init", "-q", f"--separate-git-dir={tmp_path / 'elsewhere'}")
    ws = Workspace.open(work.path)

    assert ws.git_dir == ws.common_dir == tmp_path / "elsewhere"
    assert ws.worktree_id is None


def test_no_repository(tmp_path: Path) -> None:
    with pytest.raises(NotARepository) as caught:
        Workspace.open(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path} is not in a git repository; run `git init` first"
    )
    with pytest.raises(NotARepository, match="no such directory"):
        Workspace.open(tmp_path / "nothing")
    (tmp_path / "file").write_text("")
    with pytest.raises(NotARepository, match="not a directory"):
        Workspace.open(tmp_path / "file")


def test_a_bare_repository_and_the_inside_of_a_git_dir(
    repo: Repo, tmp_path: Path
) -> None:
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    for place in (
        tmp_path / "bare.git",
        repo.path / ".git",
        repo.path / ".git/objects",
    ):
        with pytest.raises(NotARepository, match="no worktree here; run gitstate in a"):
            Workspace.open(place)


def test_another_users_environment_does_not_count(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_repo(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.path))

    assert Workspace.open(repo.path).root == repo.path


OLD_GIT = """#!/bin/sh
# git 2.20: what it does not know, rev-parse prints back
for word; do
  case "$word" in version) echo "git version 2.20.1"; exit 0;; esac
done
for word; do case "$word" in rev-parse) seen=1;; esac; done
if [ -n "$seen" ]; then
  while [ "$1" != rev-parse ]; do shift; done; shift
  for word; do
    case "$word" in
      --show-object-format|--path-format=*) echo "$word";;
      *) {git} rev-parse "$word" || exit;;
    esac
  done
  exit 0
fi
exec {git} "$@"
"""


@pytest.fixture
def old_git(tmp_path: Path) -> Mapping[str, str]:
    """An environment whose git reports 2.20 and behaves so."""
    real = shutil.which("git")
    script = tmp_path / "old" / "git"
    script.parent.mkdir()
    script.write_text(OLD_GIT.replace("{git}", str(real)))
    script.chmod(0o755)
    return {"PATH": f"{script.parent}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.parametrize("verb", ["init", "snapshot", "status", "log", "doctor"])
def test_an_old_git_is_told_which_version_is_needed(
    repo: Repo, old_git: Mapping[str, str], verb: str
) -> None:
    done = gitstate(verb, cwd=repo.path, env=old_git, check=False)

    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == (
        "gitstate: git 2.20.1 is too old: gitstate needs git 2.34 or later\n"
    )
    assert not (repo.path / ".git" / "gitstate").exists()
    assert not repo.state.exists()


@pytest.mark.parametrize("verb", ["init", "snapshot", "status", "log"])
def test_no_git_on_the_path(repo: Repo, tmp_path: Path, verb: str) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()

    done = gitstate(verb, cwd=repo.path, env={"PATH": str(empty)}, check=False)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "gitstate: git was not found on the PATH; install git 2.34 or later\n"
    )


def test_a_repository_that_git_cannot_read(repo: Repo) -> None:
    (repo.path / ".git" / "config").write_text("[core\nbroken")

    with pytest.raises(GitFailed, match="bad config line"):
        Workspace.open(repo.path)


@pytest.mark.parametrize(
    ("value", "bits"),
    [
        (None, 0),
        ("false", 0),
        ("umask", 0),
        ("true", 0o060),
        ("group", 0o060),
        ("1", 0o060),
        ("all", 0o064),
        ("everybody", 0o064),
        ("0660", 0o060),
        ("0640", 0o040),
        ("banana", 0),
    ],
)
def test_who_else_may_read(repo: Repo, value: str | None, bits: int) -> None:
    if value is not None:
        with (repo.path / ".git" / "config").open("a") as file:
            file.write(f"[core]\n\tsharedRepository = {value}\n")
    try:
        ws = Workspace.open(repo.path)
    except GitstateError:  # git itself does not take every word
        assert value == "banana"
        return
    assert (ws.group_bits, ws.file_mode) == (bits, 0o600 | bits)


@pytest.mark.parametrize(
    ("name", "email", "expected"),
    [
        ("Ann", "a@b", ("Ann", "a@b")),
        ("A <b>", "<a@b>", ("A b", "a@b")),
        (" ", "a@b", ("gitstate", "gitstate@localhost")),
        ("Ann", "", ("gitstate", "gitstate@localhost")),
    ],
)
def test_the_users_identity(
    repo: Repo, name: str, email: str, expected: tuple[str, str]
) -> None:
    repo.git("config", "user.name", name)
    repo.git("config", "user.email", email)

    assert Workspace.open(repo.path).identity() == expected


def test_the_users_folders(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    assert state_home() == home / ".state" / "gitstate"
    assert config_home() == home / ".config"
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    monkeypatch.setenv("XDG_CONFIG_HOME", "")
    assert state_home().is_absolute()
    assert Path("relative") not in state_home().parents
    assert config_home().is_absolute()
