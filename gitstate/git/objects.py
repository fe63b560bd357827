"""git's objects as typed values and bytes; pure.

Formats: gitformat-* pages of git (blob, tree, commit; ids of sha1 and sha256).
"""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Literal

from gitstate.errors import ObjectDamaged
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

FILE = 0o100644
EXECUTABLE = 0o100755
LINK = 0o120000
TREE = 0o040000
SUBMODULE = 0o160000

Kind = Literal["blob", "tree", "commit", "tag"]


@dataclass(frozen=True, slots=True)
class NewObject:
    """An object to be written: its id, kind and raw bytes."""

    id: str
    kind: Kind
    data: bytes


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One row of a tree: raw name, mode and the id it points to."""

    name: bytes
    mode: int
    id: str


@dataclass(frozen=True, slots=True)
class Signature:
    """Who and when: seconds since 1970 and minutes east of UTC."""

    name: str
    email: str
    time: int
    offset: int

    def moment(self) -> datetime:
        """The moment in its own recorded offset."""
        return datetime.fromtimestamp(
            self.time, timezone(timedelta(minutes=self.offset))
        )

    def encode(self) -> bytes:
        """The form a commit holds."""
        sign = "-" if self.offset < 0 else "+"
        hours, minutes = divmod(abs(self.offset), 60)
        text = f"{self.name} <{self.email}> {self.time} {sign}{hours:02d}{minutes:02d}"
        return text.encode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit as stored; ``message`` is its text."""

    id: str
    tree: str
    parents: tuple[str, ...]
    author: Signature
    committer: Signature
    message: str


def make(kind: Kind, data: bytes, object_format: str) -> NewObject:
    """The object of ``kind`` with these bytes, under its id."""
    return NewObject(object_id(kind, data, object_format), kind, data)


def object_id(kind: str, data: bytes, object_format: str) -> str:
    """Git's id of an object; ``object_format`` is ``sha1`` or ``sha256``."""
    digest = hashlib.new(
        object_format, b"%s %d\0" % (kind.encode(), len(data)), usedforsecurity=False
    )
    digest.update(data)
    return digest.hexdigest()


def encode_tree(entries: Iterable[TreeEntry]) -> bytes:
    """A tree's bytes; sorted as git sorts (a folder as if its name ended in ``/``)."""
    rows = sorted(
        entries, key=lambda row: row.name + b"/" if row.mode == TREE else row.name
    )
    return b"".join(
        b"%o %s\0" % (row.mode, row.name) + bytes.fromhex(row.id) for row in rows
    )


def parse_tree(data: bytes, object_format: str) -> list[TreeEntry]:
    """The rows of a tree; raises ``ObjectDamaged``."""
    width = hashlib.new(object_format, usedforsecurity=False).digest_size
    rows = []
    at = 0
    try:
        while at < len(data):
            space = data.index(b" ", at)
            end = data.index(b"\0", space)
            identity = data[end + 1 : end + 1 + width]
            if len(identity) != width:
                raise ValueError  # noqa: TRY301 one exit for every way to be broken
            rows.append(
                TreeEntry(data[space + 1 : end], int(data[at:space], 8), identity.hex())
            )
            at = end + 1 + width
    except ValueError as error:
        message = "a tree cannot be parsed"
        raise ObjectDamaged(message) from error
    return rows


def encode_commit(
    tree: str,
    parents: Iterable[str],
    author: Signature,
    committer: Signature,
    message: str,
) -> bytes:
    """A commit's bytes, message in UTF-8."""
    lines = [b"tree " + tree.encode()]
    lines += [b"parent " + parent.encode() for parent in parents]
    lines += [b"author " + author.encode(), b"committer " + committer.encode(), b""]
    return b"\n".join(lines) + b"\n" + message.encode("utf-8", "surrogateescape")


def parse_commit(identity: str, data: bytes) -> Commit:
    """The commit in these bytes; raises ``ObjectDamaged``."""
    head, _, message = data.partition(b"\n\n")
    tree = ""
    parents: list[str] = []
    people: dict[bytes, Signature] = {}
    try:
        for line in head.split(b"\n"):
            key, _, value = line.partition(b" ")
            if key == b"tree" and not tree:
                tree = value.decode("ascii")
            elif key == b"parent":
                parents.append(value.decode("ascii"))
            elif key in {b"author", b"committer"} and key not in people:
                people[key] = _parse_signature(value)
        author, committer = people[b"author"], people[b"committer"]
        if not tree:
            raise ValueError  # noqa: TRY301 one exit for every way to be broken
    except (ValueError, KeyError, IndexError) as error:
        text = f"commit {identity} cannot be parsed"
        raise ObjectDamaged(text) from error
    return Commit(
        identity,
        tree,
        tuple(parents),
        author,
        committer,
        message.decode("utf-8", "replace"),
    )


def _parse_signature(value: bytes) -> Signature:
    who, time, zone = value.rsplit(b" ", 2)
    name, _, email = who.decode("utf-8", "surrogateescape").rpartition("<")
    hours, minutes = int(zone[1:3]), int(zone[3:5])
    offset = hours * 60 + minutes
    if offset >= 24 * 60:  # git accepts absurd offsets, datetime does not
        offset = 0
    return Signature(
        name.removesuffix(" "),
        email.rstrip(">"),
        int(time),
        -offset if zone[:1] == b"-" else offset,
    )
