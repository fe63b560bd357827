"""A rule: what must be done or never done, its force, and the reason where it has one."""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from gitstate.documents.fields import Lines
from gitstate.documents.inline import join, label, unguard, visible
from gitstate.documents.items import (
    own_strength,
    strength_in,
    with_more,
    without_box,
)
from gitstate.documents.reasons import split_reason
from gitstate.documents.tables import records
from gitstate.documents.vocabulary import says_nothing, vocabulary
from gitstate.late import late
from gitstate.values import dataclass, field

if TYPE_CHECKING:
    from gitstate.documents.blocks import Block
    from gitstate.documents.fields import Coverage
    from gitstate.documents.header import Strength
    from gitstate.documents.places import Place
    from gitstate.documents.sections import Outline

Force = Literal["must", "never"]

_NEVER = late(
    r"\b(?:never|must\s+not|mustn['’]t|do\s+not|don['’]t|cannot|can['’]t|may\s+not"
    r"|shall\s+not|should\s+not|shouldn['’]t|no\s+longer|forbidden|forbid|prohibited"
    r"|not\s+allowed|off[- ]limits|not\s+permitted|avoid|under\s+no\s+circumstances"
    r"|disallow(?:ed)?|banned|refrain)\b|(?:^|[,;])\W*no\s"
    r"|禁止|严禁|不得|不要|切勿|不能|不可|不许|不准|不允许|禁用|勿|绝不|永不|杜绝|避免"
    r"|别(?!名|的|人|处)|禁区",
    re.IGNORECASE,
)
# one of them is in all that _NEVER finds; most texts have none
_ASCII_HINTS = (
    "no",
    "n't",
    "never",
    "forbid",
    "prohibit",
    "off",
    "avoid",
    "disallow",
    "banned",
    "refrain",
)
_HINTS = (
    *_ASCII_HINTS,
    "n’t",
    "避免",
    "禁",
    "严禁",
    "不",
    "勿",
    "绝",
    "永",
    "别",
)
_MUST = late(
    r"\b(?:must|always|only|required|shall|have\s+to|has\s+to|mandatory)\b"
    r"|必须|务必|一律|始终|总是|只能|只允许|应当|须|仅限|仅允许",
    re.IGNORECASE,
)
# the same of _MUST, for texts in ASCII
_ASCII_DEMANDS = (
    "must",
    "always",
    "only",
    "required",
    "shall",
    "have",
    "has",
    "mandatory",
)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, word for word. ``reason`` is in the text too, unless it has a label.

    ``under`` is the heading or item over it, where that is not the file's own section.
    """

    text: str
    force: Force | None = None
    reason: str | None = None
    under: str | None = None
    strength: Strength | None = None
    lines: Lines = field(default=Lines(0, 0), compare=False)


_WHY = late(
    r"(?<=[\w)`\]/*\u4e00-\u9fff])[,，;；]?\s*(?:\b(?:because|since)\b|因为|由于).*",
    re.DOTALL,
)


def force_of(text: str) -> Force | None:
    """Whether a text forbids (also where it demands as well), demands, or neither.

    Its reason does neither: "…, because sold-out days cannot be refunded".
    """
    if "ecause" in text or "since" in text or "因为" in text or "由于" in text:
        text = _WHY.sub("", text)
    low, ascii_ = text.lower(), text.isascii()
    if _may_forbid(low, ascii_=ascii_) and _NEVER.search(text):
        return "never"
    return "must" if _may_demand(low, ascii_=ascii_) and _MUST.search(text) else None


def may_have_force(text: str) -> bool:
    """Whether any part of a text could forbid or demand: a quick look at all of it."""
    low, ascii_ = text.lower(), text.isascii()
    return _may_forbid(low, ascii_=ascii_) or (
        _may_demand(low, ascii_=ascii_) and _MUST.search(text) is not None
    )


def _may_forbid(low: str, *, ascii_: bool) -> bool:
    return any(word in low for word in (_ASCII_HINTS if ascii_ else _HINTS))


def _may_demand(low: str, *, ascii_: bool) -> bool:
    return not ascii_ or any(word in low for word in _ASCII_DEMANDS)


@dataclass(frozen=True, slots=True)
class FoundRule:
    """A rule as it was found, and where it is, for those who take it out.

    ``holds`` tells whether other rules are nested in it.
    """

    rule: Rule
    start: int
    stop: int
    holds: bool = False


class RuleFinder:
    """Blocks of a document, one by one, to rules."""

    def __init__(self, outline: Outline, read: Coverage) -> None:
        self.outline = outline
        self.read = read
        self.found: list[FoundRule] = []

    def take(self, index: int, place: Place, force: Force | None = None) -> None:
        """A block that is nested in none; ``force``: what all rules there have."""
        block = self.outline.blocks[index]
        before = len(self.found)
        if block.kind == "item":
            self._item(index, place.under, force)
        elif block.kind == "text":
            text = unguard(visible(join(block.rows)))
            if force == "never" or force_of(text):
                self._add(text, (block.start, block.stop), place.under, force)
        elif block.kind == "table":
            self._table(block, place.under, force)
        if len(self.found) > before:
            place.mark(self.read)

    def _item(self, index: int, under: str | None, force: Force | None) -> None:
        """An item with what is nested in it, or as the heading of the rules below."""
        blocks, ends = self.outline.blocks, self.outline.ends
        block = blocks[index]
        text = unguard(visible(without_box(join(block.rows))))
        said: list[tuple[str, bool]] = []
        rules: list[int] = []
        labels: dict[str, str] = {}
        stop = block.stop
        inner = index + 1
        while inner < ends[index]:
            nested = blocks[inner]
            whole = range(inner, ends[inner] if nested.kind == "item" else inner + 1)
            if nested.kind == "item" and any(self._orders(one) for one in whole):
                rules.append(inner)
            elif nested.kind in {"item", "text"}:
                stop = max(stop, *(blocks[one].stop for one in whole))
                self._detail(whole, said, labels)
            inner = whole.stop
        if rules and not said and not force_of(text):
            self.read.mark(block.start, block.stop)
            for one in rules:
                self._item(one, text.rstrip(":：* ").lstrip("* ") or under, force)
            return
        for more, item in said:
            text = with_more(text, more, item=item)
        self._add(
            text, (block.start, stop), under, force, labels=labels, holds=bool(rules)
        )
        for one in rules:
            self._item(one, text, force)

    def _orders(self, index: int) -> bool:
        block = self.outline.blocks[index]
        return block.kind == "item" and force_of(join(block.rows)) is not None

    def _detail(
        self, indexes: range, said: list[tuple[str, bool]], labels: dict[str, str]
    ) -> None:
        """What is nested in a rule: a labelled reason, or more of its text."""
        blocks = self.outline.blocks
        for index in indexes:
            block = blocks[index]
            if block.kind not in {"item", "text"}:
                continue
            self.read.mark(block.start, block.stop)
            text = visible(join(block.rows))
            found = label(text, vocabulary("rule"))
            if found and found.key in {"reason", "strength"}:
                labels.setdefault(found.key, text[found.end :])
            else:
                said.append((text, block.kind == "item"))

    def _add(  # noqa: PLR0913 what a rule is made of
        self,
        text: str,
        lines: tuple[int, int],
        under: str | None,
        force: Force | None,
        *,
        labels: dict[str, str] | None = None,
        holds: bool = False,
    ) -> None:
        start, stop = lines
        self.read.mark(start, stop if not holds else start + 1)
        if says_nothing(text):
            return
        labels = labels or {}
        rule = Rule(
            text,
            force_of(text) or force,
            labels.get("reason") or split_reason(text)[1],
            under,
            strength_in(labels.get("strength", "")) or own_strength(text),
            Lines(start + 1, stop),
        )
        self.found.append(FoundRule(rule, start, stop, holds))

    def _table(self, block: Block, under: str | None, force: Force | None) -> None:
        words = vocabulary("rule")
        for row in records(self.outline, block, words):
            if text := visible(row.get("rule")):
                self.read.mark(block.start, block.start + 2)
                labels = {"reason": visible(row.get("reason"))}
                lines = (row.line, row.line + 1)
                self._add(text, lines, under, force, labels=labels)
