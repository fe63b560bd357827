"""``gitstate.archiveKeep``: the archives of days that are older go.

The refs go, and what they alone reached is given back to git: it is gone with the user's
next ``git gc`` that finds it old enough, and until then goes on to be found by its number.
The day's one commit stays for ever.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from gitstate import clock
from gitstate.errors import ObjectDamaged, ObjectMissing, RefMoved
from gitstate.git.letting_go import let_go
from gitstate.history import notes
from gitstate.history.days import day_of
from gitstate.history.moving import move_alone
from gitstate.history.snapshot import session

if TYPE_CHECKING:
    from gitstate.git.engine import Engine
    from gitstate.workspace import Workspace


def keep_days(ws: Workspace) -> int | None:
    """For how many days archives are kept; ``None``: for ever."""
    text = ws.settings.archive_keep
    return None if text == "forever" else int(text.removesuffix("d"))


def expire(ws: Workspace) -> list[str]:
    """Remove the archive refs that are too old; their names.

    Raises ``LockHeld``, ``CannotWrite``, ``GitFailed``.
    """
    days = keep_days(ws)
    if days is None:
        return []
    limit = clock.now(ws.settings.timezone).date() - timedelta(days=days)
    gone = []
    with session(ws, verb="squash", wait_s=5.0) as engine:
        for name, held in engine.refs(ws.archive_prefix).items():
            day = _day_in(name.removeprefix(ws.archive_prefix))
            if day is None or _newest(engine, held, day) >= limit:
                continue
            try:
                move_alone(
                    ws, engine, name, old=held, new=None, reason="gitstate: expired"
                )
            except RefMoved:
                continue
            gone.append(name)
        if gone:
            tips = {**engine.refs("refs/gitstate/"), **engine.refs("refs/heads/")}
            line = f"refs/heads/{ws.settings.branch}"
            let_go(
                engine.packs,
                root=ws.root,
                scratch=ws.shared,
                tips=[
                    tip
                    for name, tip in {**tips, **engine.refs(notes.REF)}.items()
                    if not name.startswith("refs/heads/")
                    or name == line
                    or name.startswith(f"{line}.")
                ],
            )
    return gone


def _newest(engine: Engine, held: str, day: date) -> date:
    """The newest day of what an archive keeps.

    One that was made when days were caught up is named after the first of them, and
    alone keeps the ids that the versions of all later ones had before.
    """
    try:
        return day_of(engine.commit(held), day)
    except (ObjectMissing, ObjectDamaged):
        return day


def _day_in(name: str) -> date | None:
    try:
        return date.fromisoformat(name[:10])
    except ValueError:
        return None
