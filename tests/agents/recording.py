"""What each client tells its hooks, recorded: ``python -m tests.agents.recording [NAME…]``.

The real clients run against the stub model, with hooks that keep what they are told. Of
each event, tool and source the first one is written to ``tests/hooks/agents/inputs``, with
``@ROOT@`` and ``@HOME@`` for the places of this machine and ids that count.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
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


def record(agent: str, at: Path) -> dict[str, str]:
    """Run a client; the text of each event that it told, by its name."""
    run, settings = RUNS[agent]
    home, heard = at / "home", at / "heard"
    home.mkdir()
    repo = story.start(at / "project", agent)
    listen(repo.path / settings, heard)
    with Stub() as stub:
        run(repo, stub, home)
    ids: dict[str, str] = {}
    found: dict[str, str] = {}
    for path in sorted(heard.iterdir()):
        event = path.name.partition(".")[2]
        text = path.read_text("utf-8")
        for one in _ID.findall(text):
            ids.setdefault(
                one,
                f"{one.partition('_')[0]}_{len(ids) + 1:012}"
                if "_" in one
                else f"00000000-0000-4000-8000-{len(ids) + 1:012}",
            )
        for one, other in ids.items():
            text = text.replace(one, other).replace(f"-{one[:8]}.", f"-{other[:8]}.")
        for place, name in ((repo.path, "ROOT"), (home, "HOME")):
            text = text.replace(str(place), f"@{name}@")
            text = text.replace(re.sub(r"[^A-Za-z0-9]", "-", str(place)), f"-{name}-")
        wire = json.loads(text)
        found.setdefault(
            _name(event, wire), json.dumps(wire, indent=1, ensure_ascii=False) + "\n"
        )
    return found


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
            (folder / f"{event}.json").write_text(text, "utf-8")
        print(name, *sorted(found))  # noqa: T201 a script
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
