"""State text as data: no text of the state can end its fence, or reach the terminal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_TICKS = re.compile(r"`+")
_BREAKS = re.compile(r"[ \t]*[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+[ \t]*")
# controls, and what turns the direction of writing around
_CONTROLS = re.compile(
    r"[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)
_SHORTEST = 3


def line_of(text: str) -> str:
    """A text of the state on one line: breaks as blanks, control characters gone."""
    return _CONTROLS.sub("", _BREAKS.sub(" ", text)).strip()


def fence_of(lines: Iterable[str]) -> str:
    """Backticks, more than stand in a row anywhere in ``lines``."""
    longest = max(
        (len(run) for line in lines for run in _TICKS.findall(line)), default=0
    )
    return "`" * max(_SHORTEST, longest + 1)
