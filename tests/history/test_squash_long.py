"""Every id ever printed of a long history, after squashes, an undo and git's gc."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from gitstate.git.objects import FILE, Signature, encode_commit, make
from gitstate.history.anchor import Anchor, write_anchor
from gitstate.history.identity import read_life
from gitstate.history.integrity import check
from gitstate.history.line import engine_for
from gitstate.history.record import Record
from gitstate.history.snapshot import session
from gitstate.history.tree import Entry, build_tree
from gitstate.history.versions import resolve
from tests.engines import begun
from tests.history.simulated import at, on_line, squashed, trees, undone
from tests.support import make_repo

if TYPE_CHECKING:
    from pathlib import Path

    from gitstate.git.objects import NewObject
    from gitstate.workspace import Workspace

COUNT, PER_DAY = 5000, 1250  # v2 is the first of the 27th
BEGIN = int(datetime(2026, 11, 27, tzinfo=UTC).timestamp())


def test_every_id_that_was_printed_is_resolved(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    with at("2026-11-26T12:00:00+00:00"):
        ws = begun(repo)
    _grow(ws)
    names = trees(ws)
    assert len(names) > 2 * COUNT
    for night in ("28", "29", "30"):
        squashed(ws, f"2026-11-{night}T00:10:00+00:00")
        names |= trees(ws)
    undone(ws, "2026-11-30T00:10:00+00:00", "2026-11-28")
    names |= trees(ws)
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")

    assert len(on_line(ws)) == 3 + PER_DAY + (COUNT - 1 - 3 * PER_DAY)
    with engine_for(ws) as engine:
        # each id is there, kept by a ref, with the files it had
        kept = set(repo.git("rev-list", "--all").split())
        digits = len(repo.git("rev-parse", "HEAD"))
        ids = {name for name in names if len(name) == digits}
        assert ids <= kept
        assert {name: engine.commit(name).tree for name in ids} == {
            name: names[name] for name in ids
        }
        # and by what a person says: numbers and ids, and some that are cut short
        short = [name for name in sorted(names) if 3 < len(name) < digits]
        cut = [name for name in short if not name.startswith("v")]
        whole = sorted(names.keys() - set(cut))
        some = [*whole[:: len(whole) // 900], *cut[:: len(cut) // 12]]
        assert {name: resolve(ws, engine, name).commit.tree for name in some} == {
            name: names[name] for name in some
        }
        # the files on the disk are v1's still
        assert [one.kind for one in check(ws, engine).problems] == ["rolled back"]


def _grow(ws: Workspace) -> None:
    """Versions 2 to ``COUNT``, at even times from the 27th on, in one pack."""
    with session(ws, verb="test", wait_s=5) as engine:
        first = tip = engine.ref(ws.ref)
        assert tip is not None
        objects: list[NewObject] = []
        for number in range(2, COUNT + 1):
            blob = make("blob", f"# Task\n\n{number}\n".encode(), ws.object_format)
            entries = {b"02-current-task.md": Entry(FILE, blob.id)}
            tree, made = build_tree(entries, ws.tree_path, ws.object_format)
            who = Signature("A", "a@b.c", BEGIN + (number - 2) * 86_400 // PER_DAY, 0)
            record = Record(version=number, line=ws.line)
            message = f"state v{number}: {number}\n\n{record.trailers()}"
            data = encode_commit(tree, [tip], who, who, message)
            objects += [blob, *made, make("commit", data, ws.object_format)]
            tip = objects[-1].id
        engine.write(objects, durable=False)
        engine.swap_ref(ws.ref, old=first, new=tip, reason="test", durable=False)
        write_anchor(ws, ws.line, Anchor(tip, COUNT, read_life(ws)))
