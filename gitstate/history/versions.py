"""Any name a person gives a version -> the version."""

from __future__ import annotations

import contextlib
import re
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from gitstate import clock
from gitstate.errors import ObjectDamaged, ObjectMissing, UnknownVersion, printable
from gitstate.history.code_names import PREFIX, note_of_code
from gitstate.history.days import opened
from gitstate.history.line import read_line
from gitstate.history.numbers import Numbers, Row, row_of
from gitstate.history.record import Record, record_of
from gitstate.late import late
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.git.engine import Engine
    from gitstate.git.objects import Commit
    from gitstate.workspace import Workspace

_SHORTEST_PREFIX = 4
_AMBIGUOUS_SHOWN = 5
_NUMBER = late(r"[vV]([0-9]{1,18})")
_NEWEST = late(r"(?:HEAD|@)((?:~[0-9]{0,9}|\^)*)")
_HEX = late(rf"[0-9a-fA-F]{{{_SHORTEST_PREFIX},64}}")
_AGO = late(
    r"(an?|\d{1,6})[ .](second|minute|hour|day|week|month|year)s?[ .]ago", re.IGNORECASE
)
_TIME = late(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:)?")
_UNITS = {
    "second": timedelta(seconds=1),
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
    "month": timedelta(days=30),
    "year": timedelta(days=365),
}


@dataclass(frozen=True, slots=True)
class Version:
    """One version: its commit and what the commit says of itself."""

    commit: Commit
    record: Record

    @property
    def number(self) -> int:
        """``42`` of ``v42``."""
        return self.record.version


def resolve(ws: Workspace, engine: Engine, name: str) -> Version:
    """The version of that name; raises ``UnknownVersion`` with one clear line.

    ``v42``, ``HEAD``, ``HEAD~3``, a commit id or unique prefix, ``2026-11-28``,
    ``2026-11-28T14:05``, ``2 hours ago``, ``code:<commit>`` (the state in which that
    code commit was made). A day, and a minute, is the last version of it.
    """
    tip = read_line(ws, engine).tip
    if tip is None:
        raise UnknownVersion(
            "there is no version yet; `gitstate snapshot` makes the first"
        )
    rows = Numbers.load(ws, engine, tip)
    newest = rows.last()
    if newest is None:
        raise UnknownVersion(
            f"the line {printable(ws.line)} holds no version of gitstate"
        )
    if name.startswith(PREFIX):
        return _of_code(ws, engine, rows, name.removeprefix(PREFIX))
    row = _find(ws, engine, rows, newest, name.strip())
    if not _holds(engine, row, newest, name.strip()):
        # where a version is damaged, what the cache says has to do
        with contextlib.suppress(ObjectMissing, ObjectDamaged):
            rows = Numbers.rebuild(ws, engine, tip)
            row = _find(ws, engine, rows, rows.last() or newest, name.strip())
    if row is None:
        _tell_expired(ws, engine, tip, name.strip())
        _tell_none_then(ws, rows, name.strip())
        raise UnknownVersion(
            f"{printable(name)!r} names no version; the newest is v{newest.version} "
            "(try v3, HEAD~2, a commit id, 2026-11-28 or '2 hours ago'; `gitstate log` lists them)"
        )
    return version_at(engine, row.commit)


def _tell_expired(ws: Workspace, engine: Engine, tip: str, name: str) -> None:
    """Raise ``UnknownVersion`` where a name is that of a version whose day is all there is."""
    found = _NUMBER.fullmatch(name)
    for version in newest_first(engine, tip) if found else ():
        record = version.record
        if found and record.first <= int(found[1]) <= record.version:
            why = (
                "they were not fetched (`gitstate fetch`)"
                if ws.settings.archive_keep == "forever"
                else "they have expired (gitstate.archiveKeep), or were not fetched"
            )
            raise UnknownVersion(
                f"v{int(found[1])} is one of the own versions of {record.day}, which are not "
                f"here: {why}; v{record.version}, that day's last, is"
            )


