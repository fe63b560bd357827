"""Code commits of one worktree: what git's hooks leave is linked as it comes.

The hooks leave entries in ``<git-dir>/gitstate/links``, which is watched as the state
directory is; the scan finds what no event told of. While the worktree is looked after,
``<git-dir>/gitstate/daemon`` names this process (its id, and where the kernel tells it
the moment of its birth): a hook that finds it alive leaves the linking to it. Commits
that came past the hooks show in what git writes about HEAD.

``due`` and ``begin`` belong to the loop's thread, ``work`` to one worker at a time.
"""

from __future__ import annotations

import contextlib
import math
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from gitstate.daemon.debounce import Debounce
from gitstate.daemon.files import stamp
from gitstate.daemon.hints import UnwatchableError
from gitstate.errors import CannotWrite, GitstateError
from gitstate.files import read_bytes, replace_file
from gitstate.git.operations import under_way
from gitstate.history import spool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gitstate.daemon.hints import Watch, Watcher
    from gitstate.daemon.logs import Teller
    from gitstate.workspace import Workspace

MARK = "daemon"
QUIET_S = 0.05  # after the last event: a hook writes its entry in a millisecond
_MAX_WAIT_S = 0.5
_AGAIN_S = 1.0  # to what was half written
# A commit may be long in its hooks before ours leaves an entry for it.
SETTLED_S = 10.0


class Link(Protocol):
    """``gitstate.history.links.process``."""

    def __call__(self, ws: Workspace, /, *, look: bool) -> object:
        """Work off the spool; with ``look`` also the commits that came past the hooks."""


