"""A verb killed at each step of its edit: the old text or the new one, and nothing lost."""

from __future__ import annotations

import subprocess
import sys

import pytest

from gitstate.documents import CURRENT_TASK, DECISION_LOG
from gitstate.history.derived import take
from gitstate.history.editing import edit
from tests.engines import files_of, files_on_disk, init, versions
from tests.support import Repo, make_repo

# the call that does not come back: at its begin, or when it is done
SCRIPT = """
import os, sys
from pathlib import Path
from gitstate.history import putting
from gitstate.history.editing import edit
from gitstate.history.scratch import Run
from gitstate.workspace import Workspace
ws = Workspace.open(Path(sys.argv[1]))
owner, name = {"Run": Run, "putting": putting}[sys.argv[2]], sys.argv[3]
real, left = getattr(owner, name), [int(sys.argv[5])]
def fatal(*words, **more):
    left[0] -= 1
    if sys.argv[4] == "before" and not left[0]:
        os.kill(os.getpid(), 9)
    done = real(*words, **more)
    if not left[0]:
        os.kill(os.getpid(), 9)
    return done
setattr(owner, name, fatal)
edit(ws, lambda files: {
    name: files.required(name) + "ours\\n"
    for name in ("04-decision-log.md", "02-current-task.md")
})
"""
POINTS = [
    ("Run", "stage", 2),
    ("Run", "publish", 1),
    ("putting", "exchange", 1),
    ("putting", "exchange", 2),
    ("Run", "drop", 1),
    ("Run", "close", 1),
]


@pytest.fixture
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return make_repo(tmp_path_factory.mktemp("crash") / "repo")


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("point", POINTS, ids=lambda one: f"{one[1]}-{one[2]}")
def test_killed(repo: Repo, point: tuple[str, str, int], when: str) -> None:
    ws = init(repo)
    old = files_on_disk(ws)
    owner, name, count = point
    words = [str(repo.path), owner, name, when, str(count)]
    done = subprocess.run(
        [sys.executable, "-P", "-c", SCRIPT, *words], capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (-9, b"")

    found = files_on_disk(ws)
    for file in (DECISION_LOG, CURRENT_TASK):
        assert found[file] in {old[file], old[file] + b"ours\n"}
    assert {**found, DECISION_LOG: b"", CURRENT_TASK: b""} == {
        **old,
        DECISION_LOG: b"",
        CURRENT_TASK: b"",
    }
    edit(ws, lambda files: {CURRENT_TASK: files.required(CURRENT_TASK) + "next\n"})
    take(ws, verb="snapshot")
    assert files_on_disk(ws)[CURRENT_TASK] == found[CURRENT_TASK] + b"next\n"
    assert files_of(ws, versions(ws)[0].commit.id) == files_on_disk(ws)
    assert repo.git("status", "--porcelain") == ""
