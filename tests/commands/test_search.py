"""`gitstate search`: the version, the file and the line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.engines import init
from tests.inside import Said, call

if TYPE_CHECKING:
    from tests.support import Repo


def test_it_names_the_version_the_file_and_the_line(repo: Repo) -> None:
    init(repo)
    repo.write("notes.md", f"{'a' * 100} needle {'b' * 100}\n")
    call(repo.path, "snapshot")
    repo.write("notes.md", "x\n\n  the needle\n")
    call(repo.path, "snapshot")
    said = call(repo.path, "search", "needle")
    assert said == Said(
        0,
        "now  notes.md:3  the needle\n"
        f"v2   notes.md:1  …{'a' * 79} needle {'b' * 79}…\n",
        "",
    )
    rows = json.loads(call(repo.path, "search", "needle", "--json").out)
    commit = repo.git("rev-parse", "agent-state~1")
    assert rows == [
        {
            "version": None,
            "commit": None,
            "time": None,
            "file": "notes.md",
            "line": 3,
            "text": "  the needle",
        },
        {
            "version": 2,
            "commit": commit,
            "time": repo.git("log", "-1", "--format=%aI", commit).replace(
                "Z", "+00:00"
            ),
            "file": "notes.md",
            "line": 1,
            "text": f"{'a' * 100} needle {'b' * 100}",
        },
    ]


def test_what_is_nowhere(repo: Repo) -> None:
    init(repo)
    assert call(repo.path, "search", "xyzzy") == Said(
        1, "", "gitstate: nowhere: xyzzy\n"
    )
    assert call(repo.path, "search", "xyzzy", "--json").out == "[]\n"


@pytest.mark.parametrize("text", ["", " ", "two\nlines"])
def test_a_text_is_one_line(repo: Repo, text: str) -> None:
    init(repo)
    said = call(repo.path, "search", text)
    assert (said.code, said.out) == (1, "")
    assert said.err.startswith("gitstate: say what to find in one line")


def test_what_tidy_moved_is_found(repo: Repo) -> None:
    init(repo)
    call(repo.path, "issue", "add", "npm leaves two lock files")
    call(repo.path, "issue", "resolve", "I-1")
    call(repo.path, "tidy")
    assert call(repo.path, "search", "two lock files").out == (
        "now  resolved/03-known-issues.md:3  ## I-0001 npm leaves two lock files\n"
    )
