"""Two lists of texts, from before and after: which is which; pure."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

T = TypeVar("T")

_NOT_SAID = re.compile(r"[\W_]+")
_WORD = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff]|[^\W_\u2e80-\u9fff\uf900-\ufaff]+")
_ALIKE = 0.5
_MOST_CHARS = 400  # of a text that are looked at
_MOST_PAIRS = 900


def bare(text: str) -> str:
    """The letters and digits of a text, in lower case: what it says, however written."""
    return _NOT_SAID.sub("", text.casefold())


def alike(one: str, other: str) -> bool:
    """Whether two texts are wordings of the same: they share half of their letter pairs."""
    texts = bare(one[:_MOST_CHARS]), bare(other[:_MOST_CHARS])
    if not all(texts):
        return False
    pairs = [
        {text[at : at + 2] for at in range(max(1, len(text) - 1))} for text in texts
    ]
    return 2 * len(pairs[0] & pairs[1]) / (len(pairs[0]) + len(pairs[1])) >= _ALIKE


def keeps_words(old: str, new: str) -> bool:
    """Whether every word of a text stands in the other too (in Chinese, every sign)."""
    return set(_words(old)) <= set(_words(new))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def pair_up(
    before: Sequence[T],
    after: Sequence[T],
    key: Callable[[T], Hashable],
    text: Callable[[T], str] | None = None,
    fits: Callable[[T, T], bool] | None = None,
) -> tuple[list[tuple[T | None, T]], list[T]]:
    """Each of ``after`` with what it was (or ``None``), and those of ``before`` that are gone.

    The same key is the same thing; with ``text``, so are those left over that are alike
    and, in that order, fit.
    """
    waiting: dict[Hashable, list[int]] = defaultdict(list)
    for at, one in enumerate(before):
        waiting[key(one)].append(at)
    found: list[int | None] = []
    for other in after:
        same = waiting.get(key(other))
        found.append(same.pop(0) if same else None)
    left = set(range(len(before))) - set(found)
    new = [at for at, was in enumerate(found) if was is None]
    if text is not None and len(left) * len(new) <= _MOST_PAIRS:
        for at in new:
            for was in sorted(left):
                if alike(text(before[was]), text(after[at])) and (
                    fits is None or fits(before[was], after[at])
                ):
                    found[at] = was
                    left.discard(was)
                    break
    pairs = [
        (None if was is None else before[was], one)
        for was, one in zip(found, after, strict=True)
    ]
    return pairs, [before[at] for at in sorted(left)]
