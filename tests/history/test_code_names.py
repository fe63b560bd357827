"""``code:COMMIT``: the state in which a code commit was made."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from gitstate.errors import UnknownVersion
from gitstate.history.code_names import code_commit, note_of_code
from gitstate.history.line import engine_for
from gitstate.history.versions import resolve
from tests.hooks.git.coding import NOTES, Coder
from tests.inside import call

if TYPE_CHECKING:
    from pathlib import Path

TASK = "02-current-task.md"
UNLINKED = (
    "has no link to a version: it was made before `gitstate init`, or past the hooks"
)


@pytest.fixture
def coder(tmp_path: Path) -> Coder:
    """Three linked commits, each with a version of its own: v1, v2, v3."""
    coder = Coder.begin(tmp_path)
    for _ in range(2):
        coder.commit(updated=True)
        coder.link()
    coder.repo.git("tag", "-m", "x", "full", "HEAD~1")
    return coder


def version(coder: Coder, name: str) -> int:
    ws = coder.ws()
    with engine_for(ws) as engine:
        return resolve(ws, engine, name).number


NAMES = [
    ("HEAD", 3),
    ("main", 3),
    ("@", 3),
    ("HEAD~1", 2),
    ("HEAD~2", 1),
    ("full", 2),
    ("refs/tags/full", 2),
    ("main@{1}", 2),
    (":/more", 3),
    ("HEAD^{/change}", 1),
]


def test_every_name_of_git_s(coder: Coder) -> None:
    found = [(name, version(coder, f"code:{name}")) for name, _ in NAMES]
    assert found == NAMES


def test_ids_and_their_beginnings(coder: Coder) -> None:
    commit = coder.head("HEAD~1")
    for name in (commit, commit[:7], commit.upper()):
        assert code_commit(coder.ws(), name) == commit
        assert version(coder, f"code:{name}") == 2


NONE = [
    "",
    "banana",
    "HEAD~9",
    "HEAD:code.txt",
    "HEAD^{tree}",
    "--all",
    "-x",
    "f" * 40,
    "HEAD HEAD~1",
    "HEAD..main",
    "HEAD...main",
    "HEAD\nHEAD",
    "^HEAD",
    "HEAD^@",
    "code:HEAD",
    ":/nothing so",
    ":/",
    "\udcff",
    "*",
]


def test_what_is_no_commit_is_one_clear_line(coder: Coder) -> None:
    for name in NONE:
        with pytest.raises(UnknownVersion) as caught:
            code_commit(coder.ws(), name)
        assert re.fullmatch(r"'.*' is no code commit", str(caught.value))
        said = call(coder.repo.path, "show", f"code:{name}")
        assert (said.code, said.out, said.err.count("\n")) == (1, "", 1), name


def test_a_commit_without_a_note(coder: Coder) -> None:
    coder.repo.git("notes", f"--ref={NOTES}", "remove", "HEAD~1")
    commit = coder.head("HEAD~1")
    said = call(coder.repo.path, "show", "code:HEAD~1")
    assert (said.code, said.out) == (1, "")
    assert said.err == f"gitstate: code commit {commit[:12]} {UNLINKED}\n"


def test_a_note_that_says_nothing(coder: Coder) -> None:
    for text in ("", "seen by me\n", "State-Check: stale\n", "\x00"):
        write(coder, text)
        with pytest.raises(UnknownVersion, match=UNLINKED):
            version(coder, "code:HEAD")


def write(coder: Coder, text: str) -> None:
    """Put a text in the place of HEAD's note."""
    blob = coder.repo.git("hash-object", "-w", "--stdin", stdin=text.encode())
    coder.repo.git("notes", f"--ref={NOTES}", "add", "-f", "-C", blob, "HEAD")


def note(line: str = "agent-state", number: str = "2", commit: str = "") -> str:
    return (
        f"State-Line: {line}\nState-Version: {number}\nState-Commit: {commit}\n"
        "State-Check: updated\n"
    )


def test_line_and_version_decide_and_the_commit_is_a_hint(coder: Coder) -> None:
    first = coder.repo.git("rev-parse", "agent-state~2")
    write(coder, note(commit=first))
    assert version(coder, "code:HEAD") == 2
    write(coder, note(number="99", commit=first))
    assert version(coder, "code:HEAD") == 1
    write(coder, note(line="agent-state.gone", commit=first))
    assert version(coder, "code:HEAD") == 1


def test_a_line_that_is_not_here(coder: Coder) -> None:
    for commit in ("", "f" * 40, "banana", "-x", "HEAD", coder.head(), "ü"):
        write(coder, note(line="agent-state.x\x1b", number="7", commit=commit))
        with pytest.raises(UnknownVersion) as caught:
            version(coder, "code:HEAD")
        assert str(caught.value) == (
            "code commit HEAD was made in v7 of the line agent-state.x\\x1b, "
            "which is not here"
        )


def test_several_records_are_one(coder: Coder) -> None:
    write(coder, note(number="1") + note(number="3") + note(number="2"))
    with engine_for(coder.ws()) as engine:
        assert note_of_code(coder.ws(), engine, "HEAD").version == 3
    assert version(coder, "code:HEAD") == 3


def test_show_restore_and_diff_take_it(coder: Coder) -> None:
    place = coder.repo.path
    assert call(place, "show", f"code:HEAD~1:{TASK}").out == "task 1\n"
    assert call(place, "show", f"code:full:{TASK}").out == "task 1\n"
    shown = call(place, "diff", "code:HEAD~1", "code:HEAD", TASK).out
    assert "-task 1" in shown
    assert "+task 3" in shown
    said = call(place, "restore", "code:HEAD~1", "--dry-run")
    assert (said.code, coder.task.read_text()) == (0, "task 3\n")
    assert call(place, "restore", "code:HEAD~1").code == 0
    assert coder.task.read_text() == "task 1\n"
    assert "Restored-From: 2" in coder.repo.git(
        "log", "-1", "--format=%B", "agent-state"
    )
