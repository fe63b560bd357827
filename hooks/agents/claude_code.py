"""Claude Code 2.1: wire format and transcript (https://code.claude.com/docs/en/hooks)."""

from __future__ import annotations

from gitstate.hooks.agents.adapter import (
    Adapter,
    context_fact,
    number,
    said_fact,
    text,
)
from gitstate.hooks.agents.events import Fact

TYPE_CHECKING = False  # as typing's, which costs a hook 10 ms
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.hooks.agents.adapter import Wire
    from gitstate.hooks.agents.events import Reply


class ClaudeCode(Adapter):
    """Hooks in ``.claude/settings.local.json``."""

    name = "claude-code"
    title = "Claude Code"
    # 9,990 arrived whole, 10,001 became a preview of 2 KB and a path (2.1.332)
    limit = 9_990
    project = "CLAUDE_PROJECT_DIR"
    needles = (b'"assistant"', b'"compact_boundary"', b'"hook_additional_context"')
    tools = {  # noqa: RUF012 a table
        "Read": ("read", "file_path"),
        "Edit": ("edit", "file_path"),
        "MultiEdit": ("edit", "file_path"),
        "Write": ("edit", "file_path"),
        "NotebookEdit": ("edit", "notebook_path"),
        "NotebookRead": ("read", "notebook_path"),
        "Grep": ("read", "path"),
    }

    def was(self, wire: Wire) -> str | None:
        """The original file stands in a tool's response; ``null`` for a new one."""
        found = wire.get("tool_response")
        return text(found, "originalFile") or None if isinstance(found, dict) else None

    def answer(self, name: str, reply: Reply) -> str:
        """What it prints before a compaction is taken as instructions to the summariser."""
        if name == self.before:
            return reply.instructions
        return super().answer(name, reply)

    def facts(self, record: Wire) -> Iterator[Fact]:
        """Usage of the main chain, boundaries, and what hooks had it add."""
        kind = record.get("type")
        if kind == "assistant" and not record.get("isSidechain"):
            message = record.get("message")
            usage = message.get("usage") if isinstance(message, dict) else None
            tokens = sum(
                number(usage, key)
                for key in (
                    "input_tokens",
                    "cache_creation_input_tokens",
                    "cache_read_input_tokens",
                    "output_tokens",
                )
            )
            if tokens:
                yield Fact(tokens=tokens)
            if isinstance(message, dict):
                yield from said_fact(message.get("content"))
        elif kind == "system" and record.get("subtype") == "compact_boundary":
            yield Fact(compacted=text(record, "uuid") or "-")
        elif kind == "attachment":
            found = record.get("attachment")
            # "hook_success" has what a hook printed, reached the model or not
            if (
                isinstance(found, dict)
                and found.get("type") == "hook_additional_context"
            ):
                yield from context_fact(found.get("content"))


ADAPTER = ClaudeCode()
