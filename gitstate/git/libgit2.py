"""The fast engine: libgit2 in process, through pygit2. The only importer of pygit2."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pygit2
from pygit2.enums import ObjectType, ReferenceType

from gitstate.errors import (
    GitFailed,
    ObjectDamaged,
    ObjectMissing,
    RefLocked,
    RefMoved,
    printable,
)
from gitstate.git.command import locked_text, swap_by_git
from gitstate.git.engine import Head, Reading
from gitstate.git.packs import PackStore

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.git.engine import Place
    from gitstate.git.objects import Commit, Kind

_KINDS: dict[ObjectType, Kind] = {
    ObjectType.BLOB: "blob",
    ObjectType.TREE: "tree",
    ObjectType.COMMIT: "commit",
    ObjectType.TAG: "tag",
}
# While gc packs refs a ref's lock is taken for some milliseconds.
_LOCK_PATIENCE_S = 1.0
_LOCK_PAUSE_S = 0.005


class Libgit2Engine(Reading):
    """One repository through libgit2; raises ``GitFailed`` where it cannot open it."""

    name = "libgit2"

    def __init__(self, place: Place) -> None:
        try:
            self._repository = pygit2.Repository(str(place.git_dir))
        except (pygit2.GitError, ValueError, OSError, UnicodeEncodeError) as error:
            raise GitFailed(
                f"libgit2 cannot open {printable(place.git_dir)}: {error}"
            ) from error
        self._place = place
        self.object_format = place.object_format
        self.packs = PackStore(
            place.objects_dir, place.object_format, shared_bits=place.shared_bits
        )
        self._repository.set_ident(*place.identity)

    def close(self) -> None:
        """Let go of files."""
        self._repository.free()

    def refresh(self) -> None:
        """libgit2 looks again by itself when an object is not found."""

    def ref(self, name: str) -> str | None:
        """The object a ref points to, or ``None``."""
        found = self._reference(name)
        return None if found is None else str(found.resolve().target)

    def _reference(self, name: str) -> pygit2.Reference | None:
        try:
            return self._repository.references.get(name)
        except (pygit2.GitError, ValueError, OSError) as error:
            raise GitFailed(f"{name} cannot be read: {error}") from error

    def refs(self, prefix: str) -> dict[str, str]:
        """All refs whose names start with ``prefix``, by name."""
        try:
            found = self._repository.references.iterator()
            return {
                ref.name: str(ref.resolve().target)
                for ref in found
                if ref.name.startswith(prefix)
            }
        except (pygit2.GitError, KeyError, ValueError, OSError) as error:
            raise GitFailed(f"the refs {prefix}* cannot be read: {error}") from error

    def swap_ref(
        self, name: str, *, old: str | None, new: str | None, reason: str, durable: bool
    ) -> None:
        """Compare-and-swap, under git's own lock file."""
        if old is None or new is None:
            # libgit2 creates without comparing (known: two creators, one overwrites)
            swap_by_git(
                self._place, name, old=old, new=new, reason=reason, durable=durable
            )
            return
        deadline = time.monotonic() + _LOCK_PATIENCE_S
        while True:
            found = self._reference(name)
            if found is None or str(found.resolve().target) != old:
                raise RefMoved(f"{name} is no longer at {old}")
            pygit2.settings.enable_fsync_gitdir(durable)
            try:
                found.set_target(new, reason)
            except (pygit2.GitError, ValueError, OSError) as error:
                text = str(error)
                if "old reference value does not match" in text:
                    raise RefMoved(f"{name} is no longer at {old}") from error
                if "lock" not in text.lower():
                    raise GitFailed(f"{name} cannot be moved: {text}") from error
                if time.monotonic() >= deadline:
                    raise RefLocked(locked_text(self._place, name)) from error
                time.sleep(_LOCK_PAUSE_S)
            else:
                return
            finally:
                pygit2.settings.enable_fsync_gitdir(False)  # noqa: FBT003 pygit2's signature

    def head(self) -> Head:
        """HEAD of the worktree."""
        raw = self._repository.lookup_reference("HEAD")
        if raw.type == ReferenceType.SYMBOLIC:
            branch = str(raw.target)
            return Head(branch.removeprefix("refs/heads/"), self.ref(branch))
        return Head(None, str(raw.target))

    def read(self, identity: str) -> tuple[Kind, bytes]:
        """An object's kind and bytes."""
        try:
            kind, data = self._repository.odb.read(identity)
        except KeyError as error:
            raise ObjectMissing(f"object {identity} is missing") from error
        except (pygit2.GitError, ValueError, OSError) as error:
            raise ObjectDamaged(f"object {identity} cannot be read: {error}") from error
        return _KINDS[ObjectType(kind)], data

    def has(self, identity: str) -> bool:
        """Is the object there."""
        return bool(self._repository.odb.exists(identity))

    def walk(self, tip: str) -> Iterator[Commit]:
        """``tip`` and its first parents, newest first."""
        following: str | None = tip
        while following is not None:
            commit = self.commit(following)
            yield commit
            following = commit.parents[0] if commit.parents else None
