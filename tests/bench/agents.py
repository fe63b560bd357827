"""What a coding agent waits for: its hooks, each as its client starts it, from a cold start."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

from gitstate.workspace import Workspace
from tests.bench.briefing import fill
from tests.bench.measure import Row, interleaved, limit
from tests.bench.places import begun, run
from tests.bench.verbs import LOADED_S, libraries
from tests.support import NUMBERED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support import Repo

_BRIEFING_MS, _FIRST_MS, _TOOL_MS, _SPOOL_MS = 150, 200, 60, 20
_SETTINGS = ".claude/settings.local.json"


def agents(folder: Path, *, runs: int) -> Iterator[Row]:
    """Claude Code's hooks in a repository whose files are filled up to their limits."""
    repo, _ = begun(folder / "agents")
    fill(repo)
    run("snapshot", cwd=repo.path)
    run("agent", "install", "claude-code", cwd=repo.path)
    code = str(repo.path / "code.txt")
    kib = sum(path.stat().st_size for path in repo.state.glob("0*.md")) >> 10

    ws = Workspace.open(repo.path)
    task = repo.state / NUMBERED[2]
    text = task.read_text(encoding="utf-8")

    def briefing(
        source: str, *, edited: bool = False, first: bool = False
    ) -> Callable[[int], Callable[[], object]]:
        fire = hook(repo, "SessionStart", says=True, source=source)

        def prepared(turn: int) -> Callable[[], object]:
            begin()
            if edited:
                task.write_text(f"{text}\n- Seen in turn {turn}\n", encoding="utf-8")
            if first:
                (ws.runtime / "parsed").unlink()
            return fire(turn)

        return prepared

    def begin() -> None:
        """The state as it was versioned, and read before."""
        task.write_text(text, encoding="utf-8")
        run("brief", cwd=repo.path)  # by the installed code, as the hooks are

    def brief(_: int) -> Callable[[], object]:
        begin()
        return lambda: run("brief", cwd=repo.path)

    rows = {
        f"an agent's briefing of {kib} KiB of state": (
            _BRIEFING_MS,
            briefing("startup"),
        ),
        "the same after a compaction, with its questions": (
            _BRIEFING_MS,
            briefing("compact"),
        ),
        "the same, the task edited since the last one": (
            _BRIEFING_MS,
            briefing("startup", edited=True),
        ),
        "the same, the first one: nothing of it read before": (
            _FIRST_MS,
            briefing("startup", first=True),
        ),
        f"gitstate brief of {kib} KiB of state": (_BRIEFING_MS, brief),
        "an agent's tool use, an edit": (_TOOL_MS, hook(repo, *_used("Edit", code))),
        "an agent's tool use, one that is only spooled": (
            _SPOOL_MS,
            hook(repo, *_used("Read", code)),
        ),
    }
    actions = [action for _, action in rows.values()]
    *ours, loaded = interleaved([*actions, libraries], runs=runs, warm=1)
    # the bounds are those of a machine which loads the libraries in so long
    slower = max(1.0, loaded.median / LOADED_S)
    for (what, (most, _)), sample in zip(rows.items(), ours, strict=True):
        beside = f"the libraries of a verb alone {loaded}"
        yield limit(f"{what}, whole process", sample, most * slower, beside=beside)


def _used(tool: str, path: str) -> tuple[str, str, str]:
    return "PostToolUse", tool, path


def hook(
    repo: Repo,
    event: str,
    tool: str = "",
    path: str = "",
    *,
    says: bool = False,
    **more: str,
) -> Callable[[int], Callable[[], object]]:
    """The hook of an event, as it stands in the settings; ``says``: is there an answer."""
    settings = json.loads((repo.path / _SETTINGS).read_text("utf-8"))
    command = next(
        group["hooks"][0]["command"]
        for group in settings["hooks"][event]
        if tool in group.get("matcher", "").split("|")
    )
    environment = {**os.environ, "CLAUDE_PROJECT_DIR": str(repo.path)}

    def prepared(turn: int) -> Callable[[], object]:
        told: dict[str, object] = {
            # a compaction leaves things to be said to its session's tool uses
            "session_id": f"session-{more.get('source', '')}-{turn}",
            "transcript_path": "",
            "cwd": str(repo.path),
            "hook_event_name": event,
            **more,
        }
        if tool:
            told |= {"tool_name": tool, "tool_input": {"file_path": path}}

        def fire() -> None:
            done = subprocess.run(
                ["sh", "-c", command],
                cwd=repo.path,
                env=environment,
                input=json.dumps(told).encode(),
                capture_output=True,
                check=True,
            )
            assert bool(done.stdout) == says, done

        return fire

    return prepared
