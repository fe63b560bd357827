"""The patches that ``gitstate diff`` prints: git itself applies them."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support import Repo, gitstate, make_repo

if TYPE_CHECKING:
    from pathlib import Path

CASES = {
    "a line at the end": ("a\nb\n", "a\nb\nc\n"),
    "no last newline before": ("a\nb", "a\nb\nc\n"),
    "no last newline after": ("a\nb\n", "a\nb"),
    "no last newline twice": ("a\nb", "a\nc"),
    "from nothing": ("", "a\n"),
    "to nothing": ("a\n", ""),
    "blank lines at the end": ("a\n\n\n", "a\n\n"),
}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = make_repo(tmp_path / "shop")
    gitstate("init", "--no-daemon", "--no-hooks", cwd=made.path)
    return made


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_git_applies_the_patch(
    repo: Repo, tmp_path: Path, before: str, after: str
) -> None:
    repo.write("06-notes.md", before)
    gitstate("snapshot", cwd=repo.path)
    repo.write("06-notes.md", after)
    patch = gitstate("diff", cwd=repo.path).stdout
    there = tmp_path / "there"
    there.mkdir()
    (there / "06-notes.md").write_text(before)
    done = subprocess.run(
        ["git", "apply", "--unidiff-zero", "-"],
        cwd=there,
        input=patch,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (there / "06-notes.md").read_text() == after


def test_a_new_and_a_removed_file(repo: Repo) -> None:
    repo.write("06-notes.md", "one\ntwo\n")
    assert gitstate("diff", cwd=repo.path).stdout.splitlines() == [
        "--- /dev/null",
        "+++ b/06-notes.md",
        "@@ -0,0 +1,2 @@",
        "+one",
        "+two",
    ]
    gitstate("snapshot", cwd=repo.path)
    assert gitstate("diff", "v2", "v1", cwd=repo.path).stdout.splitlines() == [
        "--- a/06-notes.md",
        "+++ /dev/null",
        "@@ -1,2 +0,0 @@",
        "-one",
        "-two",
    ]


def test_what_is_no_version_and_no_file_is_named(repo: Repo) -> None:
    def said(*names: str) -> str:
        done = gitstate("diff", *names, cwd=repo.path, check=False)
        assert (done.returncode, done.stdout) == (1, "")
        return done.stderr

    assert said("banana") == "gitstate: no version and no file is called banana\n"
    assert said("v1", "v9").startswith("gitstate: 'v9' names no version; the newest is")
    assert said("2020-01-01").startswith(
        "gitstate: '2020-01-01' names no version; the first is v1 of "
    )
