"""The bytes of files that hold a secret: kept beside history until they are let in.

``<git-dir>/gitstate/held/`` has a folder for each path: ``path`` (its raw name in the
state directory) and one file for each text, ``<number>-<blob id>``, which only its owner
can read. A text goes when a version has it; one that the file was rid of by an edit
stays, for nobody else has it. Of one path the newest ``EACH`` are kept, and of all paths
``LARGEST`` bytes: the older ones of a path make room, never its newest.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from gitstate.errors import CannotWrite
from gitstate.files import read_json, replace_file, write_json
from gitstate.git.objects import object_id
from gitstate.late import late
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Container

    from gitstate.workspace import Workspace

EACH = 50
LARGEST = 256 << 20
_FOLDER = "held"
_RELEASED = "released"
_RELEASES = 1000
_STALE_S = 3600.0
_NAME = late(r"(\d{8})-([0-9a-f]{40}(?:[0-9a-f]{24})?)")


@dataclass(frozen=True, slots=True)
class Text:
    """One text that waits: the file it stood in, its blob id, where it is, its bytes' count."""

    path: bytes
    id: str
    place: Path
    number: int
    size: int


def waiting(ws: Workspace) -> list[Text]:
    """Every text that waits, oldest first within its path."""
    found: list[Text] = []
    home = f"{ws.runtime}/{_FOLDER}"
    try:
        names = os.listdir(home)  # noqa: PTH208 at every version, where there is none
    except OSError:
        return []
    for folder in (Path(home, name) for name in names):
        with contextlib.suppress(OSError):
            path = (folder / "path").read_bytes()
            found += _texts(folder, path)
    return sorted(found, key=lambda text: (text.path, text.number))


def _texts(folder: Path, path: bytes) -> list[Text]:
    texts = []
    for entry in os.scandir(folder):
        named = _NAME.fullmatch(entry.name)
        if named is not None:
            size = entry.stat(follow_symlinks=False).st_size
            texts.append(Text(path, named[2], Path(entry.path), int(named[1]), size))
    return sorted(texts, key=lambda text: text.number)


def keep(ws: Workspace, path: bytes, identity: str, data: bytes) -> None:
    """Put a text aside, if it is not there already; raises ``CannotWrite``."""
    folder = ws.runtime / _FOLDER / hashlib.sha256(path).hexdigest()[:20]
    try:
        _make_folders(ws, folder)
        if not (folder / "path").exists():
            replace_file(folder / "path", path, durable=ws.settings.durable)
        here = _texts(folder, path)
        if any(text.id == identity for text in here):
            return
        _make_room(ws, len(data), here)
        number = here[-1].number + 1 if here else 1
        # 0600 whatever core.sharedRepository says: a secret is not the group's
        replace_file(
            folder / f"{number:08}-{identity}", data, durable=ws.settings.durable
        )
        _sweep(folder)
    except OSError as error:
        raise CannotWrite.from_os(error, doing="put a text aside") from error


def _make_folders(ws: Workspace, folder: Path) -> None:
    bits = ws.group_bits
    for made in (folder.parent, folder):
        if not made.is_dir():
            made.mkdir(mode=0o700)
            if bits:
                made.chmod(0o700 | bits | ((bits & 0o044) >> 2))


def _make_room(ws: Workspace, size: int, here: list[Text]) -> None:
    for text in here[: max(0, len(here) - EACH + 1)]:
        text.place.unlink(missing_ok=True)
    every = waiting(ws)
    total = sum(text.size for text in every) + size
    newest = {text.path: text.number for text in every}
    for text in every:
        if total <= LARGEST:
            return
        if text.number < newest[text.path]:
            text.place.unlink(missing_ok=True)
            total -= text.size
    if total > LARGEST:
        message = f"{LARGEST >> 20} MiB of texts with secrets wait already"
        raise CannotWrite(message)


def _sweep(folder: Path) -> None:
    """Half-written files of processes that were killed."""
    for path in folder.glob("*.tmp"):
        with contextlib.suppress(OSError):
            if time.time() - path.lstat().st_mtime > _STALE_S:
                path.unlink()


def read(ws: Workspace, text: Text) -> bytes | None:
    """The bytes of a text; ``None`` where they are gone or are not what they were."""
    try:
        data = text.place.read_bytes()
    except OSError:
        return None
    return data if object_id("blob", data, ws.object_format) == text.id else None


def forget(ws: Workspace, ids: Container[str]) -> None:
    """Remove the texts that a version has."""
    for text in waiting(ws):
        if text.id in ids:
            with contextlib.suppress(OSError):
                text.place.unlink()
                if not _texts(text.place.parent, text.path):
                    (text.place.parent / "path").unlink()
                    text.place.parent.rmdir()


def released(ws: Workspace) -> list[str]:
    """The blob ids that a person let in, oldest first."""
    rows = (read_json(ws.runtime / _RELEASED) or {}).get("texts")
    return [str(row) for row in rows] if isinstance(rows, list) else []


def release(ws: Workspace, identity: str) -> None:
    """Let exactly these bytes in from now on; raises ``CannotWrite``."""
    rows = [row for row in released(ws) if row != identity]
    write_json(
        ws.runtime / _RELEASED,
        {"texts": [*rows, identity][-_RELEASES:]},
        mode=ws.file_mode,
        durable=ws.settings.durable,
    )
