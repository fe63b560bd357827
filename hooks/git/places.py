"""Where git looks for hooks in a worktree, and where ours go.

In the ordinary folder ours stand beside what is there. Where ``core.hooksPath`` is set,
that folder belongs to somebody: a folder of ours stands in for it, and runs theirs
first. Git is led there by marked lines at the end of the configuration file, an include
that holds only while the repository is where it is: a copy or a moved repository goes
by the user's own setting again, which is never touched.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from gitstate.git.environment import git
from gitstate.values import dataclass

if TYPE_CHECKING:
    from gitstate.workspace import Workspace

ORDINARY = "hooks"
STAND_IN = "hooks"  # inside gitstate/
STAND_IN_HERE = "hooks-here"  # the same, where a single worktree's setting counts
INCLUDED = "hooks.config"
INCLUDED_HERE = "hooks-here.config"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A folder that git looks in, or will: ours go there.

    ``theirs`` is the folder that it stands in for, as it was configured; ``None`` for
    the ordinary one. ``config`` is the file that gets the marked lines, ``included``
    what these name.
    """

    folder: Path
    shims: Path
    theirs: str | None = None
    config: Path | None = None
    included: Path | None = None
    only_here: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One value of ``core.hooksPath``: its scope, and the file it stands in."""

    scope: str
    origin: str
    value: str


def ordinary(ws: Workspace) -> Place:
    """The folder where git looks by itself."""
    folder = ws.common_dir / ORDINARY
    return Place(folder=folder, shims=ws.shared / "shims")


def stand_in(home: Path, theirs: str | None = None, *, only_here: bool) -> Place:
    """The folder that stands in for ``theirs``.

    ``home`` is the common directory, or a worktree's own git directory where a setting
    of that worktree alone counts (``only_here``).
    """
    base = home / "gitstate"
    folder = base / (STAND_IN_HERE if only_here else STAND_IN)
    return Place(
        folder=folder,
        shims=folder.with_name(f"{folder.name}-shims"),
        theirs=theirs,
        config=home / ("config.worktree" if only_here else "config"),
        included=base / (INCLUDED_HERE if only_here else INCLUDED),
        only_here=only_here,
    )


def settings_of(ws: Workspace) -> list[Setting]:
    """Every value of ``core.hooksPath`` that counts in the worktree, the last one wins."""
    asked = ["config", "--list", "--show-scope", "--show-origin", "--includes", "-z"]
    fields = git(asked, cwd=ws.root).stdout.split(b"\0")
    found = []
    for scope, origin, record in zip(
        fields[0::3], fields[1::3], fields[2::3], strict=False
    ):
        key, _, value = record.partition(b"\n")
        if key == b"core.hookspath" and scope != b"command":
            file = os.fsdecode(origin.removeprefix(b"file:"))
            found.append(
                Setting(
                    scope=scope.decode("ascii", "replace"),
                    origin=str(ws.root / file),
                    value=os.fsdecode(value),
                )
            )
    return found


def choose(ws: Workspace) -> Place:
    """Where ours go in this worktree, as it is configured without us."""
    ours = {
        os.path.realpath(place)
        for place in (ws.shared / INCLUDED, ws.runtime / INCLUDED_HERE)
    }
    theirs = [
        item for item in settings_of(ws) if os.path.realpath(item.origin) not in ours
    ]
    if not theirs or _same(resolve(ws, theirs[-1].value), ws.common_dir / ORDINARY):
        return ordinary(ws)
    last = theirs[-1]
    only_here = last.scope == "worktree"
    home = ws.git_dir if only_here else ws.common_dir
    return stand_in(home, os.path.expanduser(last.value), only_here=only_here)  # noqa: PTH111 text


def looked_in(ws: Workspace) -> Path:
    """The folder where git looks now; starts no process."""
    values = ws.config.get("core.hookspath") or ()
    return resolve(ws, values[-1]) if values else ws.common_dir / ORDINARY


def seen_theirs(ws: Workspace) -> str | None:
    """The last configured folder that is not ours; starts no process."""
    values = [
        value
        for value in ws.config.get("core.hookspath") or ()
        if not is_stand_in(ws, resolve(ws, value))
    ]
    return os.path.expanduser(values[-1]) if values else None  # noqa: PTH111 text


def is_stand_in(ws: Workspace, folder: Path) -> bool:
    """Is this folder one of ours, of this repository."""
    return folder in {ws.shared / STAND_IN, ws.runtime / STAND_IN_HERE}


def resolve(ws: Workspace, value: str) -> Path:
    """A configured folder as git takes it when it runs a hook in the worktree."""
    return Path(os.path.normpath(ws.root / os.path.expanduser(value)))  # noqa: PTH111 the same


def _same(one: Path, other: Path) -> bool:
    try:
        return one == other or one.samefile(other)
    except OSError:
        return False
