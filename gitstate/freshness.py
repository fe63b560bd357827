"""Is the state older than the work: the task file beside the code's activity.

Activity is an edit of a file that git does not ignore, or a commit, after the task
file was last written. A time in the future counts as quiet. The daemon decides when
to look and how long it has been awake; ``check`` is the same look for those who come
by without one.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gitstate import clock, reminders
from gitstate.errors import GitstateError, printable
from gitstate.git.environment import git
from gitstate.history import notes
from gitstate.history.note import parse

if TYPE_CHECKING:
    from gitstate.workspace import Workspace

TASK = "02-current-task.md"
MAP = "05-file-map.md"
KIND = "freshness"
_TIMEOUT_S = 60.0
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Activity:
    """The first sign found that the code went on: what, and when (seconds since 1970)."""

    what: str
    since: float


@dataclass(frozen=True, slots=True)
class Standstill:
    """A task file that stands still while the code goes on."""

    task_time: float
    activity: Activity

    @property
    def key(self) -> str:
        """What identifies it: one reminder for each."""
        return f"{self.task_time:.6f}"


def task_time(ws: Workspace) -> float | None:
    """When the task file was last written; ``None`` where there is none."""
    try:
        return (ws.state_dir / TASK).lstat().st_mtime
    except OSError:
        return None


def look(ws: Workspace) -> Standstill | None:
    """Has the code gone on since the task file was written; stops at the first sign.

    Raises ``GitFailed``.
    """
    written = task_time(ws)
    now = clock.epoch_now()
    if written is None or written > now:
        return None
    activity = _newer_file(ws, written, now) or _newer_commit(ws, written, now)
    return None if activity is None else Standstill(written, activity)


def _newer_file(ws: Workspace, written: float, now: float) -> Activity | None:
    """The first file that differs from the index, or is new, and is younger."""
    args = ["ls-files", "-z", "--modified", "--others", "--exclude-standard"]
    names = git(args, cwd=ws.root, timeout_s=_TIMEOUT_S).stdout.split(b"\0")
    own = os.fsencode(ws.settings.dir) + b"/"
    root = os.fsencode(ws.root)
    for name in names:
        if not name or name.startswith(own):
            continue
        with contextlib.suppress(OSError):  # deleted: a commit will tell
            changed = os.lstat(root + b"/" + name).st_mtime
            if written < changed <= now:
                return Activity(printable(name), changed)
    return None


def _newer_commit(ws: Workspace, written: float, now: float) -> Activity | None:
    """HEAD, where it is younger and did not itself come with an update of the task."""
    args = ["log", "-1", "--no-show-signature", f"--notes={notes.REF}"]
    done = git(
        [*args, "--format=%ct %h%n%N", "HEAD", "--"],
        cwd=ws.root,
        check=False,
        timeout_s=_TIMEOUT_S,
    )
    head, _, text = done.stdout.decode("utf-8", "replace").partition("\n")
    when, _, commit = head.partition(" ")
    note = parse(text)
    if not when.isdigit() or (note is not None and note.check == "updated"):
        return None
    if written < int(when) <= now:
        return Activity(f"commit {commit}", float(when))
    return None


def overdue(
    standstill: Standstill | None, *, awake_s: float, threshold_s: float
) -> bool:
    """Has it lasted longer than it may; ``awake_s`` is how long somebody could have written."""
    return standstill is not None and awake_s > threshold_s


def text_of(ws: Workspace, standstill: Standstill) -> str:
    """What the reminder says."""
    old = clock.age_text(clock.epoch_now() - standstill.task_time)
    text = (
        f"{ws.settings.dir}/{TASK} was last written {old} ago, and the code has changed since "
        f"({standstill.activity.what}): bring it up to date"
    )
    others = map_gaps(ws)
    if others:
        text += f"; {MAP} does not know: {', '.join(others[:_NAMED])}"
    return text


def map_gaps(ws: Workspace) -> list[str]:
    """What the file map should have followed: gone files that it names, new top folders.

    Only where the map names anything at all.
    """
    try:
        data = (ws.state_dir / MAP).read_text("utf-8", "replace")
    except OSError:
        return []
    listing = git(
        ["ls-tree", "-z", "HEAD"], cwd=ws.root, check=False, timeout_s=_TIMEOUT_S
    )
    known = [row.partition(b"\t") for row in listing.stdout.split(b"\0") if row]
    folders = [os.fsdecode(name) for kind, _, name in known if b" tree " in kind]
    named = [folder for folder in folders if f"{folder}/" in data]
    gaps = [f"{name} (gone)" for name in _gone(ws) if name in data]
    if named or gaps:
        gaps += [
            f"{folder}/ (new)"
            for folder in folders
            if folder not in named and folder != ws.settings.dir
        ]
    return [printable(gap) for gap in gaps]


def _gone(ws: Workspace) -> list[str]:
    """Files that the last commits deleted or moved away."""
    args = [
        "log", "-z", "--max-count=20", "--no-show-signature", "--format=",
        "--diff-filter=D", "--name-only", "--no-renames", "HEAD", "--",
    ]  # fmt: skip
    done = git(args, cwd=ws.root, check=False, timeout_s=_TIMEOUT_S)
    names = [os.fsdecode(name) for name in done.stdout.split(b"\0") if name]
    return [name for name in dict.fromkeys(names) if not (ws.root / name).exists()]


def settle(ws: Workspace, standstill: Standstill | None, *, raised: bool) -> bool:
    """Raise the one reminder of a standstill, or take it away; says whether it is new.

    Raises ``CannotWrite``.
    """
    if standstill is None:
        reminders.clear(ws, KIND)
        return False
    waiting = {item.kind: item for item in reminders.read(ws)}
    known = waiting.get(KIND)
    if known is not None and known.standstill != standstill.key:
        reminders.clear(ws, KIND)
    if not raised:
        return False
    if known is not None and known.standstill == standstill.key:
        return False
    return reminders.raise_once(
        ws, KIND, text_of(ws, standstill), standstill=standstill.key
    )


def check(ws: Workspace) -> bool:
    """The whole check by the wall clock, for those who come by; never raises.

    Says whether a reminder was raised.
    """
    with contextlib.suppress(GitstateError, OSError):
        found = look(ws)
        waited = 0.0 if found is None else clock.epoch_now() - found.activity.since
        late = overdue(
            found, awake_s=waited, threshold_s=ws.settings.freshness_threshold_s
        )
        return settle(ws, found, raised=late)
    return False
