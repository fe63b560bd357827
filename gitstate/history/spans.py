"""Several states in order (a day's versions) -> what changed over all of them; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.history import parsed
from gitstate.history.change import Change, Changes, strongest_first
from gitstate.history.changes import between
from gitstate.history.compare_entries import issue_change
from gitstate.history.compare_task import compare_steps, same_task
from gitstate.history.matching import bare
from gitstate.values import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gitstate.documents.current_task import CurrentTask
    from gitstate.documents.known_issues import Issue
    from gitstate.history.parsed import Kind

# Of a day with more texts of one file than this, so many are looked at, evenly chosen:
# a text takes about a millisecond, and a day can have ten thousand versions.
MOST_LOOKS = 200


def over(states: Sequence[Mapping[bytes, bytes]]) -> Changes:
    """What changed from the first state to the last: path -> bytes, all that may differ.

    As ``between`` the two, and issues that were opened and resolved, tasks that were
    begun and ended, in between. Raises ``ValueError`` where there is no state.
    """
    if not states:
        message = "no states to compare"
        raise ValueError(message)
    net = between(*_differing(states[0], states[-1]))
    items = [*net.items]
    for path in sorted({path for state in states for path in state}):
        kind = parsed.kind_of(path)
        texts = _texts(states, path) if kind in {"issues", "task"} else []
        if len(texts) > 2:  # noqa: PLR2004 something lies between the ends
            items = _with_between(kind, path, texts, items)
    told = net.told | {one.path for one in items}
    return Changes(tuple(strongest_first(items)), net.progress, told)


@dataclass(slots=True)
class State:
    """One version of a day: its number, which one it restored, path -> bytes."""

    version: int
    restored: int | None
    files: dict[bytes, bytes]


def without_undone(states: Sequence[State]) -> list[dict[bytes, bytes]]:
    """The files of each state, oldest first; what a restore took back was never there.

    A file that changed with the restore has, in the states since the one that was
    restored, the text that it has after it. The last restore counts first: one that
    brings back what another took away undoes that. The first state stays as it is.
    """
    for at in range(len(states) - 1, 0, -1):
        one = states[at]
        if one.restored is None:
            continue
        before = states[at - 1].files
        for path in one.files.keys() | before.keys():
            text = one.files.get(path)
            if text == before.get(path):
                continue
            for other in states[1:at]:
                if other.version > one.restored:
                    _put(other.files, path, text)
    return [one.files for one in states]


def _put(files: dict[bytes, bytes], path: bytes, text: bytes | None) -> None:
    if text is None:
        files.pop(path, None)
    else:
        files[path] = text


def _differing(
    first: Mapping[bytes, bytes], last: Mapping[bytes, bytes]
) -> tuple[dict[bytes, bytes], dict[bytes, bytes]]:
    paths = {
        path
        for path in {*first, *last}
        if first.get(path) != last.get(path)
        or parsed.kind_of(path) in {"task", "issues"}
    }
    return (
        {path: data for path, data in first.items() if path in paths},
        {path: data for path, data in last.items() if path in paths},
    )


def _texts(states: Sequence[Mapping[bytes, bytes]], path: bytes) -> list[bytes]:
    """The texts that a file went through, each once in a row; both ends always."""
    found: list[bytes] = []
    for state in states:
        data = state.get(path, b"")
        if not found or found[-1] != data:
            found.append(data)
    if len(found) <= MOST_LOOKS:
        return found
    last = len(found) - 1
    return [found[at * last // (MOST_LOOKS - 1)] for at in range(MOST_LOOKS)]


def _with_between(
    kind: Kind | None, path: bytes, texts: list[bytes], items: list[Change]
) -> list[Change]:
    if kind == "issues":
        return _issues_between(path, texts, items)
    return [*items, *_tasks_between(path, texts, items)]


def _issues_between(
    path: bytes, texts: list[bytes], items: list[Change]
) -> list[Change]:
    """Issues that were seen resolved before they were taken out of the file."""
    found = [log.issues for text in texts if (log := parsed.issues(text)) is not None]
    if not found:
        return items
    ends = {_key(one) for issues in (found[0], found[-1]) for one in issues}
    resolved: dict[str, Issue] = {}
    for issues in found[1:-1]:
        for one in issues:
            if one.status == "resolved":
                resolved[_key(one)] = one
            else:
                resolved.pop(_key(one), None)
    told = {one.id or bare(one.text) for one in items if one.subject == "issue"}
    open_before = {_key(one) for one in found[0] if one.status == "open"}
    items = [
        replace(issue_change(path, "resolved", there), lines=None)
        if one.subject == "issue"
        and one.act == "removed"
        and (there := resolved.get(one.id or bare(one.text)))
        and _key(there) in open_before
        else one
        for one in items
    ]
    items += [
        replace(issue_change(path, "opened and resolved", one), lines=None)
        for key, one in resolved.items()
        if key not in ends and key not in told
    ]
    return items


def _key(one: Issue) -> str:
    return one.id or bare(one.title)


def _tasks_between(
    path: bytes, texts: list[bytes], items: list[Change]
) -> Iterator[Change]:
    """Tasks that came and went, and what was done in the first before it went."""
    runs: list[tuple[CurrentTask, CurrentTask]] = []
    for text in texts:
        task = parsed.task(text)
        if task is None:
            continue
        if runs and same_task(runs[-1][1], task):
            runs[-1] = (runs[-1][0], task)
        else:
            runs.append((task, task))
    known = {bare(one.text) for one in items if one.subject == "task"}
    ends = {
        bare(task.goal.text)
        for run in runs[:1] + runs[-1:]
        for task in run
        if task.goal
    }
    done = {bare(one.text) for one in items if one.subject == "step"}
    for at, (first, last) in enumerate(runs[:-1]):
        goal = last.goal
        if goal is None:
            continue
        if at and bare(goal.text) not in known | ends:
            known.add(bare(goal.text))
            yield Change(
                subject="task", act="started and ended", text=goal.text, path=path
            )
        for one in compare_steps(path, () if at else first.steps, last.steps):
            if one.act == "done" and bare(one.text) not in done:
                done.add(bare(one.text))
                yield replace(one, lines=None, was_lines=None)
