"""What gitstate needs of a repository: objects and refs, and nothing about state.

Two engines keep this protocol: ``libgit2`` (in process, the fast path) and
``command`` (git itself, for what libgit2 cannot open). Objects are written by
neither: ``packs`` writes them, the same way for both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self

from gitstate.errors import ObjectDamaged
from gitstate.git.objects import Commit, TreeEntry, object_id, parse_commit, parse_tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from gitstate.git.objects import Kind, NewObject
    from gitstate.git.packs import PackStore

ZERO = "0" * 40


@dataclass(frozen=True, slots=True)
class Head:
    """HEAD of a worktree: its branch (``None`` when detached), its commit (``None`` unborn)."""

    branch: str | None
    commit: str | None


class Engine(Protocol):
    """Objects and refs of one repository, seen from one worktree."""

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

    def swap_ref(self, name: str, *, old: str | None, new: str | None, reason: str, durable: bool) -> None:
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

    def find_prefix(self, prefix: str) -> list[str]:
        """The ids of all objects that start with ``prefix`` (4 hex digits at least)."""

    def walk(self, tip: str) -> Iterator[Commit]:
        """``tip`` and its first parents, newest first."""

    def refresh(self) -> None:
        """Look again at what other processes wrote."""


class Reading:
    """What both engines read in the same way."""

    object_format: str
    packs: PackStore

    def read(self, identity: str) -> tuple[Kind, bytes]:
        """An object's kind and bytes."""
        raise NotImplementedError

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
        """A commit."""
        return parse_commit(identity, self._typed(identity, "commit"))

    def verify(self, identity: str) -> tuple[Kind, bytes]:
        """Read an object and check its bytes against its id; raises ``ObjectDamaged``."""
        kind, data = self.read(identity)
        if object_id(kind, data, self.object_format) != identity:
            message = f"object {identity} is damaged: its bytes have another id"
            raise ObjectDamaged(message)
        return kind, data

    def write(self, objects: Sequence[NewObject], *, durable: bool) -> None:
        """Keep these objects, before any ref names them."""
        self.packs.add(objects, durable=durable)


def open_engine(git_dir: Path, common_dir: Path, object_format: str, *, shared_bits: int = 0) -> Engine:
    """The engine for a repository: libgit2 where it can open it, git itself elsewhere."""
    raise NotImplementedError
