"""The fast engine: libgit2 in process, through pygit2. The only importer of pygit2."""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING

import pygit2
from pygit2.enums import ObjectType, Option, ReferenceType

from gitstate.errors import (
    GitFailed,
    ObjectDamaged,
    ObjectMissing,
    RefLocked,
    RefMoved,
    printable,
)
from gitstate.files import flush
from gitstate.git.command import locked_text, swap_by_git
from gitstate.git.engine import Head, Reading
from gitstate.git.loose import object_folders, read_loose
from gitstate.git.packs import PackStore

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.git.engine import Place
    from gitstate.git.objects import Commit, Kind

# libgit2 would look for a ref's new object in every pack; we have just read it ourselves
pygit2.option(Option.ENABLE_STRICT_OBJECT_CREATION, False)  # noqa: FBT003 pygit2's

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
        self._folders = object_folders(place.objects_dir)
        # for reflogs alone; pygit2 takes no surrogates
        name, email = (
            os.fsencode(text).decode(errors="replace") for text in place.identity
        )
        self._repository.set_ident(name, email)

    def close(self) -> None:
        """Let go of files."""
        self._repository.free()

    def ref(self, name: str) -> str | None:
        """The object a ref points to, or ``None``."""
        return self._target(self._reference(name))

    def _reference(self, name: str) -> pygit2.Reference | None:
        try:
            return self._repository.references.get(name)
        except (pygit2.GitError, ValueError, OSError) as error:
            if "corrupted" in str(error):  # an empty file: to git there is no such ref
                return None
            raise GitFailed(f"{name} cannot be read: {error}") from error

    def _target(self, found: pygit2.Reference | None) -> str | None:
        """Where a ref leads; ``None`` for one that names another which is not there."""
        try:
            return None if found is None else str(found.resolve().target)
        except (pygit2.GitError, KeyError):
            return None

    def refs(self, prefix: str) -> dict[str, str]:
        """All refs whose names start with ``prefix``, by name."""
        try:
            names = list(self._repository.references)
        except (pygit2.GitError, ValueError, OSError) as error:
            raise GitFailed(f"the refs {prefix}* cannot be read: {error}") from error
        found = {name: self.ref(name) for name in names if name.startswith(prefix)}
        return {name: target for name, target in found.items() if target is not None}

    def swap_ref(
        self, name: str, *, old: str | None, new: str | None, reason: str, durable: bool
    ) -> None:
        """Compare-and-swap, under git's own lock file."""
        if old is None or new is None or self._place.shared_bits:
            # libgit2 creates without comparing (known: two creators, one overwrites), and
            # gives a ref the umask's mode, which core.sharedRepository must overrule
            swap_by_git(
                self._place, name, old=old, new=new, reason=reason, durable=durable
            )
            return
        deadline = time.monotonic() + _LOCK_PATIENCE_S
        while True:
            found = self._reference(name)
            if found is None or self._target(found) != old:
                raise RefMoved(f"{name} is no longer at {old}")
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
                if durable:
                    self._flush_ref(name)
                return

    def _flush_ref(self, name: str) -> None:
        """Flush a loose ref and its folder: two flushes.

        libgit2's own switch is read once, when the refs are opened, counts for the
        whole process, and flushes the reflog too.
        """
        path = self._place.common_dir / name
        try:
            flush(path)
        except FileNotFoundError:
            return  # git packed the refs meanwhile, which its own rename completes
        except OSError as error:
            raise GitFailed(f"{name} could not be flushed to disk: {error}") from error
        with contextlib.suppress(OSError):  # not every file system flushes folders
            flush(path.parent)

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
            found = read_loose(self._folders, identity)
        except ObjectDamaged:
            # never through the repository's own odb: libgit2 reads loose objects too
            if identity not in self._packed():
                raise
            kind, data = self._packed().read(identity)
            return _KINDS[ObjectType(kind)], data
        if found is not None:
            return found
        try:
            kind, data = self._repository.odb.read(identity)
        except KeyError as error:
            raise ObjectMissing(f"object {identity} is missing") from error
        except (pygit2.GitError, ValueError, OSError) as error:
            raise ObjectDamaged(f"object {identity} cannot be read: {error}") from error
        return _KINDS[ObjectType(kind)], data

    def _packed(self) -> pygit2.Odb:
        odb = pygit2.Odb()
        for folder in self._folders:
            odb.add_backend(pygit2.OdbBackendPack(str(folder)), 1)
        return odb

    def has(self, identity: str) -> bool:
        """Is the object there."""
        return bool(self._repository.odb.exists(identity))

    def walk(self, tip: str) -> Iterator[Commit]:
        """``tip`` and its first parents, newest first."""
        following: str | None = tip
        while following is not None:
            commit = self.commit(following)
            yield commit
            following = self.before(commit)
