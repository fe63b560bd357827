"""What is no longer loaded is found: in archives, and in the newest version that has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gitstate.history.line import engine_for
from gitstate.history.search import search
from tests.engines import begun, edit, snap

if TYPE_CHECKING:
    from gitstate.git.engine import Engine
    from gitstate.history.search import Searched
    from gitstate.workspace import Workspace
    from tests.support import Repo


def find(ws: Workspace, text: str) -> list[tuple[int | None, str, int, str]]:
    with engine_for(ws) as engine:
        found = search(ws, engine, text)
    assert found.unread == 0
    return [(hit.version, hit.file, hit.line, hit.text) for hit in found.hits]


def test_present_files_then_versions_newest_first(repo: Repo) -> None:
    ws = begun(repo)
    edit(ws, "# T\n\nold brackets\n")
    edit(ws, "# T\n\n\nolder BRACKETS\nmoved brackets\n")
    repo.write("archive/old.md", "moved brackets\r\nx\x0by brackets\r\n")
    repo.write("long_mem/notes.md", "brackets noted\n")
    edit(ws, "# T\n\nnew\n")
    (ws.state_dir / "long_mem/notes.md").unlink()
    assert snap(ws, deletions=True).version == 5
    assert find(ws, "brackets") == [
        (None, "archive/old.md", 1, "moved brackets"),
        (None, "archive/old.md", 2, "x\x0by brackets"),
        (4, "long_mem/notes.md", 1, "brackets noted"),
        (3, "02-current-task.md", 4, "older BRACKETS"),
        (2, "02-current-task.md", 3, "old brackets"),
    ]
    assert find(ws, "BRACKETS") == [(3, "02-current-task.md", 4, "older BRACKETS")]


@pytest.mark.parametrize("text", ["a.*b[", "(?i)", "\\n", "--all", "ÄB"])
def test_the_text_is_literal(repo: Repo, text: str) -> None:
    ws = begun(repo)
    edit(ws, f"x {text} y\n")
    edit(ws, "gone\n")
    assert find(ws, text) == [(2, "02-current-task.md", 1, f"x {text} y")]
    assert find(ws, f"{text}?") == []


def test_case_counts_only_where_there_are_capitals(repo: Repo) -> None:
    ws = begun(repo)
    edit(ws, "İstanbul ÄRGER Käse \u212a\n")
    for text in ("ärger", "k\u00e4se", "k"):
        assert len(find(ws, text)) >= 1, text
    assert find(ws, "Ärger") == []


def test_what_a_squash_replaced_is_found(repo: Repo) -> None:
    ws = begun(repo)
    edit(ws, "only in the day's own versions\n")
    repo.git(
        "update-ref", "refs/gitstate/archive/agent-state/2026-11-28", "agent-state"
    )
    first = repo.git("rev-parse", "agent-state~1")
    edit(ws, "later\n")
    tip = repo.git("rev-parse", "agent-state")
    squashed = repo.git(
        "commit-tree", f"{tip}^{{tree}}", "-p", first, stdin=_message(repo, tip)
    )
    repo.git("update-ref", "refs/heads/agent-state", squashed)
    found = find(ws, "own versions")
    assert found == [
        (2, "02-current-task.md", 1, "only in the day's own versions"),
    ]


def _message(repo: Repo, commit: str) -> bytes:
    return repo.git("log", "-1", "--format=%B", commit).encode()


def test_each_blob_and_tree_is_read_once(repo: Repo) -> None:
    ws = begun(repo)
    for number in range(6):
        edit(ws, f"words {number % 3} here\n")
    with engine_for(ws) as engine:
        seen = Counting(engine)
        found = search_with(ws, seen)
    assert [hit.version for hit in found.hits] == [None, 6, 5]
    assert len(seen.blobs) == len(set(seen.blobs))
    # one of the three texts is there now, and six small files are in the first version
    assert len(seen.blobs) == 2 + 1


class Counting:
    """An engine that writes down which blobs are read."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.blobs: list[str] = []

    def blob(self, identity: str) -> bytes:
        self.blobs.append(identity)
        return self._engine.blob(identity)

    def __getattr__(self, name: str) -> object:
        return getattr(self._engine, name)


def search_with(ws: Workspace, engine: Counting) -> Searched:
    return search(ws, engine, "words")  # type: ignore[arg-type]  # it passes all on


def test_where_there_is_no_version_yet(repo: Repo) -> None:
    ws = begun(repo)
    repo.git("update-ref", "-d", "refs/heads/agent-state")
    repo.write("02-current-task.md", "here\n")
    assert find(ws, "here") == [(None, "02-current-task.md", 1, "here")]
