"""Our hooks in a repository: put where git looks, beside whatever is there, and taken out.

Everything is planned as values first (``plans``), so that a dry run shows exactly what
would be done, and a second run finds nothing to do.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from gitstate import lock
from gitstate.errors import CannotWrite, Refused, printable
from gitstate.files import read_json, replace_file, write_json
from gitstate.hooks.git import places, plans, standing, texts
from gitstate.hooks.git.texts import HOOKS
from gitstate.values import dataclass
from gitstate.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gitstate.hooks.git.changes import Plan

_RECORD = "hooks.json"
_LOCK = "hooks.lock"
# What the hooks of all worktrees need in ``<common-dir>/gitstate``.
SHARED = frozenset(
    {_RECORD, _LOCK, "shims", places.STAND_IN, f"{places.STAND_IN}-shims"}
    | {places.INCLUDED}
)
_WAIT_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """Our hooks as git runs them: the folder it looks in, and those of ours it misses.

    ``wanted``: they were put in, and not taken out since. ``through``: the folder that
    ours stands in for.
    """

    wanted: bool
    path: Path
    through: str | None
    missing: tuple[str, ...]
    problem: str | None

    @property
    def effective(self) -> bool:
        """Do all of ours run."""
        return not self.missing


def status(ws: Workspace) -> Status:
    """How our hooks are in this worktree: reads a few small files, starts no process."""
    record = _record(ws)
    path = places.looked_in(ws)
    missing = tuple(name for name in HOOKS if not standing.runs_ours(path, name))
    theirs = places.seen_theirs(ws)
    stands_in = places.is_stand_in(ws, path)
    wanted = record.get("wanted") is True
    problem = None
    if wanted and missing:
        names = ", ".join(missing)
        problem = (
            f"git does not run our {names}: it looks in {printable(path)}; "
            "`gitstate hooks install` mends it"
        )
    elif wanted and stands_in and record.get(path.name) != theirs:
        now = "is not set any more" if theirs is None else f"is {printable(theirs)} now"
        problem = f"core.hooksPath {now}; `gitstate hooks install` follows it"
    return Status(
        wanted=wanted,
        path=path,
        through=theirs if stands_in else None,
        missing=missing,
        problem=problem,
    )


def preview_install(ws: Workspace) -> Plan:
    """What ``install`` would do."""
    place = places.choose(ws)
    left = plans.plan_leave(ws, place, _record(ws))
    plan = plans.plan_install(ws, place)
    plan.changes[:0] = left.changes
    plan.lines[:0] = left.lines
    return plan


def preview_uninstall(ws: Workspace, *, only_here: bool = False) -> Plan:
    """What ``uninstall`` would do."""
    return plans.plan_uninstall(ws, _record(ws), only_here=only_here)


def install(ws: Workspace) -> list[str]:
    """Have our hooks run in this worktree; returns one line a change.

    Raises ``CannotWrite``, ``Refused`` and ``LockHeld``.
    """
    ws.make_folders()
    with _alone(ws, _WAIT_S):
        return _install(ws)


def uninstall(ws: Workspace, *, only_here: bool = False) -> list[str]:
    """Take ours out, and let nobody mend them; returns one line a change.

    ``only_here``: other worktrees go on using theirs. Raises as ``install``.
    """
    with _alone(ws, _WAIT_S):
        plans.sweep(ws)
        plan = preview_uninstall(ws, only_here=only_here)
        plan.do()
        if not only_here:
            (ws.shared / _RECORD).unlink(missing_ok=True)
        return plan.lines


def mend(ws: Workspace) -> list[str]:
    """Put ours back where somebody's later install cut them off; returns what it did.

    Costs a few small reads where all is well. Does nothing where ours were never put
    in, were taken out, or ``repairHooks`` is off. Raises as ``install``, and ``Refused``
    where that did not help.
    """
    if not ws.settings.repair_hooks or not ws.initialised or status(ws).problem is None:
        return []
    with _alone(ws, 0.0):
        lines = _install(ws)
    problem = status(Workspace.open(ws.root)).problem
    if problem is not None:
        raise Refused(problem)
    return lines


def told_by(ws: Workspace) -> list[str]:
    """The files that ``status`` is read from, beside git's configuration."""
    folder = places.looked_in(ws)
    hooks = [f"{folder}/{name}{end}" for name in HOOKS for end in ("", ".legacy")]
    return [f"{ws.shared}/{_RECORD}", f"{ws.runtime}/life", *hooks]


def foreign(ws: Workspace) -> list[Path]:
    """The hooks of others that git runs in this worktree, beside ours or through ours."""
    place = places.choose(ws)
    bases = [place.folder]
    if place.theirs is not None:
        bases.insert(0, places.resolve(ws, place.theirs))
    found = (standing.others(base / name) for base in bases for name in texts.EVERY)
    return [path for path in found if path is not None]


def _install(ws: Workspace) -> list[str]:
    plans.sweep(ws)
    record = _record(ws)
    place = places.choose(ws)
    after = {**record, "schema": 1, "wanted": True}
    if not record and not (ws.common_dir / places.ORDINARY).exists():
        after["made_folder"] = True
    left = plans.plan_leave(ws, place, record)
    left.do()
    if place.theirs is not None:
        after[place.folder.name] = place.theirs
    if after != record:
        write_json(ws.shared / _RECORD, after, mode=ws.file_mode)
    _prepare(ws)
    plan = plans.plan_install(ws, place)
    plan.do()
    return left.lines + plan.lines


def _record(ws: Workspace) -> dict[str, Any]:
    return read_json(ws.shared / _RECORD) or {}


@contextlib.contextmanager
def _alone(ws: Workspace, wait_s: float) -> Iterator[None]:
    if not ws.shared.is_dir():
        yield
        return
    path = ws.shared / _LOCK
    with lock.held(path, verb="hooks", wait_s=wait_s, mode=ws.file_mode):
        yield


def _prepare(ws: Workspace) -> None:
    """What the hooks find in the runtime folder, so that they start no process for it.

    The state directory's name stands in a file where it is not the usual one.
    """
    try:
        (ws.runtime / "links").mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise CannotWrite.from_os(error, doing="make a folder for the hooks") from error
    path = ws.runtime / "state-dir"
    if ws.settings.dir == type(ws.settings)().dir:
        path.unlink(missing_ok=True)
    else:
        replace_file(path, f"{ws.settings.dir}\n".encode(), mode=ws.file_mode)
