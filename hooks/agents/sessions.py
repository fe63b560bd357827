"""What is known of agents' sessions: a JSON file each, in the worktree's runtime folder.

Several hooks of one session may run at once: whoever changes its file holds its lock.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitstate import lock
from gitstate.errors import GitstateError
from gitstate.files import read_json, write_json
from gitstate.history import put_back
from gitstate.hooks.agents import first_edits, signs, telling
from gitstate.hooks.agents.names import name_of
from gitstate.recall.compaction import Track
from gitstate.values import dataclass, field, fields

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.hooks.agents.place import Place

_WAIT_S = 2.0
_KEPT = 50  # sessions
_RECEIPTS = 20
_TYPES: dict[str, tuple[type[Any], ...]] = {
    "int": (int,),
    "bool": (bool,),
    "bool | None": (bool, type(None)),
    "str": (str,),
    "float": (int, float),
    "list": (list,),
    "dict": (dict,),
    "Any": (int, float, str),
}
_WAITING_S = 86_400.0  # a session that has not come back by then never does


@dataclass(slots=True, kw_only=True)
class Receipt:
    """One briefing: was it handed to the client, did it reach the model, was it taken in.

    ``turn``: the one in which the model gets it.
    ``received`` and ``verified`` are ``None`` while that is not known. ``put_back``: what
    it told of a restore, as ``Session`` has it.
    """

    id: str
    reason: str
    turn: int
    chars: int
    version: int = 0
    received: bool | None = None
    verified: bool | None = None
    again: bool = False
    put_back: str = ""


@dataclass(slots=True, kw_only=True)
class Session:
    """One session of an agent, in one worktree.

    ``edits``: files changed since the task file was, or the end of a turn was stopped for
    them; ``worked``: since the last refresh; ``task``: how the task file was seen last;
    ``offset``: bytes of the transcript that were read; ``failed``: commands (hashed) -> failures in a row;
    ``blobs``: as ``undone`` has it; ``undone``: files of which an edit was, and nobody was told yet.
    """

    agent: str
    session: str
    transcript: str = ""
    started: float = 0.0
    seen: float = 0.0
    offset: int = -1
    track: Track = field(default_factory=Track)
    receipts: list[Receipt] = field(default_factory=list)
    edits: list[str] = field(default_factory=list)
    worked: list[str] = field(default_factory=list)
    task: str = ""
    held: bool = False  # the last end of a turn was blocked
    blocks: int = 0
    ended: int = 0  # the last turn that ended
    fired: int = 0
    told: list[str] = field(default_factory=list)
    asked: dict[str, Any] = field(default_factory=dict)  # what is to be answered
    later: list[str] = field(default_factory=list)  # texts for the next chance
    failed: dict[str, int] = field(default_factory=dict)
    blobs: dict[str, list[str]] = field(default_factory=dict)
    undone: list[str] = field(default_factory=list)
    # moments, turns and counts, and the version before
    noted: dict[str, float] = field(default_factory=dict)
    boundaries: list[str] = field(default_factory=list)  # compactions in the transcript
    restored: str = ""  # the mark of the last restore that it knows of
    put_back: str = (
        ""  # what it was not told of it yet: version, last one before, files
    )
    path: str = ""

    def add(self, receipt: Receipt) -> None:
        """One more briefing; old ones are forgotten."""
        self.receipts = [*self.receipts[1 - _RECEIPTS :], receipt]


def folder(place: Place) -> Path:
    """Where sessions are kept."""
    return Path(place.agents) / "sessions"


def read(path: Path) -> Session | None:
    """A session's file; ``None`` where there is none that can be read."""
    found = read_json(path)
    if found is None:
        return None
    try:
        track = Track(**_known(Track, found.pop("track", {})))
        receipts = [
            Receipt(**_known(Receipt, one)) for one in found.pop("receipts", [])
        ]
        session = Session(
            **{**_known(Session, found), "track": track, "receipts": receipts}
        )
    except (TypeError, AttributeError):
        return None
    session.path = str(path)
    return session


def _known(kind: type, row: dict[str, Any]) -> dict[str, Any]:
    """What this version knows of a row, where it is of the type that stands there."""
    wanted = {item.name: str(item.type) for item in fields(kind)}
    return {
        key: value
        for key, value in row.items()
        if key in wanted and _fits(value, wanted[key])
    }


