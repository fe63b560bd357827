"""Is the line whole: every version readable, history linear, the head as the anchor says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gitstate import clock
from gitstate.errors import ObjectDamaged, ObjectMissing, RefMoved, Refused, printable
from gitstate.git.objects import SUBMODULE, TREE, NewObject, parse_commit, parse_tree
from gitstate.history.anchor import Anchor, write_anchor
from gitstate.history.line import read_life, read_line
from gitstate.history.numbers import Numbers
from gitstate.history.record import Record, record_of
from gitstate.history.snapshot import load_memory, look, scan_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gitstate.git.engine import Engine
    from gitstate.git.objects import Commit
    from gitstate.history.line import Line
    from gitstate.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: a word for its kind, and a line for a person."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a check found; ``edited`` are files that differ from the newest version."""

    versions: int
    problems: tuple[Problem, ...]
    edited: tuple[bytes, ...] = ()
    repaired: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Is everything as it should be."""
        return not self.problems


def check(
    ws: Workspace, engine: Engine, *, progress: Callable[[int], object] | None = None
) -> Report:
    """Check the line of this worktree; writes nothing. ``progress`` gets versions read."""
    line = read_line(ws, engine)
    problems: list[Problem] = []
    if line.trouble:
        problems.append(Problem("moved", line.trouble))
    count = 0
    if line.tip is None:
        if line.trouble is None:
            problems.append(Problem("empty", "there is no version yet"))
        return Report(versions=0, problems=tuple(problems))
    seen: set[str] = set()
    above: Record | None = None
    for found in _commits(engine, line.tip):
        if isinstance(found, Problem):
            problems.append(found)
            break
        count += 1
        problems += _check_commit(ws, found, above)
        problems += _check_tree(engine, found, seen)
        above = record_of(found) or above
        if progress is not None:
            progress(count)
    if above is not None and above.version != 1 and not _gap_said(above, 0) and not problems:
        problems.append(Problem("cut", f"history ends at v{above.version}, not at v1"))
    edited: tuple[bytes, ...] = ()
    if not any(problem.kind == "damaged" for problem in problems):
        edited = _edited(ws, engine, line)
    return Report(versions=count, problems=tuple(problems), edited=edited)


def _commits(engine: Engine, tip: str) -> Iterator[Commit | Problem]:
    """The commits of the line, each checked against its id."""
    following: str | None = tip
    while following is not None:
        try:
            kind, data = engine.verify(following)
            if kind != "commit":
                raise ObjectDamaged(f"object {following} is a {kind}, not a commit")
            commit = parse_commit(following, data)
        except (ObjectMissing, ObjectDamaged) as error:
            yield Problem("damaged", str(error))
            return
        yield commit
        following = commit.parents[0] if commit.parents else None


def _gap_said(record: Record, below: int) -> bool:
    """Does a version itself say that the numbers between ``below`` and it are lost."""
    return record.gap == f"{below + 1}-{record.version - 1}"


def _check_commit(ws: Workspace, commit: Commit, above: Record | None) -> list[Problem]:
    record = record_of(commit)
    short = commit.id[:12]
    if record is None:
        return [Problem("foreign", f"commit {short} on the line is no version of gitstate's")]
    problems = []
    if len(commit.parents) > 1:
        problems.append(Problem("merge", f"v{record.version} ({short}) has more than one parent"))
    if record.line != ws.line:
        problems.append(
            Problem("line", f"v{record.version} ({short}) says it is of the line {record.line}")
        )
    if above is not None and record.version >= above.version:
        text = f"v{record.version} ({short}) stands below v{above.version}"
        problems.append(Problem("number", text))
    elif (
        above is not None
        and record.version != above.version - 1
        and not _gap_said(above, record.version)
    ):
        text = f"between v{record.version} and v{above.version} versions are missing"
        problems.append(Problem("gap", text))
    return problems


def _check_tree(engine: Engine, commit: Commit, seen: set[str]) -> list[Problem]:
    waiting = [commit.tree]
    while waiting:
        identity = waiting.pop()
        if identity in seen:
            continue
        seen.add(identity)
        try:
            kind, data = engine.verify(identity)
            if kind != "tree":
                continue
            for row in parse_tree(data, engine.object_format):
                if row.mode != SUBMODULE:
                    waiting.append(row.id)
        except (ObjectMissing, ObjectDamaged) as error:
            record = record_of(commit)
            name = f"v{record.version}" if record else commit.id[:12]
            return [Problem("damaged", f"{name} cannot be read whole: {error}")]
    return []


def _edited(ws: Workspace, engine: Engine, line: Line) -> tuple[bytes, ...]:
    found = look(ws, engine, line, load_memory(ws))
    return tuple(
        sorted(
            path
            for path in found.parent.keys() | found.entries.keys()
            if found.parent.get(path) != found.entries.get(path)
            or (path not in found.scan.files and path in found.verdict.held)
        )
    )


def repair(
    ws: Workspace, engine: Engine, *, progress: Callable[[int], object] | None = None
) -> Report:
    """Put back what others deleted, moved or rewrote; inside a ``session``.

    What the branch held instead is kept under the archive ref. Bytes of damaged
    objects come from the files on disk where these still have them; where the newest
    version stays unreadable the line goes on from the newest that can be read.
    """
    done: list[str] = []
    line = read_line(ws, engine)
    if line.tip is not None:
        done += _rewrite_damaged(ws, engine, line.tip)
    target = _newest_whole(ws, engine, line)
    if target is None:
        raise Refused("no version can be read any more; a clone or backup of the repository may hold them")
    commit, number = target
    if line.holder is not None:
        raise Refused(
            f"the branch {printable(ws.line)} is checked out in {printable(line.holder)}; "
            "switch that worktree to another branch first"
        )
    if line.branch != commit:
        if line.branch is not None and _worth_keeping(engine, line.branch):
            name = archive(ws, engine, line.branch)
            done.append(f"kept what the branch held as {name}")
        _move(ws, engine, line.branch, commit)
        done.append(f"put the branch {printable(ws.line)} back to v{number} ({commit[:12]})")
    if line.pending is not None and line.pending != commit:
        name = archive(ws, engine, line.pending)
        done.append(f"kept the pending versions as {name}")
    if line.pending is not None:
        engine.swap_ref(
            ws.pending_ref, old=line.pending, new=None, reason="gitstate: repair", durable=True
        )
    write_anchor(ws, ws.line, Anchor(commit, max(line.version, number), read_life(ws)))
    Numbers.load(ws, engine, commit)
    found = check(ws, engine, progress=progress)
    return Report(
        versions=found.versions,
        problems=found.problems,
        edited=found.edited,
        repaired=tuple(done),
    )


def _worth_keeping(engine: Engine, commit: str) -> bool:
    try:
        engine.commit(commit)
    except (ObjectMissing, ObjectDamaged):
        return False
    return True


def _move(ws: Workspace, engine: Engine, old: str | None, new: str) -> None:
    try:
        engine.swap_ref(ws.ref, old=old, new=new, reason="gitstate: repair", durable=True)
    except RefMoved as error:
        raise Refused(f"the branch {printable(ws.line)} was moved meanwhile; try again") from error


def archive(ws: Workspace, engine: Engine, commit: str) -> str:
    """Keep a replaced tip under the archive ref of today; returns the ref's name."""
    day = clock.now(ws.settings.timezone).date().isoformat()
    taken = engine.refs(ws.archive_prefix)
    for name, held in taken.items():
        if held == commit:
            return name
    count = 0
    while True:
        name = f"{ws.archive_prefix}{day}" + (f".{count}" if count else "")
        if name not in taken:
            try:
                engine.swap_ref(name, old=None, new=commit, reason="gitstate: archive", durable=True)
            except RefMoved:
                pass
            else:
                return name
        count += 1


