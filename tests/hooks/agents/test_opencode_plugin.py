"""OpenCode's plugin, loaded by node: whatever it is told, it stops nothing."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from gitstate.hooks.agents import layouts
from tests.hooks.agents.places import ready

if TYPE_CHECKING:
    from tests.support import Repo

SCRIPT = """
import { gitstate } from "./plugin.mjs"
const hooks = await gitstate({ directory: process.cwd() })
const odd = [undefined, null, {}, 7, "x", [], { event: null }, { event: {} },
  { event: { type: "message.updated" } }, { event: { type: "message.part.updated" } },
  { event: { type: "session.idle", properties: null } }, { sessionID: 5 }]
for (const hook of Object.values(hooks))
  for (const told of odd)
    for (const output of [undefined, null, {}, { system: null, context: 3, parts: [null] }])
      await hook(told, output)
const session = { sessionID: "s" }
await hooks["chat.message"](session, { parts: [{ type: "text", text: "go on" }] })
const output = { system: ["theirs"] }
await hooks["experimental.chat.system.transform"](session, output)
const summary = { context: [] }
await hooks["experimental.session.compacting"](session, summary)
console.log(JSON.stringify({ names: Object.keys(hooks), ...output, ...summary }))
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_what_it_is_told_otherwise_stops_nothing(repo: Repo) -> None:
    ready(repo)
    (text,) = layouts.of("opencode").files.values()
    folder = repo.path / "plugins"
    folder.mkdir()
    (folder / "plugin.mjs").write_text(text)
    (folder / "run.mjs").write_text(SCRIPT)
    done = subprocess.run(
        ["node", "plugins/run.mjs"],
        cwd=repo.path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert len(found["names"]) == 6
    assert found["system"][0] == "theirs"
    (briefing,) = found["system"][1:]
    assert "Never call npm" in briefing
    (words,) = found["context"]
    assert "- Goal: Fix a.txt" in words
