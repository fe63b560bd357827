"""What changed between two lists of files: in words of state, and what files say beside.

Only numbered files that differ are parsed, and what explains them: a move to an archive,
a note. Whatever goes wrong in that, the files and headings are told as ever.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from gitstate.errors import ObjectDamaged, ObjectMissing
from gitstate.git.objects import LINK
from gitstate.history.change import NOTHING, Changes
from gitstate.history.headings import headings_over
from gitstate.history.look import describe
from gitstate.history.parsed import concerns, kind_of
from gitstate.values import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gitstate.history.message import FileChange
    from gitstate.history.tree import Entry


_OVER = {"finished", "ended"}


def tell(
    before: Mapping[bytes, Entry],
    after: Mapping[bytes, Entry],
    blob: Callable[[str], bytes],
) -> tuple[Changes, list[FileChange]]:
    """The changes in words of state, and the files that have more to say than those."""
    files = describe(before, after, blob)
    if not before:
        return NOTHING, files  # a first version: all of it is new
    try:
        old, new = texts_of(files, before, blob), texts_of(files, after, blob)
        if not old and not new:
            return NOTHING, files
        from gitstate.history.changes import between  # noqa: PLC0415 where there is need

        told = between(old, new)
        return told, left_to_say(files, told, old, new)
    except Exception:  # noqa: BLE001 no text may keep a version from being made
        return NOTHING, files


def texts_of(
    files: Sequence[FileChange],
    entries: Mapping[bytes, Entry],
    blob: Callable[[str], bytes],
) -> dict[bytes, bytes]:
    """The bytes of the files that can say something, of those that differ."""
    texts = {}
    for change in files:
        entry = entries.get(change.path)
        if (
            entry is not None
            and change.kind != "mode"
            and entry.mode != LINK
            and concerns(change.path)
        ):
            with contextlib.suppress(ObjectMissing, ObjectDamaged):
                texts[change.path] = blob(entry.id)
    return texts


def left_to_say(
    files: Sequence[FileChange],
    told: Changes,
    old: Mapping[bytes, bytes],
    new: Mapping[bytes, bytes],
) -> list[FileChange]:
    """The files without what is told in words: a heading of which nothing is stays."""
    left = []
    for change in files:
        if change.kind != "changed" or change.path not in told.told:
            left.append(change)
            continue
        if kind_of(change.path) is None:
            continue  # a note, or what took in something that moved
        these = [one for one in told.items if one.path == change.path]
        if any(one.subject == "task" and one.act in _OVER for one in these):
            continue  # with the task, all that was in its file is gone
        over = headings_over(
            new.get(change.path, b""), [one.lines for one in these if one.lines]
        ) | headings_over(
            old.get(change.path, b""), [one.was_lines for one in these if one.was_lines]
        )
        headings = tuple(title for title in change.headings if title not in over)
        if headings:
            left.append(replace(change, headings=headings))
    return left
