"""Contents, directories and privileges that tests of the file-system side share."""

from __future__ import annotations

import os
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gitstate.git.objects import EXECUTABLE, FILE, LINK, object_id
from gitstate.history.directory import Content

if TYPE_CHECKING:
    from collections.abc import Callable

NOBODY = 65534

needs_root = pytest.mark.skipif(
    os.geteuid() != 0,
    reason="root is needed to make files of another user and to become nobody",
)


def content(data: bytes | str, mode: int = FILE) -> Content:
    """What a version holds of a file with these bytes."""
    raw = data.encode() if isinstance(data, str) else data
    return Content(mode, object_id("blob", raw, "sha1"), raw)


def tree_of(folder: Path) -> dict[bytes, tuple[int, bytes]]:
    """Every file and link below a folder, scratch too, read by plain means."""
    found: dict[bytes, tuple[int, bytes]] = {}
    for path in folder.rglob("*"):
        relative = os.fsencode(path.relative_to(folder))
        if path.is_symlink():
            found[relative] = (LINK, os.fsencode(path.readlink()))
        elif path.is_file():
            mode = EXECUTABLE if path.stat().st_mode & 0o100 else FILE
            found[relative] = (mode, path.read_bytes())
    return found


def open_descriptors() -> list[str]:
    """This process's open descriptors."""
    return sorted(path.name for path in Path("/dev/fd").iterdir())


def texts_of(folder: Path) -> dict[str, str]:
    """The plain files of a folder that was given plain names: path -> text."""
    return {
        os.fsdecode(path): data.decode() for path, (_, data) in tree_of(folder).items()
    }


def as_nobody(action: Callable[[], None]) -> None:
    """Run ``action`` in a child without root's powers; fails with the child's traceback."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(read)
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            action()
            status = 0
        except BaseException:  # noqa: BLE001 the parent raises it
            os.write(write, traceback.format_exc().encode()[-60_000:])
        finally:
            os._exit(status)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        report = pipe.read().decode()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, report
