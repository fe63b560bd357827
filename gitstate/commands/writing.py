"""What the verbs that write state share: one edit, then its version, then a line."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import threading
from typing import TYPE_CHECKING

from gitstate import output
from gitstate.commands.common import left_out, open_workspace, tell
from gitstate.errors import CannotWrite, GitstateError, Refused, printable
from gitstate.history.batches import flush
from gitstate.history.editing import edit_locked, locked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.documents.vocabulary import Lang
    from gitstate.history.editing import Edit, Files
    from gitstate.history.snapshot import Outcome
    from gitstate.workspace import Workspace

_READ_ONLY = {errno.EROFS, errno.EACCES, errno.EPERM}


def begin(*, engine: bool = True) -> Workspace:
    """The workspace, which must be set up; the engine is loaded beside.

    ``engine``: it will probably be needed.
    """
    if engine:
        threading.Thread(target=_load_engine, name="engine").start()
    ws = open_workspace()
    from gitstate.history.snapshot import require_initialised  # noqa: PLC0415 beside

    require_initialised(ws)
    return ws


def _load_engine() -> None:
    """70 ms that pass while git is asked where we are, and the files are read."""
    with contextlib.suppress(Exception):
        import gitstate.git.libgit2  # noqa: F401, PLC0415 where there is no libgit2, git does it


def write(ws: Workspace, change: Edit, *, verb: str, ends: bool = False) -> str:
    """Edit, and make the version; returns what to put behind the verb's own line.

    ``ends``: a step ends, and the operations that wait are logged with it. Raises what the edit raises (then nothing is written), and ``CannotWrite`` when the
    version could not be made for another reason than a read-only git dir.
    """
    with locked(ws) as state:
        edit_locked(ws, state, change)
        if ends:
            flush(ws, state)
    return record(ws, verb=verb)


def record(ws: Workspace, *, verb: str) -> str:
    """The version of what was edited: `` (v42)``; where there is none, why, on stderr.

    The text is written whatever becomes of its version: who is told of a failure would
    write it once more.
    """
    from gitstate.history.derived import derive, take  # noqa: PLC0415 as above

    try:
        outcome = take(ws, verb=verb)
    except GitstateError as error:
        if _is_read_only(error):
            with contextlib.suppress(GitstateError):
                derive(ws)
            where = printable(ws.git_dir)
            output.complain(
                f"{where} cannot be written from here: the daemon makes the version"
            )
            return ""
        reason = str(error).partition("; nothing was recorded")[0]
        output.complain(
            f"no version yet: {printable(reason)}; it is written, and the next version has it"
        )
        return ""
    _tell(outcome)
    if not outcome.changed and any(item.secrets for item in outcome.skipped):
        return ""  # what was written is held back
    return f" (v{outcome.version})"


def _is_read_only(error: GitstateError) -> bool:
    """Is it the git dir that cannot be written, as in an agent's sandbox."""
    cause = error.__cause__
    return (
        isinstance(error, CannotWrite)
        and isinstance(cause, OSError)
        and cause.errno in _READ_ONLY
    )


def _tell(outcome: Outcome) -> None:
    tell(outcome.notices)
    for item in outcome.skipped:
        output.complain(left_out(item))


def today(ws: Workspace) -> str:
    """The day of what is written now, as YYYY-MM-DD."""
    from gitstate import clock  # noqa: PLC0415 as above

    return clock.now(ws.settings.timezone).date().isoformat()


def highest(ws: Workspace, files: Files, folder: str, letter: str) -> int:
    """The highest number that is not in the file itself; 0 without any.

    Of entries that were moved to a folder, and of those that a restore took away.
    """
    from gitstate.history import used_ids  # noqa: PLC0415 as above

    moved = (number for number, _ in _moved(files, folder, letter))
    return max(used_ids.highest(ws, letter), *moved, 0)


def is_archived(files: Files, folder: str, id_: str) -> bool:
    """Is the entry of that id in one of a folder's files."""
    return any(found == id_ for _, found in _moved(files, folder, id_[0]))


def _moved(files: Files, folder: str, letter: str) -> Iterator[tuple[int, str]]:
    from gitstate.documents import decision_log, known_issues  # noqa: PLC0415 as above
    from gitstate.memory.archives import ids_in  # noqa: PLC0415 as above

    kind = (decision_log if letter == "D" else known_issues).kind()
    for place in {folder, _archive(files, letter) or folder}:
        for name in files.names(place):
            found = None
            if name.endswith(".md"):
                with contextlib.suppress(Refused):  # a link, or what is too large
                    found = files.content(f"{place}/{name}")
            data = (found and found.data) or b""
            for id_ in ids_in(data.decode("utf-8", "replace"), kind):
                yield int(id_[2:]), id_


def _archive(files: Files, letter: str) -> str | None:
    """The folder that a file's header names, to which `tidy` moves its entries."""
    from gitstate.documents import DECISION_LOG, KNOWN_ISSUES, header  # noqa: PLC0415 as above

    name = DECISION_LOG if letter == "D" else KNOWN_ISSUES
    text = files.text(name) or ""
    found: str | None
    plain = re.findall(r"(?m)^archive: +([a-z]+/?)$", text)
    if text.startswith("---\n") and len(plain) == 1:
        found = plain[0]  # as `init` wrote it: no need of the YAML parser's 20 ms
    else:
        found = header.read(name, text).header.archive
    return found and found.rstrip("/")


def language_of(text: str) -> Lang:
    """The language in which a state file is written."""
    from gitstate.documents.sections import outline  # noqa: PLC0415 as above
    from gitstate.documents.writing import language  # noqa: PLC0415 as above

    return language(outline(text))


def whole(ws: Workspace, path: str, example: str, *, gone: bool = False) -> str:
    """A path that is whole from the repository's root; raises ``Refused`` with the whole one.

    ``gone``: it need not be there any more.
    """
    from gitstate.memory import wording  # noqa: PLC0415 after the words are parsed

    path = wording.whole_path(path, example)
    if os.path.lexists(ws.root / path):
        return path
    found = ends_so(ws, path)
    if path in found or (gone and not found):
        return path
    if found or "/" not in path:
        near = ", ".join(printable(one) for one in found[:3])
        like = f"is it {near}?" if near else f"write it like: {example}"
        raise Refused(
            f"not a whole path from the repository's root: {printable(path)}; {like}"
        )
    return path


def ends_so(ws: Workspace, path: str) -> list[str]:
    """The tracked files whose path ends in ``path``."""
    from gitstate.git.environment import git  # noqa: PLC0415 the same

    magic = f":(glob)**/{_literal(path.rstrip('/'))}"
    names = git(["ls-files", "-z", "--", magic], cwd=ws.root, check=False).stdout
    return [os.fsdecode(name) for name in names.split(b"\0") if name]


def _literal(path: str) -> str:
    return "".join(f"\\{char}" if char in "*?[\\" else char for char in path)


def place(ws: Workspace, text: str, example: str) -> tuple[str, int | None]:
    """``FILE`` or ``FILE:LINE`` with the file whole; raises ``Refused``."""
    head, colon, tail = text.rpartition(":")
    if colon and tail.isascii() and tail.isdigit() and head:
        line = int(tail)
        if not 0 < line < 10**7:
            raise Refused(
                f"there is no line {printable(tail)}; write it like: {example}"
            )
        return whole(ws, head, example), line
    return whole(ws, text, example), None
