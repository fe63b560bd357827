"""What is known of a repository outside of it: its id, each line's last head and number.

``$XDG_STATE_HOME/gitstate/heads/<repository-id>``. A branch that others deleted, moved
back, rewrote or added to is told from one that gitstate moved by this file alone.
Beside it, in ``<repository-id>.coming/``, a file named after its commit and the writing
process, with the line's name in it, stands for each version that is just being put on a
line: a process that is killed between the ref and the file leaves a head that is still
told from a stranger's.
"""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING, Any

from gitstate import lock
from gitstate.errors import printable
from gitstate.files import read_json, write_json
from gitstate.values import dataclass
from gitstate.workspace import FORMAT, state_home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gitstate.workspace import Workspace


STRANGERS_KEPT = 16
_IDS: dict[Path, tuple[tuple[int, ...], str]] = {}
_IDS_KEPT = 256
_COMING_S = 3600.0
_WAIT_S = 5.0  # for the file of all lines, where there is no flock


@dataclass(frozen=True, slots=True)
class Anchor:
    """The newest head of one line that was ever recorded, and its number.

    ``strangers`` are versions up to the head that gitstate found on the branch and
    had not made (the first few); they stay named until ``fsck --repair``. ``branch``
    is where gitstate last saw the branch while versions waited beside it (empty: there
    was none yet); ``None`` where the head is on it.
    """

    head: str
    version: int
    life: str
    strangers: tuple[str, ...] = ()
    branch: str | None = None

    @classmethod
    def load(cls, value: Any) -> Anchor:  # noqa: ANN401 whatever a file holds
        """From JSON; raises ``TypeError``, ``KeyError`` or ``ValueError``."""
        anchor = cls(
            str(value["head"]),
            int(value["version"]),
            str(value.get("life", "")),
            tuple(map(str, value.get("strangers", ()))),
            None if value.get("branch") is None else str(value["branch"]),
        )
        for identity in (anchor.head, anchor.branch or "", *anchor.strangers):
            bytes.fromhex(identity)
        return anchor

    def dump(self) -> dict[str, Any]:
        """As JSON, without what is not there."""
        found: dict[str, Any] = {
            "head": self.head,
            "version": self.version,
            "life": self.life,
        }
        if self.strangers:
            found["strangers"] = list(self.strangers[:STRANGERS_KEPT])
        if self.branch is not None:
            found["branch"] = self.branch
        return found


def heads_folder() -> Path:
    """Where anchors are."""
    return state_home() / "heads"


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
        kept = _heads_of(ws)
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


def read_anchors(ws: Workspace) -> dict[str, Anchor]:
    """The anchors of all lines of the repository, by line."""
    path = _heads_of(ws)
    return _read(path) if path else {}


def _read(path: Path) -> dict[str, Anchor]:
    lines = (read_json(path) or {}).get("lines")
    anchors = {}
    for line, value in (lines if isinstance(lines, dict) else {}).items():
        with contextlib.suppress(TypeError, KeyError, ValueError, AttributeError):
            anchors[line] = Anchor.load(value)
    return anchors


def _heads_of(ws: Workspace) -> Path | None:
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


def write_anchor(ws: Workspace, line: str, anchor: Anchor | None) -> None:
    """Move (or with ``None`` forget) the anchor of one line; raises ``CannotWrite``."""
    with _rewriting(ws) as path:
        if path is not None:
            _rewrite(ws, path, _read(path), line, anchor)


def forget(ws: Workspace) -> None:
    """Remove what is known of the repository's lines; raises ``OSError``."""
    with _rewriting(ws) as path:
        if path is not None:
            path.unlink(missing_ok=True)
            import shutil  # noqa: PLC0415 2 ms, for what hardly ever happens

            shutil.rmtree(_coming_beside(path), ignore_errors=True)


@contextlib.contextmanager
def _rewriting(ws: Workspace) -> Iterator[Path | None]:
    """The file of all lines, for one writer at a time, also where there is no flock."""
    path = _heads_of(ws)
    if path is None or lock.is_held(ws.lock_path):
        yield path
        return
    _make_folder(path.parent)
    with lock.made(path.with_name(f"{path.name}.lock"), wait_s=_WAIT_S):
        yield path


