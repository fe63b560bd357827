"""Rules, facts, commands and the file map, before and after; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.history.change import Change
from gitstate.history.matching import bare, keeps_words, pair_up

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitstate.documents.fields import Lines
    from gitstate.documents.file_map import MapEntry
    from gitstate.documents.project_context import ProjectContext
    from gitstate.documents.rules import Rule
    from gitstate.history.change import Subject
    from gitstate.history.moved import Moved

_Row = tuple[str, str, str, "Lines"]  # what it is known by, its key, value, lines


def compare_rules(
    path: bytes, before: Sequence[Rule], after: Sequence[Rule], moved: Moved
) -> Iterator[Change]:
    """Rules added, changed, removed; also whether something forbidden is so no more.

    A prohibition of which a word is gone is another one.
    """
    pairs, gone = pair_up(
        before,
        after,
        lambda one: bare(one.text),
        lambda one: one.text,
        lambda old, new: (
            not old.force == new.force == "never" or keeps_words(old.text, new.text)
        ),
    )
    for old, new in pairs:
        weaker = old is not None and old.force == "never" and new.force != "never"
        if old is not None and bare(old.text) == bare(new.text) and not weaker:
            continue
        yield Change(
            subject="rule",
            act="changed" if old else "added",
            text=new.text,
            was=old.text if old else None,
            path=path,
            prohibition=weaker,
            lines=new.lines,
            was_lines=old.lines if old else None,
        )
    for one in gone:
        archived = moved.holds(one.text)
        yield Change(
            subject="rule",
            act="archived" if archived else "removed",
            text=one.text,
            path=path,
            prohibition=one.force == "never" and not archived,
            was_lines=one.lines,
        )


def compare_context(
    path: bytes, old: ProjectContext, new: ProjectContext, moved: Moved
) -> Iterator[Change]:
    """Prohibitions, facts and commands."""
    yield from compare_rules(path, old.forbidden, new.forbidden, moved)
    facts = [
        [
            (
                f"{one.under or ''}\0{one.key or bare(one.value)}",
                one.key,
                one.value,
                one.lines,
            )
            for one in context.facts
        ]
        for context in (old, new)
    ]
    yield from _rows(path, "fact", facts[0], facts[1], moved)
    commands = [
        [
            (one.name or one.command, one.name, one.command, one.lines)
            for one in context.commands
        ]
        for context in (old, new)
    ]
    yield from _rows(path, "command", commands[0], commands[1], moved)


def compare_map(
    path: bytes, before: Sequence[MapEntry], after: Sequence[MapEntry], moved: Moved
) -> Iterator[Change]:
    """Files that the map has, has otherwise, or has no more."""
    pairs, gone = pair_up(before, after, lambda one: one.path)
    for old, new in pairs:
        if old != new:
            yield Change(
                subject="file",
                act="changed" if old else "added",
                text=new.path,
                reason=new.role,
                path=path,
                lines=new.lines,
                was_lines=old.lines if old else None,
            )
    for one in gone:
        yield Change(
            subject="file",
            act="archived" if moved.holds(one.path) else "removed",
            text=one.path,
            path=path,
            was_lines=one.lines,
        )


def _rows(
    path: bytes,
    subject: Subject,
    before: Sequence[_Row],
    after: Sequence[_Row],
    moved: Moved,
) -> Iterator[Change]:
    """Keys with values: a key whose value is another is changed."""
    pairs, gone = pair_up(before, after, lambda row: row[0])
    for old, new in pairs:
        if old is not None and old[2] == new[2]:
            continue
        yield Change(
            subject=subject,
            act="changed" if old else "added",
            text=_said(new),
            was=old[2] if old else None,
            path=path,
            lines=new[3],
            was_lines=old[3] if old else None,
        )
    for row in gone:
        yield Change(
            subject=subject,
            act="archived" if moved.holds(_said(row)) else "removed",
            text=_said(row),
            path=path,
            was_lines=row[3],
        )


def _said(row: _Row) -> str:
    _, key, value, _ = row
    return f"{key}: {value}" if key and value else key or value
