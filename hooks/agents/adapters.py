"""Which agents there are; an adapter is loaded when its client tells something."""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # as typing's, which costs a hook 10 ms
if TYPE_CHECKING:
    from gitstate.hooks.agents.adapter import Adapter

NAMES = {
    "claude-code": "claude_code",
    "codex": "codex",
    "gemini-cli": "gemini_cli",
    "qwen-code": "qwen_code",
    "opencode": "opencode",
    "copilot-cli": "copilot_cli",
}


def get(name: str) -> Adapter | None:
    """The adapter of an agent; ``None`` for a name that there is not."""
    module = NAMES.get(name)
    if module is None:
        return None
    found = importlib.import_module(f"gitstate.hooks.agents.{module}")
    adapter: Adapter = found.ADAPTER
    return adapter
