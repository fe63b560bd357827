"""A hook that is killed at any of its steps: one briefing a compaction all the same."""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gitstate.hooks.agents import installer
from gitstate.workspace import Workspace
from tests.hooks.agents.places import Client, ready

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.support import Repo

IDS = re.compile(r"\[gitstate briefing ([0-9a-f]{8})\]")
STEPS = ("open", "rename", "replace", "unlink", "mkdir", "rmdir")
CLAUDE = (
    ("PostCompact", ""),
    ("PostToolUse", "PostToolUse-Read"),
    ("Stop", ""),
    *(("UserPromptSubmit", ""), ("Stop", "")) * 2,
    ("UserPromptSubmit", ""),
)
# the plugin tells once more of a compaction where the hook died at it
OPENCODE = (
    ("compacted", ""),
    ("tool", "tool-read"),
    ("idle", ""),
    *(("turn", ""), ("idle", "")) * 2,
)


class Killed(BaseException):
    """Nothing of ours handles it, as nothing is run after SIGKILL."""


class Steps:
    """The steps that a hook takes on disk; after ``last`` of them it is dead."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.last: int | None = None
        self.taken = 0
        with subprocess.Popen(["true"]) as ended:
            self.dead = ended.pid
        for name in STEPS:
            monkeypatch.setattr(os, name, self._counted(getattr(os, name)))

    def _counted(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def step(*args: object, **words: object) -> object:
            if self.last is not None:
                if self.taken >= self.last:
                    self.taken += 1
                    raise Killed
                self.taken += 1
            return real(*args, **words)

        return step

    def cut_off(self, last: int, call: Callable[[], object]) -> tuple[object, bool]:
        """What a call printed, and whether it was killed."""
        self.last, self.taken = last, 0
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "getpid", lambda: self.dead)  # it is gone afterwards
            try:
                return call(), False
            except Killed:
                return "", True
            finally:
                self.last = None


class Model:
    """What reached the model, and its client's transcript of that."""

    def __init__(self, transcript: Path) -> None:
        self.transcript = transcript
        self.got: list[str] = []

    def hear(self, out: str) -> None:
        if not IDS.search(out):
            return
        said = json.loads(out)
        self.got += IDS.findall(out)
        found: dict[str, object] = {}
        if "receipts" in said:
            self.transcript = Path(said["receipts"])
            self.transcript.parent.mkdir(exist_ok=True)
            found = {"system": [said["context"]]}
        else:
            text = said["hookSpecificOutput"]["additionalContext"]
            reached = {"type": "hook_additional_context", "content": [text]}
            found = {"type": "attachment", "attachment": reached}
        self.write(found)

    def write(self, record: dict[str, object]) -> None:
        with self.transcript.open("a") as file:
            file.write(json.dumps(record) + "\n")


# what was at work in it is left as it is
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize(
    ("agent", "before", "event", "after"),
    [
        (
            "claude-code",
            (("SessionStart", "SessionStart-startup"), ("UserPromptSubmit", "")),
            ("SessionStart", "SessionStart-compact"),
            CLAUDE,
        ),
        ("opencode", (("start", ""), ("turn", "")), ("compacted", ""), OPENCODE),
    ],
    ids=["claude-code", "opencode"],
)
def test_one_briefing_a_compaction(  # noqa: PLR0917 a client, and its events
    repo: Repo,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    agent: str,
    before: Sequence[tuple[str, str]],
    event: tuple[str, str],
    after: Sequence[tuple[str, str]],
) -> None:
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    client = Client(ready(repo), capsys, monkeypatch, agent=agent)
    steps, seen = Steps(monkeypatch), {}
    for last in itertools.count(step=3):
        transcript = tmp_path / f"{last}.jsonl"
        transcript.write_text("{}\n")
        name = f"s{last}"
        client.common = {"session_id": name, "session": name}
        client.common |= {"transcript_path": str(transcript)}
        model = Model(transcript)
        for one in before:
            model.hear(client.tell(*one))
        assert len(model.got) == 1
        if agent == "claude-code":
            boundary = "compact_boundary"
            model.write({"type": "system", "subtype": boundary, "uuid": "u"})
        out, was_killed = steps.cut_off(last, lambda: client.tell(*event))
        model.hear(str(out))
        for one in after:
            model.hear(client.tell(*one))
        seen[last] = len(model.got) - 1
        if not was_killed:
            break
    assert last > 20
    assert set(seen.values()) == {1}, seen


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("theirs", [b'// mine\n{\n  "a": 1\n}\n', None])
def test_what_is_put_in_can_be_taken_out_wherever_it_was_killed(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, theirs: bytes | None
) -> None:
    agent, ws = "gemini-cli", Workspace.open(ready(repo).path)
    path = ws.root / ".gemini" / "settings.json"
    if theirs is not None:
        path.parent.mkdir()
        path.write_bytes(theirs)
    excluded = ws.common_dir / "info" / "exclude"

    def look() -> dict[str, bytes]:
        files = [*ws.root.glob(".gemini"), *ws.root.glob(".gemini/**/*"), excluded]
        return {str(one): one.read_bytes() if one.is_file() else b"" for one in files}

    before, steps = look(), Steps(monkeypatch)
    for last in itertools.count():
        _, in_half = steps.cut_off(last, lambda: installer.install(ws, agent))
        installer.install(ws, agent)
        assert installer.status(ws, agent).well
        _, out_half = steps.cut_off(last, lambda: installer.uninstall(ws, agent))
        installer.uninstall(ws, agent)
        assert look() == before, last
        if not in_half and not out_half:
            break
    assert last > 10
