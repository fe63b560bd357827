"""Room on disk: the versions of 60 days, and the user's git notices none of it.

20,000 of them; the bounds are each version's share. ``ROOM_VERSIONS`` makes fewer.
"""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from gitstate.git.objects import FILE, make
from gitstate.git.packing import consolidate
from gitstate.history.cache import Cache
from gitstate.history.growth import Draft, write_version
from gitstate.history.line import engine_for
from gitstate.history.message import FileChange, compose
from gitstate.history.record import Record
from gitstate.history.restore import restore
from gitstate.history.snapshot import session, take, take_locked
from gitstate.history.tree import Entry, build_tree
from gitstate.history.versions import resolve
from tests.bench.places import Editor
from tests.engines import files_of, files_on_disk, init, numbers
from tests.support import NUMBERED, Repo, make_repo

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gitstate.history.line import Line
    from gitstate.workspace import Workspace

VERSIONS = int(os.environ.get("ROOM_VERSIONS", "20000"))
DAYS = 60
MOST_PACKS = 5
MOST_BYTES = 768  # a version, packed


def loose(repo: Repo) -> int:
    count, _ = repo.git("count-objects").split(" objects")
    return int(count)


def grow(ws: Workspace, first: int, last: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Make versions ``first`` to ``last`` of the moving clock; returns the most packs seen.

    Each is an edit of one of the six files, put on the line as every writer does it. Of
    twenty one is read from the disk: what lies there is no matter of room.
    """
    start = datetime(2026, 9, 30, 8, 0, tzinfo=UTC)
    step = timedelta(days=DAYS) / VERSIONS
    texts: dict[str, list[str]] = {name: [f"# {name}"] for name in NUMBERED}
    most = 0
    for begin in range(first, last + 1, 100):  # the lock is taken anew now and then
        with session(ws, verb="daemon", wait_s=5.0) as engine:
            for number in range(begin, min(begin + 100, last + 1)):
                moment = start + number * step
                monkeypatch.setenv("GITSTATE_NOW", moment.isoformat())
                name = NUMBERED[number % len(NUMBERED)]
                texts[name] = [texts[name][0], *texts[name][-40:][1:]]
                texts[name].append(f"- step {number}: found out {number * 7919:x}")
                if number % 20 == 0 or number == last:
                    for other, rows in texts.items():
                        (ws.state_dir / other).write_text("\n".join(rows) + "\n")
                    assert take_locked(ws, engine).version == number
                else:
                    draft = drafted(ws, name, texts)
                    assert write_version(ws, engine, draft) is not None
            most = max(most, len(engine.packs.ours()))
    return most


def drafted(
    ws: Workspace, changed: str, texts: dict[str, list[str]]
) -> Callable[[Line], Draft]:
    """The version that a look at these files comes to."""
    blobs = {
        name: make("blob", ("\n".join(rows) + "\n").encode(), ws.object_format)
        for name, rows in texts.items()
    }
    entries = {name.encode(): Entry(FILE, blob.id) for name, blob in blobs.items()}
    tree, trees = build_tree(entries, ws.tree_path, ws.object_format)
    change = FileChange(changed.encode(), "changed", (changed,))

    def message(number: int, gap: str | None) -> str:
        record = Record(version=number, line=ws.line, gap=gap, code_branch="main")
        return compose(number, [change], record.trailers(), lang="en")

    draft = Draft(tree=tree, objects=[blobs[changed], *trees], message=message)
    return lambda _: draft


@pytest.mark.timeout(1800)
def test_the_versions_of_60_days(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITSTATE_ENGINE", "libgit2")
    monkeypatch.setenv("GITSTATE_DURABLE", "false")
    repo = make_repo(tmp_path / "repo")
    for name in NUMBERED:
        repo.write(name, f"# {name}\n")
    monkeypatch.setenv("GITSTATE_NOW", "2026-09-30T08:00:00+00:00")
    ws = init(repo)
    before = loose(repo)

    most = grow(ws, 2, VERSIONS, monkeypatch)

    assert most <= MOST_PACKS
    assert loose(repo) == before  # the user's own commit, and none of ours
    with engine_for(ws) as engine:
        ours = engine.packs.ours()
        assert len(ours) <= MOST_PACKS
        size = sum(
            path.stat().st_size
            for pack in ours
            for path in engine.packs.folder.glob(f"{pack.name}.*")
        )
        assert size / VERSIONS <= MOST_BYTES, size / VERSIONS
        for number in (1, 2, VERSIONS // 2, VERSIONS):
            assert resolve(ws, engine, f"v{number}").number == number
    leftovers = [
        path.name for path in (ws.objects_dir / "pack").iterdir() if "tmp" in path.name
    ]
    assert leftovers == []

    # the user's own housekeeping has nothing to do because of us
    done = subprocess.run(
        ["git", "gc", "--auto"], cwd=repo.path, capture_output=True, check=True
    )
    assert (done.stdout, done.stderr) == (b"", b"")
    repo.commit(text="the user's next commit\n")
    assert loose(repo) > before
    found = numbers(ws)
    assert found == list(range(VERSIONS, 0, -1))
    assert restore(ws, f"v{VERSIONS // 2}").version == VERSIONS + 1
    with engine_for(ws) as engine:
        commit = resolve(ws, engine, f"v{VERSIONS // 2}").commit.id
    assert files_on_disk(ws) == files_of(ws, commit)
    repo.git("fsck", "--full", "--no-dangling", "--connectivity-only")


def test_edits_of_an_agent_stay_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With messages in words; deltas are used again though retired tails still stand."""
    monkeypatch.setenv("GITSTATE_ENGINE", "libgit2")
    monkeypatch.setenv("GITSTATE_DURABLE", "false")
    repo = make_repo(tmp_path / "repo")
    ws = init(repo)
    editor, cache = Editor(repo.state), Cache()
    count = 400
    with engine_for(ws) as engine:
        for _ in range(count):
            editor.edit()
            assert take(ws, verb="daemon", cache=cache).changed
        consolidate(engine.packs, root=ws.root, scratch=ws.shared, everything=True)
        (pack,) = engine.packs.ours()
        size = sum(
            path.stat().st_size for path in engine.packs.folder.glob(f"{pack.name}.*")
        )
    assert size / count <= MOST_BYTES, size / count
