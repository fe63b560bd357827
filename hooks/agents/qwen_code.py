"""Qwen Code 0.24: Claude Code's wire format with a few words more, and its own transcript."""

from __future__ import annotations

from gitstate.hooks.agents.adapter import (
    Adapter,
    context_fact,
    number,
    original,
    said_fact,
    text,
)
from gitstate.hooks.agents.events import Compacted, Fact, SessionStarted

TYPE_CHECKING = False  # as typing's, which costs a hook 10 ms
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.hooks.agents.adapter import Wire
    from gitstate.hooks.agents.events import Event


class QwenCode(Adapter):
    """Hooks in ``.qwen/settings.json``."""

    name = "qwen-code"
    title = "Qwen Code"
    limit = 9_000  # no limit is documented: what the others take
    project = "QWEN_PROJECT_DIR"
    needles = (b'"chat_compression"', b'"usageMetadata"', b"[gitstate briefing ")
    shells = frozenset({"run_shell_command", "Bash"})
    tools = {  # noqa: RUF012 a table
        "read_file": ("read", "file_path"),
        "edit": ("edit", "file_path"),
        "replace": ("edit", "file_path"),
        "write_file": ("edit", "file_path"),
    }

    def event(self, name: str, wire: Wire) -> Event | None:
        """What is said at the session's start after a compaction comes a turn too late.

        (0.24.4: the request after it still had the text of the start before.) So the
        briefing waits for the next tool's result or prompt.
        """
        found = super().event(name, wire)
        if isinstance(found, Compacted | SessionStarted):
            found.carries = False
        return found

    def measure(self, wire: Wire) -> tuple[int, int]:
        """The end of a turn tells both."""
        return number(wire, "input_tokens"), number(wire, "context_limit")

    def was(self, wire: Wire) -> str | None:
        """As its display has it."""
        return original(wire)

    def has_failed(self, wire: Wire) -> bool:
        """A tool's error."""
        found = wire.get("tool_response")
        return isinstance(found, dict) and bool(found.get("error"))

    def facts(self, record: Wire) -> Iterator[Fact]:
        """Tokens of answers, compressions that were made, and what was said."""
        usage = record.get("usageMetadata")
        if record.get("type") == "assistant":
            if used := number(usage, "promptTokenCount"):
                yield Fact(tokens=used)
            message = record.get("message")
            if isinstance(message, dict):
                yield from said_fact(message.get("parts"))
        elif record.get("subtype") == "chat_compression":
            payload = record.get("systemPayload")
            info = payload.get("info") if isinstance(payload, dict) else None
            if number(info, "compressionStatus") == 1:
                yield Fact(compacted=text(record, "uuid") or "-")
        elif record.get("type") in {"user", "tool_result", "system"}:
            yield from context_fact(record)


ADAPTER = QwenCode()
