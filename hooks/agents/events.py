"""The one vocabulary of what agents tell, and of what they are answered.

An adapter translates its client's wire format into these and back, and does nothing else.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as typing's, which costs a hook 10 ms
if TYPE_CHECKING:
    from typing import Any


class Event:
    """Something that a client tells of a session.

    ``cwd`` and ``transcript`` are paths ("" where they are not told). ``carries``: with
    the answer to it a text reaches the model. ``main``: not a subagent's.
    """

    __slots__ = ("carries", "cwd", "main", "session", "transcript")

    def __init__(
        self,
        *,
        session: str,
        cwd: str = "",
        transcript: str = "",
        carries: bool = False,
        main: bool = True,
    ) -> None:
        self.session = session
        self.cwd = cwd
        self.transcript = transcript
        self.carries = carries
        self.main = main


class SessionStarted(Event):
    """A session begins; ``source``: startup, resume, clear or fork."""

    __slots__ = ("source",)

    def __init__(self, source: str = "startup", **common: Any) -> None:  # noqa: ANN401 as Event's
        super().__init__(**common)
        self.source = source


class TurnStarted(Event):
    """The user asks for something; ``prompt`` is never kept."""

    __slots__ = ("prompt",)

    def __init__(self, prompt: str = "", **common: Any) -> None:  # noqa: ANN401 as Event's
        super().__init__(**common)
        self.prompt = prompt


class ToolUsed(Event):
    """A tool was used; ``uses`` are (action, path as it was given), actions as in the log.

    ``command``: what a shell ran; ``failed``: whether the tool said so, ``None`` where
    that is told elsewhere; ``was``: the text of the one file before its edit, where that
    is told; ``edited``: the files that it changed, from the root, where that was found
    out.
    """

    __slots__ = ("command", "edited", "failed", "uses", "was")

    def __init__(
        self,
        uses: tuple[tuple[str, str], ...] = (),
        *,
        command: str = "",
        failed: bool | None = False,
        was: str | None = None,
        **common: Any,  # noqa: ANN401 as Event's
    ) -> None:
        super().__init__(**common)
        self.uses = uses
        self.command = command
        self.failed = failed
        self.was = was
        self.edited: tuple[str, ...] = ()


class BeforeCompaction(Event):
    """A compaction is about to be tried; that is no proof of one."""

    __slots__ = ()


class Compacted(Event):
    """The context was compacted."""

    __slots__ = ()


class TurnEnded(Event):
    """The agent is about to stop; ``said``: its last message.

    ``blocked``: it goes on because a hook had it go on. ``tokens`` of ``window`` are in
    use, 0 where the client does not say.
    """

    __slots__ = ("blocked", "said", "tokens", "window")

    def __init__(
        self,
        said: str = "",
        *,
        blocked: bool = False,
        tokens: int = 0,
        window: int = 0,
        **common: Any,  # noqa: ANN401 as Event's
    ) -> None:
        super().__init__(**common)
        self.said = said
        self.blocked = blocked
        self.tokens = tokens
        self.window = window


class Reply:
    """What is answered: a text for the model, a reason to go on, words for a summariser."""

    __slots__ = ("block", "context", "instructions")

    def __init__(
        self, *, context: str = "", block: str = "", instructions: str = ""
    ) -> None:
        self.context = context
        self.block = block
        self.instructions = instructions


class Fact:
    """What one record of a transcript says: tokens in use, a compaction, a text of ours.

    ``compacted`` names the compaction, so that one that is written twice counts once.
    ``context``: a text that the client handed to the model on behalf of a hook. ``uses``:
    of files, by a tool of which no hook is told. ``command``: what a shell ran, and
    whether it ``failed``. ``said``: what the agent wrote to the user.
    """

    __slots__ = (
        "command",
        "compacted",
        "context",
        "failed",
        "said",
        "tokens",
        "uses",
        "window",
    )

    def __init__(  # noqa: PLR0913 a record says one of them
        self,
        *,
        tokens: int = 0,
        window: int = 0,
        compacted: str = "",
        context: str = "",
        uses: tuple[tuple[str, str], ...] = (),
        command: str = "",
        failed: bool = False,
        said: str = "",
    ) -> None:
        self.command = command
        self.failed = failed
        self.said = said
        self.tokens = tokens
        self.window = window
        self.compacted = compacted
        self.context = context
        self.uses = uses
