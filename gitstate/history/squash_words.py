"""Who words the days of one run: gitstate, or ``gitstate.messageCommand``.

A command may take a minute: it is asked before the lock is taken, and once for each day;
once it took too long, not again in this run.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from gitstate.history.message_command import TIMEOUT_S, body_of_day

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitstate.history.day_message import Day
    from gitstate.workspace import Workspace


class Words:
    """The bodies of one run, by the day's last version, and what was said of failures."""

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws
        self._known: dict[str, tuple[str, str | None]] = {}
        self._too_long: str | None = None

    @property
    def by_command(self) -> bool:
        """Does a command of the user's word the days; an empty one is none."""
        return bool(self._ws.settings.message_command)

    @property
    def notices(self) -> tuple[str, ...]:
        """Why a day is told in gitstate's own words after all; each reason once."""
        return tuple(dict.fromkeys(why for _, why in self._known.values() if why))

    def word(self, day: Day, document: Mapping[str, Any]) -> str:
        """The body of a day's message; never raises ``GitstateError``."""
        found = self._known.get(day.archive)
        if found is None:
            found = self._known[day.archive] = self._ask(document)
        return found[0]

    def _ask(self, document: Mapping[str, Any]) -> tuple[str, str | None]:
        if self._too_long is not None:
            return str(document["body"]), self._too_long
        command, began = self._ws.settings.message_command, time.monotonic()
        found = body_of_day(command, document, cwd=self._ws.root, timeout_s=TIMEOUT_S)
        if time.monotonic() - began >= TIMEOUT_S:
            self._too_long = found[1]
        return found
