"""One run of linking: what is known of the notes, and what is to be written."""

from __future__ import annotations

import contextlib
from itertools import islice
from typing import TYPE_CHECKING

from gitstate.errors import ObjectMissing
from gitstate.history import notes, rule
from gitstate.history.note import Note, parse
from gitstate.history.rule import Linked
from gitstate.values import dataclass, field

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.git.engine import Engine
    from gitstate.git.objects import Commit
    from gitstate.history.past_hooks import Reflog
    from gitstate.workspace import Workspace


@dataclass(slots=True)
class Run:
    """One run: what is known of the notes, and what is to be written."""

    ws: Workspace
    engine: Engine
    tree: str | None
    reflog: Reflog
    last: Linked | None
    new: dict[str, Note] = field(default_factory=dict)

    def note(self, commit: str) -> Note | None:
        """The note of a commit, written or about to be."""
        if commit in self.new:
            return self.new[commit]
        text = notes.read(self.engine, self.tree, [commit]).get(commit)
        return None if text is None else parse(text)

    def linked(self, commit: str) -> Linked | None:
        """What the note of a commit says, for the rule."""
        found = self.note(commit)
        if found is None or not found.task:
            return None
        return Linked(commit, found.task, found.check, found.reason)

    def linked_ancestor(self, commits: Iterator[Commit]) -> Linked | None:
        """The nearest linked commit among these."""
        with contextlib.suppress(
            ObjectMissing
        ):  # where a shallow or partial clone ends
            for commit in islice(commits, rule.LOOKED_AT):
                found = self.linked(commit.id)
                if found is not None:
                    return found
        return None
