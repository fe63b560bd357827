"""Which code commits came without an update of the task file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.errors import GitFailed, Refused, UnknownVersion, printable
from gitstate.git.environment import first_line, git
from gitstate.history import notes, rule
from gitstate.history.code_names import code_commit
from gitstate.history.links import process_locked
from gitstate.history.note import FLAGGED, Note, parse
from gitstate.history.snapshot import session
from gitstate.values import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gitstate.workspace import Workspace

COUNTED = 500  # commits that `count` looks at: what `status` may cost
_TIMEOUT_S = 120.0


@dataclass(frozen=True, slots=True)
class Flag:
    """A code commit without a matching task update, and its note."""

    commit: str
    subject: str
    note: Note


def flags(ws: Workspace, span: str | None = None) -> list[Flag]:
    """The flagged commits of a range (default: what HEAD reaches), newest first.

    Raises ``UnknownVersion`` where git does not know the range.
    """
    return list(_flagged(ws, span))


def count(ws: Workspace) -> int:
    """How many of the newest ``COUNTED`` commits that HEAD reaches are flagged."""
    return sum(1 for _ in _flagged(ws, None, f"--max-count={COUNTED}"))


def _flagged(ws: Workspace, span: str | None, *limits: str) -> Iterator[Flag]:
    done = git(
        [
            "log",
            f"--notes={notes.REF}",
            "--no-show-signature",
            "--encoding=UTF-8",
            "--format=%H%x00%s%x00%N%x00",
            *limits,
            "--end-of-options",
            span or "HEAD",
            "--",
        ],
        cwd=ws.root,
        check=False,
        timeout_s=_TIMEOUT_S,
    )
    if done.returncode != 0:
        reason = first_line(done.stderr)
        if "bad revision" in reason or "unknown revision" in reason:
            if span is None:
                return  # unborn
            raise UnknownVersion(f"{printable(span)!r} is no range of code commits")
        raise GitFailed(f"git log: {reason}")
    fields = done.stdout.decode("utf-8", "surrogateescape").split("\0")
    rows = zip(fields[0::3], fields[1::3], fields[2::3], strict=False)
    for commit, subject, text in rows:
        note = parse(text)
        if note is not None and note.check in FLAGGED:
            yield Flag(commit.strip(), subject, note)


def resolve(ws: Workspace, name: str, reason: str) -> str:
    """Settle a flagged commit with a person's reason; returns its id.

    Raises ``UnknownVersion`` where the commit is unknown, ``Refused`` where it is not
    flagged.
    """
    commit = code_commit(ws, name)
    with session(ws, verb="flags --resolve", wait_s=5.0) as engine:
        process_locked(ws, engine)

        def decide(tree: str | None) -> Mapping[str, str | None]:
            text = notes.read(engine, tree, [commit]).get(commit)
            found = None if text is None else parse(text)
            if found is None or found.check not in FLAGGED:
                said = "has no note" if found is None else f"is {found.check}"
                raise Refused(f"code commit {commit[:12]} is not flagged: it {said}")
            settled = replace(found, check=rule.EXEMPT, reason=reason)
            return {commit: settled.text()}

        notes.update(ws, engine, decide, reason="settle a flag")
    return commit
