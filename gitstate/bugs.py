"""A report file for a bug of our own: ready to paste, and without anybody's text.

``$XDG_STATE_HOME/gitstate/bugs/<Error>-<digest>.txt``, one for each place a bug shows
itself, the newest ``KEPT`` of them. It holds the traceback (our own source lines), the
versions, the platform and the words of the call without their values. Values and what
errors quote may be text of the state or a secret: they are left out.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import locale
import os
import platform
import re
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from gitstate import __version__
from gitstate.errors import printable

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

KEPT = 20
_PACKAGES = ("apscheduler", "click", "platformdirs", "pygit2", "watchdog")
# their messages speak of code; those of other errors often quote data
_ABOUT_CODE = (AttributeError, ImportError, NameError, NotImplementedError, TypeError)
_MESSAGE_COLUMNS = 300


def describe(error: BaseException) -> str:
    """The kind of error and the place in gitstate: ``KeyError in history/line.py:12``."""
    place = ""
    for frame in traceback.extract_tb(error.__traceback__):
        path = Path(frame.filename).as_posix()
        if "/gitstate/" in path:
            place = f" in {path.rpartition('/gitstate/')[2]}:{frame.lineno}"
    return f"{type(error).__name__}{place}"


def write_report(
    error: BaseException, words: Sequence[str], *, verbs: Collection[str] = ()
) -> Path:
    """Write the report of ``error``; returns its path.

    ``words`` are those of the call, of which only options and ``verbs`` are kept.
    Raises ``OSError`` when it cannot be written.
    """
    from gitstate.workspace import state_home  # noqa: PLC0415 heavy, and only for a bug

    folder = state_home() / "bugs"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    text = report(error, words, verbs=verbs)
    digest = hashlib.sha256("".join(_places(error)).encode()).hexdigest()[:8]
    path = folder / f"{type(error).__name__}-{digest}.txt"
    scratch = folder / f".{path.name}.{os.getpid()}"
    fd = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
    scratch.replace(path)
    _drop_oldest(folder)
    return path


def report(
    error: BaseException, words: Sequence[str], *, verbs: Collection[str] = ()
) -> str:
    """The report's text."""
    lines = [
        f"gitstate {__version__}: {describe(error)}",
        "",
        f"when       {datetime.now(UTC).isoformat(timespec='seconds')}",
        f"call       {' '.join(['gitstate', *without_values(words, verbs)])}",
        f"python     {platform.python_version()} ({platform.python_implementation()})",
        f"platform   {platform.platform()}",
        f"git        {_git_version()}",
        f"packages   {', '.join(_package_versions())}",
        f"encodings  {sys.getfilesystemencoding()} (names), {locale.getencoding()} (text)",
        "",
        *_chain(error),
    ]
    return "\n".join(map(_without_home, lines)) + "\n"


def without_values(words: Sequence[str], verbs: Collection[str]) -> list[str]:
    """The words of a call with everything but verbs and option names replaced."""
    kept = []
    for word in words:
        if word in verbs or word == "--":
            kept.append(word)
        elif re.match(r"--[a-z][a-z-]*(=|$)", word):
            name, equals, _ = word.partition("=")
            kept.append(name + ("=…" if equals else ""))
        elif re.match(r"-[A-Za-z]", word):
            kept.append(word[:2] + ("…" if len(word) > 2 else ""))  # noqa: PLR2004 -x and its value
        else:
            kept.append("…")
    return kept


def _chain(error: BaseException) -> list[str]:
    earlier: BaseException | None = error.__cause__
    link = "which led to:"
    if earlier is None and not error.__suppress_context__:
        earlier = error.__context__
        link = "and while that was handled:"
    lines = [*_chain(earlier), "", link, ""] if earlier is not None else []
    lines += [line for place in _places(error) for line in place.splitlines()]
    lines.append(f"{type(error).__qualname__}: {_message(error)}".removesuffix(": "))
    if isinstance(error, BaseExceptionGroup):
        for number, inner in enumerate(error.exceptions, 1):
            lines += ["", f"{number} of {len(error.exceptions)}:", *_chain(inner)]
    return lines


def _places(error: BaseException) -> list[str]:
    frames = traceback.extract_tb(error.__traceback__)
    return traceback.StackSummary.from_list(frames).format()


def _message(error: BaseException) -> str:
    if isinstance(error, OSError):
        return error.strerror or ""  # not the file's name
    text = printable(error)
    if not isinstance(error, _ABOUT_CODE):
        # from the first quotation mark on: quotes in what is quoted end nothing
        text = re.sub(r"b?['\"].*", "'…'", text)
    return text[:_MESSAGE_COLUMNS]


def _without_home(line: str) -> str:
    home = os.path.expanduser("~")  # noqa: PTH111 never raises, unlike Path.home
    return line.replace(home, "~") if len(home) > 1 else line


def _package_versions() -> list[str]:
    found = []
    for name in _PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found.append(f"{name} {importlib.metadata.version(name)}")
    return found


def _git_version() -> str:
    from gitstate.git.environment import git  # noqa: PLC0415 as above

    try:
        answer = git(["version"], cwd=Path("/"), timeout_s=5)
    except Exception as error:  # noqa: BLE001 a report must not fail on its own account
        return f"none ({type(error).__name__})"
    return printable(answer.stdout.strip()).removeprefix("git version ")


def _drop_oldest(folder: Path) -> None:
    def age(path: Path) -> float:
        try:
            return -path.stat().st_mtime
        except OSError:
            return 0.0

    for path in sorted(folder.glob("*.txt"), key=age)[KEPT:]:
        path.unlink(missing_ok=True)
