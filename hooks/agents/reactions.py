"""What gitstate does and says when an agent tells something; knows no agent by name."""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING

from gitstate.errors import CannotWrite, GitstateError
from gitstate.hooks.agents import (
    checking,
    first_edits,
    logging_uses,
    recalled,
    receipts,
    sessions,
    spool,
    telling,
    transcript,
    unkept,
)
from gitstate.hooks.agents.events import (
    BeforeCompaction,
    Compacted,
    Reply,
    SessionStarted,
    ToolUsed,
    TurnEnded,
    TurnStarted,
)
from gitstate.hooks.agents.hook import tell
from gitstate.hooks.agents.names import name_of
from gitstate.hooks.agents.saying import Saying

if TYPE_CHECKING:
    from gitstate.hooks.agents.adapter import Adapter
    from gitstate.hooks.agents.events import Event
    from gitstate.hooks.agents.place import Place
    from gitstate.hooks.agents.sessions import Session
    from gitstate.workspace import Workspace

TASK = "02-current-task.md"
_STARTS = frozenset({"startup", "new", "resume", "clear", "fork"})


def react(place: Place, adapter: Adapter, event: Event) -> Reply:
    """What is answered to an event; raises ``GitstateError`` and ``OSError``.

    Where nothing can be kept (a full disk, one that is read-only), what is asked for by
    the event itself is said all the same.
    """
    try:
        with sessions.opened(place, adapter.name, event.session) as session:
            return _Reaction(place, adapter, session, event).reply()
    except (CannotWrite, OSError) as error:
        said = unkept.answer(place, adapter, event)
        if said is None:
            raise
        tell(place, f"{adapter.name}: nothing is kept of its session: {error}")
        return said


