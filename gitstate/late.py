"""Regular expressions that are compiled when they are first used.

A command lives for a fifth of a second and uses a few of the many that the documents
have; to compile them all while modules are loaded would cost it a tenth of that.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class _Late:
    """Stands for a compiled pattern, and takes over its methods one by one."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 as the pattern has it
        found = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, found)
        return found


def late(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """``re.compile``, later; a mistake in the pattern is told at its first use, too."""
    return cast("re.Pattern[AnyStr]", _Late(pattern, flags))