def _newest_whole(ws: Workspace, engine: Engine, line: Line) -> tuple[str, int] | None:
    """The newest version whose files can all be read: its commit and number."""
    candidates: list[tuple[int, str]] = []
    for tip in (line.tip, line.branch, line.pending, *engine.refs(ws.archive_prefix).values()):
        if tip is not None:
            candidates.append((_number_of(engine, tip), tip))
    # the expected tip first: a rewritten branch may carry higher numbers
    rows = sorted(Numbers.cached(ws), key=lambda row: -row.version)
    ordered = [(_number_of(engine, line.tip), line.tip)] if line.tip else []
    ordered += [(row.version, row.commit) for row in rows]
    ordered += sorted(candidates, reverse=True)
    for number, commit in ordered:
        if number and commit and _whole(engine, commit):
            return commit, number
    return None


def _number_of(engine: Engine, commit: str) -> int:
    try:
        record = record_of(engine.commit(commit))
    except (ObjectMissing, ObjectDamaged):
        return 0
    return record.version if record else 0


def _whole(engine: Engine, commit: str) -> bool:
    try:
        kind, data = engine.verify(commit)
        found = parse_commit(commit, data)
    except (ObjectMissing, ObjectDamaged):
        return False
    return kind == "commit" and record_of(found) is not None and not _check_tree(engine, found, set())


def _rewrite_damaged(ws: Workspace, engine: Engine, tip: str) -> list[str]:
    """Write blobs of the newest version again that are damaged and whose bytes are on disk."""
    try:
        commit = engine.commit(tip)
        broken = _broken_blobs(engine, commit.tree)
    except (ObjectMissing, ObjectDamaged):
        return []
    mended = {
        item.id: NewObject(item.id, "blob", item.data)
        for item in scan_state(ws).files.values()
        if item.id in broken and item.data is not None
    }
    if not mended:
        return []
    engine.packs.add(list(mended.values()), durable=True, again=True)
    return [f"wrote {len(mended)} damaged files again from the disk"]


def _broken_blobs(engine: Engine, tree: str) -> set[str]:
    broken: set[str] = set()
    waiting = [tree]
    while waiting:
        for row in engine.tree(waiting.pop()):
            if row.mode == TREE:
                waiting.append(row.id)
                continue
            try:
                engine.verify(row.id)
            except (ObjectMissing, ObjectDamaged):
                broken.add(row.id)
    return broken
