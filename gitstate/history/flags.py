"""Which code commits came without an update of the task file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gitstate.errors import GitFailed, UnknownVersion, printable
from gitstate.git.environment import first_line, git
from gitstate.history import notes
from gitstate.history.note import Note, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.workspace import Workspace

_FLAGGED = {"stale", "bypassed"}
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


def _flagged(ws: Workspace, span: str | None) -> Iterator[Flag]:
    args = ["rev-parse", "--verify", "--quiet", "HEAD"]
    if span is None and git(args, cwd=ws.root, check=False).returncode != 0:
        return  # unborn
    done = git(
        [
            "log",
            f"--notes={notes.REF}",
            "--no-show-signature",
            "--format=%H%x00%s%x00%N%x00",
            *(["--end-of-options"] if span else []),
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
            raise UnknownVersion(f"{printable(span)!r} is no range of code commits")
        raise GitFailed(f"git log: {reason}")
    fields = done.stdout.decode("utf-8", "replace").split("\0")
    rows = zip(fields[0::3], fields[1::3], fields[2::3], strict=False)
    for commit, subject, text in rows:
        note = parse(text)
        if note is not None and note.check in _FLAGGED:
            yield Flag(commit.strip(), subject, note)
