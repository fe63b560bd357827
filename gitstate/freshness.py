"""Is the state older than the work: the task file beside the code's activity.

Activity is an edit of a file that git does not ignore, or a commit without an update,
after the task file was last written. A time in the future counts as quiet. The daemon
decides when to look and how long it has been awake; ``check`` is the same look for those
who come by without one.
"""

from __future__ import annotations

import contextlib
import os
import time
from hashlib import blake2b
from typing import TYPE_CHECKING

from gitstate import clock, reminders
from gitstate.errors import GitstateError, printable
from gitstate.files import read_json, write_json
from gitstate.git.environment import git, git_fields
from gitstate.history import notes
from gitstate.history.note import FLAGGED, parse
from gitstate.values import dataclass

if TYPE_CHECKING:
    from gitstate.workspace import Workspace

TASK = "02-current-task.md"
KIND = "freshness"
_SEEN = "standstill"  # in the runtime folder: since when those who come by have seen it
_TIMEOUT_S = 60.0
_LOOKED_AT = 2_000  # entries of the worktree that a sign of life is read from
# what is not entered for it: hardly ever the work, and often very much
_ASIDE = frozenset(
    {b"node_modules", b"vendor", b".venv", b"venv", b"__pycache__", b"target", b".tox"}
)


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
        return _key(self.task_time)


@dataclass(frozen=True, slots=True)
class Sign:
    """What differs when something in the worktree was written.

    ``whole``: nothing can have been written without a difference.
    """

    digest: bytes
    whole: bool


def _key(task_time: float) -> str:
    return f"{task_time:.6f}"


def task_time(ws: Workspace) -> float | None:
    """When the task file was last written; ``None`` where there is none."""
    try:
        return (ws.state_dir / TASK).lstat().st_mtime
    except OSError:
        return None


def sign(ws: Workspace) -> Sign:
    """A sign of life of the worktree, without a process: its first entries' times.

    A hint alone: what git ignores is in it too.
    """
    digest = blake2b(digest_size=16)
    for path in (ws.git_dir / "HEAD", ws.git_dir / "logs" / "HEAD"):
        with contextlib.suppress(OSError):
            digest.update(b"%d;" % path.stat().st_mtime_ns)
    ours = {os.fsencode(ws.state_dir), os.fsencode(ws.root) + b"/.git"}
    folders, room, whole = [os.fsencode(ws.root)], _LOOKED_AT, True
    for folder in folders:  # it grows: the nearest come first
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                room -= 1
                if room < 0:
                    return Sign(digest.digest(), whole=False)
                if entry.path in ours:
                    continue
                with contextlib.suppress(OSError):
                    found = entry.stat(follow_symlinks=False)
                    digest.update(b"%d %d;" % (found.st_ino, found.st_mtime_ns))
                    if entry.is_dir(follow_symlinks=False):
                        if entry.name in _ASIDE:
                            whole = False
                        else:
                            folders.append(entry.path)
    return Sign(digest.digest(), whole=whole)


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
    own = os.fsencode(ws.settings.dir) + b"/"
    root = os.fsencode(ws.root)
    for which in (["--modified"], ["--others", "--exclude-standard"]):
        args = ["ls-files", "-z", *which]
        for name in git_fields(args, cwd=ws.root, timeout_s=_TIMEOUT_S):
            if name.startswith(own):
                continue
            with contextlib.suppress(OSError):  # deleted: a commit will tell
                changed = os.lstat(root + b"/" + name).st_mtime
                if written < changed <= now:
                    return Activity(printable(name), changed)
    return None


def _newer_commit(ws: Workspace, written: float, now: float) -> Activity | None:
    """HEAD, where it is younger, needed an update of the task, and came without."""
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
    if not when.isdigit() or (note is not None and note.check not in FLAGGED):
        return None
    if written < int(when) <= now:
        return Activity(f"commit {commit}", float(when))
    return None


def overdue(
    standstill: Standstill | None, *, awake_s: float, threshold_s: float
) -> bool:
    """Has it lasted longer than it may; ``awake_s`` is how long somebody could have written."""
    return standstill is not None and awake_s >= threshold_s


def text_of(ws: Workspace, standstill: Standstill) -> str:
    """What the reminder says."""
    from gitstate.map_gaps import MAP, gaps  # noqa: PLC0415 only where one is raised

    old = clock.age_text(clock.epoch_now() - standstill.task_time)
    text = (
        f"{ws.settings.dir}/{TASK} was last written {old} ago, and the code has changed since "
        f"({standstill.activity.what}): bring it up to date"
    )
    others: list[str] = []
    with contextlib.suppress(GitstateError):  # the task file is what counts
        others = gaps(ws)
    return f"{text}; {MAP} too: {', '.join(others)}" if others else text


def settle(
    ws: Workspace, standstill: Standstill | None, *, raised: bool
) -> reminders.Reminder | None:
    """Raise the one reminder of a standstill, or take it away; returns it where it is new.

    Raises ``CannotWrite``.
    """
    standing = reminders.find(ws, KIND)
    if standing is not None and (
        standstill is None or standing.standstill != standstill.key
    ):
        reminders.clear(ws, KIND)
        standing = None
    if standstill is None or not raised or standing is not None:
        return None
    text = text_of(ws, standstill)
    return reminders.raise_once(ws, KIND, text, standstill=standstill.key)


def take_away(ws: Workspace) -> None:
    """Take the reminder away where the task file was written since; raises ``CannotWrite``."""
    standing = reminders.find(ws, KIND)
    written = task_time(ws)
    if standing and written is not None and standing.standstill != _key(written):
        reminders.clear(ws, KIND)


def check(ws: Workspace) -> reminders.Reminder | None:
    """The whole check by the wall clock, for those who come by; never raises.

    Returns the reminder where one was raised just now.
    """
    with contextlib.suppress(GitstateError, OSError):
        found = look(ws)
        late = overdue(
            found,
            awake_s=0.0 if found is None else _awake_since(ws, found),
            threshold_s=ws.settings.freshness_threshold_s,
        )
        return settle(ws, found, raised=late)
    return None


def _awake_since(ws: Workspace, standstill: Standstill) -> float:
    """Seconds since the first sign of it that anybody has seen, without the machine's sleep.

    Files are written again and again: their times alone would say that it has just begun.
    """
    now, slept = clock.epoch_now(), slept_s()
    since, before = standstill.activity.since, slept
    path = ws.runtime / _SEEN
    seen = read_json(path) or {}
    if seen.get("key") == standstill.key:
        with contextlib.suppress(TypeError, ValueError, KeyError):
            if float(seen["since"]) <= since:
                since, before = float(seen["since"]), float(seen["slept"])
    if (since, before) != (seen.get("since"), seen.get("slept")):
        row = {"key": standstill.key, "since": since, "slept": before}
        with contextlib.suppress(GitstateError):  # then the next one counts from itself
            write_json(path, row, mode=ws.file_mode)
    # where it was restarted since, the count of its sleep began anew
    return now - since - max(0.0, slept - before)


def slept_s() -> float:
    """Seconds that this machine was suspended since it was started; 0 where unknown."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    if boot is None:
        return 0.0
    return round(time.clock_gettime(boot) - time.clock_gettime(time.CLOCK_MONOTONIC), 1)
