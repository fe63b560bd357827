"""What a worktree's state can be asked about, and what is given back where it was missed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gitstate.documents import CURRENT_TASK, PROJECT_CONTEXT
from gitstate.errors import Refused, printable
from gitstate.recall import probes, questions
from gitstate.recall.asking import combined, restatement
from gitstate.recall.texts import texts_of
from gitstate.recall.verification import score

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitstate.recall.asking import Request
    from gitstate.recall.verification import Verdict
    from gitstate.workspace import Workspace


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
        """What the questions after the ``nth`` compaction ask for, as far as it can be told."""
        name = questions.restated(self.texts, nth)
        found = [self.of_all(), *([self.of_file(name)] if name else [])]
        return tuple(one for one in found if one.text)

    def probes(self) -> Sequence[Request]:
        """A question for each fact and command."""
        return probes.probes(self.texts.get(PROJECT_CONTEXT, ""), lang=self.lang)


def checks_of(ws: Workspace, more: str = "") -> Checks:
    """What the state has now; as ``texts_of``."""
    return Checks(texts_of(ws, more), ws.settings.lang)


class Said(NamedTuple):
    """A message, and the part of it that answers (all of it, where nothing marks one)."""

    whole: str
    part: str


def judged(requests: Iterable[Request], answers: Iterable[Said]) -> list[Verdict]:
    """For each request the best that any of the answers says of it.

    What is contradicted in one of them is not made good by another one.
    """
    said = list(answers)
    found = []
    for request in requests:
        verdicts = [_verdict(request, one) for one in said]
        wrong = [one for one in verdicts if one.contradicted and one.said]
        found.append(min(wrong or verdicts, key=_faults))
    return found


def _verdict(request: Request, said: Said) -> Verdict:
    """What the part says, unless the rest of the message takes it back.

    The rest is about the work: what the state does not know is nothing said otherwise.
    """
    part = score(request, said.part)
    if said.part == said.whole:
        return part
    whole = score(request, said.whole)
    if part.accepted:
        back = any(one.dimension is not None for one in whole.contradicted)
        return whole if back else part
    return min(whole, part, key=_faults)


def _faults(verdict: Verdict) -> int:
    return len(verdict.missing) + len(verdict.contradicted)
