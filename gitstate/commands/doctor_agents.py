"""What ``gitstate doctor`` looks at in the agents that gitstate was put into."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from gitstate import clock
from gitstate.commands import common
from gitstate.commands.check import Check
from gitstate.errors import printable
from gitstate.hooks.agents import (
    adapters,
    beside,
    installer,
    layouts,
    plugin,
    receipts,
    silence,
    thresholds,
)
from gitstate.hooks.agents.place import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.hooks.agents.adapter import Adapter
    from gitstate.hooks.agents.sessions import Session
    from gitstate.workspace import Workspace

_PLUGGED = "claude-code"  # the one agent that has a plugin


def look(ws: Workspace) -> Iterator[Check]:
    """Everything that is known to go wrong between gitstate and an agent."""
    names = installer.installed(ws)
    root = beside.seen(Place(str(ws.root), str(ws.runtime)))
    if root:
        yield _plugin(Path(root))
    for name in names:
        yield _put_in(ws, name)
        yield from _hidden(ws, name)
    working = [name for name in names if not installer.commands_alone(ws, name)]
    if root and _PLUGGED not in working:
        working.append(_PLUGGED)
    for name in working:
        adapter = adapters.get(name)
        if adapter is not None:
            sessions = receipts.current(ws, name)
            yield from _heard(ws, adapter, sessions)
            yield from _threshold(ws, adapter, sessions)


def _put_in(ws: Workspace, name: str) -> Check:
    found = installer.status(ws, name)
    text = "up to date"
    if found.missing:
        text = f"not in {', '.join(map(printable, found.missing))}"
    elif found.old:
        text = "of another version or place of gitstate"
    alone = installer.commands_alone(ws, name)
    what = "hooks" if name in adapters.NAMES and not alone else "text"
    mend = f"gitstate agent install {name}{' --commands' if alone else ''}"
    return Check(f"{name}'s {what}", found.well, text, mend)


def _hidden(ws: Workspace, name: str) -> Iterator[Check]:
    """Did others write in a file that we made, and hid from git."""
    if not installer.is_hidden(ws, name):
        return
    text = "others wrote in it, and git does not see that: it is in info/exclude"
    mend = f"gitstate agent install {name}"
    yield Check(layouts.AGENTS_MD, ok=True, text=text, mend=mend, advice=True)


def _heard(ws: Workspace, adapter: Adapter, sessions: list[Session]) -> Iterator[Check]:
    """Do the hooks run, and does what they say arrive."""
    name = adapter.name
    if any(one.received is False for found in sessions[:1] for one in found.receipts):
        text = "a briefing did not reach the model in its newest session"
        yield Check(name, ok=False, text=text, mend=f"gitstate agent status {name}")
    off = silence.switched_off(name, ws.root)
    if off:
        text = f"{adapter.title} runs no hooks here: {off[0]}"
        yield Check(name, ok=False, text=text, mend=off[1])
        return
    silent = adapter.silence(ws.root, heard=bool(sessions))
    if silent:
        yield Check(name, ok=False, text=silent[0], mend=silent[1])
    began = installer.since(ws, name)
    newest = silence.newest(name, ws.root, since=began) if began else None
    if newest is None or any(one.session == newest.session for one in sessions):
        return
    moment = datetime.fromtimestamp(newest.began, clock.zone(ws.settings.timezone))
    when = common.when(moment)
    yield Check(
        name,
        ok=False,
        text=f"its newest session here, of {when}, ran none of these hooks",
        mend=silence.mend(adapter),
    )


def _threshold(
    ws: Workspace, adapter: Adapter, sessions: list[Session]
) -> Iterator[Check]:
    """Does it compact by itself before work is lost."""
    seen = next((one.track.window for one in sessions if one.track.window), 0)
    window = ws.settings.context_window or seen
    found = thresholds.of(adapter.name, ws.root, window=window)
    if found is None:
        return
    text = "never by itself"
    if found.share is not None:
        text = f"at {found.share:.0%} of the window"
    if found.late and found.share is not None:
        text += f", {thresholds.ADVISED:.0%} is advised"
    where = printable(found.setting)
    name = f"{adapter.name} compacts"
    text, mend = f"{text} ({where})", printable(found.mend)
    yield Check(name, ok=True, text=text, mend=mend, advice=found.late)


def _plugin(folder: Path) -> Check:
    current = plugin.is_current(folder)
    what = "up to date" if current else "of another version or place of gitstate"
    mend = "gitstate agent plugin; where it was installed: claude plugin update gitstate@gitstate"
    return Check("claude-code's plugin", current, f"{printable(folder)}: {what}", mend)
