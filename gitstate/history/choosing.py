"""Which days are squashed, and why another is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.errors import Refused
from gitstate.history.undone import undone_days

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from gitstate.git.engine import Engine
    from gitstate.history.rewriting import Group
    from gitstate.workspace import Workspace


def choose(
    ws: Workspace,
    engine: Engine,
    groups: Sequence[Group],
    *,
    day: date | None,
    until: date,
) -> tuple[list[Group], list[tuple[str, str]]]:
    """The days to squash, and those that are left though they are over, with why."""
    left: list[tuple[str, str]] = []
    chosen: list[Group] = []
    undone = undone_days(ws)
    wanted = [one for one in groups if not one.squashed]
    if day is not None:
        wanted = [one for one in wanted if one.day == day]
        if not any(one.day == day for one in groups):
            raise Refused(
                f"no version was made on {day}; `gitstate log` lists the days"
            )
    pushed = _pushed(ws, engine, groups)
    for group in wanted:
        name = group.day.isoformat()
        if group.day >= until:
            if group.day > until:  # and all that came after it counts to it
                left.append((name, "by the clock of its versions it is not over yet"))
            continue
        why = _against(
            group,
            pushed,
            squash_pushed=ws.settings.squash_pushed,
            cut=group is groups[0] and bool(group.commits[0].commit.parents),
        )
        if day is None and name in undone:
            why = f"it was undone; `gitstate squash --day {name}` squashes it again"
        if why is None:
            chosen.append(group)
        elif day is not None:
            raise Refused(f"{name} stays as it is: {why}")
        else:
            left.append((name, why))
    return chosen, left


def _against(
    group: Group, pushed: frozenset[str], *, squash_pushed: bool, cut: bool
) -> str | None:
    """Why a day cannot be squashed; ``None`` where it can."""
    if cut:
        return (
            "this clone is shallow and has only a part of it (`git fetch --unshallow`)"
        )
    for one in group.commits:
        if one.record is None:
            return f"commit {one.commit.id[:12]} on it is no version of gitstate's"
        if len(one.commit.parents) > 1:
            return f"v{one.record.version} has more than one parent"
    if not squash_pushed and any(one.commit.id in pushed for one in group.commits):
        return "it was pushed; git config gitstate.squashPushed true permits it"
    return None


def _pushed(ws: Workspace, engine: Engine, groups: Sequence[Group]) -> frozenset[str]:
    """The commits of the line that a remote is known to have."""
    ours = {one.commit.id for group in groups for one in group.commits}
    found: set[str] = set()
    for name, tip in engine.refs("refs/remotes/").items():
        if not name.endswith(f"/{ws.line}"):
            continue
        for commit in engine.walk(tip):
            if commit.id in found:
                break
            if commit.id in ours:
                found.add(commit.id)
    return frozenset(found)


def require_unpushed(
    ws: Workspace, engine: Engine, groups: Sequence[Group], day: date
) -> None:
    """Raise ``Refused`` where to undo a day would rewrite what a remote has."""
    if ws.settings.squash_pushed:
        return
    pushed = _pushed(ws, engine, groups)
    for group in groups:
        if group.day >= day and any(one.commit.id in pushed for one in group.commits):
            raise Refused(
                f"{group.day} was pushed; git config gitstate.squashPushed true permits it"
            )
