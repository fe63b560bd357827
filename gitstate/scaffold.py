"""The six numbered files of a state directory: what is missing, and making it.

Nothing that exists is ever replaced, whatever it is, also when it appears while we
write: a new file is written beside and moved to its name, which must be free.
"""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gitstate.documents import NUMBERED, PROJECT_CONTEXT, template
from gitstate.errors import CannotWrite, Refused, printable
from gitstate.evidence import gather, project_context
from gitstate.git.objects import FILE, object_id
from gitstate.history.primitives import At, Way, flush, place
from gitstate.history.reading import FOLDER_FLAGS, Content, folder, is_gone
from gitstate.history.scratch import NEW, new_run
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitstate.history.scratch import Run
    from gitstate.workspace import Workspace


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file that the state directory lacks: its name in it, and its bytes."""

    name: str
    data: bytes


def plan(workspace: Workspace, lang: str | None = None) -> tuple[NewFile, ...]:
    """The numbered files that are missing, in ``lang`` (``None``: ``gitstate.lang``).

    A link, a folder or anything else under a file's name counts as that file. Raises
    ``Refused`` where a link or a file is in the place of the state directory or of a
    folder on the way to it, and ``UsageError`` for a language without templates.
    """
    lang = lang or workspace.settings.lang
    return tuple(
        NewFile(name, _text(workspace, name, lang).encode())
        for name in _missing(workspace)
    )


def _text(workspace: Workspace, name: str, lang: str) -> str:
    text = template(name, lang)
    if name != PROJECT_CONTEXT:
        return text
    facts = gather(workspace.root, without=workspace.settings.dir)
    return project_context(facts, text, lang)


def _missing(workspace: Workspace) -> list[str]:
    try:
        with _root(workspace) as root, folder(root, _parts(workspace)) as state:
            return [name for name in NUMBERED if not _exists(state, name)]
    except FileNotFoundError:
        return list(NUMBERED)
    except OSError as error:
        raise _refusal(workspace, error) from error


def _exists(state: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=state, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def write(workspace: Workspace, files: Sequence[NewFile]) -> tuple[str, ...]:
    """Make the state directory and these files in it; returns the names it made.

    A name that is taken by now is left as it is. Raises ``Refused`` as ``plan`` does,
    and ``CannotWrite``; files made before that stay, and another run makes the rest.
    """
    if not files:
        return ()
    try:
        with (
            _root(workspace) as root,
            folder(root, _parts(workspace), made=[]) as state,
            new_run(state) as run,
        ):
            made = tuple(
                file.name for file in files if _make(workspace, state, run, file)
            )
            if workspace.settings.durable:
                flush(state)
    except OSError as error:
        raise _refusal(workspace, error) from error
    return made


def _make(workspace: Workspace, state: int, run: Run, file: NewFile) -> bool:
    path = os.fsencode(file.name)
    identity = object_id("blob", file.data, workspace.object_format)
    content = Content(FILE, identity, file.data)
    run.stage(path, content, durable=workspace.settings.durable)
    with run.at(NEW, path) as staged:
        try:
            place(staged, At(state, path), Way.EXCHANGE)
        except FileExistsError:
            return False
    return True


def _parts(workspace: Workspace) -> list[bytes]:
    return os.fsencode(workspace.settings.dir).split(b"/")


@contextmanager
def _root(workspace: Workspace) -> Iterator[int]:
    # the worktree itself may be reached through links: they are the user's
    fd = os.open(workspace.root, FOLDER_FLAGS & ~os.O_NOFOLLOW)
    try:
        yield fd
    finally:
        os.close(fd)


def _refusal(workspace: Workspace, error: OSError) -> Refused | CannotWrite:
    """Name the part of the way that is no folder, or what the system says."""
    if is_gone(error):
        here = workspace.root
        for part in workspace.settings.dir.split("/"):
            here /= part
            try:
                mode = here.lstat().st_mode
            except OSError:
                break
            if not stat.S_ISDIR(mode):
                what = "link" if stat.S_ISLNK(mode) else "file"
                return Refused(
                    f"{printable(here)} is a {what}; gitstate keeps a real folder there: "
                    "move it away, or set gitstate.dir to another name"
                )
    return CannotWrite.from_os(
        error, doing=f"write to {printable(workspace.state_dir)}"
    )
