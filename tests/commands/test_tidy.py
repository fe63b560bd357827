"""`gitstate tidy`: the files within their limits, in one version."""

from __future__ import annotations

import os
import re
import signal
from typing import TYPE_CHECKING

import pytest

from gitstate.documents import DECISION_LOG, KNOWN_ISSUES, decision_log
from tests.engines import init
from tests.inside import Said, call
from tests.verbs import process

if TYPE_CHECKING:
    from tests.support import Repo

ARCHIVE = f"archive/{DECISION_LOG}"
WITHIN = "everything is within its limits\n"


def decisions(count: int, start: int = 1) -> str:
    return "".join(
        f"\n## D-{n:04d} Use thing {n}\n\n- Reason: because\n"
        for n in range(start, start + count)
    )


def with_decisions(repo: Repo, count: int) -> None:
    """A repository with so many decisions, all in one version."""
    init(repo)
    text = repo.state.joinpath(DECISION_LOG).read_text() + decisions(count)
    repo.write(DECISION_LOG, text)
    assert call(repo.path, "snapshot").code == 0


def ids(repo: Repo, name: str) -> list[str | None]:
    text = repo.state.joinpath(name).read_text()
    return [one.id for one in decision_log.parse(text).decisions]


def test_five_of_25_decisions_go_and_no_number_comes_again(repo: Repo) -> None:
    with_decisions(repo, 25)
    lines = [
        f"D-{n:04d} Use thing {n}: {DECISION_LOG} -> {ARCHIVE} (the oldest)"
        for n in range(1, 6)
    ]
    dry = call(repo.path, "tidy", "--dry-run")
    assert dry == Said(0, "\n".join([*lines, "5 would move", ""]), "")
    assert len(ids(repo, DECISION_LOG)) == 25
    assert call(repo.path, "tidy") == Said(
        0, "\n".join([*lines, "5 moved (v3)", ""]), ""
    )
    assert ids(repo, DECISION_LOG) == [f"D-{n:04d}" for n in range(6, 26)]
    assert ids(repo, ARCHIVE) == [f"D-{n:04d}" for n in range(1, 6)]
    assert call(repo.path, "tidy") == Said(0, WITHIN, "")
    assert call(repo.path, "tidy", "--dry-run") == Said(0, WITHIN, "")
    message = repo.git("log", "-1", "--format=%B", "agent-state")
    assert re.findall("^- archived (D-.*)$", message, re.MULTILINE) == [
        f"D-{n:04d} Use thing {n}" for n in range(1, 6)
    ]
    said = call(repo.path, "decide", "Use npm", "--reason", "it is installed")
    assert said.out == "D-0026 Use npm (v4)\n"


def test_numbers_do_not_come_again_when_all_entries_are_archived(repo: Repo) -> None:
    init(repo)
    text = repo.state.joinpath(KNOWN_ISSUES).read_text()
    text = text.replace("archive: resolved/", "archive: old/issues")
    repo.write(KNOWN_ISSUES, text)
    call(repo.path, "issue", "add", "npm leaves two lock files")
    call(repo.path, "issue", "resolve", "I-1")
    said = call(repo.path, "tidy")
    assert said.lines[-1] == "1 moved (v4)"
    assert (repo.state / "old/issues" / KNOWN_ISSUES).is_file()
    again = call(repo.path, "issue", "add", "yarn leaves one")
    assert again.out == "I-0002 yarn leaves one (v5)\n"


