"""Into an agent's files and out again: merged, shown as a diff, and taken out exactly.

What a settings file was before stands in the worktree's runtime folder: where nobody
changed it since, an uninstall brings back those very bytes; else only what is ours is
cut out of what is there now.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any

from gitstate import exclude
from gitstate.errors import GitstateError, Refused, printable
from gitstate.hooks.agents import layouts, project_files, records
from gitstate.hooks.agents.merging import is_empty, with_ours, without_ours
from gitstate.hooks.agents.plans import Change, Plan, Status
from gitstate.hooks.agents.records import ALONE, as_bytes, as_text

if TYPE_CHECKING:
    from gitstate.hooks.agents.layouts import Layout
    from gitstate.workspace import Workspace


def plan_install(
    ws: Workspace, agent: str, *, tracked: bool = False, commands: bool = False
) -> Plan:
    """What an install changes; raises ``Refused`` for a file that is not to be edited.

    ``commands``: the slash commands or the skill alone.
    """
    layout = _layout(ws, agent, commands=commands)
    if not layout.paths:
        raise Refused(
            f"{agent} has no slash commands of a project; as a skill: "
            f"gitstate agent install {layouts.ANY} --commands"
        )
    whole = records.read(ws, agent)
    record, hidden = whole.get("files", {}), whole.get("excluded", [])
    changes, theirs, says, shown = [], [], list(layout.says), []
    for path in layout.paths:
        portable = path in layout.blocks or path in layout.texts
        is_tracked = project_files.is_tracked(ws, path)
        if is_tracked and not tracked and not portable:
            raise Refused(
                f"{printable(path)} is tracked by git: what is put in names places of "
                "this machine; --tracked does it all the same"
            )
        old = project_files.read(ws, path)
        new = with_ours(layout, path, old)
        if path in layout.texts and _of_others(record, path, old, new):
            says.append(f"{printable(path)} is there already, and stays as it is")
            theirs.append(path)
            continue
        if path in layout.blocks and not _is_ours(layout, record, path, old):
            theirs.append(path)
            if os.fsdecode(project_files.line_of(path)) in hidden:
                shown.append(project_files.line_of(path))
        if new != old:
            changes.append(Change(path=path, old=old, new=new))
            if is_tracked and portable:
                said = f"{printable(path)} is tracked by git: its change is yours to commit"
                says.append(said)
    return Plan(
        changes=tuple(changes),
        excluded=project_files.to_exclude(ws, layout, without=theirs),
        shown=tuple(shown),
        says=tuple(says),
    )


def _is_ours(
    layout: Layout, record: dict[str, Any], path: str, old: bytes | None
) -> bool:
    """Is a file there through us alone, or will it be."""
    if old is None:
        return True
    known = record.get(path)
    made = known is not None and known.get("before") is None
    return made and without_ours(layout, path, old) is None


def _of_others(
    record: dict[str, Any], path: str, old: bytes | None, new: bytes | None
) -> bool:
    """Is a file whose text is ours by right somebody's own, or was it edited."""
    if old is None or old == new:
        return False
    return as_bytes(record.get(path, {}).get("after")) != old


def install(
    ws: Workspace, agent: str, *, tracked: bool = False, commands: bool = False
) -> list[str]:
    """Put it in, or bring it up to date; a line a change. Raises as ``plan_install``."""
    with project_files.alone(ws):
        return _install(ws, agent, tracked=tracked, commands=commands)


def _install(ws: Workspace, agent: str, *, tracked: bool, commands: bool) -> list[str]:
    plan = plan_install(ws, agent, tracked=tracked, commands=commands)
    layout = _layout(ws, agent, commands=commands)
    record = records.read(ws, agent)
    record[ALONE] = commands and (not record or record.get(ALONE) is True)
    files: dict[str, Any] = record.setdefault("files", {})
    folders: list[str] = record.setdefault("folders", [])
    lines = []
    for one in plan.changes:
        known = files.get(one.path)
        after = None if known is None else as_bytes(known.get("after"))
        if known is None or one.old is None or after is None:
            known = {"before": as_text(one.old)}
        elif after != one.old:
            left = without_ours(layout, one.path, one.old)
            if left != without_ours(layout, one.path, after):  # others were edited too
                known = {"before": as_text(left)}
        files[one.path] = {**known, "after": as_text(one.new)}
        parent = os.path.dirname(one.path)
        while parent and not (ws.root / parent).exists():
            folders.append(parent)
            parent = os.path.dirname(parent)
    excluded = [os.fsencode(line) for line in record.get("excluded", [])]
    excluded = [line for line in excluded if line not in plan.shown]
    record["excluded"] = [os.fsdecode(line) for line in (*excluded, *plan.excluded)]
    # first what it was, then the change: a kill between leaves nothing unknown
    records.write(ws, agent, record)
    project_files.sweep(ws, layout.paths)
    for one in plan.changes:
        project_files.write(ws, one)
        lines.append(
            f"{'wrote' if one.old is None else 'changed'} {printable(one.path)}"
        )
    if plan.excluded:
        exclude.add(ws, plan.excluded)
        what = "it" if len(plan.excluded) == 1 else "them"
        lines.append(f"listed {what} in info/exclude")
    if plan.shown:
        exclude.take_out(ws, plan.shown)
        lines.append("git sees again what others wrote in")
    return lines


