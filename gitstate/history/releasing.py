"""What waits beside history for its secret, let in after a person has looked at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.errors import Refused, printable
from gitstate.git.objects import FILE
from gitstate.history import withheld
from gitstate.history.line import read_line
from gitstate.history.look import entries_of, scan_screened
from gitstate.history.message import words
from gitstate.history.plan import state_path
from gitstate.history.recovery import rescue
from gitstate.history.settle import Displaced
from gitstate.memory.screening import told

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gitstate.git.engine import Engine
    from gitstate.history.tree import Entry
    from gitstate.workspace import Workspace


def let_in(ws: Workspace, engine: Engine, files: Sequence[str]) -> list[str]:
    """Let in exactly the bytes that each file holds now; a line for each.

    Where a file holds nothing that is held back, the newest text of it that waits gets a
    version of its own. Inside a session. Raises ``Refused`` where there is neither,
    ``UsageError`` for a path that leads out, ``CannotWrite``.
    """
    parent = entries_of(ws, engine, read_line(ws, engine).tip)
    scan, held = scan_screened(ws, engine, parent)
    now = {item.path: item for item in held}
    reasons = {row.path: row.reason for row in scan.skipped}
    lines = []
    for file in files:
        path = state_path(ws, file)
        if path in now:
            withheld.release(ws, now[path].content.id)
            lines.append(f"let in: {printable(path)}, which {told(now[path].findings)}")
        elif scan.is_left_out(path):
            reason = reasons.get(path, "it is not for a secret in it")
            raise Refused(f"{printable(path)} cannot be let in: {reason}")
        else:
            lines.append(_earlier(ws, engine, parent, path))
    return lines


def _earlier(
    ws: Workspace, engine: Engine, parent: Mapping[bytes, Entry], path: bytes
) -> str:
    texts = [text for text in withheld.waiting(ws) if text.path == path]
    if not texts:
        raise Refused(
            f"{printable(path)} is not held back, and nothing of it waits; nothing was recorded"
        )
    data = withheld.read(ws, texts[-1])
    if data is None:
        raise Refused(f"{printable(texts[-1].place)} is damaged; nothing was recorded")
    withheld.release(ws, texts[-1].id)
    mode = parent[path].mode if path in parent else FILE
    lead = words(ws.settings.lang)["let_in"].format(name=printable(path))
    rescue(ws, engine, [Displaced(path, mode, data, b"")], lead=lead)
    withheld.forget(ws, {texts[-1].id})
    return f"let in: what {printable(path)} held before, as a version of its own"
