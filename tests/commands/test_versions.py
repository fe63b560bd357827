"""The verbs of everyday use, each with its whole output."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.engines import begun, edit, files_of, files_on_disk, snap, versions
from tests.inside import Said, call
from tests.support import NUMBERED, Repo

if TYPE_CHECKING:
    from gitstate.workspace import Workspace

TASK = "02-current-task.md"
MOMENTS = (
    "2026-11-27T09:00:00+01:00",
    "2026-11-28T10:00:00+01:00",
    "2026-11-28T14:05:00+01:00",
)
NOW = "2026-11-29T15:00:00+01:00"


@pytest.fixture
def ws(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Three versions of fixed moments; the clock stands at ``NOW``."""
    monkeypatch.setenv("GITSTATE_NOW", MOMENTS[0])
    found = begun(repo)
    monkeypatch.setenv("GITSTATE_NOW", MOMENTS[1])
    edit(found, f"# {TASK}\n\ntwo\n\n## Remarks\n\nsleep\n")
    monkeypatch.setenv("GITSTATE_NOW", MOMENTS[2])
    (found.state_dir / "notes.md").write_text("note\n")
    snap(found, text="before the rewrite")
    monkeypatch.setenv("GITSTATE_NOW", NOW)
    return found


@pytest.fixture
def ids(ws: Workspace) -> list[str]:
    """The commits of v1, v2 and v3, at their own numbers (0: nothing)."""
    return ["", *[version.commit.id for version in reversed(versions(ws))]]


def ok(repo: Repo, *words: str) -> str:
    said = call(repo.path, *words)
    assert (said.code, said.err) == (0, ""), said
    return said.out


# --- log -------------------------------------------------------------------------


def test_log(repo: Repo, ids: list[str]) -> None:
    assert ok(repo, "log").splitlines() == [
        f"v3  {ids[3][:12]}  2026-11-28 14:05  before the rewrite",
        f"v2  {ids[2][:12]}  2026-11-28 10:00  current-task ({TASK}, Remarks)",
        f"v1  {ids[1][:12]}  2026-11-27 09:00  first version, 6 files",
    ]
    assert ok(repo, "log", "-n", "1").startswith("v3  ")
    assert ok(repo, "log", "-n", "0") == ""
    assert ok(repo, "log", "-n", "9" * 30) == ok(repo, "log")
    assert [row.split()[0] for row in ok(repo, "log", TASK).splitlines()] == [
        "v2",
        "v1",
    ]
    assert [
        row.split()[0] for row in ok(repo, "log", ".agent-state/notes.md").splitlines()
    ] == ["v3"]
    assert [
        row.split()[0] for row in ok(repo, "log", "--grep", "REWRITE").splitlines()
    ] == ["v3"]
    (repo.path / "deep").mkdir()
    assert call(repo.path / "deep", "log").out == ok(repo, "log")


def test_log_as_json(repo: Repo, ids: list[str]) -> None:
    head = repo.git("rev-parse", "HEAD")
    found = json.loads(ok(repo, "log", "--json", "-n", "1"))

    assert found == [
        {
            "version": 3,
            "versions": "3",
            "commit": ids[3],
            "day": "2026-11-28",
            "time": "2026-11-28T14:05:00+01:00",
            "subject": "state v3: before the rewrite",
            "code_head": head,
            "line": "agent-state",
        }
    ]


def test_log_of_all_lines(repo: Repo, ids: list[str]) -> None:
    repo.git("worktree", "add", "-q", "-b", "b", str(repo.path.parent / "side"))
    side = begun(Repo(repo.path.parent / "side"))
    theirs = versions(side)[0].commit.id[:12]

    rows = [
        " ".join(row.split()) for row in ok(repo, "log", "--all-lines").splitlines()
    ]

    # the newest of all of them first
    assert rows[0] == (
        f"v1 {theirs} 2026-11-29 15:00 agent-state.side first version, 6 files"
    )
    assert (
        rows[1] == f"v3 {ids[3][:12]} 2026-11-28 14:05 agent-state before the rewrite"
    )
    assert len(ok(repo, "log", "--all-lines", "-n", "2").splitlines()) == 2
    assert len(rows) == 4


