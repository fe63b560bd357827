"""``03-known-issues.md``: what goes wrong, of what kind, whether it is gone, and what helps."""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

from functools import cache
from typing import Literal, get_args

from gitstate.documents.entries import (
    Entry,
    Kind,
    date_in,
    entries_of,
    inline_parts,
)
from gitstate.documents.fields import Coverage, Lines
from gitstate.documents.header import Problem, Strength
from gitstate.documents.ids import doubles, ids_like
from gitstate.documents.items import own_strength, strength_in
from gitstate.documents.sections import Outline, outline
from gitstate.documents.vocabulary import Vocabulary, says_nothing, vocabulary
from gitstate.errors import printable
from gitstate.values import dataclass, field

IssueKind = Literal["bug", "workaround", "debt"]
IssueStatus = Literal["open", "resolved"]


@dataclass(frozen=True, slots=True)
class Issue:
    """One issue; ``id`` is ``None`` for one that has no number yet.

    ``notes`` are its texts without a label, ``resolution`` says how it was resolved.
    """

    id: str | None
    title: str
    kind: IssueKind = "bug"
    status: IssueStatus = "open"
    workaround: str | None = None
    resolution: str | None = None
    date: str | None = None
    strength: Strength | None = None
    notes: tuple[str, ...] = ()
    lines: Lines = field(default=Lines(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class KnownIssues:
    """The issues, in the file's order; ``unread`` lines were not understood."""

    issues: tuple[Issue, ...] = ()
    unread: tuple[Lines, ...] = field(default=(), compare=False)
    problems: tuple[Problem, ...] = field(default=(), compare=False)

    def open(self) -> tuple[Issue, ...]:
        """The issues that are not resolved."""
        return tuple(one for one in self.issues if one.status == "open")

    def find(self, id_: str) -> Issue | None:
        """The issue of that number, in whatever form it is given (``I-3``, ``3``)."""
        wanted = issue_id(id_)
        found = (one for one in self.issues if wanted and one.id == wanted)
        return next(found, None)

    def next_id(self, above: int = 0) -> str:
        """The first number that was never used; ``above``: the highest known elsewhere."""
        return kind().ids.following((one.id for one in self.issues), above)


@dataclass(slots=True)
class Parts:
    """The issues with where their parts are, for those who change them."""

    outline: Outline
    issues: KnownIssues
    entries: list[Entry]


def parse(text: str | Outline) -> KnownIssues:
    """The issues that ``text``, the whole file, tells of; never fails."""
    return parts(text).issues


def parts(text: str | Outline) -> Parts:
    """The issues, with where their parts are."""
    source = text if isinstance(text, Outline) else outline(text, kind().words)
    read = Coverage(source)
    entries = entries_of(source, kind(), read)
    problems: list[Problem] = []
    issues = tuple(_issue(source, entry, read, problems) for entry in entries)
    problems += doubles((one.id, one.lines) for one in issues)
    return Parts(source, KnownIssues(issues, read.unread(), tuple(problems)), entries)


@cache
def kind() -> Kind:
    """What tells an issue from other text."""
    return Kind(
        ids=ids_like("I", "issue|bug|problem|debt|ki|问题|缺陷"),
        words=vocabulary("issue"),
        table=vocabulary("issue table"),
        title="title",
        short=frozenset({"kind", "status", "date", "strength"}),
        statuses=vocabulary("issue status"),
        sections=vocabulary("issue sections"),
    )


def issue_id(text: str) -> str | None:
    """``I-0003`` for ``I-3``, ``i3``, ``#3``, ``3`` or ``Issue 3``; else ``None``."""
    return kind().ids.named(text)


def _issue(
    source: Outline, entry: Entry, read: Coverage, problems: list[Problem]
) -> Issue:
    said = entry.values(source, kind(), read)
    notes = list(entry.notes)
    text = _text(entry, said, notes)
    if not any(said[key] for key in ("kind", "status", "workaround")):
        text, inline = inline_parts(text, kind().words)
        said.update(inline)
    for key in ("workaround", "resolution"):
        if says_nothing(said[key]):
            said[key] = ""
    return Issue(
        id=kind().ids.of(entry.title.number),
        title=text,
        kind=_kind(entry, said["kind"], problems),
        status=_status(entry, said["status"], problems),
        workaround=said["workaround"] or None,
        resolution=said["resolution"] or None,
        date=date_in(said["date"]) or entry.title.date,
        strength=strength_in(said["strength"]) or own_strength(text),
        notes=tuple(notes),
        lines=Lines(entry.line + 1, entry.stop),
    )


def _text(entry: Entry, said: dict[str, str], notes: list[str]) -> str:
    """The title, and what is labelled as the problem where that says more."""
    text, more = entry.title.text, said["title"]
    if text and more and more != text and entry.form != "row":
        return f"{text}: {more}"
    return text or more or (notes.pop(0) if notes else "")


def _kind(entry: Entry, written: str, problems: list[Problem]) -> IssueKind:
    words = vocabulary("kind")
    key = _word(words, written, entry, "kind", problems)
    if key is None:
        above = (one for one in reversed(entry.sections) if one in words.written)
        key = next(above, None)
    return next((one for one in get_args(IssueKind) if one == key), "bug")


def _status(entry: Entry, written: str, problems: list[Problem]) -> IssueStatus:
    """As it is labelled, else marked, else as the heading above says."""
    title = entry.title
    key = _word(kind().statuses, written, entry, "status", problems)
    marks = [mark.status for mark in (title.mark, title.later) if mark]
    if key is None and marks:
        key = "resolved" if "resolved" in marks else "open"
    if key is None and title.struck:
        key = "resolved"
    if key is None:
        above = (one for one in reversed(entry.sections) if one in {"open", "resolved"})
        key = next(above, None)
    return "resolved" if key == "resolved" else "open"


def _word(
    words: Vocabulary, written: str, entry: Entry, what: str, problems: list[Problem]
) -> str | None:
    """The key that a value names; its first word counts where the whole names none."""
    if not written:
        return None
    first = written.split(maxsplit=1)[0].strip(",.;，。；")
    key = words.key_in_part(written) or words.key(first)
    if key is None:
        known = ", ".join(words.written)
        problem = f"the {what} is none of {known}: {printable(written)}"
        problems.append(Problem(entry.line + 1, problem))
    return key
