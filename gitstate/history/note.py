"""What a note on a code commit says: which state it was made in, and was the task updated; pure."""

from __future__ import annotations

from gitstate.errors import printable
from gitstate.history.rule import BYPASSED, CHECKS, EXEMPT, STALE
from gitstate.values import dataclass

__all__ = ["CHECKS", "FIRST_BASELINE", "FLAGGED", "Note", "join", "parse"]

FIRST_BASELINE = "first baseline"
FLAGGED = frozenset({STALE, BYPASSED})
_KEYS = frozenset(
    f"State-{name}"
    for name in ("Line", "Version", "Commit", "Check", "Reason", "Task", "Approximate")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One code commit's record.

    ``task``: the blob id of the task file at the commit, ``-`` where there was none.
    ``approximate``: the state had moved on before the link could be made. ``others``:
    lines that are not gitstate's; they are kept.
    """

    line: str
    version: int
    commit: str  # the version's commit: a hint, line and version decide
    check: str
    reason: str = ""
    task: str = ""
    approximate: bool = False
    others: tuple[str, ...] = ()

    @property
    def is_first_baseline(self) -> bool:
        """Does it only say where ``init`` began, not what the commit was made in."""
        return self.check == EXEMPT and self.reason == FIRST_BASELINE

    def text(self) -> str:
        """The note's text: trailers, and below them the lines of others."""
        rows = [
            ("State-Line", self.line),
            ("State-Version", str(self.version)),
            ("State-Commit", self.commit),
            ("State-Check", self.check),
            ("State-Reason", self.reason),
            ("State-Task", self.task),
            ("State-Approximate", "yes" if self.approximate else ""),
        ]
        ours = [f"{key}: {printable(value)}" for key, value in rows if value]
        below = ["", *self.others] if self.others else []
        return "".join(f"{row}\n" for row in (*ours, *below))


def parse(text: str) -> Note | None:
    """The record in a note's text; of several the newest version and the weakest check.

    git's own ``notes.rewriteRef`` joins the notes of commits that were squashed.
    """
    records: list[dict[str, str]] = []
    others: list[str] = []
    for line in text.split("\n"):
        key, colon, value = line.partition(": ")
        if not colon or key not in _KEYS:
            others.append(line.rstrip())
            continue
        if key == "State-Line" or not records or key in records[-1]:
            records.append({})
        records[-1][key] = value.strip()
    notes = [note for record in records if (note := _note(record)) is not None]
    return join(notes, others) if notes else None


def join(notes: list[Note], others: list[str] | None = None) -> Note:
    """Several records as one: the newest version, the weakest check with its reason.

    What a clone's ``init`` noted gives way to any record of the commit itself.
    """
    notes = [note for note in notes if not note.is_first_baseline] or notes
    newest = max(notes, key=lambda note: note.version)
    weakest = min(notes, key=lambda note: CHECKS.index(note.check))
    blocks = dict.fromkeys([*(note.others for note in notes), _trimmed(others or [])])
    lines = [line for block in blocks if block for line in ("", *block)]
    return Note(
        line=newest.line,
        version=newest.version,
        commit=newest.commit,
        check=weakest.check,
        reason=weakest.reason,
        task=newest.task,
        approximate=newest.approximate,
        others=tuple(lines[1:]),
    )


def _trimmed(lines: list[str]) -> tuple[str, ...]:
    """The lines with no blank ones at the ends or in a row."""
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    while kept and not kept[-1]:
        kept.pop()
    return tuple(kept)


def _note(record: dict[str, str]) -> Note | None:
    number = record.get("State-Version", "")
    check = record.get("State-Check", "")
    short = number.isascii() and number.isdigit() and len(number) <= 18  # noqa: PLR2004 as in names
    if not short or check not in CHECKS:
        return None
    return Note(
        line=record.get("State-Line", ""),
        version=int(number),
        commit=record.get("State-Commit", ""),
        check=check,
        reason=record.get("State-Reason", ""),
        task=record.get("State-Task", ""),
        approximate=record.get("State-Approximate", "") == "yes",
    )
