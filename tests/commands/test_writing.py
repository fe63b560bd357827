"""What the verbs that write state have in common."""

from __future__ import annotations

import json
import re
import subprocess
from typing import TYPE_CHECKING

from gitstate import lock
from gitstate.commands import init as init_verb
from tests.commands.kept import DECISIONS, GOAL, ISSUES, TASK, Kept, now, repo
from tests.engines import files_of, files_on_disk, versions
from tests.inside import Said, call
from tests.support import command, make_repo

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

__all__ = ["now", "repo"]


def test_before_init_and_outside(tmp_path: Path) -> None:
    bare = make_repo(tmp_path / "bare")
    for words in (("task", "start", GOAL), ("decide", "x", "--reason", "y")):
        assert call(bare.path, *words) == Said(
            1,
            "",
            f"gitstate: gitstate is not set up in {bare.path}; run `gitstate init`\n",
        )
    assert not bare.state.exists()


def test_a_held_lock_is_named_and_the_file_is_edited(
    repo: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = lock._acquire  # noqa: SLF001 no five seconds of waiting

    def impatient(fd: int, path: Path, wait_s: float) -> bool:
        return real(fd, path, min(wait_s, 0.05))

    monkeypatch.setattr(lock, "_acquire", impatient)
    with lock.held(repo.ws.lock_path, verb="restore", wait_s=0):
        said = call(repo.path, "task", "start", GOAL)
    assert (said.code, said.out) == (0, f"task: {GOAL}\n")
    assert re.fullmatch(
        r"gitstate: no version yet: process \d+ \(restore\) holds gitstate's lock "
        r"\S+/lock; it is written, and the next version has it\n",
        said.err,
    )
    assert GOAL in (repo.state / TASK).read_text()
    assert repo.do("task", "step", "Locate it") == "step 1: Locate it (v2)\n"


def test_from_a_folder_below_and_with_hostile_words(repo: Kept) -> None:
    below = repo.path / "src" / "core"
    hostile = 'Fix a_b\x1b[31m "quoted" `code` $(x) ## <!-- | \\ 💥'
    assert call(below, "task", "start", hostile).code == 0
    shown = json.loads(call(below, "task", "show", "--json").out)
    assert shown["goal"] == hostile
    assert repo.refuses("task", "next", "Read a_b\udcff").startswith(
        "this is not UTF-8 text: "
    )
    assert repo.refuses("decide", "a\0b_c", "--reason", "x").startswith(
        "a NUL character cannot stand in"
    )
    assert call(repo.path, "decide", "--reason", "x", "--", "-rf").code == 0


def test_nothing_to_write_makes_no_version(repo: Kept) -> None:
    repo.do("task", "start", GOAL, "--next", "Read parseExpr")
    assert repo.do("task", "next", "Read parseExpr") == "next: Read parseExpr (v2)\n"


def test_the_task_s_data_is_in_the_version_of_its_edit(repo: Kept) -> None:
    text = (repo.state / TASK).read_text()
    repo.write(TASK, text.replace("## Goal\n", f"## Goal\n\n{GOAL}\n"))  # by hand
    assert repo.do("snapshot").startswith("v2 ")
    version = versions(repo.ws)[0]
    held = files_of(repo.ws, version.commit.id)
    state = json.loads(held["long_mem/task-state.json"])
    assert state["goal"] == GOAL
    assert state["source"] == repo.git("rev-parse", f"agent-state:.agent-state/{TASK}")
    assert repo.do("snapshot") == "unchanged since v2\n"
    (repo.state / "long_mem/task-state.json").write_text("{}")  # not to be edited
    repo.write(ISSUES, "other\n")
    repo.do("snapshot")
    assert files_on_disk(repo.ws) | {ISSUES: b""} == held | {ISSUES: b""}


def test_what_keeps_a_version_from_being_made_is_said(repo: Kept) -> None:
    ref = repo.path / ".git/refs/heads/agent-state.lock"
    ref.touch()  # of a git process that has not ended
    said = call(repo.path, "decide", "Use npm", "--reason", "it is there")
    ref.unlink()
    assert (said.code, said.out) == (0, "D-0001 Use npm\n")
    assert said.err.startswith("gitstate: no version yet: ")
    assert said.err.endswith("; it is written, and the next version has it\n")
    assert repo.do("snapshot").startswith("v2 ")


def test_agents_at_once_lose_nothing(repo: Kept) -> None:
    agents = [
        subprocess.Popen(
            command("decide", f"Use way {number}", "--reason", "it is one"),
            cwd=repo.path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(6)
    ]
    said = [agent.communicate() for agent in agents]
    assert [agent.returncode for agent in agents] == [0] * 6, said
    titles = re.findall(
        r"^## (D-\d{4}) (Use way \d)$", repo.says(DECISIONS), re.MULTILINE
    )
    assert sorted(id_ for id_, _ in titles) == [f"D-{n:04d}" for n in range(1, 7)]
    assert sorted(text for _, text in titles) == [f"Use way {n}" for n in range(6)]
    repo.do("snapshot")  # where one waited for the lock in vain
    assert files_of(repo.ws, versions(repo.ws)[0].commit.id) == files_on_disk(repo.ws)


def test_a_state_directory_of_a_part_of_the_repository(tmp_path: Path) -> None:
    made = make_repo(tmp_path / "mono")
    made.commit("packages/app/main.py", "x\n")
    made.git("config", "gitstate.dir", "packages/app/.agent-state")
    init_verb.run(made.path, None, no_hooks=True, no_daemon=True, dry_run=False)
    said = call(
        made.path / "packages" / "app",
        *("task", "start", GOAL, "--anchor", "packages/app/main.py:1"),
    )
    assert (said.code, said.out) == (0, f"task: {GOAL} (v2)\n")
    folder = made.path / "packages/app/.agent-state"
    assert GOAL in (folder / TASK).read_text()
    assert (folder / "long_mem/task-state.json").is_file()
    (folder / TASK).unlink()
    assert call(made.path, "task", "next", "Read a_b").err == (
        f"gitstate: packages/app/.agent-state/{TASK} is missing: `gitstate restore HEAD "
        f"{TASK}` brings it back, `gitstate init` makes a new one\n"
    )
