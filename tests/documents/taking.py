"""Entries that are taken out of their file, as a tidy takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.documents import decision_log, known_issues
from gitstate.documents.edit_entries import take_out

if TYPE_CHECKING:
    from gitstate.documents.edit_entries import TakenOut


def decision_taken(text: str, id_: str | None) -> TakenOut:
    """A log without the decision of that id."""
    found = decision_log.parts(text)
    [at] = [n for n, one in enumerate(found.log.decisions) if one.id == id_]
    return take_out(found.outline, found.entries, {at})


def issue_taken(text: str, id_: str | None) -> TakenOut:
    """The file without the issue of that id."""
    found = known_issues.parts(text)
    [at] = [n for n, one in enumerate(found.issues.issues) if one.id == id_]
    return take_out(found.outline, found.entries, {at})
