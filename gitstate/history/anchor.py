"""What is known of a repository's lines outside of it: each one's last head and number.

``$XDG_STATE_HOME/gitstate/heads/<repository-id>``. A branch that others deleted, moved
back, rewrote or added to is told from one that gitstate moved by this file alone.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from gitstate import lock
from gitstate.errors import printable
from gitstate.files import read_json, write_json
from gitstate.history.identity import heads_file, make_folder
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gitstate.workspace import Workspace

STRANGERS_KEPT = 16
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


def read_anchors(ws: Workspace) -> dict[str, Anchor]:
    """The anchors of all lines of the repository, by line."""
    path = heads_file(ws)
    return read_heads(path) if path else {}


def read_heads(path: Path) -> dict[str, Anchor]:
    """The anchors in the file of all lines; what is garbled is not known."""
    lines = (read_json(path) or {}).get("lines")
    anchors = {}
    for line, value in (lines if isinstance(lines, dict) else {}).items():
        with contextlib.suppress(TypeError, KeyError, ValueError, AttributeError):
            anchors[line] = Anchor.load(value)
    return anchors


def write_anchor(ws: Workspace, line: str, anchor: Anchor | None) -> None:
    """Move (or with ``None`` forget) the anchor of one line; raises ``CannotWrite``."""
    with rewriting(ws) as path:
        if path is not None:
            rewrite(ws, path, read_heads(path), line, anchor)


def forget(ws: Workspace) -> None:
    """Remove what is known of the repository's lines; raises ``OSError``."""
    with rewriting(ws) as path:
        if path is not None:
            path.unlink(missing_ok=True)
            import shutil  # noqa: PLC0415 2 ms, for what hardly ever happens

            shutil.rmtree(coming_beside(path), ignore_errors=True)


@contextlib.contextmanager
def rewriting(ws: Workspace) -> Iterator[Path | None]:
    """The file of all lines, for one writer at a time, also where there is no flock."""
    path = heads_file(ws)
    if path is None or lock.is_held(ws.lock_path):
        yield path
        return
    make_folder(path.parent)
    with lock.made(path.with_name(f"{path.name}.lock"), wait_s=_WAIT_S):
        yield path


def rewrite(
    ws: Workspace,
    path: Path,
    anchors: dict[str, Anchor],
    line: str,
    anchor: Anchor | None,
) -> None:
    """Write the file of all lines with another anchor (or none) for one of them.

    Inside ``rewriting``. Raises ``CannotWrite`` and ``OSError``.
    """
    make_folder(path.parent)
    if anchor is None:
        anchors.pop(line, None)
    else:
        anchors[line] = anchor
    lines = {name: item.dump() for name, item in anchors.items()}
    write_json(path, {"path": printable(ws.common_dir), "lines": lines})


def coming_beside(path: Path) -> Path:
    """The folder of the versions that are announced, beside the file of all lines."""
    return path.with_name(f"{path.name}.coming")
