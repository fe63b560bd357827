"""The MCP server: a few tools, each of which is a verb.

A tool turns its arguments into a verb's words and gives back what the verb says, so
that there is one way to do each thing. Arguments that may be left out have an empty
default: such a schema is a third as long as one with nulls, and the agent pays for it
in each request.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import secrets
from typing import TYPE_CHECKING, Literal

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, TextContent, ToolAnnotations

from gitstate import __version__
from gitstate.commands.mcp_call import Said, call
from gitstate.errors import EXIT_DONE, EXIT_REFUSED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

INSTRUCTIONS = (
    "The state of the work in this repository, kept outside the talk. Call brief first, "
    "and whenever the start of the talk is gone. Write with task and decide after each "
    "step, decision, problem and failed attempt."
)
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_WRITES = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, open_world_hint=False
)
_PUTS_BACK = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, open_world_hint=False
)

Action = Literal[
    "show",
    "start",
    "step",
    "begin",
    "done",
    "block",
    "next",
    "anchor",
    "fail",
    "finish",
]


def serve() -> None:
    """Answer on standard output what comes on standard input, until that ends.

    A verb that is under way then is carried through. A client that reads no more is
    gone, too.
    """
    try:
        server().run()
    except* BrokenPipeError:
        pass


def server() -> MCPServer:
    """The server with its tools; it looks at the repository of the current directory."""
    made = MCPServer(
        "gitstate",
        version=__version__,
        instructions=INSTRUCTIONS,
        log_level="WARNING",
    )
    tools: tuple[tuple[Callable[..., CallToolResult], ToolAnnotations], ...] = (
        (brief, _READS),
        (verify, _READS),
        (task, _WRITES),
        (decide, _WRITES),
        (log, _READS),
        (search, _READS),
        (Restoring().restore, _PUTS_BACK),
    )
    for tool, kind in tools:
        text = inspect.cleandoc(tool.__doc__ or "")
        made.add_tool(tool, description=text, annotations=kind)
    return made


def brief(budget: int = 0) -> CallToolResult:
    """What to know before going on: goal, steps, rules, decisions, the next step."""
    return _answer(call("brief", *_option("budget", str(budget or ""))))


def verify(answer: str, file: str = "") -> CallToolResult:
    """Check what was taken in of a state file: restate it in your own words.

    Without file: which step is in progress, what comes next, which known issue is open.
    What is missing or contradicted comes back, with the file's text.
    """
    said = call("verify", *_behind([file] if file else []), stdin=answer)
    return _answer(said, also=EXIT_REFUSED if said.out else EXIT_DONE)


def task(  # noqa: PLR0913 what the verbs of a task take
    action: Action,
    *,
    text: str = "",
    step: int = 0,
    files: list[str] = [],  # noqa: B006 what the schema shows; nobody changes it
    reason: str = "",
    next: str = "",  # noqa: A002 the verb's own option
) -> CallToolResult:
    """Show or write the current task.

    start: text=goal. step: text=a new step. begin: step. done: step, text=conclusion,
    files touched, next. block: text, step. next: text. anchor: text=path:line. fail:
    text=what was tried, reason. finish: moves it to completed/.
    """
    words = [
        *_options("file", files),
        *_option("reason", reason),
        *_option("next", next),
    ]
    numbered = action in {"begin", "done", "block"} and step
    said = [*([str(step)] if numbered else []), *([text] if text else [])]
    return _answer(call("task", action, *words, *_behind(said)))


def decide(
    decision: str,
    reason: str,
    *,
    alternatives: list[str] = [],  # noqa: B006 as above
    confidence: Literal["high", "medium", "low"] = "medium",
    supersedes: list[str] = [],  # noqa: B006 as above
) -> CallToolResult:
    """Write down a decision. alternatives: "name: why not"; supersedes: D-NNNN."""
    return _answer(
        call(
            "decide",
            *_option("reason", reason),
            *_options("alternative", alternatives),
            *_option("confidence", confidence),
            *_options("supersedes", supersedes),
            *_behind([decision]),
        )
    )


def log(count: int = 10, file: str = "", grep: str = "") -> CallToolResult:
    """The versions of the state, newest first; of one file, or with a word in them."""
    words = [f"-n{count}", *_option("grep", grep)]
    return _answer(call("log", *words, *_behind([file] if file else [])))


def search(text: str) -> CallToolResult:
    """Find a text in the state, its archives and every version."""
    return _answer(call("search", *_behind([text])))


class Restoring:
    """Restores that were shown and not yet done, by the token that was given for each."""

    def __init__(self) -> None:
        self._shown: dict[str, str] = {}

    def restore(
        self,
        version: str,
        files: list[str] = [],  # noqa: B006 as above
        token: str = "",
    ) -> CallToolResult:
        """Bring a version back (v17, HEAD~1, 2026-11-28).

        The first call only says what would change, and gives a token; call again with
        it once that is wanted.
        """
        words = _behind([version, *files])
        plan = call("restore", "--dry-run", "--json", *words)
        if plan.code != EXIT_DONE:
            return _answer(plan)
        if not json.loads(plan.out)["changed"]:
            return _answer(call("restore", "--dry-run", *words))
        mark = hashlib.sha256(repr((words, plan.out)).encode()).hexdigest()
        if token and self._shown.pop(token, None) == mark:
            return _answer(call("restore", *words))
        shown = call("restore", "--dry-run", *words)
        new = secrets.token_hex(4)
        self._shown[new] = mark
        ask = f"Nothing is changed yet. To do this, call restore again with token={new}"
        if token:
            ask = f"That token is not, or no longer, for this restore. {ask}"
        return _answer(shown._replace(out=f"{shown.out}\n{ask}"))


def _option(name: str, value: str) -> list[str]:
    """``--name=value``, whatever the value begins with; nothing where it is empty."""
    return [f"--{name}={value}"] if value else []


def _options(name: str, values: Iterable[str]) -> list[str]:
    return [word for value in values for word in _option(name, value)]


def _behind(words: list[str]) -> list[str]:
    """Words that are no options, also where one begins with a dash."""
    return ["--", *words]


def _answer(said: Said, *, also: int = EXIT_DONE) -> CallToolResult:
    """What a verb said, as an error where it was refused.

    ``also``: another exit code that is an answer.
    """
    text = "\n".join(part for part in (said.out, said.err) if part)
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        is_error=said.code not in {EXIT_DONE, also},
    )
