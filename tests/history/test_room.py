"""Room on disk: the versions of 60 days, and the user's git notices none of it.

20,000 of them; the bounds are each version's share. Of every thousand the last
hundred come one by one, as writers make them, and those before them by the fifty.
``ROOM_VERSIONS`` makes fewer.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from gitstate.git.objects import FILE, Signature, encode_commit, make
from gitstate.git.packing import consolidate
from gitstate.history.anchor import Anchor, write_anchor
from gitstate.history.cache import Cache
from gitstate.history.growth import Draft, write_version
from gitstate.history.identity import read_life
from gitstate.history.line import engine_for
from gitstate.history.message import FileChange, compose
from gitstate.history.numbers import Numbers
from gitstate.history.record import Record
from gitstate.history.restore import restore
from gitstate.history.snapshot import session, take, take_locked
from gitstate.history.tidying import tidy_up
from gitstate.history.tree import Entry, build_tree
from gitstate.history.versions import resolve
from tests.bench.places import Editor
from tests.engines import files_of, files_on_disk, init, numbers
from tests.support import NUMBERED, Repo, make_repo

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gitstate.git.engine import Engine
    from gitstate.git.objects import NewObject
    from gitstate.history.line import Line
    from gitstate.workspace import Workspace

VERSIONS = int(os.environ.get("ROOM_VERSIONS", "20000"))
EACH, BY_THE_FIFTY, FIFTY = 1000, 900, 50
DAYS, START = 60, datetime(2026, 9, 30, 8, 0, tzinfo=UTC)
MOST_PACKS = 5
MOST_BYTES = 768  # a version, packed


def loose(repo: Repo) -> int:
    count, _ = repo.git("count-objects").split(" objects")
    return int(count)


@dataclass
class Work:
    """Sixty days of edits of the six files: the clock, and what the files say by now."""

    ws: Workspace
    monkeypatch: pytest.MonkeyPatch
    texts: dict[str, list[str]] = field(
        default_factory=lambda: {name: [f"# {name}"] for name in NUMBERED}
    )

    def edit(self, number: int) -> str:
        """The edit of version ``number``, and its moment; returns the file."""
        moment = START + number * timedelta(days=DAYS) / VERSIONS
        self.monkeypatch.setenv("GITSTATE_NOW", moment.isoformat())
        name = NUMBERED[number % len(NUMBERED)]
        self.texts[name] = [self.texts[name][0], *self.texts[name][-40:][1:]]
        self.texts[name].append(f"- step {number}: found out {number * 7919:x}")
        return name

    def look(self, engine: Engine, number: int) -> None:
        """One edit, read from the disk as a version."""
        self.edit(number)
        for name, rows in self.texts.items():
            (self.ws.state_dir / name).write_text("\n".join(rows) + "\n")
        assert take_locked(self.ws, engine).version == number

    def draft(self, number: int) -> Draft:
        """One edit, and the version that a look at the files comes to."""
        changed, ws = self.edit(number), self.ws
        blobs = {
            name: make("blob", ("\n".join(rows) + "\n").encode(), ws.object_format)
            for name, rows in self.texts.items()
        }
        entries = {name.encode(): Entry(FILE, blob.id) for name, blob in blobs.items()}
        tree, trees = build_tree(entries, ws.tree_path, ws.object_format)
        change = FileChange(changed.encode(), "changed", (changed,))

        def message(number: int, gap: str | None) -> str:
            record = Record(version=number, line=ws.line, gap=gap, code_branch="main")
            return compose(number, [change], record.trailers(), lang="en")

        return Draft(tree=tree, objects=[blobs[changed], *trees], message=message)


def grow(work: Work, first: int, last: int) -> int:
    """Make versions ``first`` to ``last``; returns the most packs that were seen.

    Of twenty one is read from the disk: what lies there is no matter of room.
    """
    most, ws = 0, work.ws
    for begin in range(first, last + 1, 100):  # the lock is taken anew now and then
        with session(ws, verb="daemon", wait_s=5.0) as engine:
            number = begin
            end = min(begin + 100, last + 1)
            while number < end:
                if number % EACH < BY_THE_FIFTY and number + FIFTY <= end:
                    fifty(work, engine, number)
                    number += FIFTY
                elif number % FIFTY == 0 or number == last:
                    work.look(engine, number)
                    number += 1
                else:
                    assert write_version(ws, engine, drafted(work, number)) is not None
                    number += 1
            most = max(most, len(engine.packs.ours()))
    return most


def drafted(work: Work, number: int) -> Callable[[Line], Draft]:
    draft = work.draft(number)
    return lambda _: draft


def fifty(work: Work, engine: Engine, first: int) -> None:
    """Fifty versions in one write; the branch and what is known of it move once."""
    ws = work.ws
    before = tip = engine.ref(ws.ref)
    assert tip is not None
    objects: list[NewObject] = []
    for number in range(first, first + FIFTY):
        draft = work.draft(number)
        moment = datetime.fromisoformat(os.environ["GITSTATE_NOW"])
        who = Signature(*ws.identity(), int(moment.timestamp()), 0)
        body = encode_commit(draft.tree, [tip], who, who, draft.message(number, None))
        objects += [*draft.objects, make("commit", body, ws.object_format)]
        tip = objects[-1].id
    engine.write(objects, durable=False)
    engine.swap_ref(ws.ref, old=before, new=tip, reason="fifty", durable=False)
    write_anchor(ws, ws.line, Anchor(tip, number, read_life(ws)))
    Numbers.load(ws, engine, tip)
    tidy_up(ws, engine, number)


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

    most = grow(Work(ws, monkeypatch), 2, VERSIONS)

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
