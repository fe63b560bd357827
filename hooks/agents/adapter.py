"""What every client's adapter is: a table of its words, in the shape most clients share.

Claude Code's wire format (https://code.claude.com/docs/en/hooks) is spoken with small
differences by Codex, Gemini CLI and Qwen Code; an adapter says where its client differs.
"""

from __future__ import annotations

import json

from gitstate.hooks.agents import shell_words
from gitstate.hooks.agents.events import (
    BeforeCompaction,
    Compacted,
    Fact,
    SessionStarted,
    ToolUsed,
    TurnEnded,
    TurnStarted,
)

TYPE_CHECKING = False  # as typing's, which costs a hook 10 ms
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import Any, ClassVar, Literal

    from gitstate.hooks.agents.events import Event, Reply

    Wire = Mapping[str, Any]


_MOST = 1 << 48


class Adapter:
    """One client: its events, its answers, and what its transcript says.

    ``limit`` of one text that a hook hands over, in ``unit`` (a token is four UTF-8
    bytes). ``blocks``: the end of a turn can be stopped. ``drops``: its transcript has
    no record of a compaction. ``announces``: it tells of a compaction before it, and not
    before each request. ``tells``: a hook is told of a compaction after it. ``says``: the end
    of a turn tells what the agent wrote.
    ``project``: the variable that names the project's folder.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    limit: ClassVar[int]
    unit: ClassVar[Literal["characters", "tokens", "bytes"]] = "characters"
    blocks: ClassVar[bool] = True
    drops: ClassVar[bool] = False
    announces: ClassVar[bool] = True
    tells: ClassVar[bool] = True
    says: ClassVar[bool] = True
    project: ClassVar[str] = ""
    # what a line of the transcript must hold to be worth parsing
    needles: ClassVar[Sequence[bytes]] = ()
    # the client's words for its tools
    shells: ClassVar[frozenset[str]] = frozenset({"Bash"})
    tools: ClassVar[
        Mapping[str, tuple[str, str]]
    ] = {}  # name -> action, its path's key
    # the client's names of events -> ours
    started: ClassVar[str] = "SessionStart"
    turn: ClassVar[str] = "UserPromptSubmit"
    tool: ClassVar[str] = "PostToolUse"
    tool_failed: ClassVar[str] = "PostToolUseFailure"
    before: ClassVar[str] = "PreCompact"
    after: ClassVar[str] = "PostCompact"
    ended: ClassVar[str] = "Stop"

    def event(self, name: str, wire: Wire) -> Event | None:  # noqa: PLR0911 one a kind
        """What the client tells, in our words; ``None`` for what says nothing to us."""
        common = self.common(wire)
        if not common["session"]:
            return None
        if name == self.started:
            source = text(wire, "source") or "startup"
            if source == "compact":
                return Compacted(**common, carries=True)
            return SessionStarted(source, **common, carries=True)
        if name == self.turn:
            return TurnStarted(text(wire, "prompt"), **common, carries=True)
        if name in {self.tool, self.tool_failed}:
            carries = common["main"] and name == self.tool
            failed = True if name == self.tool_failed else self.has_failed(wire)
            uses, command = self.uses(wire, text(wire, "cwd"))
            was = self.was(wire) if len(uses) == 1 and uses[0][0] == "edit" else None
            return ToolUsed(
                uses, command=command, failed=failed, was=was, **common, carries=carries
            )
        if name == self.before:
            return BeforeCompaction(**common)
        if name == self.after:
            return Compacted(**common)
        if name == self.ended:
            tokens, window = self.measure(wire)
            blocked = wire.get("stop_hook_active") is True
            said = text(wire, "last_assistant_message")
            return TurnEnded(
                said, blocked=blocked, tokens=tokens, window=window, **common
            )
        return None

    def common(self, wire: Wire) -> dict[str, Any]:
        """What every event has."""
        return {
            "session": text(wire, "session_id"),
            "cwd": text(wire, "cwd"),
            "transcript": text(wire, "transcript_path"),
            "main": not wire.get("agent_id"),
        }

    def uses(self, wire: Wire, cwd: str) -> tuple[tuple[tuple[str, str], ...], str]:
        """The files that a tool used, and the command that it ran."""
        name, words = text(wire, "tool_name"), wire.get("tool_input")
        if isinstance(words, str):
            return tuple(shell_words.patched(words)), ""
        if not isinstance(words, dict):
            return (), ""
        return self.of_tool(name, words, cwd)

    def of_tool(
        self, name: str, words: Wire, cwd: str
    ) -> tuple[tuple[tuple[str, str], ...], str]:
        """The same, from the tool's name and its arguments."""
        if name in self.shells:
            command = words.get("command", words.get("cmd"))
            if isinstance(command, list):
                command = str(command[-1]) if command else ""
            command = command if isinstance(command, str) else ""
            where = words.get("workdir") or words.get("dir_path") or cwd
            return tuple(shell_words.uses(command, str(where))), command
        if name in self.tools:
            action, key = self.tools[name]
            path = words.get(key)
            return (((action, path),) if isinstance(path, str) and path else ()), ""
        for value in words.values():
            if isinstance(value, str) and "*** Begin Patch" in value:
                return tuple(shell_words.patched(value)), ""
        return (), ""

    def has_failed(self, wire: Wire) -> bool | None:  # noqa: ARG002 some have an event for it
        """Does a tool's result say that it failed; ``None``: it does not say."""
        return False

    def was(self, wire: Wire) -> str | None:  # noqa: ARG002 some do not tell it
        """The text of a file before a tool edited it."""
        return None

    def measure(self, wire: Wire) -> tuple[int, int]:  # noqa: ARG002 the transcript says it
        """Tokens in use and the window, as the end of a turn tells them; 0 for unknown."""
        return 0, 0

    def silence(self, root: Path, *, heard: bool) -> tuple[str, str] | None:  # noqa: ARG002 most run what is installed
        """Why the client would skip hooks without a word, and what mends it."""
        return None

    def limit_at(self, root: str, event: Event) -> int:  # noqa: ARG002 most have one limit
        """The limit of what an event is answered, as the settings in a project have it."""
        return self.limit

    def answer(self, name: str, reply: Reply) -> str:
        """What the hook prints; "" for nothing."""
        if reply.block and name == self.ended and self.blocks:
            return json.dumps({"decision": "block", "reason": reply.block})
        if reply.context:
            said = {"hookEventName": name, "additionalContext": reply.context}
            return json.dumps({"hookSpecificOutput": said})
        return ""

    def facts(self, record: Wire) -> Iterator[Fact]:  # noqa: ARG002 each has its own
        """What one record of the transcript says."""
        yield from ()


