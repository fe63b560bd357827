"""The directory without what must not enter history by itself.

A file with a secret is left out as a file over the size limit is: named, with its last
bytes kept in the version. What is new in it is judged: a secret that the newest version
of the same file already holds is held back no more, since that would protect nothing.
"""

from __future__ import annotations

import contextlib
from functools import partial
from typing import TYPE_CHECKING

from gitstate.documents import CURRENT_TASK
from gitstate.errors import CannotWrite, ObjectDamaged, ObjectMissing, printable
from gitstate.git.objects import LINK, object_id
from gitstate.history import withheld
from gitstate.history.directory import read_file
from gitstate.history.skipped import TOP, Skipped, summed
from gitstate.memory.text import unfit
from gitstate.values import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gitstate.git.engine import Engine
    from gitstate.history.directory import Content, Scan
    from gitstate.history.settle import Displaced
    from gitstate.history.tree import Entry
    from gitstate.memory.screening import Finding
    from gitstate.workspace import Workspace

_TASK, _DERIVED = CURRENT_TASK.encode(), b"long_mem/task-state.json"
_DERIVED_REASON = f"derived from {CURRENT_TASK}, which is left out"
_BEING_WRITTEN = "is being written; it is tried again"


@dataclass(frozen=True, slots=True)
class Held:
    """A file that is held back: its path, what it holds now, and the secrets that are new."""

    path: bytes
    content: Content
    findings: tuple[Finding, ...]


class Screen:
    """Judges new bytes beside the files of the newest version, ``parent``."""

    def __init__(
        self, ws: Workspace, engine: Engine, parent: Mapping[bytes, Entry]
    ) -> None:
        self.ws = ws
        self._engine = engine
        self._parent = parent
        from gitstate.memory.verdicts import Verdicts  # noqa: PLC0415 only where a file is new

        self._ids = {entry.id for entry in parent.values()}
        self._verdicts = Verdicts(ws.runtime / "screened")
        self.task: Content | None = None  # the task file, for what is derived from it
        self.on = ws.settings.secrets == "hold"

    def is_new(self, path: bytes, identity: str) -> bool:
        """Can a file be held at all: its name or its bytes are not in the newest version."""
        return identity not in self._ids or path not in self._parent

    def findings(
        self, path: bytes, identity: str, data: Callable[[], bytes | None]
    ) -> tuple[Finding, ...] | None:
        """The secrets for which a text is held; none: it may enter.

        ``None`` where nobody can say, because its bytes are needed and are gone.
        """
        if not self.on or identity in self._ids:
            return ()
        found = self._verdicts.of(identity, data)
        if not found or identity in withheld.released(self.ws):
            return None if found is None else ()
        before = self._marks_before(path)
        return tuple(item for item in found if item.mark not in before)

    def _marks_before(self, path: bytes) -> set[str]:
        """The marks of the secrets that a file may hold: history has them already."""
        marks: set[str] = set()
        entry = self._parent.get(path)
        with contextlib.suppress(ObjectMissing, ObjectDamaged):
            if entry is not None:
                marks |= self._marks(entry.id, lambda: self._engine.blob(entry.id))
        task = self.task
        if path == _DERIVED and task is not None:  # it is not held, nor is what it says
            marks |= self._marks(task.id, partial(bytes_of, self.ws, _TASK, task))
        return marks

    def _marks(self, identity: str, data: Callable[[], bytes | None]) -> set[str]:
        return {item.mark for item in self._verdicts.of(identity, data) or ()}

    def name(self, path: bytes) -> str | None:
        """Why a new name must not enter, as a reason."""
        if not self.on or path in self._parent:
            return None
        from gitstate.memory import screening  # noqa: PLC0415 as above

        found = screening.screen(path.replace(b"\n", b" "))
        return f"its name holds a secret: {found[0].kind}" if found else None

    def close(self) -> None:
        """Keep what was learned for the next process."""
        self._verdicts.save()


