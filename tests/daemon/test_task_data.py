"""The real daemon: an edit of the task by hand is one version, which has its data too."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.support import wait_for

if TYPE_CHECKING:
    from tests.daemon.conftest import Daemon

GOAL = "# Task\n\n## Goal\n\nFix {} in parseExpr"


def test_one_edit_of_the_task_is_one_version(daemon: Daemon) -> None:
    repo = daemon.repository()
    daemon.start()
    daemon.watching(repo)
    for number, what in enumerate(("brackets", "braces"), 2):
        repo.edit(GOAL.format(what))
        repo.wait(GOAL.format(what))
        state = json.loads(repo.shows("long_mem/task-state.json"))
        assert state["goal"] == f"Fix {what} in parseExpr"
        assert state["source"] == repo.git(
            "rev-parse", "agent-state:.agent-state/02-current-task.md"
        )
        # had the new file made one more version, this one would be a number later
        repo.edit(f"other {number}", "03-known-issues.md")
        wait_for(lambda: repo.shows("03-known-issues.md") == f"other {number}")  # noqa: B023 waited for here
        assert repo.count() == 2 * number - 1