def test_old_operations_go_after_log_keep_days(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    init(repo)
    line = "2026-11-01T10:00:00+00:00 | src/a.ts | read | looked\n"
    repo.write("long_mem/operations.log", line)
    call(repo.path, "snapshot")
    monkeypatch.setenv("GITSTATE_NOW", "2026-11-08T09:00:00+00:00")
    assert call(repo.path, "tidy") == Said(0, WITHIN, "")
    monkeypatch.setenv("GITSTATE_NOW", "2026-11-08T10:00:01+00:00")
    repo.git("config", "gitstate.logKeepDays", "8")
    assert call(repo.path, "tidy") == Said(0, WITHIN, "")
    repo.git("config", "gitstate.logKeepDays", "7")
    assert call(repo.path, "tidy").out == (
        "1 line: long_mem/operations.log -> archive/operations.log (old)\n"
        "1 moved (v3)\n"
    )
    assert repo.state.joinpath("archive/operations.log").read_text() == line
    assert repo.state.joinpath("long_mem/operations.log").read_text() == ""


def test_what_cannot_be_moved_is_named_and_stops_nothing_else(repo: Repo) -> None:
    with_decisions(repo, 21)
    elsewhere = repo.path / "elsewhere"
    elsewhere.mkdir()
    (repo.state / "resolved").symlink_to(elsewhere)
    call(repo.path, "issue", "add", "npm leaves two lock files")
    call(repo.path, "issue", "resolve", "I-1")
    said = call(repo.path, "tidy")
    assert said.code == 1
    assert said.lines[-1].startswith("1 moved (v")
    assert said.err == (
        "gitstate: a folder of .agent-state/resolved/03-known-issues.md is a link or a "
        "file\n"
    )
    assert list(elsewhere.iterdir()) == []
    assert len(ids(repo, DECISION_LOG)) == 20


@pytest.mark.parametrize("writes", [0, 1, 2])
def test_killed_between_the_writes_nothing_is_lost_or_doubled(
    repo: Repo, writes: int
) -> None:
    with_decisions(repo, 22)
    body = f"""
    from gitstate.commands import tidy
    from gitstate.history import putting
    real, done = putting._put, []
    def put(*words):
        if len(done) == {writes}:
            os.kill(os.getpid(), {int(signal.SIGKILL)})
        done.append(1)
        made = real(*words)
        if {writes} == 2 and len(done) == 2:
            os.kill(os.getpid(), {int(signal.SIGKILL)})
        return made
    putting._put = put
    return tidy.run()
"""
    killed = process(body.strip(), cwd=repo.path, env=dict(os.environ))
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    archived = ids(repo, ARCHIVE) if (repo.state / ARCHIVE).exists() else []
    assert archived == ([] if writes == 0 else ["D-0001", "D-0002"])
    assert len(ids(repo, DECISION_LOG)) == (20 if writes == 2 else 22)
    assert call(repo.path, "tidy").code == 0
    assert ids(repo, ARCHIVE) == ["D-0001", "D-0002"]
    assert ids(repo, DECISION_LOG) == [f"D-{n:04d}" for n in range(3, 23)]
    assert call(repo.path, "snapshot").code == 0
    assert repo.git("show", f"agent-state:.agent-state/{ARCHIVE}").count("## D-") == 2


def test_turns_count_where_an_agent_tells_of_them(repo: Repo) -> None:
    repo.commit("src/a.ts", "x\n")
    init(repo)
    repo.git("config", "gitstate.logKeepTurns", "1")
    for words in (
        ("turn",),
        ("add", "src/a.ts", "read", "looked"),
        ("turn",),
        ("add", "src/a.ts", "read", "looked again"),
    ):
        assert call(repo.path, "op", *words).code == 0
    assert call(repo.path, "op", "turn") == Said(0, "a turn begins (v2)\n", "")
    log = repo.state / "long_mem/operations.log"
    lines = log.read_text().splitlines()
    assert [line.split(" | ")[1] for line in lines] == [
        *("turn", "src/a.ts", "turn", "src/a.ts", "turn"),
    ]
    said = call(repo.path, "tidy")
    assert said.lines[0] == (
        "4 lines: long_mem/operations.log -> archive/operations.log (old)"
    )
    assert log.read_text().splitlines() == lines[4:]
    archive = repo.state / "archive/operations.log"
    assert archive.read_text().splitlines() == lines[:4]
