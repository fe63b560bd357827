"""The errors of gitstate and the exit codes of the command.

Each error carries one line for a person: what is wrong and what to do. ::

    GitstateError                 exit 1
    ├── UsageError                exit 2   the call's words are wrong
    ├── NotARepository            no repository, or no worktree, at the path
    ├── NotInitialised            a repository without gitstate
    ├── Refused                   understood, and not done; the line says why
    ├── UnknownVersion            no version has that name, or more than one has
    ├── CannotWrite               read-only, full disk, no permission
    ├── LockHeld                  another process holds gitstate's lock
    ├── GitFailed                 git said no; its own words are in the line
    │   └── RefLocked             another process holds, or left, git's ref lock
    ├── RefMoved                  compare-and-swap lost (caught and retried inside)
    ├── ObjectMissing             an object that history names is not there
    └── ObjectDamaged             an object's bytes are not what its id says
"""

from __future__ import annotations

import errno

TYPE_CHECKING = False  # as typing's, which costs a hook 10 ms
if TYPE_CHECKING:
    from typing import ClassVar

EXIT_DONE = 0
EXIT_REFUSED = 1
EXIT_USAGE = 2
EXIT_BUG = 3
EXIT_INTERRUPTED = 130


class GitstateError(Exception):
    """Something a person can understand and act on, in one line."""

    exit_code: ClassVar[int] = EXIT_REFUSED


class UsageError(GitstateError):
    """The words of the call are wrong."""

    exit_code = EXIT_USAGE


class NotARepository(GitstateError):
    """There is no git worktree at the path."""


class NotInitialised(GitstateError):
    """The repository has no gitstate yet."""


class Refused(GitstateError):
    """Understood, and not done."""


class UnknownVersion(GitstateError):
    """No version, or more than one, has that name."""


class CannotWrite(GitstateError):
    """The file system does not let us write."""

    @classmethod
    def from_os(cls, error: OSError, *, doing: str) -> CannotWrite:
        """The one line for an ``OSError`` met while ``doing`` something."""
        reason = {
            errno.ENOSPC: "the disk is full",
            errno.EDQUOT: "the disk quota is used up",
            errno.EROFS: "the file system is read-only",
            errno.EACCES: "permission denied",
            errno.EPERM: "not permitted",
        }.get(error.errno or 0, error.strerror or str(error))
        where = f" ({printable(error.filename)})" if error.filename else ""
        return cls(f"cannot {doing}: {reason}{where}; nothing was recorded")


class LockHeld(GitstateError):
    """Another process holds gitstate's lock."""


class GitFailed(GitstateError):
    """A git process failed."""


class RefLocked(GitFailed):
    """A lock file of git's stands in the way of a ref update."""


class RefMoved(GitstateError):
    """The ref did not have the expected value."""


class ObjectMissing(GitstateError):
    """An object is not in the repository."""


class ObjectDamaged(GitstateError):
    """An object cannot be read or does not match its id."""


def printable(name: object) -> str:
    """A path or name on one line, with control characters and surrogates escaped."""
    if isinstance(name, bytes):
        text = name.decode("utf-8", "surrogateescape")
    else:
        text = str(name)
    return "".join(char if char.isprintable() else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    """An unprintable character as its bytes; a lone surrogate by its number."""
    try:
        raw = char.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return f"\\u{ord(char):04x}"
    return raw.decode("latin-1").encode("unicode_escape").decode("ascii")
