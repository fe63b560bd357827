"""``gitstate status``: each problem is said once, and where it is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gitstate import background
from gitstate.background import Seen
from gitstate.commands import status
from gitstate.workspace import Workspace
from tests.support import gitstate, make_repo

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

WAITS = (
    "the branch agent-state is checked out in {}: versions wait at "
    "refs/gitstate/pending/agent-state until it is free"
)


def test_a_branch_in_use_is_named_with_its_worktree(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "shop")
    gitstate("init", "--no-daemon", "--no-hooks", cwd=repo.path)
    repo.git("worktree", "add", "-q", "../elsewhere", "agent-state")
    found = json.loads(gitstate("status", "--json", cwd=repo.path).stdout)
    assert WAITS.format(tmp_path / "elsewhere") in found["problems"]


def test_many_and_long_names_leave_one_screen(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "shop")
    gitstate("init", "--no-daemon", "--no-hooks", cwd=repo.path)
    for number in range(1, 16):
        repo.write(f"notes/{number:02}.md", "x\n")
    repo.write("y" * 200, "x\n")
    lines = gitstate("status", cwd=repo.path).stdout.splitlines()
    names = ", ".join(f"notes/{number:02}.md" for number in range(1, 13))
    assert f"not yet in a version: {names}, and 4 more" in lines
    (long,) = [line for line in lines if "yyy" in line]
    assert long.split()[:2] == [f"{'y' * 47}…", "2"]
    assert max(map(len, lines)) < 200
    found = json.loads(gitstate("status", "--json", cwd=repo.path).stdout)
    assert len(found["edited"]) == 16
    assert found["files"][-1]["path"] == "y" * 200


def test_what_the_daemon_says_too_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = make_repo(tmp_path / "shop")
    gitstate("init", "--no-daemon", "--no-hooks", cwd=repo.path)
    repo.git("branch", "-D", "agent-state")
    gone = json.loads(gitstate("status", "--json", cwd=repo.path).stdout)["problems"][0]
    for told, more in ((gone, []), (f"{gone}; one thing more", ["one thing more"])):
        seen = Seen(
            running=True,
            pid=1,
            heartbeat_age_s=0.0,
            registered=True,
            watching=True,
            mode="watch",
            problem=told,
        )
        monkeypatch.setattr(background, "seen", lambda _, seen=seen: seen)
        problems = status.gather(Workspace.open(repo.path)).problems
        assert [text for text in problems if "hook" not in text] == [gone, *more]


def test_the_limit_is_what_the_header_allows(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "shop")
    gitstate("init", "--no-daemon", "--no-hooks", cwd=repo.path)
    task = repo.state / "02-current-task.md"
    begin = task.read_text().replace("size: 8 KiB", "size: 2 KiB")
    repo.write("02-current-task.md", begin + "x" * 2048)
    repo.write("notes.md", "capacity: {size: 1 KiB}\n")
    repo.write("06-huge.md", "---\ncapacity: {size: 9 MiB}\n---\n")
    (repo.state / "07-link.md").symlink_to("02-current-task.md")
    found = json.loads(gitstate("status", "--json", cwd=repo.path).stdout)
    limits = {row["path"]: row["limit"] for row in found["files"]}
    assert limits == {
        "00-project-context.md": 8 << 10,
        "01-coding-conventions.md": 8 << 10,
        "02-current-task.md": 2 << 10,
        "03-known-issues.md": 16 << 10,
        "04-decision-log.md": 16 << 10,
        "05-file-map.md": limits["05-file-map.md"],
        "06-huge.md": 1 << 20,
        "07-link.md": 1 << 20,
        "notes.md": 1 << 20,
    }
    lines = gitstate("status", cwd=repo.path).stdout.splitlines()
    (line,) = [line for line in lines if line.startswith("  02-current-task.md")]
    assert line.endswith("over its limit, edited")