def _fits(value: Any, kind: str) -> bool:  # noqa: ANN401 of JSON
    """Is a value of a type as it is annotated, and all that is in it."""
    head, _, inner = kind.partition("[")
    if not isinstance(value, _TYPES[head]):
        return False
    if head == "list":
        return all(_fits(one, inner[:-1]) for one in value)
    if head == "dict":
        inner = inner[:-1].partition(", ")[2]
        return all(_fits(one, inner) for one in value.values())
    return True


def _row(value: Track | Receipt | Session) -> dict[str, Any]:
    return {item.name: getattr(value, item.name) for item in fields(value)}


def all_of(place: Place) -> list[Session]:
    """Every session that is known, the one heard of last first."""
    found = [read(path) for path in folder(place).glob("*.json")]
    return sorted((one for one in found if one is not None), key=lambda one: -one.seen)


def known(place: Place, agent: str, session: str) -> Session:
    """A session as it is known, or a new one; it was heard of just now."""
    now = time.time()
    path = folder(place) / f"{name_of(agent, session)}.json"
    found = read(path)
    if found is None:
        found = Session(agent=agent, session=session, started=now)
        last = put_back.newest(place.runtime)
        found.restored = last.mark if last else ""
    found.seen = now
    return found


@contextlib.contextmanager
def opened(place: Place, agent: str, session: str) -> Iterator[Session]:
    """A session's file to be changed; written at the end. Raises as ``lock.held``."""
    where = folder(place)
    where.mkdir(parents=True, exist_ok=True, mode=0o700)
    name = name_of(agent, session)
    with lock.held(where / f"{name}.lock", verb="agent", wait_s=_WAIT_S):
        found = known(place, agent, session)
        yield found
        keep(place, found)


def keep(place: Place, session: Session) -> None:
    """Write a session that is opened; raises ``CannotWrite``."""
    row = _row(session)
    row["track"] = _row(session.track)
    row["receipts"] = [_row(one) for one in session.receipts]
    del row["path"]
    name = name_of(session.agent, session.session)
    write_json(folder(place) / f"{name}.json", row)
    lives = time.time() - session.seen < _WAITING_S
    _mark(place, name, waits=lives and bool(session.track.pending or session.later))


def _mark(place: Place, name: str, *, waits: bool) -> None:
    """Something waits to be said to a session: tool uses look for that, and only then."""
    path = os.path.join(place.agents, "waiting", name)
    if waits:
        signs.put(path)
    else:
        signs.take(path)


def sweep(place: Place) -> None:
    """Forget the oldest sessions, and what waits for one that never comes back."""
    where, waiting = folder(place), Path(place.agents) / "waiting"
    with contextlib.suppress(OSError):
        paths = sorted(where.glob("*.json"), key=lambda one: -one.stat().st_mtime)
        for path in paths[_KEPT:]:
            _forget_transcript(place, path)
            path.unlink(missing_ok=True)
            path.with_suffix(".lock").unlink(missing_ok=True)
        for path in waiting.iterdir() if waiting.is_dir() else ():
            if time.time() - path.stat().st_mtime > _WAITING_S:
                signs.take(path)
        first_edits.sweep(place, {path.stem for path in paths[:_KEPT]})


def _forget_transcript(place: Place, path: Path) -> None:
    """One that we keep for a client goes with its session; raises ``OSError``."""
    known = read(path)
    folder, name = os.path.split(known.transcript if known else "")
    if os.path.dirname(folder) == place.agents and name == f"{path.stem}.jsonl":
        os.unlink(os.path.join(folder, name))


def tell_all(place: Place) -> int:
    """A restore was made: each session that may go on is told at its next chance.

    Returns how many wait for that now; one whose file cannot be written yet finds out by
    itself, as each does after a restore that was killed (``hear``).
    """
    count = 0
    for one in all_of(place):
        with (
            contextlib.suppress(GitstateError, OSError),
            opened(place, one.agent, one.session) as session,
        ):
            session.seen = one.seen  # nothing was heard of it
            hear(place, session)
            count += 1
    return count


def hear(place: Place, session: Session) -> None:
    """A restore of which a session was not told yet is told with its next briefing."""
    found = put_back.newest(place.runtime)
    if found is not None and found.mark != session.restored:
        files = telling.named(found.files)
        session.restored = found.mark
        session.put_back = f"{found.source} {found.last} {files}".rstrip()
        session.track.pending = session.track.pending or "restore"
