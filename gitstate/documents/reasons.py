"""A reason inside a sentence: ``X (reason: Y)``, ``X because Y``, ``X — Y``."""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import re

from gitstate.late import late

_MAX = 4096  # characters of a text in which a reason is looked for
# looked for first: most texts have none of them
_WORDS = (
    "because",
    "reason",
    "since",
    "due to",
    "why",
    "因为",
    "由于",
    "理由",
    "原因",
    "为什么",
)
_LABELLED = late(
    r"(?<![^\W_])(?:reason|why|because|失败原因|原因|理由|为什么)\s*[:：]\s*",
    re.IGNORECASE,
)
_BECAUSE = late(
    r"\b(?:because of|because|since|due to)\b\s*|(?:因为|由于)\s*", re.IGNORECASE
)
_DASH = late(r"\s(?:—|–|--|->|→|=>)\s+|——\s*")
_COLON = late(r"：\s*|:\s+")
_ENDS = {"(": ")", "（": "）"}
_BEFORE = " \t;；,，.。:："  # between a text and its reason


def split_reason(text: str, *, loose: bool = False) -> tuple[str, str | None]:
    """A text without its reason, and the reason; ``None`` when it states none.

    ``loose`` takes what stands behind a dash or a colon for the reason as well.
    """
    start = text[:_MAX]
    low = start.lower()
    forms: tuple[re.Pattern[str], ...] = ()
    if any(word in low for word in _WORDS):
        forms = (_LABELLED, _BECAUSE) if ":" in low or "：" in low else (_BECAUSE,)
    for form in (*forms, _DASH, _COLON) if loose else forms:
        found = form.search(start)
        if found is None:
            continue
        head, reason = text[: found.start()].rstrip(), text[found.end() :].strip()
        if closing := _ENDS.get(head[-1:]):
            head = head[:-1].rstrip()
            bare = reason.rstrip(".。")
            reason = bare[:-1].rstrip() if bare.endswith(closing) else reason
        head = head.rstrip(_BEFORE)
        if reason and head.strip(" *"):
            return head, reason
    return text, None
