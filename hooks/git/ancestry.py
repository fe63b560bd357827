"""Is this commit an amend: no hook is told, but the process that runs it was.

Reads the argument list of the nearest ancestor process that is ``git commit``
(``/proc``, else ``ps``), which also holds through aliases: git starts the real
command as a process of its own. Light: imports nothing that costs.
"""

from __future__ import annotations

import os

_DEPTH = 40
_GLOBAL_WITH_VALUE = {
    "-c",
    "-C",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--exec-path",
    "--config-env",
    "--super-prefix",
    "--attr-source",
}
_LONG_WITH_VALUE = (
    "--message", "--file", "--author", "--date", "--template", "--reuse-message",
    "--reedit-message", "--fixup", "--squash", "--cleanup", "--trailer", "--pathspec-from-file",
)  # fmt: skip
_SHORT_WITH_VALUE = "mFcCt"
_SHORT_WITH_ATTACHED = "Su"  # their value, if any, is the rest of the word
_SHORTEST = len("--am")  # of the abbreviations that git takes


def is_amend() -> bool | None:
    """Does the ``git commit`` above us amend; ``None`` where no such ancestor can be read."""
    pid = os.getppid()
    for _ in range(_DEPTH):
        if pid <= 1:
            return None
        found = _from_proc(pid)
        exact = found is not None
        if found is None:
            found = None if os.path.isdir("/proc/self") else _from_ps(pid)
        if found is None:
            return None
        parent, arguments = found
        options = commit_options(arguments)
        if options is not None:
            return amends(options) if exact else amends_at_a_guess(options)
        pid = parent
    return None


def commit_options(arguments: list[str]) -> list[str] | None:
    """What follows ``commit`` in ``git … commit …``; ``None`` for any other process."""
    if not arguments:
        return None
    name = os.path.basename(arguments[0])
    if name == "git-commit":
        return arguments[1:]
    if name not in {"git", "git.exe"}:
        return None
    rest = arguments[1:]
    while rest and rest[0].startswith("-"):
        taken = 2 if rest[0] in _GLOBAL_WITH_VALUE else 1
        rest = rest[taken:]
    return rest[1:] if rest[:1] == ["commit"] else None


def amends(options: list[str]) -> bool:
    """Do these options of ``git commit`` amend; the last word on it counts, as in git."""
    amend = False
    rest = list(options)
    while rest:
        word = rest.pop(0)
        if word == "--":
            break
        if len(word) >= _SHORTEST and "--amend".startswith(word):
            amend = True
        elif len(word) >= len("--no-am") and "--no-amend".startswith(word):
            amend = False
        if _takes_next(word):
            rest = rest[1:]
    return amend


def amends_at_a_guess(words: list[str]) -> bool | None:
    """The same of a list that was cut at every blank; ``None`` where it could be either.

    ``-m "say --amend"`` looks there as if it amended.
    """
    signs = [word for word in words if word.startswith(("--am", "--no-am"))]
    if not signs:
        return False
    if any(_takes_next(word) or word.startswith(("--m", "-m")) for word in words):
        return None
    return amends(words)


def _takes_next(word: str) -> bool:
    """Is the value of this option the next word."""
    if word.startswith("--"):
        return len(word) > len("--x") and any(
            full.startswith(word) for full in _LONG_WITH_VALUE
        )
    if not word.startswith("-"):
        return False
    for position, letter in enumerate(word[1:], 1):
        if letter in _SHORT_WITH_VALUE:
            return position == len(word) - 1
        if letter in _SHORT_WITH_ATTACHED:
            return False
    return False


def _from_proc(pid: int) -> tuple[int, list[str]] | None:
    """A process's parent and arguments."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # the name in parentheses may hold anything, also ") "
            parent = int(file.read().rpartition(b")")[2].split()[1])
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().split(b"\0")[:-1]
    except (OSError, ValueError, IndexError):
        return None
    return parent, [os.fsdecode(word) for word in words]


def _from_ps(pid: int) -> tuple[int, list[str]] | None:
    """The same where there is no ``/proc`` (macOS), cut at every blank."""
    import subprocess  # noqa: PLC0415 only there

    try:
        done = subprocess.run(
            ["ps", "-ww", "-o", "ppid=,args=", "-p", str(pid)],
            capture_output=True,
            check=True,
            timeout=2,
        )
        parent, *words = os.fsdecode(done.stdout).split()
        return int(parent), words
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
