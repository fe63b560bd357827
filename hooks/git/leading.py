"""The marked lines in a configuration file of git's that lead it to a folder of ours.

They are an include, and hold only while the repository is where it is: in a copy, or
after a move, git goes by the user's own ``core.hooksPath`` again. That setting is never
touched: a manager that sets it anew changes a line that ours overrides.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from gitstate.errors import printable
from gitstate.hooks.git import marks
from gitstate.hooks.git.changes import File, Remove, Write, read
from gitstate.hooks.git.places import looked_in

if TYPE_CHECKING:
    from pathlib import Path

    from gitstate.hooks.git.changes import Plan
    from gitstate.hooks.git.places import Place
    from gitstate.workspace import Workspace

_NEW_CONFIG_MODE = 0o644


def lead(ws: Workspace, place: Place, plan: Plan) -> None:
    """Plan what makes git look in the folder of ``place``."""
    if place.config is None or place.included is None:
        return
    text = File(data=_included(place), mode=ws.file_mode)
    there = read(place.included)
    if text != there:
        plan.changes.append(Write(path=place.included, new=text, old=there))
    config = place.config.resolve()
    old = read(config)
    data = old.data if old else b""
    lines = _lines(place)
    if lines in data and looked_in(ws) == place.folder:
        return
    new = File(
        data=marks.put_at_end(marks.cut(data), lines),
        mode=old.mode if old else _NEW_CONFIG_MODE,
    )
    if new != old:
        plan.changes.append(Write(path=config, new=new, old=old, locked=True))
        plan.lines.append(
            f"put an include into {printable(place.config)}: git looks in "
            f"{printable(place.folder)}, which runs {printable(place.theirs)} first"
        )


def stop_leading(place: Place, plan: Plan) -> None:
    """Plan what takes the lines out again, and the file that they name."""
    if place.config is None or place.included is None:
        return
    config = place.config.resolve()
    old = read(config)
    if old is not None and marks.marked(old.data):
        new = File(data=marks.cut(old.data), mode=old.mode)
        plan.changes.append(Write(path=config, new=new, old=old, locked=True))
        plan.lines.append(f"took our include out of {printable(place.config)}")
    included = read(place.included)
    if included is not None:
        plan.changes.append(Remove(path=place.included, old=included))


def _lines(place: Place) -> bytes:
    assert place.included is not None  # noqa: S101 seen by the callers
    home = place.included.parent.parent
    name = os.path.relpath(place.included, home)
    conditions = [_pattern(home)]
    if not place.only_here:
        conditions.append(_pattern(home / "worktrees") + "/")
    lines = []
    for condition in conditions:
        lines += [f'[includeIf "gitdir:{_quoted(condition)}"]', f"\tpath = {name}"]
    return _encoded(lines)


def _included(place: Place) -> bytes:
    return _encoded(["[core]", f'\thooksPath = "{_quoted(str(place.folder))}"'])


def _pattern(path: Path) -> str:
    """A path as a pattern that matches it alone."""
    return re.sub(r"([*?\[\\])", r"\\\1", str(path))


def _quoted(text: str) -> str:
    return re.sub(r'(["\\])', r"\\\1", text)


def _encoded(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