class Commits:
    """The code commits of a worktree under the daemon's care; ``link`` does the work."""

    def __init__(
        self,
        *,
        watcher: Watcher,
        wake: Callable[[], None],
        link: Link | None,
        teller: Teller,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._watcher, self._wake, self._clock = watcher, wake, clock
        self._link, self._teller = link, teller
        self._watch: Watch | None = None
        self._burst = Debounce(quiet_s=QUIET_S, max_wait_s=_MAX_WAIT_S)
        self._again = math.inf
        self._left: frozenset[str] = frozenset()
        self._mark: Path | None = None
        self._mark_stamp: object = None
        self._signs = HeadSigns()
        self._head: object = None  # as it was when HEAD's line was looked through
        self._moved: object = None  # as it is since ``_moved_at``
        self._moved_at = 0.0
        self._closed = False

    # the loop's side

    def due(self) -> float:
        """The moment of the next look, by the daemon's clock; infinite without any."""
        watch = self._watch
        if watch is not None and watch.pending:
            self._burst.hint(watch.heard_at)
        burst = self._burst.due
        return self._again if burst is None else min(burst, self._again)

    def begin(self) -> None:
        """Forget the burst: a look starts now."""
        self._again = math.inf
        if self._watch is not None:
            self._watch.pending = False
        self._burst.take()

    # the worker's side

    def work(self, ws: Workspace, *, leaving: bool = False) -> bool:
        """Link what waits; says whether there was anything.

        ``leaving``: from now on hooks look for somebody else, and what they left before
        is worked off a last time. Never raises ``GitstateError`` or ``OSError``.
        """
        if self._link is None or not ws.initialised:
            self._stop()
            return False
        if leaving:
            self._stop()
        else:
            self._listen(ws)
        self._again = math.inf
        problem = None
        try:
            did = self._work(ws, self._link, leaving=leaving)
        except GitstateError as error:
            did, problem = True, str(error)
        except OSError as error:
            did = True
            problem = str(CannotWrite.from_os(error, doing="link code commits"))
        if problem is not None:
            # whoever commits next starts a process of its own for it
            self._take_mark_away()
        self._teller.now("links", problem)
        return did

    def _work(self, ws: Workspace, link: Link, *, leaving: bool) -> bool:
        look = self._came_past(ws, leaving=leaving)
        did = look or spool.anything(ws)
        if did:
            link(ws, look=look)
            self._wait_for_the_rest(ws)
        if look:
            self._head = self._moved
        if not leaving:
            self._put_mark(ws)
        return did

    def _listen(self, ws: Workspace) -> None:
        """Have a watch for the spool, with its folder there."""
        root = os.fsencode(spool.folder(ws))
        if self._watch is None:
            self._watch = self._watcher.watch(root, os.fsencode(ws.git_dir), self._wake)
        try:
            try:
                found = os.stat(root)  # noqa: PTH116 hot
            except FileNotFoundError:
                spool.folder(ws).mkdir(mode=0o700 | ws.group_bits)
                found = os.stat(root)  # noqa: PTH116 as above
            self._watch.arm({(found.st_dev, found.st_ino): root})
        except (OSError, UnwatchableError):
            self._watch.close()
            self._watch = (
                None  # the next look tries again; until then the scans find it
            )

    def _came_past(self, ws: Workspace, *, leaving: bool) -> bool:
        """Has HEAD moved since its line was looked through, and come to rest."""
        seen = self._signs.of(ws)
        if seen == self._head:
            return False
        now = self._clock()
        first = self._moved is None
        if seen != self._moved:
            self._moved, self._moved_at = seen, now
        if under_way(ws.git_dir) is not None:
            return False  # what follows tells of its commits itself
        rest = SETTLED_S - (now - self._moved_at)
        if first or rest <= 0:
            return True
        if not leaving:
            self._again = now + rest
        return False

    def _wait_for_the_rest(self, ws: Workspace) -> None:
        """What is being written at this moment is looked at again soon, but once."""
        left = frozenset(name for name in spool.names(ws) if name.endswith(".v"))
        if left and left != self._left:
            self._again = min(self._again, self._clock() + _AGAIN_S)
        self._left = left

    def _put_mark(self, ws: Workspace) -> None:
        path = ws.runtime / MARK
        if self._mark != path or stamp(path) != self._mark_stamp:
            words = f"{os.getpid()} {birth()}".strip()
            replace_file(path, f"{words}\n".encode(), mode=ws.file_mode)
            self._mark_stamp = stamp(path)
        self._mark = path
        if self._closed:  # meanwhile, by the loop's thread
            self._take_mark_away()

    def _take_mark_away(self) -> None:
        mark, self._mark = self._mark, None
        if mark is not None:
            with contextlib.suppress(OSError):
                if mark.read_text("ascii", "replace").split()[:1] == [str(os.getpid())]:
                    mark.unlink()

    def close(self) -> None:
        """Hear nothing any more, for good."""
        self._closed = True
        self._stop()

    def _stop(self) -> None:
        """Hear nothing any more, and say so to the hooks."""
        self._take_mark_away()
        if self._watch is not None:
            self._watch.close()
            self._watch = None


def birth(pid: int | None = None) -> str:
    """When a process (default: this one) was started, as the kernel counts it.

    Empty where the kernel does not tell. The hooks read the same field.
    """
    try:
        text = Path(f"/proc/{pid or os.getpid()}/stat").read_text("utf-8", "replace")
    except OSError:
        return ""
    return text.rpartition(") ")[2].split()[19]


class HeadSigns:
    """What differs when HEAD, or the branch it is on, has moved; costs a few ``stat``."""

    def __init__(self) -> None:
        self._read: object = ()  # HEAD's stamp when it was read
        self._paths: tuple[str, ...] = ()

    def of(self, ws: Workspace) -> object:
        """The sign of a worktree, always the same one."""
        head = f"{ws.git_dir}/HEAD"
        now = stamp(head)
        if now != self._read:
            self._read, self._paths = now, tuple(_told_by(ws, head))
        return now, *map(stamp, self._paths)


def _told_by(ws: Workspace, head: str) -> Iterator[str]:
    """The files that git writes when it moves HEAD, in whichever way it keeps its refs."""
    yield f"{ws.git_dir}/logs/HEAD"
    yield f"{ws.git_dir}/reftable/tables.list"
    yield f"{ws.common_dir}/packed-refs"
    with contextlib.suppress(OSError):
        kind, _, ref = read_bytes(head).rstrip(b"\n").partition(b" ")
        if (
            kind == b"ref:"
            and ref.startswith(b"refs/")
            and b".." not in ref.split(b"/")
        ):
            yield f"{ws.common_dir}/{os.fsdecode(ref)}"
