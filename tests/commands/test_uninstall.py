"""``gitstate uninstall``: what is taken out, what is asked, and what is said."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from gitstate import lock
from gitstate.errors import EXIT_DONE, EXIT_REFUSED
from gitstate.history.identity import heads_folder
from gitstate.workspace import Workspace
from tests.support import Repo, command, gitstate, make_repo, wait_for

REF = "refs/heads/agent-state"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = make_repo(tmp_path / "shop")
    gitstate("init", "--no-daemon", "--no-hooks", cwd=made.path)
    return made


def refs(repo: Repo) -> set[str]:
    return set(repo.git("for-each-ref", "--format=%(refname)").split())


def _leads(link: Path, target: Path) -> bool:
    try:
        return link.readlink() == target
    except OSError:  # closed meanwhile
        return False


def lost(repo: Repo) -> str:
    tip = repo.git("rev-parse", REF)[:12]
    return f"--purge removes for good:\n  {repo.state}\n  {REF} ({tip})\n"


def test_a_purge_takes_edits_that_are_in_no_version_too(repo: Repo) -> None:
    repo.write("02-current-task.md", "not yet in a version\n")
    said = lost(repo)
    done = gitstate("uninstall", "--purge", "--yes", cwd=repo.path)
    assert done.stderr == ""
    assert done.stdout == (
        f"{said}removed the runtime files in {repo.path}/.git/gitstate\n"
        f"removed {REF}\n"
        "left to git's own gc: packs of versions (1)\n"
        f"removed {repo.state}\n"
        "took our line out of info/exclude\n"
    )
    assert refs(repo) == {"refs/heads/main"}
    assert not repo.state.exists()
    assert not (repo.path / ".git" / "gitstate").exists()


def test_the_last_purge_takes_the_lines_of_removed_worktrees_too(repo: Repo) -> None:
    other = Repo(repo.path.parent / "other")
    repo.git("worktree", "add", "-q", str(other.path))
    gitstate("init", "--no-daemon", "--no-hooks", cwd=other.path)
    repo.git("update-ref", "refs/heads/agent-state.mine", "main")  # the user's own
    gitstate("uninstall", "--purge", "--yes", cwd=repo.path)
    assert "refs/heads/agent-state.other" in refs(repo)  # it is in use there
    gitstate("init", "--no-daemon", "--no-hooks", cwd=repo.path)
    repo.git("worktree", "remove", "--force", str(other.path))
    done = gitstate("uninstall", "--purge", "--yes", cwd=repo.path)
    assert "removed refs/heads/agent-state.other\n" in done.stdout
    mine = {"refs/heads/main", "refs/heads/other", "refs/heads/agent-state.mine"}
    assert refs(repo) == mine
    assert list(heads_folder().iterdir()) == []
    assert not (repo.path / ".git" / "refs" / "gitstate").exists()


@pytest.mark.parametrize("verb", [("--purge", "--yes"), ("--purge",), ()])
def test_a_second_time_there_is_nothing(repo: Repo, verb: tuple[str, ...]) -> None:
    gitstate("uninstall", "--purge", "--yes", cwd=repo.path)
    done = gitstate("uninstall", *verb, cwd=repo.path)
    assert (done.stdout, done.stderr) == (f"nothing to take out of {repo.path}\n", "")


@pytest.mark.parametrize("answer", ["y\n", "YES\n"])
def test_yes(repo: Repo, answer: str) -> None:
    gitstate("uninstall", "--purge", cwd=repo.path, stdin=answer)
    assert refs(repo) == {"refs/heads/main"}


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("n\n", ""),
        ("\n", ""),
        ("maybe\n", ""),
        ("", ": nobody answered, and only --yes does not ask"),
    ],
)
def test_anything_but_yes(repo: Repo, answer: str, why: str) -> None:
    before, said = refs(repo), lost(repo)
    done = gitstate("uninstall", "--purge", cwd=repo.path, check=False, stdin=answer)
    assert (done.returncode, done.stdout, done.stderr) == (
        EXIT_REFUSED,
        said,
        f"Remove all of it for good? [y/N]: gitstate: nothing was removed{why}\n",
    )
    assert refs(repo) == before
    assert gitstate("snapshot", cwd=repo.path).stdout == "unchanged since v1\n"


def test_nobody_can_answer(repo: Repo) -> None:
    done = subprocess.run(
        command("uninstall", "--purge"),
        cwd=repo.path,
        capture_output=True,
        check=False,
        preexec_fn=lambda: os.close(0),
    )
    assert done.returncode == EXIT_REFUSED
    assert done.stderr.endswith(
        b"nothing was removed: nobody answered, and only --yes does not ask\n"
    )
    assert REF in refs(repo)


def test_a_branch_in_use_is_refused_before_anything_is_taken_out(repo: Repo) -> None:
    repo.git("worktree", "add", "-q", "../elsewhere", "agent-state")
    done = gitstate("uninstall", "--purge", "--yes", cwd=repo.path, check=False)
    assert (done.returncode, done.stderr) == (
        EXIT_REFUSED,
        "gitstate: the branch agent-state is checked out; switch to another first\n",
    )
    assert gitstate("snapshot", cwd=repo.path).returncode == EXIT_DONE


def test_what_was_removed_is_said_where_the_rest_fails(repo: Repo) -> None:
    shield = repo.path / ".git" / f"{REF}.lock"
    shield.touch()
    said = lost(repo)
    done = gitstate("uninstall", "--purge", "--yes", cwd=repo.path, check=False)
    assert done.returncode == EXIT_REFUSED
    assert done.stdout == (
        f"{said}removed the runtime files in {repo.path}/.git/gitstate\n"
    )
    assert f"{REF} is locked by {shield}" in done.stderr
    shield.unlink()
    gitstate("uninstall", "--purge", "--yes", cwd=repo.path)
    assert refs(repo) == {"refs/heads/main"}
    assert not repo.state.exists()


def test_the_versions_stay_and_go_on(repo: Repo) -> None:
    repo.write("02-current-task.md", "not yet in a version\n")
    done = gitstate("uninstall", cwd=repo.path)
    assert done.stdout == (
        "saved the last edits as v2\n"
        f"removed the runtime files in {repo.path}/.git/gitstate\n"
        "kept: .agent-state/, the branch agent-state, its archive and notes, and the exclude "
        "line; `gitstate init` takes up again where it was\n"
    )
    gitstate("init", "--no-daemon", "--no-hooks", cwd=repo.path)
    assert gitstate("snapshot", cwd=repo.path).stdout == "unchanged since v2\n"


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs Linux's /proc")
def test_whoever_waited_for_the_lock_makes_no_version_after_a_purge(
    repo: Repo,
) -> None:
    repo.write("02-current-task.md", "not yet in a version\n")
    ws = Workspace.open(repo.path)
    with lock.held(ws.lock_path, verb="uninstall", wait_s=0):
        waiting = subprocess.Popen(
            command("snapshot"), cwd=repo.path, stderr=subprocess.PIPE, text=True
        )
        fds = Path(f"/proc/{waiting.pid}/fd")
        wait_for(lambda: any(_leads(fd, ws.lock_path) for fd in fds.iterdir()))
        (ws.runtime / "life").unlink()
        repo.git("update-ref", "-d", REF)
    _, said = waiting.communicate(timeout=20)
    assert "gitstate is not set up in" in said
    assert waiting.returncode == EXIT_REFUSED
    assert refs(repo) == {"refs/heads/main"}