def _tell_none_then(ws: Workspace, rows: Numbers, name: str) -> None:
    """Raise ``UnknownVersion`` where a name is a time that no version is of."""
    moment = _moment(ws, name)
    if moment is None:
        return
    before: Row | None = None
    first: Row | None = None
    for row in rows:
        first = first or row
        if type(moment) is date and row.moment().date() < moment:
            before = row
    near = before or first
    if near is not None:
        what = "the last before it" if before else "the first"
        made = near.moment().strftime("%Y-%m-%d %H:%M")
        raise UnknownVersion(
            f"{printable(name)!r} names no version; {what} is v{near.version} of {made}"
        )


def _holds(engine: Engine, row: Row | None, newest: Row, name: str) -> bool:
    """Does the commit say of itself what the cache says of it, or rightly nothing."""
    if row is None:
        found = _NUMBER.fullmatch(name)
        return found is None or int(found[1]) > newest.version
    try:
        return row_of(engine.commit(row.commit)) == row
    except (ObjectMissing, ObjectDamaged):
        return False


def _of_code(ws: Workspace, engine: Engine, rows: Numbers, name: str) -> Version:
    note = note_of_code(ws, engine, name)
    if note.line == ws.line:
        row = rows.find(note.version)
        if row is not None and not _is_another(engine, row, note.commit):
            return version_at(engine, row.commit)
    try:  # another worktree's or clone's line: its note names the commit
        return version_at(engine, note.commit)
    except (ObjectMissing, ObjectDamaged, UnknownVersion) as error:
        raise UnknownVersion(
            f"code commit {printable(name)} was made in v{note.version} of the line "
            f"{printable(note.line)}, which is not here"
        ) from error


def _is_another(engine: Engine, row: Row, identity: str) -> bool:
    """Is a version that a note names another than the one of its number here.

    Two clones that both went on use a number twice. A squash leaves the files as they are.
    """
    try:
        named = engine.commit(identity)
        same = named.tree == engine.commit(row.commit).tree
    except (ObjectMissing, ObjectDamaged, ValueError):
        return False
    record = record_of(named)
    return not same and record is not None and record.version == row.version


def version_at(engine: Engine, identity: str) -> Version:
    """The version that a commit is; raises ``UnknownVersion`` where it is none."""
    commit = engine.commit(identity)
    record = record_of(commit)
    if record is None:
        raise UnknownVersion(f"commit {identity[:12]} is no version of gitstate")
    return Version(commit, record)


def resolve_file(
    ws: Workspace, engine: Engine, name: str
) -> tuple[Version, str | None]:
    """``NAME`` or ``NAME:FILE``: the whole is tried as a name first, then split at its last colon."""
    try:
        return resolve(ws, engine, name), None
    except UnknownVersion:
        head, colon, file = name.rpartition(":")
        if not colon or not file or f"{head}:" == PREFIX or _moment(ws, name.strip()):
            raise
        return resolve(ws, engine, head or "HEAD"), file


def day_called(ws: Workspace, engine: Engine, name: str) -> Version | None:
    """The one commit of a squashed day whose date that is; ``None`` for any other name."""
    moment, tip = _moment(ws, name.strip()), read_line(ws, engine).tip
    if type(moment) is not date or tip is None:
        return None
    for version in newest_first(engine, tip, days=True):
        day = version.record.day
        if day is not None and day <= moment.isoformat():
            return version if day == moment.isoformat() else None
    return None


def looks_like_one(ws: Workspace, name: str) -> bool:
    """Has a name a form that versions have and files seldom, whether there is one or not."""
    forms = _NUMBER.fullmatch(name), _NEWEST.fullmatch(name), _moment(ws, name)
    return any(forms) or name.startswith(PREFIX)


def _find(
    ws: Workspace, engine: Engine, rows: Numbers, newest: Row, name: str
) -> Row | None:
    if found := _NUMBER.fullmatch(name):
        return rows.find(int(found[1]))
    if found := _NEWEST.fullmatch(name):
        return rows.before(newest, _steps(found[1]))
    if (moment := _moment(ws, name)) is not None:
        return (
            rows.last_of_day(moment)
            if type(moment) is date
            else rows.at(_aware(ws, moment))
        )
    if _HEX.fullmatch(name):
        return _by_prefix(ws, engine, rows, name.lower())
    return None


