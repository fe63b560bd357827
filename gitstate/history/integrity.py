"""Is the line whole: every version readable, history linear, the head as the anchor says."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from gitstate.errors import ObjectDamaged, ObjectMissing
from gitstate.git.objects import SUBMODULE, parse_commit, parse_tree
from gitstate.history.line import number_of, read_line
from gitstate.history.look import load_memory, look
from gitstate.history.record import Record, record_of
from gitstate.history.tree import build_tree
from gitstate.values import dataclass
from gitstate.workspace import RESTORING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from gitstate.git.engine import Engine
    from gitstate.git.objects import Commit
    from gitstate.history.line import Line
    from gitstate.history.look import Look
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
    problems += _strangers(engine, line)
    count = 0
    if line.tip is None:
        if line.trouble is None:
            problems.append(Problem("empty", "there is no version yet"))
        return Report(versions=0, problems=tuple(problems))
    seen: set[str] = set()
    earlier: dict[str, int] = {}  # tree -> the newest version that has it
    above: Record | None = None
    for found in _commits(engine, line.tip):
        if isinstance(found, Problem):
            problems.append(found)
            break
        problems += _check_commit(ws, found, above)
        problems += check_tree(engine, found, seen)
        above = record_of(found) or above
        inside, wrong = _check_day(ws, engine, found, seen)
        count += inside
        problems += wrong
        if above is not None:
            earlier.setdefault(found.tree, above.version)
        if progress is not None:
            progress(count)
    if (
        above is not None
        and above.first != 1
        and not _gap_said(above, 0)
        and not problems
    ):
        shallow = (ws.common_dir / "shallow").exists()
        how = "; this clone is shallow: `git fetch --unshallow` gets the rest"
        text = f"history ends at v{above.first}, not at v1{how if shallow else ''}"
        problems.append(Problem("cut", text))
    problems += _unkept(ws, engine, line.tip)
    edited: tuple[bytes, ...] = ()
    if not any(problem.kind == "damaged" for problem in problems):
        found_now = look(ws, engine, line, load_memory(ws))
        edited = _edited(found_now)
        newest = number_of(engine, line.tip)
        problems += _rolled_back(ws, newest, found_now, earlier)
    return Report(versions=count, problems=tuple(problems), edited=edited)


def _strangers(engine: Engine, line: Line) -> list[Problem]:
    """Versions that came onto the line by another way than gitstate's."""
    names = []
    for identity in reversed(line.strangers):
        number = number_of(engine, identity)
        names.append(f"v{number} ({identity[:12]})" if number else identity[:12])
    if not names:
        return []
    text = (
        f"{', '.join(names)} came onto the branch by something else than the gitstate of this "
        "account; look at it (`gitstate diff`), then `gitstate fsck --repair` takes it over"
    )
    return [Problem("stranger", text)]


def _rolled_back(
    ws: Workspace, newest: int, found: Look, earlier: Mapping[str, int]
) -> list[Problem]:
    """Are the files as a whole those of an earlier version, and no restore did that."""
    interrupted = (ws.runtime / RESTORING).exists()
    if found.entries == found.parent or interrupted:
        return []
    tree, _ = build_tree(found.entries, ws.tree_path, ws.object_format)
    number = earlier.get(tree)
    if number is None:
        return []
    text = (
        f"the files are those of v{number} again, not of v{newest}; `gitstate restore "
        f"v{newest}` brings the newest back, `gitstate snapshot` keeps them as they are"
    )
    return [Problem("rolled back", text)]


def _commits(engine: Engine, tip: str) -> Iterator[Commit | Problem]:
    """The commits of the line, each checked against its id."""
    following: str | None = tip
    while following is not None:
        try:
            kind, data = engine.verify(following)
            if kind != "commit":
                raise ObjectDamaged(  # noqa: TRY301 one exit for every way to be broken
                    f"object {following} is a {kind}, not a commit"
                )
            commit = parse_commit(following, data)
        except (ObjectMissing, ObjectDamaged) as error:
            yield Problem("damaged", str(error))
            return
        yield commit
        following = engine.before(commit)


def _gap_said(record: Record, below: int) -> bool:
    """Does a version itself say that the numbers between ``below`` and it are lost."""
    return record.gap == f"{below + 1}-{record.first - 1}"


