"""OpenCode 1.18: a plugin of ours in JavaScript, and what it tells (@opencode-ai/plugin)."""

from __future__ import annotations

import json
import os

from gitstate.hooks.agents import place
from gitstate.hooks.agents.adapter import Adapter, context_fact, number, text
from gitstate.hooks.agents.events import Compacted, SessionStarted, TurnStarted
from gitstate.hooks.agents.names import name_of

TYPE_CHECKING = False  # as typing's, which costs a hook 10 ms
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gitstate.hooks.agents.adapter import Wire
    from gitstate.hooks.agents.events import Event, Fact, Reply


class OpenCode(Adapter):
    """A plugin in ``.opencode/plugins/``: the briefing stands in the system prompt.

    The plugin notes what it put there, in a file that stands for the transcript. The end
    of a turn cannot be stopped.
    """

    name = "opencode"
    title = "OpenCode"
    limit = 9_000  # a system prompt has no limit: what the others take
    blocks = False
    needles = (b"[gitstate briefing ",)
    shells = frozenset({"bash"})
    tools = {  # noqa: RUF012 a table
        "read": ("read", "filePath"),
        "edit": ("edit", "filePath"),
        "write": ("edit", "filePath"),
    }
    started = "start"
    turn = "turn"
    tool = "tool"
    tool_failed = ""
    before = "compacting"
    after = "compacted"
    ended = "idle"

    def __init__(self) -> None:
        self._noted = ""

    def event(self, name: str, wire: Wire) -> Event | None:
        """Whatever is answered stands in the next request."""
        found = super().event(name, wire)
        if isinstance(found, Compacted | SessionStarted | TurnStarted):
            found.carries = True
        return found

    def common(self, wire: Wire) -> dict[str, Any]:
        """The file of what was put into requests is in the worktree's runtime folder."""
        session, cwd = text(wire, "session"), text(wire, "cwd")
        here = place.find(cwd) if cwd else None
        if here is not None and session:
            name = f"{name_of(self.name, session)}.jsonl"
            self._noted = os.path.join(here.agents, "opencode", name)
        return {"session": session, "cwd": cwd, "transcript": self._noted, "main": True}

    def uses(self, wire: Wire, cwd: str) -> tuple[tuple[tuple[str, str], ...], str]:
        """A tool and its arguments."""
        words = wire.get("args")
        if not isinstance(words, dict):
            return (), ""
        return self.of_tool(text(wire, "tool"), words, cwd)

    def has_failed(self, wire: Wire) -> bool:
        """A shell's exit code."""
        return number(wire, "exit") != 0

    def answer(self, name: str, reply: Reply) -> str:
        """Words for the plugin."""
        if name == self.before:
            return json.dumps({"instructions": reply.instructions})
        if not reply.context:
            return ""
        return json.dumps({"context": reply.context, "receipts": self._noted})

    def facts(self, record: Wire) -> Iterator[Fact]:
        """What stood in a request."""
        yield from context_fact(record.get("system"))


ADAPTER = OpenCode()
