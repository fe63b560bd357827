"""Copilot CLI 1.0: wire format and events file (docs: copilot/reference/hooks-reference)."""

from __future__ import annotations

import json
import os

from gitstate.hooks.agents.adapter import (
    Adapter,
    context_fact,
    number,
    said_fact,
    text,
)
from gitstate.hooks.agents.events import Fact, SessionStarted

TYPE_CHECKING = False  # as typing's, which costs a hook 10 ms
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gitstate.hooks.agents.adapter import Wire
    from gitstate.hooks.agents.events import Event, Reply
_EXIT = " completed with exit code "


class CopilotCli(Adapter):
    """Hooks in ``.github/hooks/gitstate.json``; none tells of a compaction that was made.

    It is made in the background, and the events file says when: the briefing waits for
    the next event that carries one.
    """

    name = "copilot-cli"
    title = "Copilot CLI"
    limit = 10_000  # 10 KB for what comes after a tool; the same for all
    unit = "bytes"
    needles = (
        b'"session.compaction_complete"',
        b'"session.truncation"',
        b'"assistant.message"',
        b'"session.usage_record"',
        b"[gitstate briefing ",
    )
    shells = frozenset({"bash", "shell"})
    tools = {  # noqa: RUF012 a table
        "view": ("read", "path"),
        "edit": ("edit", "path"),
        "create": ("edit", "path"),
        "str_replace": ("edit", "path"),
    }
    started = "sessionStart"
    turn = "userPromptSubmitted"
    tool = "postToolUse"
    tool_failed = "postToolUseFailure"
    before = "preCompact"
    after = ""
    tells = False
    says = False
    ended = "agentStop"

    def event(self, name: str, wire: Wire) -> Event | None:
        """What the session's start is answered stands in no record: the prompt's does."""
        found = super().event(name, wire)
        if isinstance(found, SessionStarted):
            found.carries = False
        return found

    def common(self, wire: Wire) -> dict[str, Any]:
        """The session's id names its folder of events, where the path is not told."""
        session = text(wire, "sessionId")
        path = text(wire, "transcriptPath")
        if not path and session and "/" not in session:
            home = os.environ.get("COPILOT_HOME") or os.path.expanduser("~/.copilot")
            path = os.path.join(home, "session-state", session, "events.jsonl")
        return {
            "session": session,
            "cwd": text(wire, "cwd"),
            "transcript": path,
            "main": True,
        }

    def uses(self, wire: Wire, cwd: str) -> tuple[tuple[tuple[str, str], ...], str]:
        """The arguments may be told as text."""
        words = wire.get("toolArgs")
        if isinstance(words, str):
            try:
                words = json.loads(words)
            except ValueError:
                words = None
        if not isinstance(words, dict):
            return (), ""
        return self.of_tool(text(wire, "toolName"), words, cwd)

    def has_failed(self, wire: Wire) -> bool:
        """What kind of result it was, and how a shell's ends."""
        found = wire.get("toolResult")
        if not isinstance(found, dict):
            return False
        if text(wire, "toolName") in self.shells:
            _, said, code = text(found, "textResultForLlm").rpartition(_EXIT)
            return bool(said) and code.strip() != "0>"
        return found.get("resultType") == "failure"

    def answer(self, name: str, reply: Reply) -> str:
        """Flat: what is nested reaches nobody."""
        if reply.block and name == self.ended:
            return json.dumps({"decision": "block", "reason": reply.block})
        return json.dumps({"additionalContext": reply.context}) if reply.context else ""

    def facts(self, record: Wire) -> Iterator[Fact]:
        """Compactions that succeeded, truncations, usage, and what was said."""
        kind, data = text(record, "type"), record.get("data")
        data = data if isinstance(data, dict) else record
        if kind == "session.compaction_complete":
            if data.get("success") is not False:
                yield Fact(
                    compacted=text(record, "id") or text(record, "timestamp") or "-"
                )
        elif kind == "session.truncation":
            yield Fact(compacted=text(record, "id") or text(record, "timestamp") or "-")
        elif kind == "assistant.message":
            yield from said_fact(text(data, "content"))
        elif kind == "session.usage_record":
            usage = data.get("usage")
            tokens, window = (
                number(usage, "inputTokens"),
                number(usage, "maxPromptTokens"),
            )
            if tokens:
                yield Fact(tokens=tokens, window=window)
        elif not kind.startswith(("hook.", "assistant.")):
            # "hook.end" has what a hook printed, reached the model or not
            yield from context_fact(data)


ADAPTER = CopilotCli()
