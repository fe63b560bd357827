"""Decisions and known issues, before and after; pure."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gitstate.history.change import Change
from gitstate.history.matching import bare, pair_up

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitstate.documents.decision_log import Decision, DecisionLog
    from gitstate.documents.known_issues import Issue, KnownIssues
    from gitstate.history.change import Act
    from gitstate.history.moved import Moved


def _keys(entries: Sequence[tuple[str | None, str]]) -> list[tuple[str, int]]:
    """A key for each entry: its number or text, and which of those that have it it is."""
    seen: Counter[str] = Counter()
    keys = []
    for id_, text in entries:
        key = id_ or bare(text)
        keys.append((key, seen[key]))
        seen[key] += 1
    return keys


def compare_decisions(
    path: bytes, old: DecisionLog, new: DecisionLog, moved: Moved
) -> Iterator[Change]:
    """Decisions made, superseded, revised, withdrawn, moved to the archive."""
    before = dict(
        zip(
            _keys([(d.id, d.decision) for d in old.decisions]),
            old.decisions,
            strict=True,
        )
    )
    after = dict(
        zip(
            _keys([(d.id, d.decision) for d in new.decisions]),
            new.decisions,
            strict=True,
        )
    )
    was_live = {id(one) for one in old.live()}
    is_live = {id(one) for one in new.live()}
    by = _superseding(new.decisions)
    pairs, gone = pair_up(
        list(before.items()),
        list(after.items()),
        lambda item: item[0],
        lambda item: "" if item[1].id else item[1].decision,
    )
    later: list[Change] = []
    for earlier, (_, one) in pairs:
        was = earlier[1] if earlier else None
        if was is None:
            yield _decision(path, _made(one), one)
        became = _became(
            was, one, was_live=id(was) in was_live, live=id(one) in is_live
        )
        if became == "made":
            yield _decision(path, became, one, was)
        elif became:
            later.append(_decision(path, became, one, was, by=_by(became, one, by)))
    yield from later
    for (key, _), one in gone:
        yield _gone(path, key, one, moved)
    known = {key for key, _ in (*before, *after)}
    for key, (file, one) in moved.decisions.items():
        if key not in known and one.id and moved.names(file, one.id):
            # made and moved out again, both within the span
            moved.used.add(file)
            yield _decision(file, "made", one)


def _superseding(decisions: Sequence[Decision]) -> dict[str, list[str]]:
    by: dict[str, list[str]] = {}
    for one in decisions:
        for id_ in one.supersedes:
            if one.id and one.status in {"live", "superseded"}:
                by.setdefault(id_, []).append(one.id)
    return by


def _by(act: Act, one: Decision, superseding: dict[str, list[str]]) -> tuple[str, ...]:
    """Which decisions supersede one that is superseded."""
    if act != "superseded":
        return ()
    by = (*one.superseded_by, *superseding.get(one.id or "", ()))
    return tuple(dict.fromkeys(by))


def _made(one: Decision) -> Act:
    return "proposed" if one.status == "proposed" else "made"


def _became(
    was: Decision | None, one: Decision, *, was_live: bool, live: bool
) -> Act | None:
    """What became of a decision, beside that it was made."""
    if not live and (was is None or was_live):
        return "withdrawn" if one.status == "withdrawn" else "superseded"
    if was is None:
        return None
    if live and not was_live:
        return "reinstated"
    if was.status == "proposed" and one.status == "live":
        return "made"
    return "changed" if _said(was) != _said(one) else None


def _gone(path: bytes, key: str, one: Decision, moved: Moved) -> Change:
    found = moved.decisions.get(key)
    if found:
        moved.used.add(found[0])
    archived = found is not None or moved.holds(one.decision)
    return Change(
        subject="decision",
        act="archived" if archived else "removed",
        text=one.decision,
        id=one.id,
        path=path,
        was_lines=one.lines,
    )


def _said(one: Decision) -> tuple[object, ...]:
    return (
        bare(one.decision),
        one.reason and bare(one.reason),
        one.confidence,
        one.alternatives,
        one.status,
    )


def _decision(
    path: bytes,
    act: Act,
    one: Decision,
    was: Decision | None = None,
    *,
    by: tuple[str, ...] = (),
) -> Change:
    reworded = was is not None and bare(was.decision) != bare(one.decision)
    return Change(
        subject="decision",
        act=act,
        text=one.decision,
        was=was.decision if was and reworded else None,
        id=one.id,
        reason=one.reason,
        confidence=one.confidence,
        alternatives=tuple(item.name for item in one.alternatives),
        by=by,
        path=path,
        lines=one.lines,
        was_lines=was.lines if was else None,
    )


def compare_issues(
    path: bytes, old: KnownIssues, new: KnownIssues, moved: Moved
) -> Iterator[Change]:
    """Issues opened, resolved, reopened, changed, moved away."""
    before = dict(
        zip(_keys([(i.id, i.title) for i in old.issues]), old.issues, strict=True)
    )
    after = dict(
        zip(_keys([(i.id, i.title) for i in new.issues]), new.issues, strict=True)
    )
    pairs, gone = pair_up(
        list(before.items()),
        list(after.items()),
        lambda item: item[0],
        lambda item: "" if item[1].id else item[1].title,
    )
    for earlier, (_, one) in pairs:
        act = issue_act(earlier[1] if earlier else None, one)
        if act:
            yield issue_change(path, act, one, earlier[1] if earlier else None)
    for (key, _), one in gone:
        yield _issue_gone(path, key, one, moved)
    known = {key for key, _ in (*before, *after)}
    for key, (file, one) in moved.issues.items():
        resolved = one.id and one.status == "resolved" and moved.names(file, one.id)
        if key not in known and resolved:
            moved.used.add(file)
            yield issue_change(file, "opened and resolved", one)


def issue_act(was: Issue | None, one: Issue) -> Act | None:
    """What became of an issue."""
    if was is None:
        return "opened" if one.status == "open" else "opened and resolved"
    if was.status != one.status:
        return "resolved" if one.status == "resolved" else "reopened"
    said = [(bare(i.title), i.kind, i.workaround, i.resolution) for i in (was, one)]
    return "changed" if said[0] != said[1] else None


def _issue_gone(path: bytes, key: str, one: Issue, moved: Moved) -> Change:
    """An issue that is not in the file any more: resolved, only moved, or taken out."""
    found = moved.issues.get(key)
    if found is not None:
        file, there = found
        moved.used.add(file)
        if one.status == "open" and there.status == "resolved":
            return issue_change(file, "resolved", there, one)
    archived = found is not None or moved.holds(one.title)
    return Change(
        subject="issue",
        act="archived" if archived else "removed",
        text=one.title,
        id=one.id,
        path=path,
        was_lines=one.lines,
    )


def issue_change(path: bytes, act: Act, one: Issue, was: Issue | None = None) -> Change:
    """An issue's change, with how it was resolved or what helps meanwhile."""
    reworded = was is not None and bare(was.title) != bare(one.title)
    return Change(
        subject="issue",
        act=act,
        text=one.title,
        was=was.title if was and reworded else None,
        id=one.id,
        reason=one.resolution if one.status == "resolved" else one.workaround,
        path=path,
        lines=one.lines,
        was_lines=was.lines if was else None,
    )