def _rewrite(
    ws: Workspace,
    path: Path,
    anchors: dict[str, Anchor],
    line: str,
    anchor: Anchor | None,
) -> None:
    _make_folder(path.parent)
    if anchor is None:
        anchors.pop(line, None)
    else:
        anchors[line] = anchor
    lines = {name: item.dump() for name, item in anchors.items()}
    write_json(path, {"path": printable(ws.common_dir), "lines": lines})


def _make_folder(folder: Path) -> None:
    """Make a folder of ours outside the repository; raises ``OSError``.

    ``mkdir`` gives its mode to the last folder alone: each of ours is the user's alone.
    """
    if folder.is_dir():
        return
    state_home().mkdir(mode=0o700, parents=True, exist_ok=True)
    for part in (heads_folder(), folder):
        part.mkdir(mode=0o700, exist_ok=True)


def announce(ws: Workspace, commit: str) -> None:
    """Say that a version is about to be put on the line; raises ``OSError``."""
    folder = _coming_folder(ws)
    if folder is None:
        return
    flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC
    path = folder / _announcement(commit)
    try:
        fd = os.open(path, flags, 0o600)
    except FileNotFoundError:
        _make_folder(folder)
        fd = os.open(path, flags, 0o600)
    try:
        os.write(fd, os.fsencode(ws.line))
    finally:
        os.close(fd)


def _announcement(commit: str) -> str:
    # two writers may make the very same commit; each has its own announcement
    return f"{commit}.{os.getpid()}"


def announced(ws: Workspace) -> dict[str, float]:
    """The commits that may have been put on a line, and when that was said first."""
    return _announced(_coming_folder(ws))


def sighted(ws: Workspace) -> tuple[Anchor | None, tuple[str, ...]]:
    """The anchor of the workspace's line, and the commits announced since: one look.

    What is announced comes first: who takes that back has written the anchor before.
    """
    path = _heads_of(ws)
    if path is None:
        return None, ()
    coming = tuple(_announced(_coming_beside(path)))
    return _read(path).get(ws.line), coming


def _announced(folder: Path | None) -> dict[str, float]:
    found: dict[str, float] = {}
    with contextlib.suppress(OSError):
        for entry in list(os.scandir(folder)) if folder else ():
            with contextlib.suppress(FileNotFoundError):
                commit, since = entry.name.partition(".")[0], entry.stat().st_mtime
                found[commit] = min(since, found.get(commit, since))
    return dict(sorted(found.items()))


def arrived(ws: Workspace, anchor: Anchor) -> None:
    """Record a version that was announced as the line's head; raises ``CannotWrite``.

    Where there is no flock another writer may have recorded a later one meanwhile.
    """
    with _rewriting(ws) as path:
        if path is None:
            return
        anchors = _read(path)
        known = anchors.get(ws.line)
        if known is None or known.version < anchor.version:
            _rewrite(ws, path, anchors, ws.line, anchor)
    _withdraw(ws, _coming_beside(path), anchor.head)


def withdraw(ws: Workspace, commit: str) -> None:
    """Take an announcement back, and those that killed processes left an hour ago.

    Only those of this line: another line's may tell of a head that no writer of that
    line has seen yet.
    """
    folder = _coming_folder(ws)
    if folder is not None:
        _withdraw(ws, folder, commit)


def _withdraw(ws: Workspace, folder: Path, commit: str) -> None:
    line = os.fsencode(ws.line)
    with contextlib.suppress(OSError):
        (folder / _announcement(commit)).unlink(missing_ok=True)
        for path in list(folder.iterdir()):
            with contextlib.suppress(FileNotFoundError):
                old = time.time() - path.stat().st_mtime > _COMING_S
                if old and path.read_bytes() == line:
                    path.unlink(missing_ok=True)


def _coming_folder(ws: Workspace) -> Path | None:
    path = _heads_of(ws)
    return _coming_beside(path) if path else None


def _coming_beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.coming")
