"""What each client tells its hooks, recorded: ``python -m tests.agents.recording [NAME…]``.

The real clients run against the stub model, with hooks that keep what they are told. Of
each event, tool and source the first one is written to ``tests/hooks/agents/inputs``, and
the lines of the transcript that are read, with ``@ROOT@`` and ``@HOME@`` for the places of
this machine and ids that count.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitstate.hooks.agents import adapters
from tests.agents import (
    story,
    test_claude_code,
    test_codex,
    test_copilot_cli,
    test_gemini_cli,
    test_opencode,
    test_qwen_code,
)
from tests.agents.stub_model import Stub

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support import Repo

INPUTS = Path(__file__).parents[1] / "hooks" / "agents" / "inputs"
_ID = re.compile(
    r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?:toolu|call|ses|msg)_\w{8,}"
)


def claude_code(repo: Repo, stub: Stub, home: Path) -> None:
    code, new = str(repo.path / "src/core/parser.ts"), str(repo.path / "src/new.ts")
    edit = {"file_path": code, "old_string": "1;\n", "new_string": "2;\n"}
    with test_claude_code.Talk(repo, stub, home) as talk:
        talk.send(
            story.calls(
                ("Read", {"file_path": code}),
                ("Edit", {**edit, "replace_all": True}),
                ("Write", {"file_path": new, "content": "x\n"}),
                ("Grep", {"pattern": "parseExpr", "path": code}),
                ("Bash", {"command": "cat README.md", "description": "read it"}),
                ("Bash", {"command": "exit 3", "description": "fail"}),
                *test_claude_code.edit_task(repo),
            )
        )
        talk.send("/compact")
        talk.send(story.calls(say="going on"))
        talk.send("/clear")
        talk.send(story.calls(say="anew"))
    with test_claude_code.Talk(repo, stub, home, "--continue") as talk:
        talk.send(story.calls(say="resumed"))


def codex(repo: Repo, stub: Stub, home: Path) -> None:
    client = test_codex.Codex(repo, stub, home)
    read = test_codex.shell("cat README.md")
    patch = "*** Begin Patch\n*** Add File: src/new.ts\n+x\n*** End Patch\n"
    client.run(
        story.calls(
            read,
            test_codex.shell("exit 3"),
            ("apply_patch", patch),
        )
    )
    client.run(story.calls(read, say="on", usage=98_000), resume=True)


def gemini_cli(repo: Repo, stub: Stub, home: Path) -> None:
    client = test_gemini_cli.Gemini(repo, stub, home)
    new = {"file_path": str(repo.path / "src/new.ts"), "content": "x\n"}
    client.run(
        story.calls(
            ("write_file", new),
            ("run_shell_command", {"command": "cat README.md"}),
            ("run_shell_command", {"command": "exit 3"}),
            *test_gemini_cli.edit_task(repo),
            usage=60_000,
        )
    )
    readme = ("read_file", {"file_path": "README.md"})
    client.run(story.calls(readme, usage=60_000), resume=True)
    client.run(story.calls(say="on"), resume=True)


def qwen_code(repo: Repo, stub: Stub, home: Path) -> None:
    stub.summary_tokens = test_qwen_code.SUMMARY_TOKENS
    client = test_qwen_code.Qwen(repo, stub, home)
    new = {"file_path": str(repo.path / "src/new.ts"), "content": "x\n"}
    shell = {"is_background": False}
    client.run(
        story.calls(
            ("write_file", new),
            ("run_shell_command", {"command": "cat README.md", **shell}),
            ("run_shell_command", {"command": "exit 3", **shell}),
            *test_qwen_code.edit_task(repo),
        )
    )
    readme = ("read_file", {"file_path": str(repo.path / "README.md")})
    client.run(story.calls(readme, usage=test_qwen_code.FULL), resume=True)


def opencode(repo: Repo, stub: Stub, home: Path) -> None:
    client = test_opencode.OpenCode(repo, stub, home)
    new = {"filePath": str(repo.path / "src/new.ts"), "content": "x\n"}
    client.run(
        story.calls(
            ("write", new),
            ("bash", {"command": "cat README.md", "description": "read it"}),
            ("bash", {"command": "exit 3", "description": "fail"}),
            *test_opencode.edit_task(repo),
        )
    )
    readme = ("read", {"filePath": str(repo.path / "README.md")})
    client.run(story.calls(readme, usage=test_opencode.FULL), resume=True)


def copilot_cli(repo: Repo, stub: Stub, home: Path) -> None:
    client = test_copilot_cli.Copilot(repo, stub, home)
    new = {"path": str(repo.path / "src/new.ts"), "file_text": "x\n"}
    client.run(
        story.calls(
            ("create", new),
            ("bash", {"command": "cat README.md", "description": "read it"}),
            ("bash", {"command": "exit 3", "description": "fail"}),
            *test_copilot_cli.edit_task(repo),
        )
    )
    readme = ("view", {"path": str(repo.path / "README.md")})
    client.run(story.calls(readme, usage=test_copilot_cli.FULL), resume=True)


RUNS: dict[str, tuple[Callable[[Repo, Stub, Path], None], str]] = {
    "claude-code": (claude_code, test_claude_code.SETTINGS),
    "codex": (codex, test_codex.SETTINGS),
    "gemini-cli": (gemini_cli, test_gemini_cli.SETTINGS),
    "qwen-code": (qwen_code, test_qwen_code.SETTINGS),
    "opencode": (opencode, test_opencode.SETTINGS),
    "copilot-cli": (copilot_cli, test_copilot_cli.SETTINGS),
}


def listen(settings: Path, folder: Path) -> None:
    """Have each hook keep what it is told before it is run."""
    folder.mkdir()
    if settings.suffix == ".js":
        script = folder.parent / "python"
        script.write_text(
            f'#!/bin/sh\ntee "{folder}/$(date +%s%N).$5" | exec {sys.executable} "$@"\n'
        )
        script.chmod(0o755)
        text = settings.read_text()
        settings.write_text(
            text.replace(json.dumps(sys.executable), json.dumps(str(script)))
        )
        return
    said = json.loads(settings.read_text())
    for event, groups in said["hooks"].items():
        for group in groups:
            for hook in group.get("hooks", [group]):
                key = "bash" if "bash" in hook else "command"
                kept = f'tee "{folder}/$(date +%s%N).{event}"'
                hook[key] = f"{kept} | ( {hook[key]} )"
    settings.write_text(json.dumps(said))


@dataclass
class Scrub:
    """Names in the place of folders of this machine, and ids that count."""

    folders: dict[str, Path]
    ids: dict[str, str] = field(default_factory=dict)

    def text(self, text: str) -> str:
        """A text without them."""
        for one in _ID.findall(text):
            kind, between, _ = one.partition("_")
            number = f"{len(self.ids) + 1:012}"
            head = f"{kind}_" if between else "00000000-0000-4000-8000-"
            self.ids.setdefault(one, f"{head}{number}")
        for one, other in self.ids.items():
            text = text.replace(one, other).replace(f"-{one[:8]}.", f"-{other[:8]}.")
        for name, folder in self.folders.items():
            text = text.replace(str(folder), f"@{name}@")
            text = text.replace(re.sub(r"[^A-Za-z0-9]", "-", str(folder)), f"-{name}-")
        return text


def record(agent: str, at: Path) -> dict[str, str]:
    """Run a client; what it told and what it wrote into its transcript, by files' names."""
    run, settings = RUNS[agent]
    home, heard = at / "home", at / "heard"
    home.mkdir()
    repo = story.start(at / "project", agent)
    listen(repo.path / settings, heard)
    with Stub() as stub:
        run(repo, stub, home)
    adapter = adapters.get(agent)
    assert adapter is not None
    scrub = Scrub({"ROOT": repo.path, "HOME": home})
    found: dict[str, str] = {}
    transcripts: dict[str, None] = {}
    for path in sorted(heard.iterdir()):
        event, text = path.name.partition(".")[2], path.read_text("utf-8")
        told = adapter.event(event, json.loads(text))
        assert told is not None
        transcripts[told.transcript] = None
        wire = json.loads(scrub.text(text))
        whole = json.dumps(wire, indent=1, ensure_ascii=False)
        found.setdefault(f"{_name(event, wire)}.json", f"{whole}\n")
    lines = [
        scrub.text(line.decode())
        for path in transcripts
        if Path(path).is_file()
        for line in Path(path).read_bytes().splitlines(keepends=True)
        if any(needle in line for needle in adapter.needles)
    ]
    return {**found, "transcript.jsonl": "".join(lines)}


