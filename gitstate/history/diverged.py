"""Lines that went different ways: where, what is said of it, and of which remote it is so.

No verb joins two lines: each version is a whole state, and which of two decisions holds
is nobody's to guess. One line is gone on from, the other stays within reach.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from gitstate.errors import ObjectDamaged, ObjectMissing, printable
from gitstate.history.days import stands_for
from gitstate.history.line import number_of
from gitstate.history.record import record_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.git.engine import Engine
    from gitstate.workspace import Workspace

SHORT = 12


def contains(engine: Engine, tip: str, wanted: str) -> bool:
    """Is a commit on the line that ends in ``tip``; raises what reading it raises."""
    return any(commit.id == wanted for commit in engine.walk(tip))


def told(engine: Engine, remote: str, ours: str, theirs: str) -> str:
    """One line: where the two parted, how they are compared, and the way out."""
    return f"{where(engine, remote, ours, theirs)}: {way_out(remote, theirs)}"


def where(engine: Engine, remote: str, ours: str, theirs: str) -> str:
    """That they parted, and after which version."""
    here, there = number_of(engine, ours), number_of(engine, theirs)
    return (
        f"the line here (v{here}) and the one of {printable(remote)} (v{there}) went "
        f"different ways{_since(engine, ours, theirs)}"
    )


def way_out(remote: str, theirs: str) -> str:
    """What a person can do then."""
    return (
        f"`gitstate diff HEAD {theirs[:SHORT]}` compares them, `gitstate fetch --theirs "
        f"{printable(remote)}` goes on from the remote's and keeps ours within reach"
    )


def _since(engine: Engine, ours: str, theirs: str) -> str:
    """The newest version that both have as it is; nothing where none can be found."""
    with contextlib.suppress(ObjectMissing, ObjectDamaged):
        mine = {commit.id for commit in engine.walk(ours)}
        for commit in engine.walk(theirs):
            record = record_of(commit)
            if commit.id in mine and record is not None:
                return f" after v{record.version}"
    return ""


def remotes(ws: Workspace, engine: Engine, ours: str) -> Iterator[tuple[str, str, str]]:
    """The remotes whose line, as last seen, went another way than the one here.

    With where, and the way out. A line that cannot be read whole says nothing.
    """
    prefix, suffix = "refs/remotes/", f"/{ws.line}"
    for name, theirs in sorted(engine.refs(prefix).items()):
        number = number_of(engine, theirs, line=ws.line)
        if not name.endswith(suffix) or number == 0 or theirs == ours:
            continue
        remote = name.removeprefix(prefix).removesuffix(suffix)
        try:
            if _one_way(engine, ours, theirs, number):
                continue
            text = where(engine, remote, ours, theirs)
        except (ObjectMissing, ObjectDamaged):
            continue
        yield remote, text, way_out(remote, theirs)


def _one_way(engine: Engine, ours: str, theirs: str, number: int) -> bool:
    """Has one of two lines all of the other, as it is or squashed."""
    return (
        contains(engine, ours, theirs)
        or contains(engine, theirs, ours)
        or stands_for(engine, ours, theirs, number)
        or stands_for(engine, theirs, ours, number_of(engine, ours))
    )