def text(wire: Wire, key: str) -> str:
    """A text of what a client told; "" where it is none."""
    found = wire.get(key)
    return found if isinstance(found, str) else ""


def original(wire: Wire) -> str | None:
    """A file's text before an edit, as Gemini CLI tells it, and Qwen Code after it."""
    found = wire.get("tool_response")
    shown = found.get("returnDisplay") if isinstance(found, dict) else None
    if not isinstance(shown, dict) or shown.get("isNewFile") is True:
        return None
    return text(shown, "originalContent") or None


def number(row: object, key: str) -> int:
    """A whole number of what a client told; 0 where it is none, or none that can be."""
    found = row.get(key) if isinstance(row, dict) else None
    if not isinstance(found, int) or isinstance(found, bool):
        return 0
    return found if 0 <= found <= _MOST else 0


def strings(value: object) -> Iterator[str]:
    """Every string inside a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)


def said_fact(parts: object, kind: str = "text") -> Iterator[Fact]:
    """What the agent wrote to the user: the texts of a message's parts."""
    if isinstance(parts, str):
        yield Fact(said=parts)
    elif isinstance(parts, list):
        said = [
            text(one, "text")
            for one in parts
            if isinstance(one, dict) and one.get("type", kind) == kind
        ]
        if any(said):
            yield Fact(said="\n".join(filter(None, said)))


def context_fact(value: object) -> Iterator[Fact]:
    """A text that reached the model, where it has a briefing of ours in it."""
    said = "\n".join(strings(value))
    if "[gitstate briefing " in said:
        yield Fact(context=said)
