"""Gemini CLI 0.61: wire format and transcript (docs/hooks/reference.md of its repository)."""

from __future__ import annotations

import json

from gitstate.hooks.agents.adapter import (
    Adapter,
    context_fact,
    number,
    original,
    said_fact,
    text,
)
from gitstate.hooks.agents.events import Fact, TurnEnded

TYPE_CHECKING = False  # as typing's, which costs a hook 10 ms
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.hooks.agents.adapter import Wire
    from gitstate.hooks.agents.events import Event, Reply
_FAILED = "\nExit Code: "


class GeminiCli(Adapter):
    """Hooks in ``.gemini/settings.json``; none tells of a compression that was made.

    PreCompress comes before every request to the model, compressed or not: it says
    nothing. The transcript says it, and the briefing waits for the next event.
    """

    name = "gemini-cli"
    title = "Gemini CLI"
    limit = 9_000  # no limit is documented: what the others take
    project = "GEMINI_PROJECT_DIR"
    needles = (b'"tokens"', b"<state_snapshot>", b"[gitstate briefing ")
    shells = frozenset({"run_shell_command"})
    tools = {  # noqa: RUF012 a table
        "read_file": ("read", "file_path"),
        "replace": ("edit", "file_path"),
        "edit": ("edit", "file_path"),
        "write_file": ("edit", "file_path"),
    }
    turn = "BeforeAgent"
    tool = "AfterTool"
    tool_failed = ""
    before = "PreCompress"
    after = ""
    ended = "AfterAgent"
    announces = False
    tells = False

    def event(self, name: str, wire: Wire) -> Event | None:
        """As the others', but for words of its own."""
        found = super().event(name, wire)
        if isinstance(found, TurnEnded):
            found.said = text(wire, "prompt_response")
        return found

    def was(self, wire: Wire) -> str | None:
        """As its display has it."""
        return original(wire)

    def has_failed(self, wire: Wire) -> bool:
        """An error, or a shell's exit code, which only one that failed has."""
        found = wire.get("tool_response")
        if not isinstance(found, dict):
            return False
        if text(wire, "tool_name") in self.shells and _FAILED in text(
            found, "llmContent"
        ):
            return True
        return bool(found.get("error"))

    def answer(self, name: str, reply: Reply) -> str:
        """Stopping the end of a turn is "deny" here."""
        if reply.block and name == self.ended:
            return json.dumps({"decision": "deny", "reason": reply.block})
        return super().answer(name, reply)

    def facts(self, record: Wire) -> Iterator[Fact]:
        """Tokens of answers, compressions (a history that is set anew), and what was said."""
        tokens = record.get("tokens")
        if record.get("type") == "gemini" and isinstance(tokens, dict):
            if used := number(tokens, "total") or number(tokens, "input"):
                yield Fact(tokens=used)
            yield from said_fact(record.get("content"))
            return
        changed = record.get("$set")
        if isinstance(changed, dict) and "messages" in changed:
            # a resumed session writes its whole history once more: the snapshot's id counts
            for one in changed["messages"]:
                said = json.dumps(one.get("content"))
                if one.get("type") == "user" and "<state_snapshot>" in said[:200]:
                    yield Fact(compacted=text(one, "id") or "-")
            return
        if record.get("type") == "user":
            yield from context_fact(record.get("content"))


ADAPTER = GeminiCli()
