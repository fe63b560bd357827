"""What gitstate needs of a repository: objects and refs, and nothing about state.

Two engines keep this protocol: ``libgit2`` (in process, the fast path) and
``command`` (git itself, for what libgit2 cannot open). Objects are written by
neither: ``packs`` writes them, the same way for both.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, Self

from gitstate.errors import GitFailed, ObjectDamaged
from gitstate.git.objects import Commit, TreeEntry, object_id, parse_commit, parse_tree
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from gitstate.git.objects import Kind, NewObject
    from gitstate.git.packs import PackStore


_COMMITS_KEPT = 32


@dataclass(frozen=True, slots=True)
class Head:
    """HEAD of a worktree: its branch (``None`` when detached), its commit (``None`` unborn)."""

    branch: str | None
    commit: str | None


class Engine(Protocol):
    """Objects and refs of one repository, seen from one worktree."""

    name: str
    object_format: str
    packs: PackStore

    def __enter__(self) -> Self: ...
    def __exit__(self, *exc: object) -> None: ...

    def close(self) -> None:
        """Let go of files and processes."""

    def ref(self, name: str) -> str | None:
        """The object a ref points to, or ``None``."""

    def refs(self, prefix: str) -> dict[str, str]:
        """All refs whose names start with ``prefix``, by name."""

    def swap_ref(
        self, name: str, *, old: str | None, new: str | None, reason: str, durable: bool
    ) -> None:
        """Set ``name`` from ``old`` to ``new`` (``None``: it does not exist), or raise.

        Raises ``RefMoved`` when it is not at ``old`` and ``RefLocked`` when git's lock
        of it stays taken.
        """

    def head(self) -> Head:
        """HEAD of the worktree."""

    def read(self, identity: str) -> tuple[Kind, bytes]:
        """An object's kind and bytes; raises ``ObjectMissing`` or ``ObjectDamaged``."""

    def has(self, identity: str) -> bool:
        """Is the object there."""

    def blob(self, identity: str) -> bytes:
        """A blob's bytes."""

    def tree(self, identity: str) -> list[TreeEntry]:
        """A tree's rows."""

    def commit(self, identity: str) -> Commit:
        """A commit."""

    def verify(self, identity: str) -> tuple[Kind, bytes]:
        """Read an object and check its bytes against its id."""

    def check_written(self, identities: Sequence[str]) -> None:
        """Read objects that were just written, and check them against their ids."""

    def write(self, objects: Sequence[NewObject], *, durable: bool) -> None:
        """Keep these objects, before any ref names them."""

    def walk(self, tip: str) -> Iterator[Commit]:
        """``tip`` and its first parents, newest first."""

    def before(self, commit: Commit) -> str | None:
        """The first parent; ``None`` for a root and where a shallow clone ends."""


class Reading:
    """What both engines read in the same way."""

    object_format: str
    packs: PackStore
    _place: Place

    @cached_property
    def _commits(self) -> dict[str, Commit]:
        return {}

    def read(self, identity: str) -> tuple[Kind, bytes]:
        """An object's kind and bytes."""
        raise NotImplementedError

    @cached_property
    def _shallow(self) -> frozenset[str]:
        try:
            text = (self._place.common_dir / "shallow").read_text("ascii")
        except (OSError, UnicodeDecodeError):
            return frozenset()
        return frozenset(text.split())

    def before(self, commit: Commit) -> str | None:
        """The first parent; ``None`` for a root and where a shallow clone ends."""
        if not commit.parents or commit.id in self._shallow:
            return None
        return commit.parents[0]

    def close(self) -> None:
        """Let go of files and processes."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _typed(self, identity: str, kind: Kind) -> bytes:
        found, data = self.read(identity)
        if found != kind:
            message = f"object {identity} is a {found}, not a {kind}"
            raise ObjectDamaged(message)
        return data

    def blob(self, identity: str) -> bytes:
        """A blob's bytes."""
        return self._typed(identity, "blob")

    def tree(self, identity: str) -> list[TreeEntry]:
        """A tree's rows."""
        return parse_tree(self._typed(identity, "tree"), self.object_format)

    def commit(self, identity: str) -> Commit:
        """A commit; the last ones are remembered, since one look asks for them often."""
        found = self._commits.get(identity)
        if found is None:
            found = parse_commit(identity, self._typed(identity, "commit"))
            if len(self._commits) >= _COMMITS_KEPT:
                self._commits.clear()
            self._commits[identity] = found
        return found

    def verify(self, identity: str) -> tuple[Kind, bytes]:
        """Read an object and check its bytes against its id; raises ``ObjectDamaged``."""
        kind, data = self.read(identity)
        if object_id(kind, data, self.object_format) != identity:
            message = f"object {identity} is damaged: its bytes have another id"
            raise ObjectDamaged(message)
        return kind, data

    def check_written(self, identities: Sequence[str]) -> None:
        """Read objects that were just written, and check them; raises ``ObjectDamaged``."""
        there = self.packs.read_back(identities)
        for identity in identities:
            kind, data = there.get(identity) or self.read(identity)
            if object_id(kind, data, self.object_format) != identity:
                message = f"object {identity} is damaged: its bytes have another id"
                raise ObjectDamaged(message)

    def write(self, objects: Sequence[NewObject], *, durable: bool) -> None:
        """Keep these objects, before any ref names them."""
        self.packs.add(objects, durable=durable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a repository is, and what an engine must know to write as its user.

    ``promised``: it is a partial clone, whose objects may have to be asked of a remote.
    """

    root: Path
    git_dir: Path
    common_dir: Path
    object_format: str
    identity: tuple[str, str]
    shared_bits: int = 0
    promised: bool = False

    @property
    def objects_dir(self) -> Path:
        """Git's object directory."""
        return self.common_dir / "objects"


def open_engine(place: Place) -> Engine:
    """The engine for a repository: libgit2 where it can read all of it, git itself elsewhere.

    ``GITSTATE_ENGINE`` (``libgit2`` or ``git``) fixes the choice, for tests and doctor.
    """
    from gitstate.git.command import CommandEngine  # noqa: PLC0415 a hook loads only one

    wanted = os.environ.get("GITSTATE_ENGINE")
    # libgit2 opens a partial clone, and knows nothing of what was promised to it
    if (
        wanted == "git"
        or place.object_format != "sha1"
        or (place.promised and not wanted)
    ):
        return CommandEngine(place)
    try:
        from gitstate.git.libgit2 import Libgit2Engine  # noqa: PLC0415 90 ms to import

        return Libgit2Engine(place)
    except (ImportError, GitFailed):
        if wanted == "libgit2":
            raise
        return CommandEngine(place)
