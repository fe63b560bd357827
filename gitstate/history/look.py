"""One look at the directory, judged against the line; writes nothing into history."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from gitstate import clock
from gitstate.errors import (
    CannotWrite,
    ObjectDamaged,
    ObjectMissing,
    Refused,
    printable,
)
from gitstate.files import read_json, write_json
from gitstate.git.objects import LINK
from gitstate.git.operations import under_way
from gitstate.history import guards
from gitstate.history.directory import Scan, scan
from gitstate.history.headings import changed_headings
from gitstate.history.message import FileChange
from gitstate.history.tree import Entry, read_entries
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gitstate.git.engine import Engine
    from gitstate.history.directory import Cache
    from gitstate.history.line import Line
    from gitstate.history.screened import Held
    from gitstate.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """The directory and its surroundings at one moment, judged against the line.

    ``scan`` is without the files that are ``held`` for a secret.
    """

    scan: Scan
    parent: Mapping[bytes, Entry]
    entries: Mapping[bytes, Entry]
    verdict: guards.Verdict
    held: tuple[Held, ...] = ()


def look(  # noqa: PLR0913 one look needs all of it
    ws: Workspace,
    engine: Engine,
    line: Line,
    memory: guards.Memory,
    *,
    deletions: bool = False,
    certain: bool = False,
    cache: Cache | None = None,
) -> Look:
    """Read the directory and judge it against the line; writes nothing."""
    parent = entries_of(ws, engine, line.tip)
    found, held = scan_screened(ws, engine, parent, cache=cache)
    missing = parent.keys() - found.files.keys()
    uncaptured = {path for path in missing if found.is_left_out(path)}
    head = engine.head()
    verdict = guards.judge(
        missing - uncaptured,
        parent=parent.keys(),
        memory=memory,
        sight=guards.Sight(head.branch, head.commit, engine.ref("refs/stash")),
        operation=under_way(ws.git_dir),
        now_s=clock.epoch_now(),
        deletions=deletions,
        certain=certain,
    )
    # What could not be captured, or vanished, keeps its last bytes in the version.
    kept = {path: parent[path] for path in uncaptured | verdict.held}
    present = {path: Entry(item.mode, item.id) for path, item in found.files.items()}
    return Look(
        scan=found,
        parent=parent,
        entries=_fitting(kept, present),
        verdict=verdict,
        held=held,
    )


def _below(path: bytes, folders: set[bytes]) -> bool:
    parts = path.split(b"/")
    return any(b"/".join(parts[:count]) in folders for count in range(1, len(parts)))


def _fitting(
    kept: dict[bytes, Entry], present: dict[bytes, Entry]
) -> dict[bytes, Entry]:
    """Both together; a kept file gives way where a folder now has its name, or it a folder's."""
    folders = {
        b"/".join(parts[:count])
        for parts in (path.split(b"/") for path in present)
        for count in range(1, len(parts))
    }
    fitting = {
        path: entry
        for path, entry in kept.items()
        if path not in folders and not _below(path, set(present))
    }
    return {**fitting, **present}


def scan_state(ws: Workspace, *, cache: Cache | None = None) -> Scan:
    """The state directory as it is now; raises ``Refused`` where it is no real folder."""
    folder = ws.root
    for part in ws.settings.dir.split("/")[:-1]:
        folder /= part
        if folder.is_symlink():
            raise Refused(
                f"{printable(folder)} is a link; the state directory has to lie in the "
                "worktree itself (git config gitstate.dir)"
            )
    try:
        return scan(
            ws.state_dir,
            object_format=ws.object_format,
            max_file_size=ws.settings.max_file_size,
            cache=cache,
        )
    except OSError as error:
        raise CannotWrite.from_os(
            error, doing=f"read {printable(ws.state_dir)}"
        ) from error


def scan_screened(
    ws: Workspace,
    engine: Engine,
    parent: Mapping[bytes, Entry],
    *,
    cache: Cache | None = None,
) -> tuple[Scan, tuple[Held, ...]]:
    """The state directory without what must not enter history by itself, and that.

    ``parent``: the files of the newest version. Raises as ``scan_state`` does.
    """
    found = scan_state(ws, cache=cache)
    ids = {entry.id for entry in parent.values()}
    new = any(
        path not in parent or item.id not in ids for path, item in found.files.items()
    )
    if not new or ws.settings.secrets == "allow":
        return found, ()
    from gitstate.history.screened import screened  # noqa: PLC0415 only where a file is new

    return screened(ws, engine, found, parent)


def entries_of(ws: Workspace, engine: Engine, tip: str | None) -> dict[bytes, Entry]:
    """The files of a version, by path relative to the state directory."""
    if tip is None:
        return {}
    return read_entries(engine, engine.commit(tip).tree, ws.tree_path)


def reader(engine: Engine, contents: Mapping[str, bytes]) -> Callable[[str], bytes]:
    """Blob ids to bytes, each read once.

    ``contents``: bytes by blob id that need not be read (or are not yet written).
    """
    known = dict(contents)

    def blob(identity: str) -> bytes:
        found = known.get(identity)
        if found is None:
            found = known[identity] = engine.blob(identity)
        return found

    return blob


def describe(
    before: Mapping[bytes, Entry],
    after: Mapping[bytes, Entry],
    blob: Callable[[str], bytes],
) -> list[FileChange]:
    """What changed from one list of files to another, sorted by path."""
    changes = []
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path), after.get(path)
        if old == new:
            continue
        if old is None or new is None:
            changes.append(FileChange(path, "removed" if new is None else "added"))
        elif old.id == new.id:
            changes.append(FileChange(path, "mode"))
        else:
            headings: tuple[str, ...] = ()
            if path.endswith(b".md") and LINK not in {old.mode, new.mode}:
                # a damaged old version must not keep the new one from being made
                with contextlib.suppress(ObjectMissing, ObjectDamaged):
                    headings = changed_headings(blob(old.id), blob(new.id))
            changes.append(FileChange(path, "changed", headings))
    return changes


def load_memory(ws: Workspace) -> guards.Memory:
    """What the guard remembers of the last look."""
    return guards.Memory.load(read_json(ws.runtime / "seen"))


def save_memory(ws: Workspace, before: guards.Memory, after: guards.Memory) -> None:
    """Keep it, where it changed."""
    if before != after:
        write_json(ws.runtime / "seen", after.dump(), mode=ws.file_mode)
