"""The beginning of a line in a worktree: a new one, an existing one, or a clone's."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitstate.errors import RefMoved, Refused, printable
from gitstate.files import replace_file
from gitstate.git.environment import git
from gitstate.history.anchor import read_anchors
from gitstate.history.directory import Content
from gitstate.history.exchange import Change, apply
from gitstate.history.identity import read_life
from gitstate.history.line import read_line
from gitstate.history.look import entries_of, scan_state
from gitstate.history.moving import move_alone
from gitstate.history.record import record_of
from gitstate.values import dataclass

if TYPE_CHECKING:
    from gitstate.git.engine import Engine
    from gitstate.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """How a worktree's line begins: what exists, and where a clone would take it from."""

    version: int  # 0: there is no version yet
    adopt_from: str | None  # "origin/agent-state"
    adopt_tip: str | None
    new_life: bool  # the worktree has not been here before
    missing: tuple[bytes, ...]  # files of the newest version that are not on disk


def look_at(ws: Workspace, engine: Engine) -> Beginning:
    """Look; raises ``Refused`` where the branch's name is taken by something else."""
    _check_name(ws, engine)
    line = read_line(ws, engine)
    adopt_from = adopt_tip = None
    missing: list[bytes] = []
    new_life = not read_life(ws)
    if line.tip is None:
        adopt_from, adopt_tip = _remote_line(ws, engine)
    elif not new_life or ws.worktree_id is None:
        # a new worktree of a name that was used begins anew; a clone goes on
        missing = [change.path for change in _missing(ws, engine, line.tip)]
    return Beginning(
        version=line.version,
        adopt_from=adopt_from,
        adopt_tip=adopt_tip,
        new_life=new_life,
        missing=tuple(missing),
    )


def _check_name(ws: Workspace, engine: Engine) -> None:
    below = sorted(engine.refs(f"{ws.ref}/"))
    mend = "choose another name: git config gitstate.branch NAME"
    if below:
        found = printable(below[0].removeprefix("refs/heads/"))
        raise Refused(
            f"the branch {found} leaves no room for {printable(ws.line)}; {mend}"
        )
    parts = ws.line.split("/")
    for count in range(1, len(parts)):
        above = "/".join(parts[:count])
        if engine.ref(f"refs/heads/{above}") is not None:
            raise Refused(
                f"the branch {printable(above)} leaves no room for {printable(ws.line)}; {mend}"
            )
    tip = engine.ref(ws.ref)
    if tip is None:
        return
    record = record_of(engine.commit(tip))
    known = read_anchors(ws).get(ws.line)
    if record is None and known is None:
        raise Refused(
            f"the branch {printable(ws.line)} exists and is not gitstate's; {mend}"
        )


def _remote_line(ws: Workspace, engine: Engine) -> tuple[str | None, str | None]:
    """The line that a clone has of one of its remotes: origin's first."""
    listing = git(["remote"], cwd=ws.root).stdout.decode("utf-8", "surrogateescape")
    remotes = sorted(
        listing.split("\n")[:-1], key=lambda name: (name != "origin", name)
    )
    for remote in remotes:
        tip = engine.ref(f"refs/remotes/{remote}/{ws.line}")
        if tip is not None and record_of(engine.commit(tip)) is not None:
            return f"{remote}/{ws.line}", tip
    return None, None


def adopt(ws: Workspace, engine: Engine, tip: str) -> tuple[bytes, ...]:
    """Begin the line at ``tip``; writes the files that are missing and returns them.

    The files first: killed in between, it begins anew with the next ``init``.
    """
    written = _write_missing(ws, engine, tip)
    try:
        move_alone(ws, engine, ws.ref, old=None, new=tip, reason="gitstate: adopt")
    except RefMoved as error:
        raise Refused(
            f"the branch {printable(ws.line)} was made meanwhile; try again"
        ) from error
    return written


def bring_back(ws: Workspace, engine: Engine) -> tuple[bytes, ...]:
    """Write the files of the newest version that are not on disk; returns them.

    Setting up again must not put an empty template where a clean or a checkout took
    a file away.
    """
    tip = read_line(ws, engine).tip
    return _write_missing(ws, engine, tip) if tip is not None else ()


def _write_missing(ws: Workspace, engine: Engine, tip: str) -> tuple[bytes, ...]:
    missing = _missing(ws, engine, tip)
    if missing:
        apply(ws.state_dir, missing, object_format=ws.object_format, durable=True)
    return tuple(change.path for change in missing)


def _missing(ws: Workspace, engine: Engine, tip: str) -> list[Change]:
    found = scan_state(ws)
    return [
        Change(path, None, Content(entry.mode, entry.id, engine.blob(entry.id)))
        for path, entry in sorted(entries_of(ws, engine, tip).items())
        if path not in found.files and not found.is_left_out(path)
    ]


def begin_life(ws: Workspace) -> None:
    """Give this life of the worktree its random id."""
    if not read_life(ws):
        replace_file(
            ws.runtime / "life", f"{os.urandom(16).hex()}\n".encode(), mode=ws.file_mode
        )
