"""A hook that is killed at any of its steps: one briefing a compaction all the same."""

from __future__ import annotations

import itertools
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

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

    def cut_off(self, last: int, call: Callable[[], str]) -> tuple[str, bool]:
        """What a call printed, and whether it was killed."""
        self.last, self.taken = last, 0
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
    for last in itertools.count(step=2):
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
        model.hear(out)
        for one in after:
            model.hear(client.tell(*one))
        seen[last] = len(model.got) - 1
        if not was_killed:
            break
    assert last > 20
    assert set(seen.values()) == {1}, seen
