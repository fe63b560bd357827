"""What a worktree's state can be asked about, and what is given back where it was missed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gitstate.documents import (
    CONVENTIONS,
    CURRENT_TASK,
    PROJECT_CONTEXT,
)
from gitstate.errors import GitstateError, Refused, printable
from gitstate.history.editing import viewed
from gitstate.memory.shelf import numbered
from gitstate.recall import probes
from gitstate.recall.asking import combined, restatement
from gitstate.recall.verification import score

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitstate.recall.asking import Request
    from gitstate.recall.verification import Verdict
    from gitstate.workspace import Workspace

# what is restated after a compaction, each time the next one
_RESTATED = (CONVENTIONS, PROJECT_CONTEXT, CURRENT_TASK)


class Checks(NamedTuple):
    """The state's files by name, as they are now, and the language to ask in."""

    texts: Mapping[str, str]
    lang: str

    @property
    def known(self) -> str:
        """All that the state says."""
        return "\n".join(self.texts.values())

    def of_file(self, name: str) -> Request:
        """The restatement of a file; raises ``Refused`` where there is no such file."""
        text = self.texts.get(name)
        if text is None:
            raise Refused(
                f"there is no {printable(name)} in the state: "
                f"{', '.join(map(printable, self.texts)) or 'it has no files'}"
            )
        task = self.texts.get(CURRENT_TASK, "")
        return restatement(text, name=name, lang=self.lang, task=task, known=self.known)

    def of_all(self) -> Request:
        """The combined question."""
        return combined(self.texts, lang=self.lang)

    def after_brief(self, nth: int) -> tuple[Request, ...]:
        """The combined question and the ``nth`` restatement; what has nothing to ask is left out."""
        files = [one for one in _RESTATED if one in self.texts]
        asked = [one for one in map(self.of_file, files) if one.text]
        found = [self.of_all(), asked[nth % len(asked)] if asked else None]
        return tuple(one for one in found if one is not None and one.text)

    def probes(self) -> Sequence[Request]:
        """A question for each fact and command."""
        return probes.probes(self.texts.get(PROJECT_CONTEXT, ""), lang=self.lang)


def checks_of(ws: Workspace, more: str = "") -> Checks:
    """What the state has now; a file that cannot be read is left out.

    ``more``: a file that is not numbered. Raises ``Refused`` where there is no state, or
    where ``more`` cannot be read.
    """
    texts: dict[str, str] = {}
    with viewed(ws) as files:
        if more and more not in numbered(files):
            texts[more] = files.text(more) or ""
            if not texts[more]:
                del texts[more]
        for name in numbered(files):
            try:
                text = files.text(name)
            except GitstateError:
                if name == more:
                    raise
                continue
            if text is not None:
                texts[name] = text
    return Checks(texts, ws.settings.lang)


def judged(requests: Iterable[Request], answers: Iterable[str]) -> list[Verdict]:
    """For each request the best that any of the answers says of it.

    What is contradicted in one of them is not made good by another one.
    """
    said = list(answers)
    found = []
    for request in requests:
        verdicts = [score(request, one) for one in said]
        wrong = [one for one in verdicts if one.contradicted and one.said]
        found.append(min(wrong or verdicts, key=lambda one: len(one.missing)))
    return found
