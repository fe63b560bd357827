"""What ``gitstate doctor`` finds, as a value."""

from __future__ import annotations

from gitstate.values import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at; ``mend`` says what to do where it is not well.

    ``advice``: it works, and could be better; the exit code does not count it.
    """

    name: str
    ok: bool
    text: str
    mend: str = ""
    advice: bool = False
