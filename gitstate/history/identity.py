"""Which repository this is: its id, told from a copy's, and its file outside of it.

``<common-dir>/gitstate/id`` remembers the common dir's device, inode and path. The file
is ``$XDG_STATE_HOME/gitstate/heads/<repository-id>``.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any

from gitstate.errors import printable
from gitstate.files import read_json, write_json
from gitstate.workspace import FORMAT, state_home

if TYPE_CHECKING:
    from pathlib import Path

    from gitstate.workspace import Workspace

_IDS: dict[Path, tuple[tuple[int, ...], str]] = {}
_IDS_KEPT = 256


def heads_folder() -> Path:
    """Where anchors are."""
    return state_home() / "heads"


def make_folder(folder: Path) -> None:
    """Make a folder of ours outside the repository; raises ``OSError``.

    ``mkdir`` gives its mode to the last folder alone: each of ours is the user's alone.
    """
    if folder.is_dir():
        return
    state_home().mkdir(mode=0o700, parents=True, exist_ok=True)
    for part in (heads_folder(), folder):
        part.mkdir(mode=0o700, exist_ok=True)


def repository_id(ws: Workspace) -> str | None:
    """The id of the repository; ``None`` before ``init``, and where it is a copy's."""
    try:
        file, place = (ws.shared / "id").stat(), ws.common_dir.stat()
    except OSError:
        return None
    # asked for several times a version: the file is read when it, or its place, is another
    stamp = (file.st_ino, file.st_mtime_ns, file.st_size, place.st_dev, place.st_ino)
    known = _IDS.get(ws.shared)
    if known is not None and known[0] == stamp:
        return known[1]
    found = read_json(ws.shared / "id")
    identity = _id_in(found)
    if identity is None or _is_copy(ws, found or {}, identity):
        return None
    if len(_IDS) >= _IDS_KEPT:
        _IDS.clear()
    _IDS[ws.shared] = (stamp, identity)
    return identity


def _id_in(found: dict[str, Any] | None) -> str | None:
    identity = (found or {}).get("id")
    if isinstance(identity, str) and identity.isalnum():
        return identity
    return None


def _place_of(ws: Workspace) -> dict[str, Any]:
    status = ws.common_dir.stat()
    return {
        "dev": status.st_dev,
        "inode": status.st_ino,
        "path": printable(ws.common_dir),
    }


def _is_copy(ws: Workspace, found: dict[str, Any], identity: str) -> bool:
    here = _place_of(ws)
    same = all(found.get(key) == here[key] for key in ("dev", "inode"))
    return not same and _still_there(str(found.get("path")), identity, ws)


def ensure_id(ws: Workspace) -> str | None:
    """Give the repository its id; returns a notice when it had to take a new one.

    A copy takes a new id, a move keeps it: the common dir's device and inode tell
    them apart, and across file systems whether the old place still holds the id.
    """
    path = ws.shared / "id"
    here = _place_of(ws)
    found = read_json(path)
    old = _id_in(found)
    if old is not None and found == {**here, "id": old}:
        return None
    notice = None
    identity = old or ""
    if old is not None and _is_copy(ws, found or {}, old):
        notice = f"this repository is a copy of {(found or {}).get('path')}; it got an id of its own"
        identity = os.urandom(16).hex()
    elif old is None:
        kept = heads_file(ws)
        identity = kept.name if kept else os.urandom(16).hex()
    # else moved: the same inode, or the old place does not hold this id any more
    write_json(path, {**here, "id": identity}, mode=ws.file_mode)
    if not (ws.shared / "format").exists():
        write_format(ws)
    return notice


def _still_there(path: str, identity: str, ws: Workspace) -> bool:
    from pathlib import Path  # noqa: PLC0415 only where a repository was moved or copied

    place = Path(path)
    if place == ws.common_dir:
        return False
    found = read_json(place / "gitstate" / "id")
    return found is not None and found.get("id") == identity


def write_format(ws: Workspace) -> None:
    """Record the format that this gitstate writes."""
    from gitstate.files import replace_file  # noqa: PLC0415 once in a repository's life

    replace_file(ws.shared / "format", f"{FORMAT}\n".encode(), mode=ws.file_mode)


def heads_file(ws: Workspace) -> Path | None:
    """The file that holds the repository's anchors, or will.

    The id lies inside the repository, where others may remove or change it: then the
    file is known by the repository's place and by the life of its worktree.
    """
    identity = repository_id(ws)
    own = heads_folder() / identity if identity else None
    if own is not None and own.exists():
        return own
    life = read_life(ws)
    if life:
        with contextlib.suppress(OSError):
            for path in sorted(heads_folder().iterdir()):
                if _is_of(read_json(path), printable(ws.common_dir), life):
                    return path
    return own


def _is_of(found: dict[str, Any] | None, place: str, life: str) -> bool:
    lines = (found or {}).get("lines")
    return (
        isinstance(lines, dict)
        and (found or {}).get("path") == place
        and any(
            isinstance(value, dict) and value.get("life") == life
            for value in lines.values()
        )
    )


def read_life(ws: Workspace) -> str:
    """The random id of this life of the worktree (empty before ``init``)."""
    try:
        return (ws.runtime / "life").read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
