"""A day's versions -> its one commit; and a commit on another parent.

A pure function of the commits: bytes are taken over as they are, so that every clone
comes to the same ids.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from gitstate.errors import ObjectDamaged, ObjectMissing
from gitstate.git.objects import LINK, make, parse_commit
from gitstate.history.change import NOTHING
from gitstate.history.day_message import Day, compose_day, document
from gitstate.history.look import describe, reader
from gitstate.history.parsed import kind_of
from gitstate.history.record import record_of
from gitstate.history.telling import left_to_say, texts_of
from gitstate.history.tree import Entry, read_entries
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import date
    from typing import Any

    from gitstate.git.engine import Engine
    from gitstate.git.objects import Commit, NewObject
    from gitstate.history.change import Changes
    from gitstate.history.message import FileChange
    from gitstate.history.record import Record
    from gitstate.history.spans import State

    Wording = Callable[[Day, Mapping[str, Any]], str]

# Of a day with more versions than this, so many are looked at for what was opened and
# closed within it, evenly chosen: 10,000 versions' folders take a second to read.
MOST_STATES = 400
_SIGNATURE = (b"gpgsig ", b"gpgsig-sha256 ")


@dataclass(frozen=True, slots=True)
class Kept:
    """A commit of the line with its bytes; ``record`` is ``None`` where it is no version."""

    commit: Commit
    data: bytes
    record: Record | None


def kept(identity: str, data: bytes) -> Kept:
    """From a commit's bytes; raises ``ObjectDamaged``."""
    commit = parse_commit(identity, data)
    return Kept(commit, data, record_of(commit))


def on_parent(one: Kept, parent: str | None, object_format: str) -> Kept:
    """The same commit on another first parent; all else stays, but for a signature.

    That would no longer be right, and git says so of it.
    """
    if one.commit.parents[:1] == (() if parent is None else (parent,)):
        return one
    head, gap, message = one.data.partition(b"\n\n")
    rows = head.split(b"\n")
    parents = [row for row in rows if row.startswith(b"parent ")][1:]
    if parent is not None:
        parents.insert(0, b"parent " + parent.encode())
    rest: list[bytes] = []
    signed = False
    for row in rows[1:]:
        signed = row.startswith(_SIGNATURE) or (signed and row.startswith(b" "))
        if not signed and not row.startswith(b"parent "):
            rest.append(row)
    made = make(
        "commit", b"\n".join([rows[0], *parents, *rest]) + gap + message, object_format
    )
    return kept(made.id, made.data)


def rechained(
    own: Sequence[Kept], parent: str | None, object_format: str
) -> list[Kept]:
    """The commits, oldest first, on another parent."""
    found: list[Kept] = []
    for one in own:
        found.append(on_parent(one, parent, object_format))
        parent = found[-1].commit.id
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What stood before the day: the last version's commit, ``None`` before the first."""

    commit: Commit | None

    @property
    def code_head(self) -> str:
        """The code commit of that version, as far as it says one."""
        record = None if self.commit is None else record_of(self.commit)
        return (record.code_head if record else None) or ""


def day_commit(  # noqa: PLR0913 all that it is made of
    engine: Engine,
    own: Sequence[Kept],
    before: Before,
    day: date,
    *,
    tree_path: str,
    wording: Wording | None = None,
) -> NewObject:
    """The commit of a day: its versions are ``own``, oldest first, all with a record."""
    last = own[-1]
    records = [one.record for one in own if one.record is not None]
    first = records[0]
    told_day = Day(
        day=day.isoformat(),
        first=first.version,
        last=records[-1].version,
        line=records[-1].line,
        archive=last.commit.id,
        lang=records[-1].lang,
        code_heads=tuple(record.code_head for record in records if record.code_head),
        head_before=before.code_head if before.commit else first.code_head or "",
        gap=first.gap,
    )
    told, files = _told(engine, own, before, tree_path)
    body = None
    if wording is not None:
        body = wording(told_day, document(told_day, told, files))
    message = compose_day(told_day, told, files, body)
    rows = last.data.partition(b"\n\n")[0].split(b"\n")
    who = [row for row in rows if row.startswith((b"author ", b"committer "))][:2]
    parents = [b"parent " + one.encode() for one in own[0].commit.parents[:1]]
    head = [b"tree " + last.commit.tree.encode(), *parents, *who]
    data = b"\n".join(head) + b"\n\n" + message.encode("utf-8", "surrogateescape")
    return make("commit", data, engine.object_format)


def _told(
    engine: Engine, own: Sequence[Kept], before: Before, tree_path: str
) -> tuple[Changes, list[FileChange]]:
    """What a day did: in words of state, and the files that have more to say.

    The first version of all is where the first day begins: what stands in it was there.
    Whatever fails costs the words, never the commit.
    """
    blob = reader(engine, {})
    base = before.commit
    begin = _entries(engine, base, tree_path) if base else {}
    end = _entries(engine, own[-1].commit, tree_path)
    chosen = _chosen(own)
    if base is None and len(own) > 1:
        begin = _entries(engine, own[0].commit, tree_path)
    files = describe(begin, end, blob)
    if not begin:
        return NOTHING, files
    try:
        from gitstate.history import spans  # noqa: PLC0415 only for a day

        old, new = texts_of(files, begin, blob), texts_of(files, end, blob)
        states = [spans.State(0, None, {**_followed(begin, blob), **old})]
        for one in chosen[:-1]:
            with contextlib.suppress(ObjectMissing, ObjectDamaged):
                entries = _entries(engine, one.commit, tree_path)
                states.append(_state(one, _followed(entries, blob)))
        states.append(_state(own[-1], {**_followed(end, blob), **new}))
        told = spans.over(spans.without_undone(states))
        return told, left_to_say(files, told, old, new)
    except Exception:  # noqa: BLE001 no text may keep a day from being squashed
        return NOTHING, files


def _followed(
    entries: Mapping[bytes, Entry], blob: Callable[[str], bytes]
) -> dict[bytes, bytes]:
    """The task and the issues: what is opened and closed in between is told of them."""
    return {
        path: blob(entry.id)
        for path, entry in entries.items()
        if entry.mode != LINK and kind_of(path) in {"issues", "task"}
    }


def _entries(engine: Engine, commit: Commit, tree_path: str) -> dict[bytes, Entry]:
    with contextlib.suppress(ObjectMissing, ObjectDamaged):
        return read_entries(engine, commit.tree, tree_path)
    return {}


def _state(one: Kept, files: dict[bytes, bytes]) -> State:
    from gitstate.history.spans import State  # noqa: PLC0415 only for a day

    record = one.record
    if record is None:
        return State(0, None, files)
    return State(record.version, record.restored_from, files)


def _chosen(own: Sequence[Kept]) -> list[Kept]:
    """The versions that are looked at: so many at most, and each restore with what it changed."""
    if len(own) <= MOST_STATES:
        return list(own)
    last = len(own) - 1
    at = {number * last // (MOST_STATES - 1) for number in range(MOST_STATES)}
    back = [n for n, one in enumerate(own) if one.record and one.record.restored_from]
    at |= {n - step for n in back[-MOST_STATES:] for step in (0, 1) if n >= step}
    return [own[number] for number in sorted(at)]
