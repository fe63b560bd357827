from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from gitstate import freshness, reminders
from gitstate.freshness import KIND, Activity, check, look, sign, take_away
from tests.engines import begun, edit
from tests.hooks.git.coding import Coder
from tests.support import Repo, make_repo

if TYPE_CHECKING:
    from pathlib import Path

    from gitstate.workspace import Workspace

HOUR = 3600.0
NO_HOOKS = ("core.hooksPath=/dev/null",)


@pytest.fixture
def ws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A worktree whose task file and code are from an hour ago, and the commits older."""
    monkeypatch.setenv("GIT_COMMITTER_DATE", "@1000000000 +0000")
    repo = make_repo(tmp_path / "repo")
    repo.git("config", "gitstate.freshnessThreshold", "600")
    repo.write("../.gitignore", "/build/\n")
    repo.git("add", ".gitignore")
    repo.git("commit", "-q", "-m", "ignore")
    monkeypatch.delenv("GIT_COMMITTER_DATE")
    made = begun(repo)
    for path in repo.path.rglob("*"):
        if ".git" not in path.parts and path.is_file():
            aged(path, HOUR)
    aged(made.state_dir / freshness.TASK, HOUR)
    return made


@pytest.fixture
def coder(tmp_path: Path) -> Coder:
    return Coder.begin(tmp_path)


def aged(path: Path, seconds: float) -> None:
    when = time.time() - seconds
    os.utime(path, (when, when), follow_symlinks=False)


def wrote(ws: Workspace, name: str = "code.txt", *, ago: float = 60) -> Path:
    """Code that was written so many seconds ago."""
    path = ws.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"written at {time.time_ns()}\n")
    aged(path, ago)
    return path


def at(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let the clock stand so many seconds from now."""
    moment = datetime.fromtimestamp(time.time() + seconds, UTC)
    monkeypatch.setenv("GITSTATE_NOW", moment.isoformat())


def what(ws: Workspace) -> str | None:
    found = look(ws)
    return None if found is None else found.activity.what


# what is activity


@pytest.mark.parametrize(
    "name", ["code.txt", "new.txt", "deep/er/new.txt", "-n", "a\nb", 'q"uote', "é"]
)
def test_an_edit_or_a_new_file(ws: Workspace, name: str) -> None:
    path = wrote(ws, name)
    found = look(ws)
    assert found is not None
    assert found.activity == Activity(name.replace("\n", "\\n"), path.stat().st_mtime)
    assert found.task_time == (ws.state_dir / freshness.TASK).stat().st_mtime


def test_a_name_that_is_no_text(ws: Workspace) -> None:
    try:
        (ws.root / os.fsdecode(b"\xff.txt")).write_text("x")
    except OSError:
        pytest.skip("this file system takes text alone")
    assert what(ws) == "\\xff.txt"


def test_nothing_is_no_activity(ws: Workspace) -> None:
    assert look(ws) is None


def test_what_git_ignores_is_none(ws: Workspace) -> None:
    wrote(ws, "build/output.o")
    assert look(ws) is None


def test_the_state_itself_is_none(ws: Workspace) -> None:
    edit(ws, "decided\n", "04-decision-log.md")
    repo = Repo(ws.root)
    repo.git("add", "-f", ".agent-state/03-known-issues.md")
    repo.write("03-known-issues.md", "another\n")
    assert look(ws) is None


def test_what_is_older_than_the_task_file_is_none(ws: Workspace) -> None:
    wrote(ws, ago=2 * HOUR)
    assert look(ws) is None


def test_a_checkout_is_no_edit(ws: Workspace) -> None:
    repo = Repo(ws.root)
    repo.git("checkout", "-q", "-b", "topic")
    (ws.root / "code.txt").unlink()
    repo.git("checkout", "-q", "--", "code.txt")
    assert (ws.root / "code.txt").stat().st_mtime > time.time() - 60
    assert look(ws) is None


def test_a_deletion_is_told_by_its_commit(ws: Workspace) -> None:
    (ws.root / "code.txt").unlink()
    assert look(ws) is None


