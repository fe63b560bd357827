"""What the verbs share: opening the workspace, and how a version is shown."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING

import click

from gitstate import clock, output
from gitstate.errors import Refused, printable
from gitstate.history.record import subject_of
from gitstate.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from pathlib import Path

    from gitstate.history.message import FileChange
    from gitstate.history.skipped import Skipped
    from gitstate.history.versions import Version

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 88}
_SIGNS = {"added": "+", "removed": "-", "changed": "~", "mode": "m"}


def open_workspace(path: Path | None = None) -> Workspace:
    """The workspace here; each bad setting is one warning on stderr."""
    ws = Workspace.open(path)
    for warning in ws.warnings:
        output.complain(f"warning: {warning}")
    return ws


def tell(notices: Iterable[str]) -> None:
    """Notices, each one line on stderr."""
    for notice in notices:
        output.complain(notice)


def when(moment: datetime) -> str:
    """A moment in its own offset, to the minute."""
    return moment.strftime("%Y-%m-%d %H:%M")


def title(version: Version) -> str:
    """A version's subject without what is said beside it."""
    subject = subject_of(version.commit)
    head, colon, rest = subject.partition(": ")
    record = version.record
    name = f"state {record.day or f'v{version.number}'}"
    if not colon or head != name:
        return printable(subject)
    # the versions of a day stand beside
    return printable(rest.rpartition(" (v")[0] or rest if record.day else rest)


def numbers(version: Version) -> str:
    """``v42``; of a squashed day the first and the last."""
    first = version.record.first
    return (
        f"v{version.number}"
        if first == version.number
        else f"v{first}–v{version.number}"  # noqa: RUF001 a range
    )


def as_json(version: Version) -> dict[str, object]:
    """The fields of one version in ``log --json``."""
    moment = version.commit.author.moment()
    return {
        "version": version.number,
        "versions": str(version.number)
        if version.record.day is None
        else f"{version.record.first}-{version.number}",
        "commit": version.commit.id,
        "day": version.record.day or moment.date().isoformat(),
        "time": moment.isoformat(),
        "subject": printable(subject_of(version.commit)),
        "code_head": version.record.code_head,
    }


def age(moment: datetime) -> str:
    """How long ago a moment was, for people."""
    return clock.age_text(clock.epoch_now() - moment.timestamp())


def change_lines(changes: Iterable[FileChange]) -> list[str]:
    """One line a changed file: a sign and the path."""
    return [f"  {_SIGNS[change.kind]} {printable(change.path)}" for change in changes]


def change_json(changes: Iterable[FileChange]) -> list[dict[str, str]]:
    """The changed files for ``--json``."""
    return [{"path": printable(item.path), "change": item.kind} for item in changes]


def left_out(item: Skipped) -> str:
    """The line on a file that a version leaves out; for a secret, the way in."""
    line = f"left out: {printable(item.path)} ({item.reason})"
    if not item.secrets:
        return line
    name = shlex.quote(printable(item.path))
    return (
        f"{line}; look at it, then `gitstate snapshot --allow-secret {name}` lets it in"
    )


def skipped_json(item: Skipped) -> dict[str, object]:
    """The same for ``--json``; ``secrets`` says what stands in which line, never what it is."""
    found: dict[str, object] = {"path": printable(item.path), "reason": item.reason}
    if item.secrets:
        found["secrets"] = [{"line": line, "kind": kind} for line, kind in item.secrets]
    return found


def one_of(word: str | None, option: str | None, name: str) -> str | None:
    """What was said, as a word or with the option ``name``; a usage error where both."""
    if word is not None and option is not None:
        raise click.UsageError(f"say it once: as a word, or with {name}")
    return word if option is None else option


def confirm(question: str, *, otherwise: str) -> None:
    """Ask on stderr; raises ``Refused`` with ``otherwise`` unless the answer is yes."""
    click.echo(f"{question} [y/N]: ", nl=False, err=True)
    answer = sys.stdin.readline() if sys.stdin is not None else ""
    if answer.strip().lower() not in {"y", "yes"}:
        why = "" if answer else ": nobody answered, and only --yes does not ask"
        raise Refused(f"{otherwise}{why}")


def under_ci() -> bool:
    """Is this a CI machine: nothing is started in the background there."""
    return os.environ.get("CI", "").lower() not in {"", "0", "false", "no"}
