"""Codex CLI 0.171: wire format and rollout (https://developers.openai.com/codex/hooks)."""

from __future__ import annotations

import json
import os

from gitstate.hooks.agents import foreign
from gitstate.hooks.agents.adapter import (
    Adapter,
    context_fact,
    number,
    said_fact,
    text,
)
from gitstate.hooks.agents.events import (
    Compacted,
    Fact,
    SessionStarted,
    TurnStarted,
)

TYPE_CHECKING = False  # as typing's, which costs a hook 10 ms
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gitstate.hooks.agents.adapter import Wire
    from gitstate.hooks.agents.events import Event

_SETTINGS = ".codex/hooks.json"
_NO_LIMIT = 1 << 20  # tokens
_LARGEST = 4 << 20  # bytes of its settings
_PATCHED = "Success. Updated the following files:"
_ACTIONS = {"A ": "create", "M ": "edit", "D ": "delete"}


class Codex(Adapter):
    """Hooks in ``.codex/hooks.json``; reads go through the shell, there is no read tool."""

    name = "codex"
    title = "Codex"
    # HOOK_OUTPUT_TOKEN_LIMIT: more is spilled to a file, with a preview, unless the hook's
    # own additionalContextLimit says otherwise (0: none is)
    limit = 2_500
    unit = "tokens"
    needles = (
        b'"token_count"',
        b'"CommandExecution"',
        b'"compacted"',
        b'"output_text"',
        b"[gitstate briefing ",
        b"Updated the following files",
    )
    shells = frozenset(
        {"Bash", "exec_command", "shell", "shell_command", "local_shell"}
    )

    def has_failed(self, wire: Wire) -> bool | None:
        """A command's exit code is in the rollout alone."""
        return None if text(wire, "tool_name") in self.shells else False

    def silence(self, root: Path, *, heard: bool) -> tuple[str, str] | None:
        """Codex skips hooks that were not trusted; what it trusts stands in its settings."""
        path = f"{root}/{_SETTINGS}"
        home = os.environ.get("CODEX_HOME") or os.path.expanduser("~/.codex")
        config = foreign.head(os.path.join(home, "config.toml"), _LARGEST)
        if os.fsencode(f"{path}:") in config:
            return None
        said = "Codex has no trusted hash of these hooks, and skips such silently"
        return (said if not heard else f"{said} (a session bypassed that)"), (
            "run /hooks in Codex, in this project"
        )

    def limit_at(self, root: str, event: Event) -> int:
        """The smallest of those that our hooks of this kind have in the project's settings."""
        name = self.tool
        if isinstance(event, SessionStarted | Compacted):
            name = self.started
        elif isinstance(event, TurnStarted):
            name = self.turn
        try:
            data = foreign.head(os.path.join(root, _SETTINGS), _LARGEST)
            groups = json.loads(data)["hooks"][name]
            found = [
                hook.get("additionalContextLimit")
                for group in groups
                for hook in group["hooks"]
                if "/hooks/agents/" in hook["command"] and " codex " in hook["command"]
            ]
        except (
            ValueError,
            LookupError,
            TypeError,
            AttributeError,
            RecursionError,
        ):
            return self.limit
        said = [
            one if isinstance(one, int) and one >= 0 else self.limit for one in found
        ]
        return min((one or _NO_LIMIT for one in said), default=self.limit)

    def facts(self, record: Wire) -> Iterator[Fact]:
        """Token counts, compactions, and what was said as the developer."""
        kind, payload = record.get("type"), record.get("payload")
        if not isinstance(payload, dict):
            return
        if kind == "compacted":
            yield Fact(compacted=text(record, "timestamp") or "-")
        elif kind == "event_msg" and payload.get("type") == "token_count":
            info = payload.get("info")
            if isinstance(info, dict):
                # the total is of the whole session: the last one fills the window
                tokens = number(info.get("last_token_usage"), "total_tokens")
                window = number(info, "model_context_window")
                if tokens:
                    yield Fact(tokens=tokens, window=window)
        elif kind == "event_msg" and payload.get("type") == "item_completed":
            yield from _ran(payload.get("item"))
        elif kind == "response_item" and _PATCHED in text(payload, "output"):
            # a patch through the shell is done by Codex itself, and no hook is told
            lines = text(payload, "output").partition(_PATCHED)[2].split("\n")
            uses = [(_ACTIONS.get(one[:2]), one[2:].strip()) for one in lines]
            yield Fact(uses=tuple((action, path) for action, path in uses if action))
        elif kind == "response_item" and payload.get("role") == "assistant":
            yield from said_fact(payload.get("content"), "output_text")
        elif kind == "response_item" and payload.get("role") == "developer":
            yield from context_fact(payload.get("content"))


def _ran(item: object) -> Iterator[Fact]:
    """A command and its exit code."""
    words = item.get("command") if isinstance(item, dict) else None
    code = item.get("exit_code") if isinstance(item, dict) else None
    # the shell, its option, and what the hook calls the command
    if isinstance(words, list) and words and isinstance(code, int):
        yield Fact(command=str(words[-1]), failed=code != 0)


ADAPTER = Codex()
