"""A version's message in words: through real snapshots, whatever the files are."""

# ruff: noqa: RUF001 as messages are written
from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gitstate.documents.anchors import Anchor
from gitstate.history import telling
from gitstate.history.line import engine_for
from gitstate.history.parsed import MAX_BYTES
from gitstate.history.restore import restore
from gitstate.history.snapshot import take
from gitstate.history.versions import resolve
from gitstate.memory.finishing import finish
from gitstate.workspace import Workspace
from tests.engines import begun
from tests.history.stories import LOG, MAP, RULES, TASK, State
from tests.support import Repo, make_repo

if TYPE_CHECKING:
    from pathlib import Path

GOAL = "Fix nested brackets in src/core/parser.ts parseExpr"


def written(repo: Repo, state: State) -> None:
    for name, text in state.texts.items():
        repo.write(name, text)


def version(ws: Workspace, *, deletions: bool = False) -> list[str]:
    """The subject and the body of the version that is made now."""
    outcome = take(ws, verb="test", deletions=deletions)
    assert outcome.changed
    assert outcome.commit is not None
    with engine_for(ws) as engine:
        message = engine.commit(outcome.commit).message
    return message.rpartition("\n\n")[0].split("\n")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """One engine is enough: words do not hang on it."""
    return make_repo(tmp_path / "repo")


@pytest.fixture
def ws(repo: Repo) -> Workspace:
    ws = begun(repo)
    written(repo, State())
    take(ws, verb="test")
    return ws


def test_each_step_of_the_work_is_told(repo: Repo, ws: Workspace) -> None:
    state = State()

    def made() -> list[str]:
        written(repo, state)
        return version(ws)

    state.start(
        GOAL, "Locate it", "Repair it", anchor=Anchor("src/core/parser.ts", 142)
    )
    assert made()[2:] == [
        "Progress:",
        f"- task started: {GOAL}",
        "- added: Locate it",
        "- added: Repair it",
        "- anchor: src/core/parser.ts:142",
    ]
    state.step(1, "done", "root cause in parseExpr, line 142")
    assert made() == [
        "state v4: done 1/2 – Locate it",
        "",
        "Progress:",
        "- done: Locate it – root cause in parseExpr, line 142",
    ]
    state.decide("Use winston", "the team knows it", confidence="low")
    assert made() == [
        "state v5: decision: Use winston",
        "",
        "Decisions:",
        "- D-0001 Use winston (reason: the team knows it; confidence: low)",
    ]
    state.decide("Use pino", "child loggers", "1")
    assert made() == [
        "state v6: decision: Use pino; decision superseded: Use winston",
        "",
        "Decisions:",
        "- D-0002 Use pino (reason: child loggers)",
        "- superseded D-0001 Use winston (by D-0002)",
    ]
    state.open_issue("Mixed lock files")
    assert made()[2:] == ["Issues:", "- opened I-0001 Mixed lock files"]
    state.resolve("1", "package-lock.json is gone")
    assert made() == [
        "state v8: issue resolved: Mixed lock files",
        "",
        "Issues:",
        "- resolved I-0001 Mixed lock files (resolution: package-lock.json is gone)",
    ]


def test_a_task_is_finished(repo: Repo, ws: Workspace) -> None:
    state = State()
    state.start(GOAL, "Locate it")
    state.step(1, "done", "line 142")
    written(repo, state)
    take(ws, verb="test")
    done = finish(state.texts[TASK], None, None)
    repo.write(TASK, done.task)
    repo.write("completed/2026-11-29-fix.md", done.completed)
    repo.write("long_mem/conclusions.md", done.conclusions or "")

    assert version(ws) == [
        "state v4: task finished: Fix nested brackets in src/core/parser.ts pars…",
        "",
        "Progress:",
        f"- task finished: {GOAL}",
        "Files:",
        "- added completed/2026-11-29-fix.md",
        "- added long_mem/conclusions.md",
    ]


