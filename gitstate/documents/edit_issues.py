"""Edits of ``03-known-issues.md``: a text and values in, the new text out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.documents import marks
from gitstate.documents.edit_entries import (
    add_entry,
    find_entry,
    set_part,
)
from gitstate.documents.inline import guard_title, guard_value, join, one_line
from gitstate.documents.items import own_strength
from gitstate.documents.known_issues import (
    Issue,
    IssueKind,
    KnownIssues,
    Parts,
    issue_id,
    kind,
    parse,
    parts,
)
from gitstate.documents.splice import Splice, offset_of, verified
from gitstate.documents.vocabulary import vocabulary
from gitstate.documents.writing import language
from gitstate.values import replace

if TYPE_CHECKING:
    from gitstate.documents.entries import Entry

_ORDER = (
    "title",
    "kind",
    "status",
    "workaround",
    "resolution",
    "date",
    "strength",
)


def add(  # noqa: PLR0913 what an issue is made of
    text: str,
    title: str,
    *,
    kind_: IssueKind = "bug",
    workaround: str | None = None,
    date: str | None = None,
    above: int = 0,
) -> tuple[str, Issue]:
    """The file with one more open issue, and this issue.

    Its number is the first that was never used; ``above`` is the highest known from
    elsewhere (issues that were moved away).
    """
    found = parts(text)
    lang = language(found.outline)
    said = one_line(title, of="issue")
    new = Issue(
        id=found.issues.next_id(above),
        title=said,
        kind=kind_,
        workaround=None
        if workaround is None
        else one_line(workaround, of="workaround"),
        date=None if date is None else one_line(date, of="date"),
        strength=own_strength(said),
    )
    values = [
        ("kind", vocabulary("kind").name(kind_, lang)),
        ("status", kind().statuses.name("open", lang)),
    ]
    if new.workaround:
        values.append(("workaround", guard_value(new.workaround)))
    if new.date:
        values.append(("date", new.date))
    heading = f"{new.id} {guard_title(said)}"
    written = add_entry(found.outline, found.entries, kind(), heading, values)
    after = parse(written)
    there = next((one for one in after.issues if one.id == new.id), new)
    others = tuple(one for one in after.issues if one is not there)
    verified(written, (found.issues.issues, new), lambda _: (others, there))
    return written, there


def resolve(text: str, id_: str, resolution: str | None = None) -> str:
    """The file with an issue resolved, and how, where that is said."""
    if resolution is not None:
        text = _with_resolution(text, id_, one_line(resolution, of="resolution"))
    found = parts(text)
    entry = find_entry(found.entries, kind(), issue_id(id_), id_)
    place = next(n for n, one in enumerate(found.entries) if one is entry)
    issue = found.issues.issues[place]
    if issue.status == "resolved":
        return text
    splice = Splice(found.outline)
    title = _resolve(splice, entry, found)
    new = replace(issue, status="resolved", title=title or issue.title)
    issues = list(found.issues.issues)
    issues[place] = new
    return verified(splice.text(), KnownIssues(tuple(issues)), parse)


def _with_resolution(text: str, id_: str, resolution: str) -> str:
    """The file with what is said of how an issue was resolved."""
    found = parts(text)
    entry = find_entry(found.entries, kind(), issue_id(id_), id_)
    place = next(n for n, one in enumerate(found.entries) if one is entry)
    splice = Splice(found.outline)
    value = guard_value(resolution)
    set_part(splice, entry, kind(), _ORDER, key="resolution", value=value)
    issues = list(found.issues.issues)
    issues[place] = replace(issues[place], resolution=resolution)
    return verified(splice.text(), KnownIssues(tuple(issues)), parse)


def _resolve(splice: Splice, entry: Entry, found: Parts) -> str | None:
    """Change the label that says the status, or the mark, or add the label.

    Returns the title where the mark is a part of it.
    """
    words = kind().statuses
    lang = language(found.outline)
    title = entry.title
    mark = title.mark or title.later
    labelled = "status" in entry.parts or (
        entry.record is not None and "status" in entry.record.columns
    )
    if mark is not None and mark.status != "resolved" and entry.record is None:
        _rewrite_mark(splice, entry, labelled=labelled)
        if labelled:
            set_part(
                splice,
                entry,
                kind(),
                _ORDER,
                key="status",
                value=words.name("resolved", lang),
            )
        if title.later is not None and title.mark is None:
            return marks.rewritten(title.text, mark, "resolved", words, lang)
        return None
    set_part(
        splice, entry, kind(), _ORDER, key="status", value=words.name("resolved", lang)
    )
    return None


def _rewrite_mark(splice: Splice, entry: Entry, *, labelled: bool) -> None:
    """Put "resolved" in the place of the mark in an entry's first line."""
    outline = splice.outline
    words = kind().statuses
    block = outline.blocks[entry.index]
    whole = join(block.rows)
    lang = language(outline)
    if entry.title.mark is not None:
        new = marks.rewritten(whole, entry.title.mark, "resolved", words, lang)
    else:
        at = whole.find(entry.title.text)
        if labelled or at < 0 or entry.title.later is None:
            return
        inner = marks.rewritten(
            entry.title.text, entry.title.later, "resolved", words, lang
        )
        new = whole[:at] + inner + whole[at + len(entry.title.text) :]
    line = outline.lines[block.start]
    start = offset_of(line, block.rows[0])
    tail = line[start + len(block.rows[0]) :] if len(block.rows) == 1 else ""
    splice.replace(
        block.start, block.start + len(block.rows), [line[:start] + new + tail]
    )