def test_log_before_init(repo: Repo) -> None:
    assert call(repo.path, "log") == Said(
        1, "", "gitstate: there is no version yet; `gitstate init` makes the first\n"
    )


# --- show ------------------------------------------------------------------------


def test_show(repo: Repo, ids: list[str]) -> None:
    head = repo.git("rev-parse", "HEAD")

    assert ok(repo, "show", "v2") == (
        f"v2 {ids[2]}\n"
        "made  2026-11-28 10:00\n\n"
        f"    state v2: current-task ({TASK}, Remarks)\n\n"
        "    Files:\n"
        f"    - changed {TASK}: {TASK}; Remarks\n\n"
        "    State-Version: 2\n"
        "    State-Line: agent-state\n"
        "    Code-Branch: main\n"
        f"    Code-Head: {head}\n"
        "    State-Lang: en\n\n"
        "6 files; changed from the version before:\n"
        f"  ~ {TASK}\n"
    )
    assert ok(repo, "show") == ok(repo, "show", "HEAD") == ok(repo, "show", ids[3][:9])
    assert ok(repo, "show", "v1").endswith(
        "6 files; changed from the version before:\n"
        + "".join(f"  + {name}\n" for name in NUMBERED)
    )


def test_show_a_file_gives_its_bytes(repo: Repo, ws: Workspace) -> None:
    data = b"no newline \x7f\xc3\xa9\r\n\x1b[31m"
    (ws.state_dir / "odd").write_bytes(data)
    snap(ws)

    assert ok(repo, "show", "v4:odd").encode("utf-8", "surrogateescape") == data
    assert ok(repo, "show", f"v1:{TASK}") == f"# {TASK}\n\none\n"
    assert ok(repo, "show", ":notes.md") == "note\n"
    assert ok(repo, "show", "2026-11-28:.agent-state/notes.md") == "note\n"
    assert call(repo.path, "show", "v1:notes.md") == Said(
        1, "", "gitstate: v1 has no file notes.md\n"
    )


@pytest.mark.parametrize("name", ["banana", "v9", "HEAD~9"])
def test_show_of_no_version(repo: Repo, ws: Workspace, name: str) -> None:
    said = call(repo.path, "show", name)

    assert (said.code, said.out) == (1, "")
    assert said.err == (
        f"gitstate: '{name}' names no version; the newest is v3 (try v3, HEAD~2, "
        "a commit id, 2026-11-28 or '2 hours ago'; `gitstate log` lists them)\n"
    )
    assert ws


# --- snapshot --------------------------------------------------------------------


def test_snapshot(repo: Repo, ws: Workspace, ids: list[str]) -> None:
    assert ok(repo, "snapshot") == "unchanged since v3\n"
    assert json.loads(ok(repo, "snapshot", "--json")) == {
        "version": 3,
        "commit": ids[3],
        "changed": False,
        "skipped": [],
        "vanished": [],
    }
    repo.write(TASK, "four\n")
    said = ok(repo, "snapshot", "-m", "four")
    assert said == f"v4 {versions(ws)[0].commit.id[:12]}\n"
    repo.write(TASK, "five\n")
    assert json.loads(ok(repo, "snapshot", "--json")) == {
        "version": 5,
        "commit": versions(ws)[0].commit.id,
        "changed": True,
        "skipped": [],
        "vanished": [],
    }


