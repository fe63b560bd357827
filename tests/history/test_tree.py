"""A version's tree and the flat list of its files: mktree and ls-tree are the judges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitstate.errors import ObjectMissing
from gitstate.git.objects import EXECUTABLE, FILE, LINK, make
from gitstate.history.line import engine_for
from gitstate.history.tree import Entry, build_tree, entry_at, read_entries
from gitstate.workspace import Workspace
from tests.support import make_repo

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gitstate.git.engine import Engine
    from tests.engines import Kind
    from tests.support import Repo

part = st.binary(min_size=1, max_size=6).filter(
    lambda name: b"/" not in name and b"\0" not in name and name not in {b".", b".."}
)
paths = st.lists(part, min_size=1, max_size=3).map(b"/".join)


def consistent(found: dict[bytes, int]) -> dict[bytes, int]:
    """Without files that have another's folder for their name."""
    folders = {
        b"/".join(parts[:count])
        for parts in (path.split(b"/") for path in found)
        for count in range(1, len(parts))
    }
    return {path: mode for path, mode in found.items() if path not in folders}


@pytest.fixture(params=["sha1", "sha256"])
def store(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[tuple[Repo, Engine]]:
    repo = make_repo(tmp_path / "r", object_format=request.param)
    with engine_for(Workspace.open(repo.path)) as engine:
        yield repo, engine


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    found=st.dictionaries(paths, st.sampled_from([FILE, EXECUTABLE, LINK])).map(
        consistent
    ),
    tree_path=st.sampled_from([".agent-state", "a/b/.state", "é"]),
)
def test_a_tree_comes_back_as_it_was_built(
    store: tuple[Repo, Engine], *, found: dict[bytes, int], tree_path: str
) -> None:
    repo, engine = store
    blob = make("blob", b"x", engine.object_format)
    entries = {path: Entry(mode, blob.id) for path, mode in found.items()}

    tree, objects = build_tree(entries, tree_path, engine.object_format)

    engine.write([blob, *objects], durable=False)
    assert read_entries(engine, tree, tree_path) == entries
    assert read_entries(engine, tree, "elsewhere") == {}
    listing = repo.git("ls-tree", "-r", "-z", "--full-tree", tree)
    prefix = f"{tree_path}/"
    names = [row.partition("\t")[2] for row in listing.split("\0")[:-1]]
    assert sorted(names) == sorted(
        prefix + path.decode("utf-8", "surrogateescape") for path in entries
    )
    for path, entry in entries.items():
        row = entry_at(engine, tree, prefix + path.decode("utf-8", "surrogateescape"))
        assert row is not None
        assert (row.mode, row.id) == (entry.mode, entry.id)
    assert entry_at(engine, tree, f"{prefix}none/of/it") is None
    assert entry_at(engine, tree, "none") is None


def test_git_accepts_the_tree(repo: Repo, engine: Engine, kind: Kind) -> None:
    blob = make("blob", b"x", kind.object_format)
    names = [b"a", b"a-b/c", b"a.md", b"a0", b"b/a/x", b"b/a.x", b"\xff/\n", b"-x"]
    entries = {name: Entry(FILE, blob.id) for name in names}
    tree, objects = build_tree(entries, ".agent-state", kind.object_format)
    engine.write([blob, *objects], durable=False)

    commit = repo.git("commit-tree", "-m", "x", tree)

    repo.git("fsck", "--strict", "--no-dangling", commit)


def test_equal_folders_are_one_object(kind: Kind) -> None:
    entry = Entry(FILE, "1" * (40 if kind.object_format == "sha1" else 64))
    _, objects = build_tree(
        {b"a/x": entry, b"b/x": entry, b"c/x": entry}, "s", kind.object_format
    )

    assert len({item.id for item in objects}) == 3


def test_an_empty_version(engine: Engine, kind: Kind) -> None:
    tree, objects = build_tree({}, ".agent-state", kind.object_format)
    engine.write(objects, durable=False)

    assert read_entries(engine, tree, ".agent-state") == {}


def test_a_missing_folder_of_a_version_is_told(engine: Engine, kind: Kind) -> None:
    blob = make("blob", b"x", kind.object_format)
    tree, objects = build_tree(
        {b"x/y": Entry(FILE, blob.id)}, ".agent-state", kind.object_format
    )
    engine.write([objects[-1], objects[-2]], durable=False)

    with pytest.raises(ObjectMissing):
        read_entries(engine, tree, ".agent-state")