def screened(
    ws: Workspace, engine: Engine, found: Scan, parent: Mapping[bytes, Entry]
) -> tuple[Scan, tuple[Held, ...]]:
    """A scan without the files that are held, and these."""
    screen = Screen(ws, engine, parent)
    if not screen.on:
        return found, ()
    screen.task = found.files.get(_TASK)
    held: list[Held] = []
    out: dict[bytes, Skipped] = {}
    for path, content in found.files.items():
        if not screen.is_new(path, content.id):
            continue
        if path == _DERIVED and _TASK in out:  # the task comes first by its name
            row: Skipped | None = Skipped(path, _DERIVED_REASON)
        else:
            row = _unnamed(screen, path) or _row(screen, path, content, held)
        if row is not None:
            out[path] = row
    screen.close()
    if not out:
        return found, ()
    files = {path: item for path, item in found.files.items() if path not in out}
    skipped = sorted(
        (*found.skipped, *summed(out.values())), key=lambda row: (row.path, row.reason)
    )
    left_out = found.left_out | out.keys()
    scan = replace(found, files=files, skipped=tuple(skipped), left_out=left_out)
    return scan, tuple(held)


def _unnamed(screen: Screen, path: bytes) -> Skipped | None:
    """The row of a file whose name must not be told either: it would be in the trailer."""
    reason = screen.name(path)
    if reason is None:
        return None
    head = path.rpartition(b"/")[0]
    hidden = head if head and screen.name(head) is None else TOP
    return Skipped(hidden, f"1 entry: {reason}")


def _row(
    screen: Screen, path: bytes, content: Content, held: list[Held]
) -> Skipped | None:
    """The row of a file that is left out; one that is held is added to ``held``."""
    from gitstate.memory.screening import told  # noqa: PLC0415 only where a file is new

    findings = screen.findings(
        path, content.id, partial(bytes_of, screen.ws, path, content)
    )
    if findings is None:
        return Skipped(path, _BEING_WRITTEN)
    if not findings:
        return None
    held.append(Held(path, content, findings))
    secrets = tuple((item.line, item.kind) for item in findings)
    return Skipped(path, told(findings), secrets)


def fit(
    ws: Workspace,
    engine: Engine,
    parent: Mapping[bytes, Entry],
    found: Sequence[Displaced],
) -> list[Displaced]:
    """Those displaced texts that may enter history; the others are put aside.

    What cannot be put aside stays where it is: it is asked for again. Those whose bytes
    cannot be read are in neither.
    """
    screen = Screen(ws, engine, parent)
    may: list[Displaced] = []
    for item in found:
        data = item.data
        if data is None:
            continue
        identity = object_id("blob", data, ws.object_format)
        secrets = screen.findings(item.path, identity, partial(bytes, data))
        if not secrets and (item.mode == LINK or unfit(data) is None):
            may.append(item)
        else:
            with contextlib.suppress(CannotWrite):
                withheld.keep(ws, item.path, identity, data)
    screen.close()
    return may


def bytes_of(ws: Workspace, path: bytes, content: Content) -> bytes | None:
    """The bytes of a file as it was seen; ``None`` where it is another by now."""
    if content.data is not None:
        return content.data
    found = read_file(
        ws.state_dir,
        path,
        object_format=ws.object_format,
        max_file_size=ws.settings.max_file_size,
    )
    return None if found is None or found.id != content.id else found.data


def put_aside(ws: Workspace, held: Iterable[Held]) -> list[str]:
    """Keep the bytes of what is held; returns a line for each that could not be kept.

    Never raises: a text that has no copy is held back all the same.
    """
    lines = []
    known = {text.id for text in withheld.waiting(ws)}
    for item in held:
        if item.content.id in known:
            continue
        data = bytes_of(ws, item.path, item.content)
        if data is None:
            continue  # written meanwhile: the next look sees what is there then
        try:
            withheld.keep(ws, item.path, item.content.id, data)
        except CannotWrite as error:
            reason = str(error).removesuffix("; nothing was recorded")
            lines.append(
                f"{printable(item.path)} is held back, and has no copy yet: {reason}"
            )
    return lines