def test_snapshot_names_what_it_left_out_and_what_vanished(
    repo: Repo, ws: Workspace
) -> None:
    os.mkfifo(ws.state_dir / "pi\npe")
    for name in NUMBERED[3:]:
        (ws.state_dir / name).unlink()

    said = call(repo.path, "snapshot")

    assert (said.code, said.out) == (0, "unchanged since v3\n")
    assert said.err == (
        "gitstate: left out: pi\\npe (a named pipe, not a file)\n"
        "gitstate: vanished and held: 03-known-issues.md, 04-decision-log.md, "
        "05-file-map.md; `gitstate restore HEAD` brings them back, "
        "`gitstate snapshot --deletions` records that they are meant to be gone\n"
    )
    found = json.loads(call(repo.path, "snapshot", "--json").out)
    assert found["skipped"] == [
        {"path": "pi\\npe", "reason": "a named pipe, not a file"}
    ]
    assert found["vanished"] == list(NUMBERED[3:])
    (ws.state_dir / "pi\npe").unlink()
    assert ok(repo, "snapshot", "--deletions").startswith("v4 ")
    assert ok(repo, "snapshot") == "unchanged since v4\n"


def test_snapshot_before_init(repo: Repo) -> None:
    assert call(repo.path, "snapshot") == Said(
        1,
        "",
        f"gitstate: gitstate is not set up in {repo.path}; run `gitstate init`\n",
    )


# --- restore ---------------------------------------------------------------------


def test_restore(repo: Repo, ws: Workspace, ids: list[str]) -> None:
    repo.write(TASK, "not yet in a version\n")

    assert ok(repo, "restore", "v1", "--dry-run") == (
        f"restoring v1 would change:\n  ~ {TASK}\n  - notes.md\n"
    )
    assert ok(repo, "restore", "v1") == (
        f"saved the present as v4\nrestored v1 as v5\n  ~ {TASK}\n  - notes.md\n"
    )
    assert files_on_disk(ws) == files_of(ws, ids[1])
    assert ok(repo, "restore", "v1") == "unchanged: the files are as in v1\n"
    assert ok(repo, "restore", "v4", TASK) == f"restored v4 as v6\n  ~ {TASK}\n"
    assert json.loads(ok(repo, "restore", "v3", "--json")) == {
        "from": 3,
        "version": 7,
        "saved": None,
        "changed": [
            {"path": TASK, "change": "changed"},
            {"path": "notes.md", "change": "added"},
        ],
        "left": [],
    }
    assert files_on_disk(ws) == files_of(ws, ids[3])


def test_restore_says_what_it_left(repo: Repo, ws: Workspace) -> None:
    os.mkfifo(ws.state_dir / "pipe")

    said = call(repo.path, "restore", "v1")

    assert said.code == 0
    assert said.err == (
        "gitstate: left as it is: pipe "
        "(its bytes are in no version: a named pipe, not a file)\n"
    )
    assert (ws.state_dir / "pipe").is_fifo()


def test_restore_with_wrong_words(repo: Repo, ws: Workspace) -> None:
    assert call(repo.path, "restore", "v1", "nothing.md") == Said(
        1, "", "gitstate: nothing.md is neither in v1 nor on disk\n"
    )
    assert call(repo.path, "restore", "v1", "../code.txt") == Said(
        2, "", "gitstate: '../code.txt' names no file of the state directory\n"
    )
    assert call(repo.path, "restore").code == 2
    assert call(repo.path, "restore", "--banana").code == 2
    assert len(versions(ws)) == 3


# --- fsck ------------------------------------------------------------------------


