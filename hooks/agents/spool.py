"""Tool uses that wait to be logged: a file each, left by a hook that has no time.

A file is what the client told, as it came (by the shim, which parses nothing), or
``{"uses": …}`` with the blob ids of that very moment (by ``hook.py``). Both are
logged by the next event that has time for it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import time

from gitstate.hooks.agents.shell_words import GIT

TYPE_CHECKING = False  # as typing's, which costs a hook 10 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from gitstate.hooks.agents.events import ToolUsed
    from gitstate.hooks.agents.place import Place

SHA256 = "sha256"  # a mark in the folder of agents: objects' ids in this repository
_LARGEST = 16 << 20  # bytes of a file whose blob id is taken, or of what is told
_MOST = 5_000  # files


class Noted:
    """A use of a file: when (seconds since 1970), what, where from the root, its blob id.

    ``before``: the blob id that it had before an edit, where that is known. Of what git put back (``shell_words.GIT``) ``path`` is "" for whatever it was.
    """

    __slots__ = ("action", "before", "blob", "path", "time")

    def __init__(
        self,
        when: float,
        action: str,
        path: str,
        blob: str | None,
        before: str | None = None,
    ) -> None:
        self.time = when
        self.action = action
        self.path = path
        self.blob = blob
        self.before = before


def folder(place: Place) -> str:
    """Where tool uses wait."""
    return os.path.join(place.agents, "spool")


def note(place: Place, event: ToolUsed, when: float) -> list[Noted]:
    """What an event comes to in this worktree, with the blob ids that files have now."""
    found = []
    for action, told in event.uses:
        if not _can_be(told):
            continue
        path = place.inside(told, event.cwd)
        if action == GIT:
            blob = blob_of(place, path) if path else None
            if blob or os.path.isdir(os.path.join(event.cwd or place.root, told)):
                found.append(Noted(when, action, path if path and blob else "", blob))
            continue
        if path is None or _is_git(path):
            continue
        blob = blob_of(place, path) if action in {"edit", "create"} else None
        if action in {"edit", "create"} and blob is None:
            continue  # it did not become a file
        if action == "delete" and os.path.lexists(os.path.join(place.root, path)):
            continue  # it is there still
        if action == "read" and not os.path.isfile(os.path.join(place.root, path)):
            continue
        before = None
        if action == "edit" and event.was is not None:
            before = _blob(place, event.was.encode("utf-8", "replace"))
        found.append(Noted(when, action, path, blob, before))
    return found


def _can_be(path: str) -> bool:
    """Can there be a file of that name."""
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:  # half a pair of surrogates, which JSON can tell
        return False


def _is_git(path: str) -> bool:
    return path == ".git" or path.startswith(".git/")


def blob_of(place: Place, path: str) -> str | None:
    """The blob id (sha1, or sha256 in such a repository) of a file's bytes."""
    try:
        fd = os.open(
            os.path.join(place.root, path), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
        )
    except OSError:
        return None
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode) or found.st_size > _LARGEST:
            return None  # open() itself refuses a folder
        with open(fd, "rb", closefd=False) as file:
            data = file.read(_LARGEST)
    except OSError:
        return None
    finally:
        os.close(fd)
    return _blob(place, data)


def _blob(place: Place, data: bytes) -> str:
    head = b"blob %d\0" % len(data)
    return str(_hash(place)(head + data).hexdigest())


def _hash(place: Place) -> Callable[[bytes], Any]:
    sha256 = os.path.exists(os.path.join(place.agents, SHA256))
    return hashlib.sha256 if sha256 else hashlib.sha1


def leave(  # noqa: PLR0913 what a tool use is
    place: Place,
    agent: str,
    session: str,
    noted: list[Noted],
    *,
    command: str = "",
    failed: bool | None = None,
) -> None:
    """Leave uses for the next event that has time; raises ``OSError``.

    ``failed``: did the command, ``None`` where that is not known.
    """
    rows = [[one.time, one.action, one.path, one.blob, one.before] for one in noted]
    said: dict[str, Any] = {"uses": rows, "session": session}
    if command and failed is not None:
        said |= {"command": digest(command), "failed": failed}
    where = folder(place)
    os.makedirs(where, 0o700, exist_ok=True)
    name = os.path.join(where, f"{agent}.{os.getpid()}-{time.monotonic_ns()}")
    fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(fd, "w", encoding="ascii") as file:
        json.dump(said, file)


def digest(command: str) -> str:
    """A command without its words, which may hold a secret."""
    return hashlib.sha256(command.encode("utf-8", "replace")).hexdigest()[:16]


class Waiting:
    """A file of the spool: who left it, at which event, when, and what it holds."""

    __slots__ = ("agent", "event", "path", "said", "time")

    def __init__(self, path: str, when: float, said: dict[str, Any]) -> None:
        self.path = path
        self.agent, self.event = (*os.path.basename(path).split("."), "")[:2]
        self.time = when
        self.said = said


def waiting(place: Place) -> Iterator[Waiting]:
    """What waits, oldest first; what cannot be read (yet) holds nothing."""
    where = folder(place)
    try:
        names = os.listdir(where)
    except OSError:
        return
    found = []
    for name in names[:_MOST]:
        path = os.path.join(where, name)
        try:
            found.append((os.stat(path).st_mtime_ns, name, path))
        except OSError:
            continue
    for at, _, path in sorted(found):
        when = at / 1e9
        said = None
        try:
            with open(path, "rb") as file:
                said = json.loads(file.read(_LARGEST))
        except (OSError, ValueError, RecursionError):
            pass
        yield Waiting(path, when, said if isinstance(said, dict) else {})


def done(path: str) -> None:
    """It is logged."""
    with contextlib.suppress(OSError):
        os.unlink(path)