def test_a_link_is_not_followed(ws: Workspace, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("x")
    link = ws.root / "code.txt"
    link.unlink()
    link.symlink_to(tmp_path / "elsewhere")
    aged(link, 2 * HOUR)
    assert look(ws) is None


@pytest.mark.report(22)
def test_times_in_the_future_are_quiet(ws: Workspace) -> None:
    """A clock that was set back, a file from another machine."""
    path = wrote(ws, ago=-HOUR)
    assert look(ws) is None
    aged(path, 60)
    aged(ws.state_dir / freshness.TASK, -HOUR)
    assert look(ws) is None


def test_without_a_task_file_there_is_nothing_to_be_late(ws: Workspace) -> None:
    wrote(ws)
    (ws.state_dir / freshness.TASK).unlink()
    assert look(ws) is None


def test_an_unborn_branch(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", commit=False)
    ws = begun(repo)
    aged(ws.state_dir / freshness.TASK, HOUR)
    assert look(ws) is None
    wrote(ws)
    assert what(ws) == "code.txt"


def test_a_commit_without_an_update_is_activity(coder: Coder) -> None:
    coder.commit(settings=("gitstate.gate=off", *NO_HOOKS))
    aged(coder.task, HOUR)
    short = coder.head()[:7]
    assert what(coder.ws()) == f"commit {short}"  # nobody has linked it yet
    coder.link(look=True)
    assert coder.check() == "bypassed: made past the hooks"
    assert what(coder.ws()) == f"commit {short}"


def test_a_commit_with_an_update_is_none(coder: Coder) -> None:
    coder.commit(updated=True)
    coder.link()
    assert coder.check() == "updated"
    assert look(coder.ws()) is None


def test_a_commit_that_needs_none_is_none(coder: Coder) -> None:
    coder.commit()
    coder.link()
    aged(coder.task, HOUR)
    assert what(coder.ws()) is not None
    coder.scene.gitstate("flags", "--resolve", "HEAD", "--reason", "only words")
    assert look(coder.ws()) is None


# a sign of life


def test_a_sign_of_life(ws: Workspace) -> None:
    wrote(ws, "deep/er/code.txt", ago=HOUR)
    quiet = sign(ws)
    assert quiet.whole
    assert sign(ws) == quiet
    edit(ws, "another task\n")
    assert sign(ws) == quiet  # the state is not the work
    wrote(ws, "deep/er/code.txt")
    assert sign(ws) != quiet


def test_a_commit_is_a_sign_of_life(ws: Workspace) -> None:
    quiet = sign(ws)
    Repo(ws.root).git("commit", "-q", "--allow-empty", "-m", "x")
    assert sign(ws) != quiet


def test_a_large_worktree_is_not_looked_through(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(freshness, "_LOOKED_AT", 5)
    for number in range(9):
        wrote(ws, f"{number}/file")
    quiet = sign(ws)
    assert not quiet.whole
    wrote(ws, "code.txt")
    assert sign(ws) == sign(ws)


def test_what_is_installed_is_not_entered(ws: Workspace) -> None:
    path = wrote(ws, "node_modules/a/b.js")
    quiet = sign(ws)
    assert not quiet.whole
    path.write_text("another")
    assert sign(ws) == quiet


# one reminder


def waiting(ws: Workspace) -> list[str]:
    return [item.text for item in reminders.read(ws)]


LATE = (
    ".agent-state/02-current-task.md was last written 1 h ago, and the code has changed "
    "since (code.txt): bring it up to date"
)


def test_it_is_raised_once_and_goes_by_itself(ws: Workspace) -> None:
    wrote(ws, ago=599)
    assert check(ws) is None
    wrote(ws, ago=601)
    raised = check(ws)
    assert raised is not None
    assert (raised.kind, raised.text) == (KIND, LATE)
    assert waiting(ws) == [LATE]
    assert check(ws) is None
    assert waiting(ws) == [LATE]
    edit(ws, "up to date\n")
    assert check(ws) is None
    assert waiting(ws) == []
    assert not (ws.runtime / "reminders").exists()


def test_it_comes_again_for_another_standstill(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrote(ws, ago=1000)
    assert check(ws) is not None
    aged(ws.state_dir / freshness.TASK, 30)
    wrote(ws, ago=20)
    assert check(ws) is None
    assert waiting(ws) == []
    at(monkeypatch, 700)
    assert check(ws) is not None
    assert len(waiting(ws)) == 1


def test_it_goes_when_the_edit_is_taken_back(ws: Workspace) -> None:
    wrote(ws, ago=1000)
    assert check(ws) is not None
    Repo(ws.root).git("checkout", "-q", "--", "code.txt")
    assert check(ws) is None
    assert waiting(ws) == []


def test_it_can_be_taken_away_without_a_look(ws: Workspace) -> None:
    wrote(ws, ago=1000)
    check(ws)
    take_away(ws)
    assert waiting(ws) == [LATE]
    edit(ws, "up to date\n")
    take_away(ws)
    assert waiting(ws) == []


def test_an_idle_repository_gets_none(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    at(monkeypatch, 30 * 24 * HOUR)
    assert check(ws) is None
    assert waiting(ws) == []


def test_files_that_are_written_again_and_again_do_not_put_it_off(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for minute in range(0, 10, 3):
        at(monkeypatch, minute * 60)
        wrote(ws, ago=1 - 60 * minute)
        assert check(ws) is None
    at(monkeypatch, 660)
    wrote(ws, ago=-655)
    assert check(ws) is not None


@pytest.mark.report(22)
def test_sleep_does_not_count(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    wrote(ws, ago=60)
    assert check(ws) is None
    at(monkeypatch, 10 * HOUR)
    monkeypatch.setattr(freshness, "slept_s", lambda: 10 * HOUR - 5)
    assert check(ws) is None
    at(monkeypatch, 10 * HOUR + 600)
    assert check(ws) is not None


@pytest.mark.parametrize("text", [b"", b"[1]", b'{"key": 1}', b"\xff{", b"null"])
def test_files_that_are_damaged_are_as_none(ws: Workspace, text: bytes) -> None:
    wrote(ws, ago=1000)
    for name in ("standstill", "reminders"):
        (ws.runtime / name).write_bytes(text)
    assert check(ws) is not None
    assert waiting(ws) == [LATE]


def test_a_standstill_with_nonsense_in_it(ws: Workspace) -> None:
    wrote(ws, ago=1000)
    key = f"{(ws.state_dir / freshness.TASK).stat().st_mtime:.6f}"
    for since in ("null", "{}", '"nan"', "1e400"):
        text = f'{{"key": "{key}", "since": {since}, "slept": 0}}'
        (ws.runtime / "standstill").write_text(text)
        reminders.clear(ws, KIND)
        assert check(ws) is not None


def test_it_names_what_the_map_lacks(ws: Workspace) -> None:
    repo = Repo(ws.root)
    repo.write("05-file-map.md", "## Files\n- code.txt: all of it\n")
    aged(ws.state_dir / "05-file-map.md", HOUR)
    repo.git("mv", "code.txt", "moved.txt")
    repo.git("commit", "-q", "-m", "move")
    wrote(ws, "moved.txt", ago=1000)
    raised = check(ws)
    assert raised is not None
    assert raised.text.endswith(
        "(moved.txt): bring it up to date; 05-file-map.md too: code.txt is gone"
    )


def test_git_that_fails_is_no_failure(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wrote(ws, ago=1000)
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    assert check(ws) is None
