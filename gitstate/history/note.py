"""What a note on a code commit says: which state it was made in, and was the task updated; pure."""

from __future__ import annotations

from dataclasses import dataclass

from gitstate.errors import printable

# weakest first: where several records were joined, the weakest counts
CHECKS = ("stale", "bypassed", "exempt", "updated")


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One code commit's record.

    ``task``: the blob id of the task file at the commit, ``-`` where there was none.
    ``approximate``: the state had moved on before the link could be made.
    """

    line: str
    version: int
    commit: str  # the version's commit: a hint, line and version decide
    check: str
    reason: str = ""
    task: str = ""
    approximate: bool = False

    def text(self) -> str:
        """The note's text: trailers."""
        rows = [
            ("State-Line", self.line),
            ("State-Version", str(self.version)),
            ("State-Commit", self.commit),
            ("State-Check", self.check),
            ("State-Reason", self.reason),
            ("State-Task", self.task),
            ("State-Approximate", "yes" if self.approximate else ""),
        ]
        return "".join(f"{key}: {printable(value)}\n" for key, value in rows if value)


def parse(text: str) -> Note | None:
    """The record in a note's text; of several the newest version and the weakest check.

    git's own ``notes.rewriteRef`` joins the notes of commits that were squashed. Lines
    that are not gitstate's are passed over.
    """
    records: list[dict[str, str]] = []
    for line in text.splitlines():
        key, colon, value = line.partition(": ")
        if not colon or not key.startswith("State-"):
            continue
        if key == "State-Line" or not records or key in records[-1]:
            records.append({})
        records[-1][key] = value.strip()
    notes = [note for record in records if (note := _note(record)) is not None]
    return join(notes) if notes else None


def join(notes: list[Note]) -> Note:
    """Several records as one: the newest version, the weakest check with its reason."""
    newest = max(notes, key=lambda note: note.version)
    weakest = min(notes, key=lambda note: CHECKS.index(note.check))
    return Note(
        line=newest.line,
        version=newest.version,
        commit=newest.commit,
        check=weakest.check,
        reason=weakest.reason,
        task=newest.task,
        approximate=newest.approximate,
    )


def _note(record: dict[str, str]) -> Note | None:
    number = record.get("State-Version", "")
    check = record.get("State-Check", "")
    if not (number.isascii() and number.isdigit()) or check not in CHECKS:
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
