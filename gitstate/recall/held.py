"""An answer beside what was asked for, while it is held against that."""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from gitstate.documents.rules import force_of
from gitstate.late import late
from gitstate.recall.answers import sentences
from gitstate.recall.cleaning import clean
from gitstate.recall.subjects import Subject
from gitstate.recall.terms import camel, terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gitstate.recall.asking import Dimension, Request
    from gitstate.recall.segments import Segment

TAIL = 4  # words of a verdict on what stands before it
_COMMENT = late(r"<!--.*?(?:-->|\Z)", re.DOTALL)
# an item of a list, but none that is called something: a reason, a fact
_ITEM = late(r"^\s*(?:[-*+]|\d{1,4}[.)])\s+(?![^\n:：]{1,40}[:：]\s)(.*)", re.MULTILINE)


class Contradiction(NamedTuple):
    """What an answer says that the state does not; ``dimension`` where it concerns one."""

    said: str
    dimension: Dimension | None = None


class Held:
    """An answer's sentences, and the subjects of a request.

    ``over``: what no longer holds; ``known``: all that the state says, clean;
    ``covering``: the segments that say a subject, by its number; ``quoted``: what stands there
    word for word and is put plainly -> as the state has it.
    """

    def __init__(
        self,
        request: Request,
        answer: str,
        quoted: Mapping[Dimension, Dimension] | None = None,
    ) -> None:
        self.quoted = quoted or {}
        self.request = request
        self.answer = sentences(answer)
        self.known = clean(request.known)
        self.camel = camel(answer)
        self.subjects = [Subject(one) for one in request.dimensions]
        self.over = [Subject(one) for one in request.over]
        self.covering: dict[int, Sequence[Segment]] = {}
        self.recorded: dict[str, bool] = {}  # names -> does the state have them

    @cached_property
    def forbids(self) -> bool:
        """Does the state forbid anything, in the file that is asked of or in another."""
        if any(
            one.negative or one.foils or one.foil_words
            for one in (*self.subjects, *self.over)
        ):
            return True
        said = _COMMENT.sub("", self.request.known)
        return any(force_of(item) == "never" for item in _ITEM.findall(said))

    @cached_property
    def bans(self) -> list[Subject]:
        """What the state forbids."""
        return [one for one in (*self.subjects, *self.over) if one.negative]

    @cached_property
    def telling(self) -> set[int]:
        """The segments that say a fact or a command; asked for once all is covered."""
        return {
            id(part)
            for at, run in self.covering.items()
            if self.subjects[at].kind in {"command", "fact"}
            for part in run
        }

    @cached_property
    def owners(self) -> dict[int, list[int]]:
        """A segment that says something -> what it says; asked for once all is covered."""
        found: dict[int, list[int]] = {}
        for at, run in self.covering.items():
            for part in run:
                found.setdefault(id(part), []).append(at)
        return found

    @cached_property
    def texts(self) -> list[str]:
        """The clauses, and the sentences that are more than one."""
        return list(
            dict.fromkeys([*self.clauses(), *(one.text for one in self.answer)])
        )

    @cached_property
    def _places(self) -> dict[int, tuple[Sequence[Segment], int]]:
        """Where each segment stands: those of its sentence, and which it is of them."""
        return {
            id(part): (sentence.segments, at)
            for sentence in self.answer
            for at, part in enumerate(sentence.segments)
        }

    def segments(self) -> Iterator[Segment]:
        """All of them, in order."""
        for sentence in self.answer:
            yield from sentence.segments

    def clauses(self) -> Iterator[str]:
        """The texts between full stops and semicolons."""
        for sentence in self.answer:
            run: list[Segment] = []
            for part in sentence.segments:
                if part.fresh and run:
                    yield joined(run)
                    run = []
                run.append(part)
            yield joined(run)

    def behind(self, run: Sequence[Segment]) -> Sequence[Segment]:
        """The segment right behind a run, in its sentence."""
        segments, at = self._places.get(id(run[-1]), ((), 0))
        return [one for one in segments[at + 1 : at + 2] if not one.fresh]

    def before(self, run: Sequence[Segment]) -> Sequence[Segment]:
        """The segment right before a run, where it begins what is said."""
        segments, at = self._places.get(id(run[0]), ((), 0))
        if run[0].fresh:
            return ()
        leads = at == 1 or (at > 1 and segments[at - 1].fresh)
        return segments[at - 1 : at] if leads else ()

    def around(self, at: int, part: Segment) -> str:
        """What a segment of a subject stands in, up to where others are told."""
        parts, place = self._places[id(part)]
        start = end = place
        while (
            start > 0 and not parts[start].fresh and self._is_free(at, parts[start - 1])
        ):
            start -= 1
        while (
            end + 1 < len(parts)
            and not parts[end + 1].fresh
            and self._is_free(at, parts[end + 1])
        ):
            end += 1
        return ", ".join(one.text for one in parts[start : end + 1])

    def _is_free(self, at: int, part: Segment) -> bool:
        """Does a segment say nothing but a subject, if that."""
        owners = self.owners.get(id(part), [])
        return not owners or at in owners

    def clause_of(self, part: Segment) -> str:
        """The sentence of a segment as it is written, where parentheses stand in it; else ""."""
        return next(
            (
                one.text
                for one in self.answer
                if "(" in one.text and any(each is part for each in one.segments)
            ),
            "",
        )

    def with_tail(self, run: Sequence[Segment]) -> str:
        """The text of a run, and what is said of it right behind."""
        few = [
            one
            for one in self.behind(run)
            if len(terms(one.text).words) <= TAIL
            and not terms(one.text).names
            and one.stance != "none"
            and not any(each.known_in(one.text) for each in self.subjects)
            and not any(each.words_in(one.text) >= 1 for each in self.over)
        ]
        return joined([*run, *few])


def joined(run: Sequence[Segment]) -> str:
    """The text of segments."""
    return " , ".join(part.text for part in run)
