"""The engines and object formats that every test of history runs against.

A ``conftest.py`` that imports ``kind`` and ``repo`` gives its tests both engines and both
formats; one that imports ``every_kind`` as ``kind`` gives them all that can be paired.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from gitstate.commands import init as init_verb
from gitstate.history.line import engine_for, read_line
from gitstate.history.look import entries_of
from gitstate.history.remote import push
from gitstate.history.snapshot import take
from gitstate.history.versions import newest_first
from gitstate.workspace import Workspace
from tests.support import Repo, make_repo

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gitstate.git.engine import Engine
    from gitstate.history.line import Line
    from gitstate.history.snapshot import Outcome
    from gitstate.history.versions import Version


@dataclass(frozen=True)
class Kind:
    """One way to run: the engine that is fixed, and the repository's object format."""

    engine: str
    object_format: str

    def __str__(self) -> str:
        return f"{self.engine}-{self.object_format}"


# libgit2 knows no sha256
EVERY_KIND = (Kind("libgit2", "sha1"), Kind("git", "sha256"), Kind("git", "sha1"))
# above the engine nothing can tell the last from the others: the format goes one way,
# the engine the other
KINDS = EVERY_KIND if os.environ.get("EVERY_KIND") else EVERY_KIND[:2]


@pytest.fixture(params=KINDS, ids=str)
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Kind:
    """Run the test with each engine and format; ``GITSTATE_ENGINE`` fixes the choice."""
    return _fixed(request.param, monkeypatch)


@pytest.fixture(name="kind", params=EVERY_KIND, ids=str)
def every_kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Kind:
    """The same, with git's engine for sha1, too."""
    return _fixed(request.param, monkeypatch)


def _fixed(found: Kind, monkeypatch: pytest.MonkeyPatch) -> Kind:
    monkeypatch.setenv("GITSTATE_ENGINE", found.engine)
    return found


@pytest.fixture
def repo(kind: Kind, tmp_path: Path) -> Repo:
    """A repository with one commit, of the kind's object format."""
    return make_repo(tmp_path / "repo", object_format=kind.object_format)


@pytest.fixture
def engine(repo: Repo, kind: Kind) -> Iterator[Engine]:
    """The open engine of ``repo``."""
    with engine_for(Workspace.open(repo.path)) as found:
        assert found.name == kind.engine
        yield found


def init(repo: Repo) -> Workspace:
    """``gitstate init --no-hooks --no-daemon`` in this process."""
    init_verb.run(repo.path, None, no_hooks=True, no_daemon=True, dry_run=False)
    return Workspace.open(repo.path)


def begun(repo: Repo, tag: str = "one") -> Workspace:
    """An initialised worktree whose v1 holds six small files with ``tag`` in them."""
    repo.write_six(tag)
    return init(repo)


def snap(ws: Workspace, **words: object) -> Outcome:
    """``gitstate snapshot`` in this process."""
    options: dict[str, object] = {"verb": "snapshot", "certain": True, **words}
    return take(ws, **options)  # type: ignore[arg-type]


def edit(ws: Workspace, text: str, name: str = "02-current-task.md") -> Outcome:
    """Write one file and make a version of it."""
    (ws.state_dir / name).write_text(text)
    return snap(ws)


def line_of(ws: Workspace) -> Line:
    """The line as it is now."""
    with engine_for(ws) as engine:
        return read_line(ws, engine)


def versions(ws: Workspace, tip: str | None = None) -> list[Version]:
    """All versions, newest first."""
    with engine_for(ws) as engine:
        found = tip or read_line(ws, engine).tip
        return list(newest_first(engine, found)) if found else []


def numbers(ws: Workspace) -> list[int]:
    """The numbers of all versions, newest first."""
    return [version.number for version in versions(ws)]


def files_of(ws: Workspace, commit: str) -> dict[str, bytes]:
    """What a version holds: path -> bytes."""
    with engine_for(ws) as engine:
        return {
            path.decode("utf-8", "surrogateescape"): engine.blob(entry.id)
            for path, entry in entries_of(ws, engine, commit).items()
        }


def files_on_disk(ws: Workspace) -> dict[str, bytes]:
    """What stands in the state directory: path -> bytes (links: their target)."""
    found: dict[str, bytes] = {}
    for path in sorted(ws.state_dir.rglob("*")):
        name = str(path.relative_to(ws.state_dir))
        if name.startswith(".gitstate-tmp"):
            continue
        if path.is_symlink():
            found[name] = str(path.readlink()).encode()
        elif path.is_file():
            found[name] = path.read_bytes()
    return found


def cloned(remote: Repo, name: str = "clone") -> Repo:
    """A clone of a bare repository, beside it."""
    Repo(remote.path.parent).git("clone", "-q", str(remote.path), name)
    return Repo(remote.path.parent / name)


@pytest.fixture
def remote(repo: Repo, kind: Kind, tmp_path: Path) -> Repo:
    """A bare repository that has ``repo``'s line of three versions; its ``origin``."""
    form = f"--object-format={kind.object_format}"
    Repo(tmp_path).git("init", "-q", "--bare", "-b", "main", form, "remote.git")
    bare = Repo(tmp_path / "remote.git")
    repo.git("remote", "add", "origin", str(bare.path))
    repo.git("push", "-q", "origin", "main")
    ws = begun(repo)
    edit(ws, "two\n")
    script = repo.write("sub/run.sh", "#!/bin/sh\n")
    script.chmod(0o755)
    snap(ws)
    push(ws, "origin")
    return bare
