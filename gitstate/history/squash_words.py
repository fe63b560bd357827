"""Who words the days of one run: gitstate, or ``gitstate.messageCommand``.

A command may take a minute: it is asked before the lock is taken, and once for each day.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gitstate.history.message_command import body_of_day

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitstate.history.day_message import Day
    from gitstate.workspace import Workspace


class Words:
    """The bodies of one run, by the day's last version, and what was said of failures."""

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws
        self._known: dict[str, tuple[str, str | None]] = {}

    @property
    def by_command(self) -> bool:
        """Does a command of the user's word the days."""
        return self._ws.settings.message_command is not None

    @property
    def notices(self) -> tuple[str, ...]:
        """Why a day is told in gitstate's own words after all; each reason once."""
        return tuple(dict.fromkeys(why for _, why in self._known.values() if why))

    def word(self, day: Day, document: Mapping[str, Any]) -> str:
        """The body of a day's message; never raises ``GitstateError``."""
        found = self._known.get(day.archive)
        if found is None:
            command = self._ws.settings.message_command
            found = body_of_day(command, document, cwd=self._ws.root)
            self._known[day.archive] = found
        return found[0]
