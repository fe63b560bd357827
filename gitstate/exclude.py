"""Our lines in the common dir's ``info/exclude``: the state directory is not the user's code.

No line where the user tracks the directory, ignores it himself, or un-ignores it.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from gitstate.errors import CannotWrite
from gitstate.files import replace_file
from gitstate.git.environment import git
from gitstate.lock import folder_held

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from gitstate.workspace import Workspace

_WAIT_S = 5.0
_MARK = b"# gitstate: the agent's state is versioned on a branch of its own\n"


def directory_line(ws: Workspace) -> bytes:
    """The line that excludes the whole state directory."""
    return b"/" + _escape(os.fsencode(ws.settings.dir)) + b"/\n"


def tracked(ws: Workspace) -> bool:
    """Does the user's index hold anything of the state directory."""
    args = ["ls-files", "-z", "--", f":(literal){ws.settings.dir}"]
    return bool(git(args, cwd=ws.root).stdout)


def wanted(ws: Workspace) -> bool:
    """Is our line needed: not tracked, and nobody said yet whether it is ignored."""
    if tracked(ws):
        return False
    # the folder itself too: `!.agent-state/` says nothing of the files in it
    probes = (ws.settings.dir, f"{ws.settings.dir}/02-current-task.md")
    stdin = b"".join(os.fsencode(probe) + b"\0" for probe in probes)
    args = [
        "check-ignore",
        "--verbose",
        "--non-matching",
        "--no-index",
        "-z",
        "--stdin",
    ]
    done = git(args, cwd=ws.root, stdin=stdin, check=False)
    sources = done.stdout.split(b"\0")[:-1:4]  # source, line, pattern, path
    return not any(sources)  # a pattern of the user's, either way, decides


def add(ws: Workspace, lines: Iterable[bytes]) -> list[bytes]:
    """Add lines that are not there yet; returns those added. Raises ``CannotWrite``."""
    try:
        _path(ws).parent.mkdir(exist_ok=True)
    except OSError as error:
        raise CannotWrite.from_os(error, doing="write info/exclude") from error
    with _alone(ws) as path:
        data = _read(path)
        present = set(data.splitlines(keepends=True))
        fresh = [
            line
            for line in lines
            if line not in present and line.rstrip(b"\n") not in present
        ]
        if fresh:
            if data and not data.endswith(b"\n"):
                data += b"\n"
            mark = b"" if _MARK in present else _MARK
            _write(path, data + mark + b"".join(fresh))
    return fresh


def take_out(ws: Workspace, lines: Iterable[bytes]) -> None:
    """Take exactly these lines out, which ``add`` put in. Raises ``CannotWrite``."""
    ours = set(lines)
    with _alone(ws) as path:
        data = _read(path)
        kept = [line for line in data.splitlines(keepends=True) if line not in ours]
        if kept and kept[-1] == _MARK:  # it stood above these alone
            kept.pop()
        if b"".join(kept) != data:
            _write(path, b"".join(kept))


def remove(ws: Workspace) -> bool:
    """Take our mark and the lines of the state directory out; says whether any was there."""
    own = b"/" + _escape(os.fsencode(ws.settings.dir)) + b"/"
    with _alone(ws) as path:
        data = _read(path)
        lines = data.splitlines(keepends=True)
        if _MARK not in lines:
            return False
        kept = [line for line in lines if line != _MARK and not line.startswith(own)]
        _write(path, b"".join(kept))
    return True


@contextlib.contextmanager
def _alone(ws: Workspace) -> Iterator[Path]:
    """The file, which nobody else of ours edits meanwhile: all worktrees have one.

    Raises ``LockHeld`` and ``CannotWrite``.
    """
    path = _path(ws)
    try:
        fd = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        yield path  # there is nothing to edit
        return
    except OSError as error:
        raise CannotWrite.from_os(error, doing="read info/exclude") from error
    try:
        with folder_held(fd, path.parent, wait_s=_WAIT_S):
            yield path
    finally:
        os.close(fd)


def path_lines(ws: Workspace, paths: Iterable[bytes]) -> list[bytes]:
    """Exact lines for single files, for what is put back on a branch that lacks it."""
    base = b"/" + _escape(os.fsencode(ws.settings.dir)) + b"/"
    return [base + _escape(path) + b"\n" for path in paths if b"\n" not in path]


def _escape(path: bytes) -> bytes:
    escaped = b"".join(
        b"\\" + bytes([byte]) if byte in b"\\*?[]" else bytes([byte]) for byte in path
    )
    if escaped.endswith(b"\r"):  # git takes it for the end of a DOS line
        return escaped[:-1] + b"[\r]"
    return escaped[:-1] + b"\\ " if escaped.endswith(b" ") else escaped


def _path(ws: Workspace) -> Path:
    return ws.common_dir / "info" / "exclude"


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise CannotWrite.from_os(error, doing="read info/exclude") from error


def _write(path: Path, data: bytes) -> None:
    target = path.resolve()  # a link of the user's stays a link
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o644
    replace_file(target, data, mode=mode)
