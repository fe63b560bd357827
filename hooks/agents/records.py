"""What an install wrote down of a worktree: each file as it was before, and as it was left."""

from __future__ import annotations

import base64
import os
from typing import TYPE_CHECKING, Any

from gitstate.files import read_json, write_json
from gitstate.git.operations import worktree_dirs
from gitstate.hooks.agents import layouts

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from gitstate.workspace import Workspace

ALONE = "commands"  # the commands alone were put in


def path_of(ws: Workspace, agent: str) -> Path:
    """Where it stands."""
    return _path(ws.git_dir, agent)


def _path(git_dir: Path, agent: str) -> Path:
    return git_dir / "gitstate" / "agents" / f"installed-{agent}.json"


def read(ws: Workspace, agent: str) -> dict[str, Any]:
    """What was written down; empty where nothing was, and what is damaged counts so too.

    ``files``: path -> ``before`` and ``after``, as ``as_text`` has them. ``folders`` that
    were made, lines that were ``excluded``, and ``ALONE``.
    """
    found = _read(path_of(ws, agent))
    if not found:
        return {}
    return {
        **found,
        "files": {
            path: row
            for path, row in _dict(found.get("files")).items()
            if isinstance(row, dict) and {"before", "after"} <= row.keys()
            if all(_is_text(row[key]) for key in ("before", "after"))
        },
        "folders": _strings(found.get("folders")),
        "excluded": _strings(found.get("excluded")),
    }


def write(ws: Workspace, agent: str, record: dict[str, Any]) -> None:
    """Keep it; raises ``CannotWrite`` and ``OSError``."""
    ws.make_folders()
    path = path_of(ws, agent)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_json(path, record)


def hand_over(ws: Workspace, lines: Iterable[bytes]) -> list[bytes]:
    """Lines of ``info/exclude`` that are nobody else's; the others are another worktree's now.

    All worktrees have one such file, and whose install came first wrote the line.
    """
    left = list(lines)
    for git_dir in worktree_dirs(ws.common_dir):
        for agent in layouts.NAMES if git_dir != ws.git_dir else ():
            path = _path(git_dir, agent)
            found = _read(path)
            theirs = {
                b"/" + os.fsencode(one) + b"\n" for one in _dict(found.get("files"))
            }
            taken = [line for line in left if line in theirs]
            if taken:
                known = _strings(found.get("excluded"))
                write_json(
                    path, {**found, "excluded": [*known, *map(os.fsdecode, taken)]}
                )
                left = [line for line in left if line not in taken]
    return left


def as_text(data: bytes | None) -> str | None:
    """A file's bytes as JSON has them."""
    return None if data is None else base64.b64encode(data).decode()


def as_bytes(text: object) -> bytes | None:
    """The bytes again."""
    return base64.b64decode(text) if isinstance(text, str) else None


def _read(path: Path) -> dict[str, Any]:
    return read_json(path) or {}


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _strings(value: object) -> list[str]:
    found = value if isinstance(value, list) else []
    return [one for one in found if isinstance(one, str)]


def _is_text(value: object) -> bool:
    try:
        as_bytes(value)
    except ValueError:
        return False
    return value is None or isinstance(value, str)
