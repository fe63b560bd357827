"""What ``gitstate doctor`` looks at in the agents that gitstate was put into."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gitstate.commands.check import Check
from gitstate.errors import printable
from gitstate.hooks.agents import adapters, beside, installer, plugin, receipts
from gitstate.hooks.agents.place import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.workspace import Workspace


def look(ws: Workspace) -> Iterator[Check]:
    """Everything that is known to go wrong between gitstate and an agent."""
    root = beside.seen(Place(str(ws.root), str(ws.runtime)))
    if root:
        yield _plugin(Path(root))
    for name in installer.installed(ws):
        found = installer.status(ws, name)
        text = "up to date"
        if found.missing:
            text = f"not in {', '.join(map(printable, found.missing))}"
        elif found.old:
            text = "of another version or place of gitstate"
        mend = f"gitstate agent install {name}"
        what = "hooks" if name in adapters.NAMES else "text"
        yield Check(f"{name}'s {what}", found.well, text, mend)
        sessions = receipts.current(ws, name)
        lost = [
            one
            for one in sessions[:1]
            if any(r.received is False for r in one.receipts)
        ]
        if lost:
            text = "a briefing did not reach the model in its newest session"
            yield Check(name, ok=False, text=text, mend=f"gitstate agent status {name}")
        adapter = adapters.get(name)
        silent = adapter and adapter.silence(ws.root, heard=bool(sessions))
        if silent:
            yield Check(name, ok=False, text=silent[0], mend=silent[1])


def _plugin(folder: Path) -> Check:
    current = plugin.is_current(folder)
    what = "up to date" if current else "of another version or place of gitstate"
    mend = "gitstate agent plugin; where it was installed: claude plugin update gitstate@gitstate"
    return Check("claude-code's plugin", current, f"{printable(folder)}: {what}", mend)
