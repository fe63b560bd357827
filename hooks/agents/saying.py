"""What is said to an agent: the briefing that waits, and the reminders of a turn."""

from __future__ import annotations

import os

from gitstate.errors import Refused
from gitstate.hooks.agents import checking, recalled, telling
from gitstate.hooks.agents.sessions import Receipt
from gitstate.late import late

TYPE_CHECKING = False  # as typing's, which costs a hook 10 ms
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gitstate.hooks.agents.adapter import Adapter
    from gitstate.hooks.agents.events import Event
    from gitstate.hooks.agents.sessions import Session
    from gitstate.workspace import Workspace

_MARKS = 200  # characters of a limit that the marks and the lead take, at most
_FAILING = 2  # times in a row
_PUT_BACK = late(r"(\d+) (\d+)(?: (.+))?")  # as `sessions.hear` has it
_LEADS = frozenset({"start", "resume", "clear", "fork", "compact", "again", "probe"})


class Saying:
    """What an event of a session is answered; ``workspace`` opens the worktree when needed."""

    def __init__(
        self,
        adapter: Adapter,
        session: Session,
        event: Event,
        workspace: Callable[[], Workspace],
    ) -> None:
        self.adapter, self.session, self.event = adapter, session, event
        self.track = session.track
        self._workspace = workspace

    @property
    def ws(self) -> Workspace:
        """The worktree."""
        return self._workspace()

    def briefing(self) -> str:
        """The briefing that waits, between its marks."""
        reason = self.track.pending
        if reason == "startup":
            reason = "start"
        lean = self.track.lean
        put_back, self.session.put_back = self.session.put_back, ""
        leads = self._leads(reason, put_back)
        leads += self._close_ones()
        id_ = os.urandom(4).hex()
        before = self.session.noted.get("before") if reason == "compact" else None
        ask = checking.question(self.ws, self.session, reason, id_)
        unit, after = self.adapter.unit, None if before is None else int(before)
        limit = self.adapter.limit_at(str(self.ws.root), self.event) - _MARKS
        later = self.session.later
        # the state comes first: what stands beside it gives way where there is no room
        for more, asked in ((later, ask), ([], ask), ([], "")):
            text = "\n\n".join([*leads, *more])
            room = limit - recalled.measure(text, unit) - recalled.measure(asked, unit)
            try:
                found = recalled.briefing(
                    self.ws, limit=room, unit=unit, after=after, lean=lean
                )
            except Refused:
                if not more and not asked:
                    raise
                continue
            self.session.later = [] if more else later
            if ask and not asked:
                self.session.asked = {}
            break
        whole = telling.wrapped(
            id_, text, f"{found.text}\n{asked}" if asked else found.text
        )
        self.session.add(
            Receipt(
                id=id_,
                reason=reason,
                turn=max(self.track.turns, self.session.ended + 1),
                chars=len(whole),
                version=found.version or 0,
                again=reason == "again",
                put_back=put_back,
            )
        )
        self.track.briefed()
        return whole

    def _leads(self, reason: str, put_back: str) -> list[str]:
        """Why it is said now, and what no longer holds after a restore."""
        settings, said = self.ws.settings, []
        found = _PUT_BACK.fullmatch(put_back)
        if reason != "restore" or not found:
            known = reason if reason in _LEADS else "start"
            said.append(telling.say(settings.lang, known, dir=settings.dir))
        if found:
            source, last = int(found[1]), int(found[2])
            words = {"source": source, "first": min(source + 1, last), "last": last}
            key = "restore files" if found[3] else "restore"
            said.append(telling.say(settings.lang, key, **words, files=found[3]))
        return said

    def reminders(self) -> list[str]:
        """What waits to be said at the beginning of a turn."""
        from gitstate import reminders  # noqa: PLC0415 as above

        settings = self.ws.settings
        lang = settings.lang
        said = [*self._close_ones(), *self.session.later]
        self.session.later = []
        for one in reminders.read(self.ws):
            key = f"{one.kind} {one.standstill}"
            if key not in self.session.told:
                self.session.told = [*self.session.told[-50:], key]
                said.append(f"gitstate: {one.text}")
        share = self.track.warns(
            warn=settings.compaction_warn, window=settings.context_window
        )
        if share is not None:
            said.append(telling.say(lang, "warn", share=round(share * 100)))
        if max(self.session.failed.values(), default=0) >= _FAILING:
            count = max(self.session.failed.values())
            said.append(telling.say(lang, "failing", count=count))
            self.session.failed = {}
        if self.session.undone:
            files = telling.named(self.session.undone)
            said.append(telling.say(lang, "undone", files=files))
            self.session.undone = []
        if self.track.refresh_due(settings.refresh_turns):
            said += self._refresh()
        if ask := checking.probe(self.ws, self.adapter, self.session):
            said.append(ask)
        return said

    def _refresh(self) -> list[str]:
        """A request to write, where the log shows work that the state does not."""
        worked, self.session.worked = self.session.worked, []
        if not worked:
            return []
        since = self.session.noted.get("refreshed", self.session.started)
        self.session.noted["refreshed"] = self.session.seen
        unchanged = [
            f"{name} (`{verb}`)"
            for name, verb in telling.VERBS.items()
            if _time_of(self.ws.state_dir / name) <= since
        ]
        if not unchanged:
            return []
        return [
            telling.say(
                self.ws.settings.lang,
                "refresh",
                turns=self.ws.settings.refresh_turns,
                files=telling.named(worked),
                unchanged=", ".join(unchanged),
            )
        ]

    def _close_ones(self) -> list[str]:
        """Two compactions within a few turns: said once, with what takes the room."""
        if not self.track.close:
            return []
        self.track.close = False
        from gitstate.recall.compaction import CLOSE_TURNS  # noqa: PLC0415 as above

        sizes = ", ".join(
            f"{name} {_size_of(self.ws.state_dir / name)}"
            for name in ("00-project-context.md", *telling.VERBS)
        )
        lang = self.ws.settings.lang
        return [telling.say(lang, "close", turns=CLOSE_TURNS, sizes=sizes)]

    def first_edit(self, path: str) -> str:
        """The line for the first edit of a file after a compaction; "" for none."""
        since = self.session.noted.get("compacted", self.session.started)
        return recalled.first_edit_line(self.ws, path, since)


def _time_of(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except OSError:
        return float("inf")  # what is not there is not asked for


def _size_of(path: Path) -> str:
    try:
        return f"{path.lstat().st_size / 1024:.1f} KiB"
    except OSError:
        return "-"
