"""What is known of a repository outside of it: its id, each line's last head and number.

``$XDG_STATE_HOME/gitstate/heads/<repository-id>``. A branch that others deleted,
moved back or rewrote is told from one that gitstate moved by this file alone.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gitstate.errors import printable
from gitstate.files import read_json, write_json
from gitstate.workspace import FORMAT, state_home

if TYPE_CHECKING:
    from pathlib import Path

    from gitstate.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Anchor:
    """The newest head of one line that was ever recorded, and its number."""

    head: str
    version: int
    life: str


def heads_folder() -> Path:
    """Where anchors are."""
    return state_home() / "heads"


def repository_id(ws: Workspace) -> str | None:
    """The id of the repository, or ``None`` before ``init``."""
    found = read_json(ws.shared / "id")
    identity = (found or {}).get("id")
    if isinstance(identity, str) and identity.isalnum():
        return identity
    return None


def ensure_id(ws: Workspace) -> str | None:
    """Give the repository its id; returns a notice when it had to take a new one.

    A copy takes a new id, a move keeps it: the common dir's device and inode tell
    them apart, and across file systems whether the old place still holds the id.
    """
    path = ws.shared / "id"
    status = ws.common_dir.stat()
    here: dict[str, Any] = {
        "dev": status.st_dev,
        "inode": status.st_ino,
        "path": printable(ws.common_dir),
    }
    found = read_json(path)
    old = repository_id(ws)
    notice = None
    if found is not None and old is not None:
        same = found.get("dev") == here["dev"] and found.get("inode") == here["inode"]
        if same and found == {**here, "id": old}:
            return None
        if not same and _still_there(str(found.get("path")), old, ws):
            notice = f"this repository is a copy of {found.get('path')}; it got an id of its own"
            old = None
        # else moved: the same inode, or the old place does not hold this id any more
    identity = old or uuid.uuid4().hex
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


def read_anchors(ws: Workspace) -> dict[str, Anchor]:
    """The anchors of all lines of the repository, by line."""
    identity = repository_id(ws)
    found = read_json(heads_folder() / identity) if identity else None
    lines = (found or {}).get("lines")
    anchors = {}
    for line, value in (lines if isinstance(lines, dict) else {}).items():
        try:
            anchor = Anchor(
                str(value["head"]), int(value["version"]), str(value.get("life", ""))
            )
            bytes.fromhex(anchor.head)
        except (TypeError, KeyError, ValueError):
            continue
        anchors[line] = anchor
    return anchors


def write_anchor(ws: Workspace, line: str, anchor: Anchor | None) -> None:
    """Move (or with ``None`` forget) the anchor of one line; raises ``CannotWrite``."""
    identity = repository_id(ws)
    if identity is None:
        return
    folder = heads_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    anchors = read_anchors(ws)
    if anchor is None:
        anchors.pop(line, None)
    else:
        anchors[line] = anchor
    lines = {
        name: {"head": item.head, "version": item.version, "life": item.life}
        for name, item in anchors.items()
    }
    write_json(folder / identity, {"path": printable(ws.common_dir), "lines": lines})
