"""task-state.json beside the task file: fresh in the same version, and only then made."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from gitstate.documents import CURRENT_TASK
from gitstate.errors import NotInitialised, Refused
from gitstate.history import derived, editing
from gitstate.history.derived import derive, take
from gitstate.history.editing import locked
from gitstate.workspace import Workspace
from tests.engines import files_of, files_on_disk, init, numbers
from tests.support import Repo, make_repo

if TYPE_CHECKING:
    from pathlib import Path

JSON = "long_mem/task-state.json"
GOAL = "# Task\n\n## Goal\n\nFix parseExpr\n"


@pytest.fixture(params=["sha1", "sha256"])
def repo(request: pytest.FixtureRequest, tmp_path: Path) -> Repo:
    return make_repo(tmp_path / "repo", object_format=request.param)


@pytest.fixture
def ws(repo: Repo) -> Workspace:
    return init(repo)


def test_one_edit_makes_one_version_that_has_both(repo: Repo, ws: Workspace) -> None:
    repo.write(CURRENT_TASK, GOAL)
    outcome = take(ws, verb="daemon")
    assert (outcome.version, outcome.changed) == (2, True)
    assert outcome.commit is not None
    held = files_of(ws, outcome.commit)
    assert held == files_on_disk(ws)
    state = json.loads(held[JSON])
    assert state["goal"] == "Fix parseExpr"
    assert state["source"] == repo.git(
        "rev-parse", f"agent-state:.agent-state/{CURRENT_TASK}"
    )
    before = (ws.state_dir / JSON).stat()
    repo.write("03-known-issues.md", "# Other\n")
    assert take(ws, verb="daemon").version == 3
    assert take(ws, verb="daemon").changed is False
    assert (ws.state_dir / JSON).stat() == before
    assert numbers(ws) == [3, 2, 1]


def test_what_is_already_there_is_in_the_first_version(repo: Repo) -> None:
    repo.write(CURRENT_TASK, GOAL)
    ws = init(repo)
    assert json.loads(files_on_disk(ws)[JSON])["goal"] == "Fix parseExpr"
    assert take(ws, verb="daemon").changed is False
    assert numbers(ws) == [1]


def test_before_init_and_in_a_newer_format_nothing_is_written(repo: Repo) -> None:
    repo.write(CURRENT_TASK, GOAL)
    with pytest.raises(NotInitialised):
        take(Workspace.open(repo.path), verb="snapshot")
    ws = init(repo)
    repo.write(CURRENT_TASK, GOAL.replace("Fix", "Mend"))
    before = files_on_disk(ws)
    (ws.shared / "format").write_text("99\n")
    with pytest.raises(Refused, match="written by a newer gitstate"):
        take(ws, verb="snapshot")
    assert files_on_disk(ws) == before


def test_a_template_has_none(ws: Workspace) -> None:
    assert derive(ws) is False
    assert JSON not in files_on_disk(ws)


def test_what_was_found_to_need_nothing_is_not_parsed_again(
    repo: Repo, ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert derive(ws) is False  # the template

    def parsed(*_: object) -> dict[str, object]:
        raise AssertionError("parsed once more")

    with monkeypatch.context() as patch:
        patch.setattr("gitstate.memory.task_state.derived", parsed)
        assert derive(ws) is False
    repo.write(CURRENT_TASK, GOAL)
    assert derive(ws) is True
    assert JSON in files_on_disk(ws)


def test_a_task_that_is_over_has_an_empty_one(repo: Repo, ws: Workspace) -> None:
    template = (ws.state_dir / CURRENT_TASK).read_text()
    repo.write(CURRENT_TASK, GOAL)
    assert derive(ws) is True
    repo.write(CURRENT_TASK, template)
    assert derive(ws) is True
    assert json.loads(files_on_disk(ws)[JSON])["goal"] is None
    assert derive(ws) is False


def test_what_others_wrote_there_is_made_anew(repo: Repo, ws: Workspace) -> None:
    repo.write(CURRENT_TASK, GOAL)
    derive(ws)
    good = files_on_disk(ws)[JSON]
    for bad in (
        b"",
        b"{}",
        b"\xff",
        b"[[",
        good.replace(b'"source": "', b'"source": "0'),
    ):
        repo.write(JSON, bad)
        assert derive(ws) is (bad != b"\xff")
        assert files_on_disk(ws)[JSON] == (good if bad != b"\xff" else bad)
    (ws.state_dir / JSON).unlink()
    assert derive(ws) is True
    assert files_on_disk(ws)[JSON] == good


def test_failed_attempts_count_too(repo: Repo, ws: Workspace) -> None:
    repo.write(CURRENT_TASK, GOAL)
    derive(ws)
    failed = repo.write(
        "long_mem/failed-attempts.md", "# F\n\n## Fix parseExpr\n\n- a: b\n"
    )
    later = (ws.state_dir / JSON).stat().st_mtime_ns + 10**9
    os.utime(failed, ns=(later, later))
    assert derive(ws) is True
    state = json.loads(files_on_disk(ws)[JSON])
    assert state["failed_attempts"] == [{"approach": "a", "reason": "b"}]
    assert derive(ws) is False


def test_nothing_is_derived_where_nothing_can_be(
    repo: Repo, ws: Workspace, tmp_path: Path
) -> None:
    repo.write(CURRENT_TASK, b"# Goal\n\n\xff\n")
    assert derive(ws) is False
    (ws.state_dir / CURRENT_TASK).unlink()
    assert derive(ws) is False
    repo.write(CURRENT_TASK, GOAL)
    (ws.state_dir / "long_mem").symlink_to(tmp_path)
    assert derive(ws) is False
    assert list(tmp_path.glob("task-state*")) == []


def test_a_restore_under_way_brings_both(repo: Repo, ws: Workspace) -> None:
    repo.write(CURRENT_TASK, GOAL)
    (ws.runtime / "restore").write_text("{}")
    assert derive(ws) is False


def test_an_edit_that_does_not_end_keeps_no_version_from_being_made(
    repo: Repo, ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = editing.edit
    monkeypatch.setattr(
        derived, "edit", lambda ws, change: real(ws, change, wait_s=0.05)
    )
    repo.write(CURRENT_TASK, GOAL)
    with locked(ws):
        assert take(ws, verb="daemon").version == 2
    assert JSON not in files_on_disk(ws)
    assert take(ws, verb="daemon").version == 3  # as soon as it can be


def test_versions_that_are_brought_back_are_as_they_were(
    repo: Repo, ws: Workspace
) -> None:
    from tests.inside import call  # noqa: PLC0415 the command, for this one

    repo.write(CURRENT_TASK, GOAL)
    take(ws, verb="daemon")
    repo.write(CURRENT_TASK, GOAL.replace("Fix", "Mend"))
    take(ws, verb="daemon")
    assert call(repo.path, "restore", "v2").code == 0
    assert take(ws, verb="daemon").changed is False
    assert call(repo.path, "restore", "v1").code == 0
    assert take(ws, verb="daemon").changed is False
    assert numbers(ws) == [5, 4, 3, 2, 1]
    assert call(repo.path, "restore", "v3", CURRENT_TASK).out == (
        f"restored v3 as v6\n  ~ {CURRENT_TASK}\n  + {JSON}\n"
    )
    assert take(ws, verb="daemon").changed is False