def _steps(suffix: str) -> int:
    steps = re.findall(r"~([0-9]*)|(\^)", suffix)
    return sum(1 if caret or not count else int(count) for count, caret in steps)


def _moment(ws: Workspace, name: str) -> date | None:  # noqa: PLR0911 one a form
    """A day, or a moment (a ``datetime`` is a ``date`` too)."""
    now = clock.now(ws.settings.timezone)
    if name.lower() == "today":
        return now.date()
    if name.lower() == "yesterday":
        return now.date() - timedelta(days=1)
    if found := _AGO.fullmatch(name):
        count = 1 if found[1].lower().startswith("a") else int(found[1])
        try:
            return now - count * _UNITS[found[2].lower()]
        except OverflowError:
            return None
    # only the long forms: "20261128" is a prefix of a commit id
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", name):
        try:
            return date.fromisoformat(name)
        except ValueError:
            return None
    if found := _TIME.match(name):
        # as a day is its last version: lists tell a version's time to the minute
        end = timedelta(seconds=0 if found[1] else 59)
        try:
            return datetime.fromisoformat(name) + end
        except (ValueError, OverflowError):
            return None
    return None


def _aware(ws: Workspace, moment: date) -> datetime:
    assert isinstance(moment, datetime)  # noqa: S101 `_moment` gave no plain date here
    if moment.tzinfo is not None:
        return moment
    zone = clock.now(ws.settings.timezone).tzinfo
    if clock.zone(ws.settings.timezone) is None:
        return moment.astimezone()  # the machine's zone at that moment
    return moment.replace(tzinfo=zone)


def _by_prefix(ws: Workspace, engine: Engine, rows: Numbers, prefix: str) -> Row | None:
    found = {row.commit: row for row in rows.with_prefix(prefix)}
    if not found and len(prefix) == (64 if ws.object_format == "sha256" else 40):
        with contextlib.suppress(ObjectMissing, ObjectDamaged):
            return row_of(engine.commit(prefix))  # whole: no walk through the archives
    if not found:
        for row in _other_lines(ws, engine):
            if row.commit.startswith(prefix):
                found[row.commit] = row
    if len(found) > 1:
        shown = [f"v{row.version} {row.commit[:16]}" for row in found.values()]
        more = ", …" if len(shown) > _AMBIGUOUS_SHOWN else ""
        raise UnknownVersion(
            f"{prefix} is ambiguous: {', '.join(shown[:_AMBIGUOUS_SHOWN])}{more}; give more of the id"
        )
    return next(iter(found.values()), None)


def lines(ws: Workspace, engine: Engine) -> dict[str, str]:
    """All lines of the repository: name -> tip, this worktree's first."""
    base = ws.settings.branch
    found = {
        name.removeprefix("refs/heads/"): tip
        for name, tip in engine.refs("refs/heads/").items()
        if name == f"refs/heads/{base}" or name.startswith(f"refs/heads/{base}.")
    }
    return dict(sorted(found.items(), key=lambda item: (item[0] != ws.line, item[0])))


def _other_lines(ws: Workspace, engine: Engine) -> Iterator[Row]:
    seen: set[str] = set()
    remotes = engine.refs("refs/remotes/").items()
    tips = [
        *lines(ws, engine).values(),
        *engine.refs("refs/gitstate/").values(),
        *(tip for name, tip in remotes if name.endswith(f"/{ws.line}")),
    ]
    for tip in tips:
        try:
            for commit in engine.walk(tip):
                if commit.id in seen:
                    break
                seen.add(commit.id)
                row = row_of(commit)
                if row is not None:
                    yield row
        except (ObjectMissing, ObjectDamaged):
            continue


def newest_first(engine: Engine, tip: str, *, days: bool = False) -> Iterator[Version]:
    """The versions from a tip back; commits that are none are passed over.

    ``days``: a squashed day is one, its last version; else its own versions come.
    """
    for commit in engine.walk(tip) if days else opened(engine, tip):
        record = record_of(commit)
        if record is not None:
            yield Version(commit, record)