class _Reaction:
    """One event of one session."""

    def __init__(
        self, place: Place, adapter: Adapter, session: Session, event: Event
    ) -> None:
        self.place, self.adapter = place, adapter
        self.session, self.event = session, event
        self.track = session.track
        self._ws: Workspace | None = None
        self._said: list[str] = []
        self.saying = Saying(adapter, session, event, lambda: self.ws)

    @property
    def ws(self) -> Workspace:
        """The worktree, opened when it is needed: that costs two git processes."""
        if self._ws is None:
            from pathlib import Path  # noqa: PLC0415 as above

            from gitstate.workspace import Workspace  # noqa: PLC0415 as above

            self._ws = Workspace.open(Path(self.place.root))
        return self._ws

    def reply(self) -> Reply:  # noqa: PLR0911 one a kind
        """The answer to the event."""
        self.session.fired += 1
        sessions.hear(self.place, self.session)
        self.session.transcript = self.event.transcript or self.session.transcript
        match self.event:
            case SessionStarted():
                return self._session_started(self.event)
            case TurnStarted():
                return self._turn_started(self.event)
            case ToolUsed():
                return self._tool_used(self.event)
            case BeforeCompaction():
                return self._before_compaction()
            case Compacted():
                return self._compacted(self.event)
            case TurnEnded():
                return self._turn_ended(self.event)
        return Reply()

    def _session_started(self, event: SessionStarted) -> Reply:
        sessions.sweep(self.place)
        if self.session.offset < 0 or event.source != "resume":
            transcript.skip(self.session)
        self._read_transcript()
        self._hear_late()
        self._note_format()
        self._log()
        if not self.session.task:
            self.session.task = self._task_mark()
        begun = self.session.ended < self.track.turns and bool(self.session.receipts)
        if not self.track.pending and not (
            begun and event.source in {"startup", "new"}
        ):
            self.track.pending = event.source if event.source in _STARTS else "startup"
        return self._give() if event.carries else Reply()

    def _turn_started(self, event: TurnStarted) -> Reply:
        if not event.prompt.strip():
            return Reply()  # some clients tell of a turn after each tool result
        if self.session.offset < 0 and not self.session.receipts:
            transcript.skip(self.session)  # some tell of the session's start after it
            self.track.pending = self.track.pending or "start"
        self._read_transcript()
        self._judge_receipts()
        self._hear_late()
        self.track.turn()
        self.session.held = False
        self._log(turn=True)
        if not event.carries:
            return Reply()
        if self.track.pending:
            return self._give()
        return Reply(context="\n\n".join(self.saying.reminders()))

    def _tool_used(self, event: ToolUsed) -> Reply:
        self.track.goes_on()
        said = []
        if event.carries:
            name = name_of(self.session.agent, self.session.session)
            waiting = first_edits.expected(self.place, name)
            for path in event.edited:
                if path in waiting:
                    line = self.saying.first_edit(path)
                    said += [line] if line else []
            if waiting & set(event.edited):
                first_edits.expect(self.place, name, waiting - set(event.edited))
            if self.track.pending:
                said.insert(0, self._give().context)
            elif self.session.later:
                said += self.session.later
                self.session.later = []
        return Reply(context="\n\n".join(filter(None, said)))

    def _before_compaction(self) -> Reply:
        if not self.adapter.announces:
            self._read_transcript()  # did the request before this one come after one
            return Reply()
        self._log(flush=True)
        self.session.noted["before"] = self._version()
        self.track.announce()
        instructions = recalled.template(self.ws)
        with contextlib.suppress(OSError, GitstateError):
            recalled.remember(self.ws)  # the briefing that follows has no time
        return Reply(instructions=instructions)

    def _compacted(self, event: Compacted) -> Reply:
        # the briefing after the one before it logged what was done until then
        if (
            event.carries
            and self.track.fresh
            and logging_uses.waits(self.place, self.session)
        ):
            self.track.goes_on()
        if self.track.compacted():
            self._after_compaction()
        return self._give() if event.carries and self.track.pending else Reply()

    def _after_compaction(self) -> None:
        self._log()  # what was changed before it, too
        self.session.noted["compacted"] = self.session.seen
        with contextlib.suppress(OSError, GitstateError):
            name = name_of(self.session.agent, self.session.session)
            first_edits.expect(self.place, name, logging_uses.changed(self.ws))

    def _turn_ended(self, event: TurnEnded) -> Reply:
        self._read_transcript()
        self._log(flush=True)
        if event.tokens:
            self.track.measured(event.tokens, event.window)
        self.track.ended(silent=not self.track.tokens)
        answers = event.main and bool(self.session.asked)
        if answers:
            self._judge_receipts()
        self._version()
        self.session.ended = self.track.turns
        if answers:  # last: it takes longest
            self._judge_answer([*self._said, event.said])
        reason = self._reason_to_go_on(event)
        self.session.held = bool(reason)
        if not reason:
            return Reply()
        self.session.blocks += 1
        return Reply(block=reason)

    def _hear_late(self) -> None:
        """What a client wrote down after the end of the turn in which it was said."""
        if self.session.asked and self._said and not self.adapter.says:
            self._judge_answer(self._said)

    def _judge_answer(self, said: list[str]) -> None:
        """Was what was asked answered as it is recorded.

        It is kept as no longer asked meanwhile: a hook that is killed at it, as one that
        takes too long is, is not killed at it at the end of each turn.
        """
        if self.session.asked and any(one.strip() for one in said):
            asked, self.session.asked = self.session.asked, {}
            sessions.keep(self.place, self.session)
            self.session.asked = asked
        room, unit = self.adapter.limit // 2, self.adapter.unit
        try:
            lost = checking.judge(self.ws, self.session, said, room=room, unit=unit)
        except Exception as error:  # noqa: BLE001 the turn's end has more to do than this
            lost = False
            tell(self.place, f"{self.adapter.name}: an answer: {type(error).__name__}")
        if lost and self.track.lost():
            self._after_compaction()

    def _reason_to_go_on(self, event: TurnEnded) -> str:
        """Why the turn must not end yet; "" where it may."""
        if not event.main:
            return ""
        mark = self._task_mark()
        if mark != self.session.task:
            self.session.task = mark
            self.session.edits = []
            return ""
        from gitstate.history import rule  # noqa: PLC0415 as above

        settings = self.ws.settings
        files = [
            path
            for path in self.session.edits
            if not rule.is_exempt(path, settings.dir, settings.gate_exempt)
        ]
        if not files or settings.gate == "off":
            return ""
        self.session.edits = []
        words = {"files": telling.named(files), "task": f"{settings.dir}/{TASK}"}
        if not self.adapter.blocks:
            self.session.later.append(telling.say(settings.lang, "unwritten", **words))
            return ""
        if self.session.held or event.blocked or self.track.announced:
            return ""
        return telling.say(settings.lang, "block", **words)

    def _give(self) -> Reply:
        """The briefing that waits.

        What the agent did itself is logged first: nobody else changed those files. And
        that it waits is kept: a hook that is killed at it leaves it to the next one.
        """
        sessions.keep(self.place, self.session)
        self._log()
        return Reply(context=self.saying.briefing())

    # what is found out, and kept

    def _read_transcript(self) -> None:
        for fact in transcript.read(self.adapter, self.session):
            if fact.compacted and fact.compacted not in self.session.boundaries:
                known = self.session.boundaries
                self.session.boundaries = [*known[-9:], fact.compacted]
                if self.track.compacted(by_transcript=True):
                    self._after_compaction()
            if fact.said:
                self._said.append(fact.said)
            if fact.uses:
                self._note(fact.uses)
            if fact.command:
                command = spool.digest(fact.command)
                logging_uses.count_run(self.session, command, failed=fact.failed)
            if fact.tokens and self.track.measured(
                fact.tokens, fact.window, drops=self.adapter.drops
            ):
                self._after_compaction()
            if fact.context:
                receipts.settle(self.session, fact.context)

    def _note(self, uses: tuple[tuple[str, str], ...]) -> None:
        """Uses that no hook was told of wait with the others."""
        told = ToolUsed(uses, session=self.session.session, cwd=self.event.cwd)
        noted = spool.note(self.place, told, time.time())
        if noted:
            agent, session = self.session.agent, self.session.session
            spool.leave(self.place, agent, session, noted)

    def _judge_receipts(self) -> None:
        """What was handed over in an earlier turn and is nowhere did not arrive."""
        path = self.session.transcript
        if not self.adapter.needles or not path:
            return
        # where a client keeps none, nothing is known; one that we keep would be there
        if not os.path.isfile(path) and not path.startswith(self.place.agents):
            return
        for one in self.session.receipts:
            if receipts.is_late(self.session, one):
                one.received = False
                last = one is self.session.receipts[-1]
                if last and not one.again and not self.track.pending:
                    self.track.pending = "again"
                    self.session.put_back = self.session.put_back or one.put_back

    def _log(self, *, turn: bool = False, flush: bool = False) -> None:
        """Log the tool uses that wait."""
        try:
            logging_uses.drain(
                self.place, self.ws, self.session, turn=turn, flush=flush
            )
        except (GitstateError, OSError) as error:
            tell(self.place, f"{self.adapter.name}: the operations log: {error}")

    def _version(self) -> int:
        """The state as a version; its number, 0 where there is none."""
        from gitstate.history.derived import take  # noqa: PLC0415 as above

        try:
            return take(self.ws, verb="agent").version or 0
        except (GitstateError, OSError) as error:
            tell(self.place, f"{self.adapter.name}: no version: {error}")
            return 0

    def _task_mark(self) -> str:
        """What differs when the task file's bytes do."""
        return spool.blob_of(self.place, f"{self.place.state_dir()}/{TASK}") or "-"

    def _note_format(self) -> None:
        mark = os.path.join(self.place.agents, spool.SHA256)
        if self.ws.object_format == "sha256" and not os.path.exists(mark):
            with open(mark, "w", encoding="ascii"):
                pass
