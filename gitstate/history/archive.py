"""The archive refs of a line: whole tips that a squash, an undo or a repair replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.errors import RefMoved
from gitstate.git.environment import git
from gitstate.history.line import engine_for
from gitstate.history.moving import move_alone

_NETWORK_S = 600.0

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from gitstate.git.engine import Engine
    from gitstate.workspace import Workspace


def archive(ws: Workspace, engine: Engine, commit: str, day: str) -> str:
    """Keep a commit, and all below it, under the archive ref of a day; its name.

    Where one of the line's archive refs has it already, that one's. Killed before a
    squash moved the branch, the next run so finds what was archived.
    """
    taken = engine.refs(ws.archive_prefix)
    for name, held in taken.items():
        if held == commit:
            return name
    while True:
        name = free_name(f"{ws.archive_prefix}{day}", taken)
        try:
            move_alone(
                ws, engine, name, old=None, new=commit, reason="gitstate: archive"
            )
        except RefMoved:
            taken[name] = ""  # another one was faster
        else:
            return name


def free_name(name: str, taken: Container[str]) -> str:
    """``name``, or with the first ``.1``, ``.2``, … that is not taken."""
    count, found = 0, name
    while found in taken:
        count += 1
        found = f"{name}.{count}"
    return found


def to_fetch(ws: Workspace, theirs: Mapping[str, str]) -> list[str]:
    """The refspecs that get a remote's archives: name -> what it is at there.

    One whose name is taken here by another tip gets a free name.
    """
    with engine_for(ws) as engine:
        ours = engine.refs(ws.archive_prefix)
    return _specs(theirs, ours)


def to_push(ws: Workspace, remote: str, ours: Mapping[str, str]) -> list[str]:
    """The refspecs that send our archives; asks the remote which names are taken."""
    if not ours:
        return []
    listing = git(
        ["ls-remote", "--refs", remote, f"{ws.archive_prefix}*"],
        cwd=ws.root,
        check=False,  # the push says what is wrong
        network=True,
        timeout_s=_NETWORK_S,
    ).stdout.decode("utf-8", "surrogateescape")
    rows = [row.partition("\t") for row in listing.splitlines()]
    return _specs(ours, {name: tip for tip, _, name in rows})


def _specs(sent: Mapping[str, str], there: Mapping[str, str]) -> list[str]:
    taken = dict(there)
    specs = []
    for name, tip in sorted(sent.items()):
        if tip in taken.values():
            continue
        free = free_name(name, taken)
        taken[free] = tip
        specs.append(f"{name}:{free}")
    return specs