def test_what_is_not_said_in_words_keeps_its_file_and_headings(
    repo: Repo, ws: Workspace
) -> None:
    state = State()
    state.decide("Use pino", "child loggers")
    state.edit(TASK, lambda text: f"{text}\n## Scribbles\n\nsome words\n")
    written(repo, state)
    repo.write("notes.md", "# Notes\n")

    assert version(ws) == [
        "state v3: decision: Use pino",
        "",
        "Decisions:",
        "- D-0001 Use pino (reason: child loggers)",
        "Files:",
        "- changed 02-current-task.md: Scribbles",
        "- added notes.md",
    ]
    state.edit(LOG, lambda text: f"{text}\n# Minutes\n\nsome words\n")
    state.decide("Use pnpm", "one store")
    written(repo, state)
    assert version(ws)[2:] == [
        "Decisions:",
        "- D-0002 Use pnpm (reason: one store)",
        "Files:",
        "- changed 04-decision-log.md: Minutes",
    ]


def test_a_file_that_is_removed_and_one_that_comes_back(
    repo: Repo, ws: Workspace
) -> None:
    state = State()
    state.map("src/a.ts", "entry")
    written(repo, state)
    assert version(ws)[2:] == ["File map:", "- mapped: src/a.ts – entry"]

    (repo.state / MAP).unlink()
    assert version(ws, deletions=True) == [
        "state v4: removed file-map",
        "",
        "File map:",
        "- removed: src/a.ts",
        "Files:",
        f"- removed {MAP}",
    ]


def test_what_was_forbidden_in_a_file_that_is_removed_stands_first(
    repo: Repo, ws: Workspace
) -> None:
    state = State()
    state.rule("Must run ruff")
    state.rule("Never edit dist/ by hand")
    state.decide("Use pino", "child loggers")
    written(repo, state)
    take(ws, verb="test")
    state.decide("Use pnpm", "one store")
    written(repo, state)
    (repo.state / RULES).unlink()

    assert version(ws, deletions=True) == [
        "state v4: rule removed: Never edit dist/ by hand; decision: Use pnpm; r…",
        "",
        "Rules:",
        "- removed: Never edit dist/ by hand",
        "- removed: Must run ruff",
        "Decisions:",
        "- D-0002 Use pnpm (reason: one store)",
        "Files:",
        f"- removed {RULES}",
    ]


@pytest.mark.parametrize(
    "data",
    [
        b"# Goal\n" + b"- step\n" * (MAX_BYTES // 7),
        b"## Goal\n\nx\n" + b"> " * 5000 + b"deep\n",
        b"- " * 20_000,
        b"[" * 30_000,
        b"`" * 30_000 + b"\n## Goal\n",
        b"\n".join(b"%s- x" % (b" " * depth) for depth in range(200)),
    ],
)
def test_no_text_keeps_a_version_from_being_made(
    repo: Repo, ws: Workspace, data: bytes
) -> None:
    repo.write(TASK, data)

    subject, *_ = version(ws)

    assert subject.startswith("state v3: ")


def test_a_link_in_a_files_place_is_told_as_a_file(repo: Repo, ws: Workspace) -> None:
    (repo.state / TASK).unlink()
    (repo.state / TASK).symlink_to("04-decision-log.md")

    assert version(ws)[2:] == ["Files:", f"- changed {TASK}"]


def test_a_fault_in_comparing_costs_the_words_alone(
    repo: Repo, ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(telling, "left_to_say", fails)
    state = State()
    state.next("Count the brackets in parseExpr")
    written(repo, state)

    assert version(ws)[0] == "state v3: current-task (Next step)"


def test_a_restore_is_told_by_its_files(repo: Repo, ws: Workspace) -> None:
    state = State()
    state.next("Count the brackets in parseExpr")
    written(repo, state)
    take(ws, verb="test")

    restore(ws, "v2")

    with engine_for(ws) as engine:
        message = resolve(ws, engine, "HEAD").commit.message
    assert message.startswith(
        "state v4: restored v2\n\nFiles:\n- changed 02-current-task.md: Next step\n\n"
    )


def test_the_language_of_messages_is_the_users(repo: Repo) -> None:
    repo.git("config", "gitstate.lang", "zh")
    begun(repo)
    ws = Workspace.open(repo.path)
    written(repo, State())
    take(ws, verb="test")
    state = State()
    state.start("Fix a.py", "Locate it")
    written(repo, state)

    assert version(ws)[2:] == [
        "进展：",
        "- 开始任务：Fix a.py",
        "- 新增：Locate it",
    ]
