"""``gitstate squash``, and the log and diff of squashed days."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from tests.engines import begun
from tests.history.simulated import at, version
from tests.inside import call

if TYPE_CHECKING:
    from tests.support import Repo

NIGHT = "2026-11-29T00:10:00+00:00"


def test_days_are_squashed_listed_compared_and_opened_again(repo: Repo) -> None:
    with at("2026-11-27T09:00:00+00:00"):
        ws = begun(repo)
    version(ws, "2026-11-28T09:00:00+00:00")
    version(ws, "2026-11-28T10:00:00+00:00")
    with at(NIGHT):
        dry = call(repo.path, "squash", "--dry-run")
        assert dry.lines[-1] == "(a dry run: nothing was changed)"
        assert len(call(repo.path, "log").lines) == 3
        found = json.loads(call(repo.path, "squash", "--json").out)
        assert [(row["day"], row["versions"]) for row in found] == [
            ("2026-11-27", "1-1"),
            ("2026-11-28", "2-3"),
        ]
        assert dry.lines[1].split()[:2] == ["2026-11-28", found[1]["commit"][:12]]
        assert call(repo.path, "squash").out == "no day to squash\n"
        log = json.loads(call(repo.path, "log", "--json").out)
        assert [(row["versions"], row["day"]) for row in log] == [
            ("2-3", "2026-11-28"),
            ("1-1", "2026-11-27"),
        ]
        opened = call(repo.path, "log", "--all").lines
        assert [row.split()[0] for row in opened] == ["v3", "v2", "v1"]
        assert re.fullmatch(
            r"v2–v3  [0-9a-f]{12}  2026-11-28  .+",  # noqa: RUF001 a range
            call(repo.path, "log", "-n", "1").lines[0],
        )
        shown = call(repo.path, "show", "2026-11-28").lines
        assert shown[0] == f"v3 {log[0]['commit']}"
        assert shown[3] == f"    {log[0]['subject']}"
        assert call(repo.path, "show", "2026-11-28:02-current-task.md").out == (
            call(repo.path, "show", "v3:02-current-task.md").out
        )
        changed = call(repo.path, "log", "02-current-task.md").lines
        assert len(changed) == 2
        days = ("2026-11-27", "2026-11-28")
        assert "+2026-11-28T10:00:00+00:00" in call(repo.path, "diff", *days).lines
        assert call(repo.path, "diff", "--words", *days).out != ""
        assert call(repo.path, "squash", "--undo", "2026-11-28").code == 0
        assert len(call(repo.path, "log").lines) == 3
        assert call(repo.path, "show", "2026-11-28").lines[3].startswith("    state v3")
        assert call(repo.path, "squash").err == (
            "gitstate: 2026-11-28 stays as it is: it was undone; "
            "`gitstate squash --day 2026-11-28` squashes it again\n"
        )
        assert call(repo.path, "squash", "--day", "banana").code == 2
        assert call(repo.path, "squash", "--day", "2026-11-28").code == 0
        assert json.loads(call(repo.path, "log", "--json").out) == log


def day_told(repo: Repo, *verbs: tuple[str, ...]) -> list[str]:
    """What the message of a day says in which these verbs were called."""
    (repo.path / "src").mkdir(exist_ok=True)
    (repo.path / "src" / "a.py").touch()
    with at("2026-11-27T09:00:00+00:00"):
        assert call(repo.path, "init", "--no-hooks", "--no-daemon").code == 0
    for minute, words in enumerate(verbs):
        with at(f"2026-11-28T09:{minute:02d}:00+00:00"):
            said = call(repo.path, *words)
            assert said.code == 0, said.err
    with at(NIGHT):
        assert call(repo.path, "squash").code == 0
    body = repo.git("log", "-1", "--format=%B", "agent-state").split("\n\n")
    return [body[0], *body[1].splitlines()]


WORK = (
    ("issue", "add", "The clock of src/a.py is wrong"),
    ("issue", "resolve", "I-0001", "it is injected"),
    ("task", "start", "Fix the clock in src/a.py"),
    ("task", "step", "Find it"),
    ("task", "begin", "1"),
    ("task", "done", "1", "it is read twice"),
)
DECIDED = ("decide", "Use x", "--reason", "y")


def test_what_a_restore_took_back_is_not_told(repo: Repo) -> None:
    assert day_told(repo, *WORK, ("restore", "v1"), DECIDED) == [
        "state 2026-11-28: 1 decision (v2–v9)",  # noqa: RUF001 a range
        "Decisions:",
        "- D-0001 Use x (reason: y)",
    ]


def test_what_a_restore_brought_back_again_is(repo: Repo) -> None:
    back = (("restore", "v1"), DECIDED, ("restore", "v7"))
    told = day_told(repo, *WORK, *back, ("task", "finish"))
    assert told[:6] == [
        "state 2026-11-28: 1 task finished, 1 step done (v2–v11)",  # noqa: RUF001 a range
        *FINISHED,
    ]


def test_a_task_that_began_and_was_finished_within_the_day(repo: Repo) -> None:
    """Its file says at the end what it said at the beginning."""
    told = day_told(repo, *WORK, ("task", "finish"), DECIDED)
    assert told[0] == (
        "state 2026-11-28: 1 decision, 1 task finished, 1 step done (v2–v9)"  # noqa: RUF001 a range
    )
    assert told[3:8] == FINISHED


def test_a_file_that_was_restored_alone_takes_nothing_else_along(repo: Repo) -> None:
    told = day_told(repo, *WORK, ("restore", "v1", "02-current-task.md"))
    assert (
        told[:3]
        == [
            "state 2026-11-28: 1 issue resolved (v2–v8)",  # noqa: RUF001 a range
            *FINISHED[3:],
        ]
    )


FINISHED = [
    "Progress:",
    "- task started and finished: Fix the clock in src/a.py",
    "- done: Find it – it is read twice",  # noqa: RUF001 as it is told
    "Issues:",
    "- opened and resolved I-0001 The clock of src/a.py is wrong (resolution: it is injected)",
]


def test_a_file_that_came_and_went_within_a_day_is_found_with_all(repo: Repo) -> None:
    with at("2026-11-27T09:00:00+00:00"):
        begun(repo)
    with at("2026-11-28T09:00:00+00:00"):
        repo.write("design.md", "x\n")
        assert call(repo.path, "snapshot").code == 0
        (repo.state / "design.md").unlink()
        assert call(repo.path, "snapshot", "--deletions").code == 0
    with at(NIGHT):
        assert call(repo.path, "squash").code == 0
        assert call(repo.path, "log", "design.md").err == (
            "gitstate: design.md came and went within a day: `gitstate log --all design.md`\n"
        )
        assert len(call(repo.path, "log", "--all", "design.md").lines) == 2
        assert call(repo.path, "log", "nosuch.md").err == (
            "gitstate: no version has a file nosuch.md\n"
        )