def plan_uninstall(ws: Workspace, agent: str) -> Plan:
    """What an uninstall changes."""
    record = records.read(ws, agent)
    layout = _layout(ws, agent, commands=record.get(ALONE) is True)
    files = record.get("files", {})
    changes, says, left = [], [], []
    for path in dict.fromkeys([*layout.paths, *files]):
        try:
            old = project_files.read(ws, path)
        except GitstateError as error:  # the other files go all the same
            says.append(str(error))
            left.append(path)
            continue
        if old is None:
            continue
        known = files.get(path)
        ours = layout.texts.get(path)
        if ours is not None and _of_others(files, path, old, ours.encode()):
            if known is not None:
                says.append(f"{printable(path)} was edited since, and stays")
            continue
        if known is not None and as_bytes(known.get("after")) == old:
            new = as_bytes(known.get("before"))
        else:
            new = without_ours(layout, path, old)
            made = known is not None and known.get("before") is None
            new = None if made and new is not None and is_empty(new) else new
        if new != old:
            changes.append(Change(path=path, old=old, new=new))
    excluded = tuple(os.fsencode(line) for line in record.get("excluded", []))
    return Plan(
        changes=tuple(changes), excluded=excluded, says=tuple(says), left=tuple(left)
    )


def uninstall(ws: Workspace, agent: str) -> list[str]:
    """Take it out; a line a change."""
    with project_files.alone(ws):
        return _uninstall(ws, agent)


def _uninstall(ws: Workspace, agent: str) -> list[str]:
    plan, record = plan_uninstall(ws, agent), records.read(ws, agent)
    lines = []
    for one in plan.changes:
        project_files.write(ws, one)
        what = "removed" if one.new is None else "took ours out of"
        lines.append(f"{what} {printable(one.path)}")
    lines += plan.says
    paths = [*_layout(ws, agent, commands=False).paths, *record.get("files", {})]
    project_files.sweep(ws, paths)
    for folder in sorted(set(record.get("folders", [])), reverse=True):
        with contextlib.suppress(OSError):  # somebody else's files are in it by now
            (ws.root / folder).rmdir()
    if plan.left:
        return lines  # what is known of them is kept until they can be read
    if alone := records.hand_over(ws, plan.excluded):
        exclude.take_out(ws, alone)
    records.path_of(ws, agent).unlink(missing_ok=True)
    return lines


def is_hidden(ws: Workspace, agent: str) -> bool:
    """Does ``info/exclude`` hide a file of ours in which others wrote."""
    try:
        return bool(plan_install(ws, agent).shown)
    except Refused:
        return False


def commands_alone(ws: Workspace, agent: str) -> bool:
    """Were the slash commands or the skill put in, and nothing else."""
    return records.read(ws, agent).get(ALONE) is True


def since(ws: Workspace, agent: str) -> float:
    """When it was put in, or last brought up to date (epoch); 0.0 where it is not."""
    try:
        return records.path_of(ws, agent).stat().st_mtime
    except OSError:
        return 0.0


def installed(ws: Workspace) -> list[str]:
    """The agents whose hooks were put into this worktree."""
    return [name for name in layouts.NAMES if records.path_of(ws, name).is_file()]


def status(ws: Workspace, agent: str) -> Status:
    """Is an agent's part in, whole, and of this version and place."""
    whole = records.read(ws, agent)
    layout = _layout(ws, agent, commands=whole.get(ALONE) is True)
    record = whole.get("files", {})
    missing, old, there = [], [], False
    for path in layout.paths:
        try:
            found = project_files.read(ws, path)
            wanted = with_ours(layout, path, found)
        except Refused:
            missing.append(path)
            continue
        if found is None:
            missing.append(path)
            continue
        if found == wanted:
            there = True
        elif path in layout.texts:
            if not _of_others(record, path, found, wanted):
                there = True
                old.append(path)
        elif path in layout.files or found != without_ours(layout, path, found):
            there = True
            old.append(path)
        else:
            missing.append(path)
    return Status(agent=agent, installed=there, missing=tuple(missing), old=tuple(old))


def _layout(ws: Workspace, agent: str, *, commands: bool) -> Layout:
    settings = ws.settings
    found = layouts.of(agent, state_dir=settings.dir, lang=settings.lang)
    return found.only_texts() if commands else found