def _name(event: str, wire: dict[str, Any]) -> str:
    """The event, and its source or tool, and whether the tool failed."""
    more = (
        wire.get("source")
        or wire.get("tool_name")
        or wire.get("toolName")
        or wire.get("tool")
    )
    said = wire.get("tool_input") or wire.get("toolArgs") or wire.get("args") or ""
    failed = "exit 3" in json.dumps(said) and not event.endswith("Failure")
    return "-".join(filter(None, (event, more, "failed" if failed else "")))


def main(names: list[str]) -> int:
    """Record the clients that are named, or all."""
    for name in names or list(adapters.NAMES):
        at = Path(tempfile.mkdtemp(prefix="gitstate-recording-"))
        os.environ.update(
            XDG_STATE_HOME=str(at / "state"),
            GIT_CONFIG_GLOBAL=os.devnull,
            **{f"GIT_{who}_NAME": "A Coder" for who in ("AUTHOR", "COMMITTER")},
            **{
                f"GIT_{who}_EMAIL": "coder@example.com"
                for who in ("AUTHOR", "COMMITTER")
            },
        )
        try:
            found = record(name, at)
        finally:
            shutil.rmtree(at, ignore_errors=True)
        folder = INPUTS / name
        folder.mkdir(exist_ok=True)
        for event, text in found.items():
            (folder / event).write_text(text, "utf-8")
        print(name, *sorted(found))  # noqa: T201 a script
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