def test_fsck(repo: Repo, ws: Workspace, ids: list[str]) -> None:
    assert ok(repo, "fsck") == "ok: 3 versions\n"
    repo.write(TASK, "edited\n")
    assert ok(repo, "fsck") == (
        f"edited since the newest version: {TASK}\nok: 3 versions\n"
    )
    assert json.loads(ok(repo, "fsck", "--json")) == {
        "ok": True,
        "versions": 3,
        "problems": [],
        "edited": [TASK],
        "repaired": [],
    }
    repo.git("branch", "-f", "agent-state", ids[2])
    trouble = (
        "the branch agent-state was moved back to v2 (it was at v3); nothing is lost: "
        "`gitstate fsck --repair` puts it back"
    )
    said = call(repo.path, "fsck")
    assert (said.code, said.err) == (1, "")
    assert said.out == (f"moved: {trouble}\nedited since the newest version: {TASK}\n")
    assert call(repo.path, "log").err == f"gitstate: {trouble}\n"
    assert ok(repo, "fsck", "--repair") == (
        "kept what the branch held as refs/gitstate/archive/agent-state/2026-11-29\n"
        f"put the branch agent-state back to v3 ({ids[3][:12]})\n"
        f"edited since the newest version: {TASK}\nok: 3 versions\n"
    )
    assert ws


# --- diff ------------------------------------------------------------------------


def test_diff(repo: Repo, ws: Workspace) -> None:
    assert ok(repo, "diff") == ""
    repo.write("notes.md", "other note\n")
    (ws.state_dir / "05-file-map.md").unlink()

    said = ok(repo, "diff")

    assert "-note\n+other note\n" in said
    assert "+++ /dev/null" in said
    assert "-one\n+two\n" in ok(repo, "diff", "v1", "v2")
    assert "note" not in ok(repo, "diff", "v1", "v3", TASK)
    assert "+note\n" in ok(repo, "diff", "v1", "v3", "notes.md")
    assert ok(repo, "diff", "notes.md") == ok(repo, "diff", "HEAD", "notes.md")
    assert call(repo.path, "diff", "v1", "v2", "v3", "x").code == 2
    assert call(repo.path, "diff", "v1", "nothing.md").code == 1


# --- status ----------------------------------------------------------------------


def test_status_as_json(repo: Repo, ws: Workspace, ids: list[str]) -> None:
    repo.write(TASK, "edited\n")
    found = json.loads(ok(repo, "status", "--json"))

    assert {
        key: found[key]
        for key in ("version", "commit", "line", "dirty", "age_s", "code_head")
    } == {
        "version": 3,
        "commit": ids[3],
        "line": "agent-state",
        "dirty": True,
        "age_s": 24 * 3600 + 55 * 60,
        "code_head": repo.git("rev-parse", "HEAD"),
    }
    assert [row["path"] for row in found["files"]] == [*NUMBERED, "notes.md"]
    assert (found["skipped"], found["vanished"], found["problems"]) == ([], [], [])
    assert found["daemon"]["running"] is False
    assert ws


def test_status_of_what_vanished_and_of_a_stale_lock(repo: Repo, ws: Workspace) -> None:
    shutil.rmtree(ws.state_dir)
    call(repo.path, "snapshot")
    lock = repo.path / ".git" / "refs" / "heads" / "agent-state.lock"
    lock.write_text("")

    said = ok(repo, "status")

    assert "v3 " in said
    assert f"vanished: {', '.join([*NUMBERED, 'notes.md'])}" in said
    assert "`gitstate restore HEAD` brings them back" in said
    assert str(lock) in said
    found = json.loads(ok(repo, "status", "--json"))
    assert [row["path"] for row in found["vanished"]] == [*NUMBERED, "notes.md"]
    assert any(str(lock) in problem for problem in found["problems"])
    lock.unlink()
    assert ok(repo, "restore", "HEAD").startswith(("restored v3", "unchanged"))
    assert "vanished:" not in ok(repo, "status")


def test_status_writes_nothing(repo: Repo, ws: Workspace) -> None:
    def seen() -> list[tuple[str, int]]:
        return sorted(
            (str(path), path.lstat().st_mtime_ns)
            for path in (repo.path / ".git").rglob("*")
        )

    repo.write(TASK, "edited\n")
    (ws.state_dir / "05-file-map.md").unlink()
    before = seen()
    for words in (("status",), ("log",), ("show",), ("diff",), ("fsck",), ("doctor",)):
        call(repo.path, *words)
    assert seen() == before