def _check_day(
    ws: Workspace, engine: Engine, commit: Commit, seen: set[str]
) -> tuple[int, list[Problem]]:
    """How many versions a commit of the line stands for, and what is wrong with them."""
    record = record_of(commit)
    if record is None or record.archive is None:
        return 1, []
    span = f"v{record.first}-v{record.version} of {record.day}"
    if not engine.has(record.archive):
        if ws.settings.archive_keep != "forever":
            return 1, []  # they may have expired
        text = (
            f"{span} are not here; `gitstate fetch` gets them where a remote has them"
        )
        return 1, [Problem("archive", text)]
    count, problems = 0, []
    above: Record | None = None
    for found in _commits(engine, record.archive):
        if isinstance(found, Problem):
            problems.append(found)
            break
        own = record_of(found)
        if own is not None and own.version < record.first:
            break
        if count == 0 and (found.tree != commit.tree or own is None):
            text = f"the commit of {record.day} ({commit.id[:12]}) has other files than its v{record.version}"
            problems.append(Problem("day", text))
        count += 1
        problems += _check_commit(ws, found, above)
        problems += check_tree(engine, found, seen)
        above = own or above
    if above is not None and above.version != record.first and not problems:
        problems.append(Problem("cut", f"{span} end at v{above.version}"))
    return count, problems


def unkept_days(ws: Workspace, engine: Engine, tip: str) -> list[Record]:
    """The squashed days whose own versions are here, and which no ref keeps, oldest first.

    Where ``archiveKeep`` gives them up that is as it should be.
    """
    if ws.settings.archive_keep != "forever":
        return []
    kept: set[str] = set()
    for held in engine.refs("refs/gitstate/").values():
        try:
            for commit in engine.walk(held):
                if commit.id in kept:
                    break
                kept.add(commit.id)
        except (ObjectMissing, ObjectDamaged):
            continue
    found: list[Record] = []
    with contextlib.suppress(ObjectMissing, ObjectDamaged):
        for commit in engine.walk(tip):
            one = record_of(commit)
            if one and one.archive and one.archive not in kept:
                found += [one] if engine.has(one.archive) else []
    return found[::-1]


def _unkept(ws: Workspace, engine: Engine, tip: str) -> list[Problem]:
    mend = "`gitstate fsck --repair` makes one"
    return [
        Problem(
            "archive", f"no ref keeps v{one.first}-v{one.version} of {one.day}; {mend}"
        )
        for one in unkept_days(ws, engine, tip)
    ]


def _check_commit(ws: Workspace, commit: Commit, above: Record | None) -> list[Problem]:
    record = record_of(commit)
    short = commit.id[:12]
    if record is None:
        return [
            Problem(
                "foreign", f"commit {short} on the line is no version of gitstate's"
            )
        ]
    problems = []
    if len(commit.parents) > 1:
        problems.append(
            Problem("merge", f"v{record.version} ({short}) has more than one parent")
        )
    if record.line != ws.line:
        problems.append(
            Problem(
                "line",
                f"v{record.version} ({short}) says it is of the line {record.line}",
            )
        )
    if above is not None and record.version >= above.first:
        text = f"v{record.version} ({short}) stands below v{above.version}"
        problems.append(Problem("number", text))
    elif (
        above is not None
        and record.version != above.first - 1
        and not _gap_said(above, record.version)
    ):
        text = f"between v{record.version} and v{above.first} versions are missing"
        problems.append(Problem("gap", text))
    return problems


def check_tree(engine: Engine, commit: Commit, seen: set[str]) -> list[Problem]:
    """Read a version's whole tree but for the ids in ``seen``, which grows."""
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
            rows = parse_tree(data, engine.object_format)
            waiting += [row.id for row in rows if row.mode != SUBMODULE]
        except (ObjectMissing, ObjectDamaged) as error:
            record = record_of(commit)
            name = f"v{record.version}" if record else commit.id[:12]
            return [Problem("damaged", f"{name} cannot be read whole: {error}")]
    return []


def _edited(found: Look) -> tuple[bytes, ...]:
    return tuple(
        sorted(
            path
            for path in found.parent.keys() | found.entries.keys()
            if found.parent.get(path) != found.entries.get(path)
            or (path not in found.scan.files and path in found.verdict.held)
        )
    )
