"""Did a command succeed: all that is kept of its output; pure."""

from __future__ import annotations

import re

from gitstate.late import late

_FAILED = late(
    r"\b(?:fail(?:s|ed|ure|ures|ing)?|errors?|broken|crash(?:es|ed)?|timed?\s?out|red"
    r"|exit(?:\s+code)?\s+[1-9]\d*)\b|失败|错误|报错|崩溃|超时|未通过|不通过",
    re.IGNORECASE,
)
# "0 failed", "no errors": these fail nothing
_NONE = late(
    r"\b(?:0|no|zero|without)\s+(?:tests?\s+)?(?:fail\w*|errors?)\b|无错误|没有错误|0\s*个?失败",
    re.IGNORECASE,
)
_PASSED = late(
    r"\b(?:pass(?:es|ed|ing)?|ok|green|succe(?:eds?|eded|ss|ssful\w*)|clean|done|exit(?:\s+code)?\s+0)\b"
    r"|成功|通过|正常",
    re.IGNORECASE,
)


def outcome(summary: str) -> str:
    """``pnpm test: failed`` of ``pnpm test: 3 failed, 12 passed in parser.test.ts``.

    The command stands before the first colon; where no outcome can be read, it is
    left open.
    """
    command, colon, said = summary.partition(": ")
    if not colon:
        command, said = "", summary
    rest = _NONE.sub(" ok ", said)
    end = (
        "failed"
        if _FAILED.search(rest)
        else "succeeded"
        if _PASSED.search(rest)
        else "outcome not said"
    )
    return f"{command}: {end}" if command else end
