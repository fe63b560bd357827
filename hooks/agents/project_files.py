"""A project's files: read without following a link, written beside, hidden from git."""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING

from gitstate.errors import CannotWrite, Refused, printable
from gitstate.files import replace_file
from gitstate.git.environment import git
from gitstate.hooks import leftovers
from gitstate.lock import folder_held

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gitstate.hooks.agents.layouts import Layout
    from gitstate.hooks.agents.plans import Change
    from gitstate.workspace import Workspace

_WAIT_S = 5.0


@contextlib.contextmanager
def alone(ws: Workspace) -> Iterator[None]:
    """Nobody else of ours puts in or takes out meanwhile, in any worktree.

    Raises ``LockHeld`` and ``CannotWrite``.
    """
    try:
        fd = os.open(ws.common_dir, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise CannotWrite.from_os(error, doing="read the git directory") from error
    try:
        with folder_held(fd, ws.common_dir, wait_s=_WAIT_S):
            yield
    finally:
        os.close(fd)


def read(ws: Workspace, path: str) -> bytes | None:
    """A file's bytes; raises ``Refused`` for a link or what is no file."""
    whole = ws.root / path
    for part in (whole, *whole.parents):
        if part == ws.root:
            break
        if part.is_symlink():
            raise Refused(
                f"{printable(part)} is a link, and what it leads to is not changed: "
                "a real file or folder has to stand there"
            )
    try:
        found = whole.lstat()
        if not stat.S_ISREG(found.st_mode):
            raise Refused(f"{printable(whole)} is no file")
        return whole.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise CannotWrite.from_os(error, doing=f"read {printable(path)}") from error


def write(ws: Workspace, change: Change) -> None:
    """Make one change, with the file's mode; raises ``Refused`` where the file is another by now."""
    whole = ws.root / change.path
    if read(ws, change.path) != change.old:
        raise Refused(f"{printable(whole)} changed meanwhile; try again")
    try:
        if change.new is None:
            whole.unlink()
            return
        mode = stat.S_IMODE(whole.stat().st_mode) if change.old is not None else 0o644
        whole.parent.mkdir(parents=True, exist_ok=True)
        replace_file(whole, change.new, mode=mode)
        whole.chmod(mode)
    except OSError as error:
        doing = f"write {printable(change.path)}"
        raise CannotWrite.from_os(error, doing=doing) from error


def sweep(ws: Workspace, paths: Iterable[str]) -> None:
    """Take away what runs of ours that were killed left beside these files."""
    files = [ws.root / path for path in paths]
    leftovers.sweep([one.parent for one in files], [one.name for one in files])


def is_tracked(ws: Workspace, path: str) -> bool:
    """Is a file in git's index."""
    return bool(git(["ls-files", "-z", "--", f":(literal){path}"], cwd=ws.root).stdout)


def to_exclude(
    ws: Workspace, layout: Layout, *, without: Sequence[str]
) -> tuple[bytes, ...]:
    """Lines for those of its files that git would show as untracked."""
    lines = []
    for path in layout.paths:
        if path in without or is_tracked(ws, path):
            continue
        args = ["check-ignore", "-q", "--no-index", "--", path]
        if git(args, cwd=ws.root, check=False).returncode != 0:
            lines.append(line_of(path))
    return tuple(lines)


def line_of(path: str) -> bytes:
    """The line of ``info/exclude`` that hides a file."""
    return b"/" + os.fsencode(path) + b"\n"
