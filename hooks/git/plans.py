"""What has to change in a repository so that our hooks run, or are gone: the whole plan."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitstate.errors import printable
from gitstate.git.environment import git
from gitstate.git.operations import worktree_dirs
from gitstate.hooks import leftovers
from gitstate.hooks.git import folder, leading, places, standing, texts
from gitstate.hooks.git.changes import File, Move, Plan, RemoveFolder, Write, read
from gitstate.hooks.git.texts import HOOKS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gitstate.hooks.git.places import Place
    from gitstate.workspace import Workspace

    Record = Mapping[str, object]


def plan_install(ws: Workspace, place: Place) -> Plan:
    """What makes our hooks run in this worktree; where it can't be, the lines to add."""
    plan = Plan()
    mode = 0o755 if ws.group_bits else 0o777 & ~_umask()
    hindrance = _hindrance(ws, place)
    if hindrance:
        plan.lines += hindrance
        if len(hindrance) > 1:
            _shims_by_hand(ws, plan, mode)
        return plan
    tool = texts.this_tool()
    wanted = {
        name: folder.Own(
            name=name,
            theirs=_theirs(place, name),
            tool=tool,
            shim=place.shims / name,
            mode=mode,
        )
        for name in _names(ws, place)
    }
    folder.install(place.folder, wanted, plan)
    if len(plan.lines) == len(wanted) > len(HOOKS):  # a whole new folder of ours
        plan.lines = [f"made {printable(place.folder)}"]
    leading.lead(ws, place, plan)
    return plan


def plan_leave(ws: Workspace, place: Place, record: Record) -> Plan:
    """What ends the folders of ours that this worktree does not need any more.

    Git looks at ``place`` now: the setting for which another one stood in is gone.
    """
    plan = Plan()
    if not place.only_here:
        _give_up(ws, places.stand_in(ws.git_dir, only_here=True), record, plan)
    if place.theirs is None:
        _give_up(ws, places.stand_in(ws.common_dir, only_here=False), record, plan)
    return plan


def plan_uninstall(ws: Workspace, record: Record, *, only_here: bool) -> Plan:
    """What takes ours out: everywhere, or of this worktree's own folder alone."""
    plan = Plan()
    for git_dir in [ws.git_dir] if only_here else worktree_dirs(ws.common_dir):
        _give_up(ws, places.stand_in(git_dir, only_here=True), record, plan)
    if only_here:
        return plan
    _give_up(ws, places.stand_in(ws.common_dir, only_here=False), record, plan)
    here = places.ordinary(ws)
    folder.uninstall(here.folder, plan)
    _empty(here.shims, plan)
    if record.get("made_folder") is True:
        plan.changes.append(RemoveFolder(path=here.folder))
    return plan


def sweep(ws: Workspace) -> None:
    """Remove the half-written files of processes of ours that were killed."""
    folders = [ws.common_dir / places.ORDINARY, ws.shared / "shims"]
    for home in worktree_dirs(ws.common_dir):
        stands = [places.stand_in(home, only_here=here) for here in (True, False)]
        folders += [home, *(folder for p in stands for folder in (p.folder, p.shims))]
    leftovers.sweep(folders, (*texts.EVERY, "config", "config.worktree"))


def _theirs(place: Place, name: str) -> texts.Theirs:
    if place.theirs is None:
        return texts.Theirs.none()
    return texts.Theirs.at(f"{place.theirs}/{name}")  # as git itself puts it together


def _names(ws: Workspace, place: Place) -> list[str]:
    if place.theirs is None:
        return list(HOOKS)
    base = places.resolve(ws, place.theirs)
    there = [
        name
        for name in texts.PASSED_ON_IF_THERE
        if (base / name).exists() or (place.folder / name).exists()
    ]
    return [*HOOKS, *texts.PASSED_ON, *there]


def _hindrance(ws: Workspace, place: Place) -> list[str]:
    """Why ours cannot stand there, and the lines that a person can add instead."""
    if place.theirs in {"", os.devnull}:
        named = place.theirs or "empty"
        return [
            f"core.hooksPath is {named}: hooks are switched off, nothing was put in"
        ]
    if "\n" in str(place.folder) + (place.theirs or "") and place.theirs is not None:
        reason = "core.hooksPath, or the repository's own path, has a line break in it"
    elif place.theirs is None and place.folder.is_symlink():
        target = printable(place.folder.readlink())
        reason = f"{printable(place.folder)} is a link to {target}, which is not ours"
    else:
        return []
    lines = [f"{reason}: nothing was put in. To have our hooks run, add to the hook"]
    for name in HOOKS:
        call = os.fsdecode(texts.shell_word(str(ws.shared / "shims" / name)))
        lines.append(f'  {name}: {printable(call)} "$@" || exit')
    return lines


def _shims_by_hand(ws: Workspace, plan: Plan, mode: int) -> None:
    tool = texts.this_tool()
    for name in HOOKS:
        path = ws.shared / "shims" / name
        new = File(data=texts.hook(name, tool, texts.Theirs.none()), mode=mode)
        old = read(path)
        if new != old:
            plan.changes.append(Write(path=path, new=new, old=old))


def _give_up(ws: Workspace, place: Place, record: Record, plan: Plan) -> None:
    """Plan the end of a folder that stands in for another."""
    leading.stop_leading(place, plan)
    if not place.folder.is_dir():
        return
    removed = Plan()
    folder.uninstall(place.folder, removed)
    plan.changes += removed.changes
    plan.lines.append(f"removed {printable(place.folder)}")
    _empty(place.shims, plan)
    theirs = record.get(place.folder.name)
    base = places.resolve(ws, theirs) if isinstance(theirs, str) else None
    for path in standing.left_of_others(place.folder):
        _hand_over(ws, path, base, plan)
    plan.changes.append(RemoveFolder(path=place.folder))


def _hand_over(ws: Workspace, path: Path, base: Path | None, plan: Plan) -> None:
    """What a manager wrote into our folder goes where it would have written it."""
    ordinary = ws.common_dir / places.ORDINARY
    target = ordinary / f"{path.name}.from-gitstate"
    for home in (base, ordinary):
        if home is not None and _may_hold(ws, home / path.name):
            target = home / path.name
            break
    plan.changes.append(Move(path=path, target=target))
    plan.lines.append(
        f"another program put {printable(path.name)} into our folder: it is "
        f"{printable(target)} now"
    )


def _may_hold(ws: Workspace, path: Path) -> bool:
    """Can a file be put there without a trace in ``git status``."""
    if os.path.lexists(path) or not path.parent.is_dir():
        return False
    if not path.is_relative_to(ws.root) or path.is_relative_to(ws.common_dir):
        return True
    asked = ["check-ignore", "--quiet", "--", str(path)]
    return git(asked, cwd=ws.root, check=False).returncode == 0


def _empty(shims: Path, plan: Plan) -> None:
    """Plan the end of a folder that holds nothing but ours."""
    silent = Plan()
    folder.uninstall(shims, silent)
    plan.changes += [*silent.changes, RemoveFolder(path=shims)]


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
