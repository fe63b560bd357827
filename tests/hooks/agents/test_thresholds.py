"""When a client compacts by itself, from its own settings; doctor advises where it is late."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from gitstate.hooks.agents import adapters, installer, thresholds
from gitstate.workspace import Workspace
from tests.hooks.agents.places import ready
from tests.support import gitstate

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.support import Repo

PCT, WINDOW = "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE", "CLAUDE_CODE_AUTO_COMPACT_WINDOW"


def share(
    agent: str,
    root: Path,
    files: Mapping[str, object],
    *,
    window: int = 0,
    **environ: str,
) -> tuple[float | None, str] | None:
    """The share (percent) and the setting that says so, with these files in the home (~) or the project."""
    home = root / "home"
    for name, content in files.items():
        path = home / name[2:] if name.startswith("~/") else root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    everything = {"HOME": str(home), **environ}
    found = thresholds.of(agent, root, window=window, environ=everything)
    if found is None:
        return None
    return None if found.share is None else round(found.share * 100, 1), found.setting


def test_claude_code(tmp_path: Path) -> None:
    agent, own = "claude-code", "~/.claude/settings.json"
    assert share(agent, tmp_path, {}) is None  # the window is not known
    # 200,000 less what is kept free for the summary and before the limit
    assert share(agent, tmp_path, {}, window=200_000) == (83.5, "its default")
    assert share(agent, tmp_path, {}, window=1_000_000) == (96.7, "its default")
    assert share(agent, tmp_path, {own: {"env": {PCT: "95"}}}) == (95.0, PCT)
    # it only lowers
    assert share(agent, tmp_path, {}, window=200_000) == (83.5, "its default")
    local = ".claude/settings.local.json"
    assert share(agent, tmp_path, {local: {"env": {PCT: 70}}}) == (70.0, PCT)
    assert share(agent, tmp_path, {}, window=200_000) == (63.0, PCT)
    (tmp_path / local).unlink()
    (tmp_path / "home" / own[2:]).unlink()
    limit = {"autoCompactWindow": 500_000}
    assert share(agent, tmp_path, {own: limit}, window=1_000_000) == (
        46.7,
        "autoCompactWindow",
    )
    assert share(agent, tmp_path, {}, window=1_000_000, **{WINDOW: "900000"}) == (
        86.7,
        WINDOW,
    )
    assert share(agent, tmp_path, {}, DISABLE_AUTO_COMPACT="1") == (
        None,
        "DISABLE_AUTO_COMPACT",
    )
    assert share(
        agent, tmp_path, {"~/.claude.json": {"autoCompactEnabled": False}}
    ) == (
        None,
        "autoCompactEnabled",
    )


def test_codex(tmp_path: Path) -> None:
    agent, path = "codex", "~/.codex/config.toml"
    name = "model_auto_compact_token_limit"
    assert share(agent, tmp_path, {}) == (90.0, "its default")
    limits = f"model_context_window = 100000\n{name} = 60000\n"
    assert share(agent, tmp_path, {path: limits}) == (60.0, name)
    assert share(agent, tmp_path, {path: limits.replace("60000", "99000")}) == (
        90.0,
        name,
    )
    assert share(agent, tmp_path, {path: f"{name} = 60000\n"}) is None
    assert share(agent, tmp_path, {}, window=80_000) == (75.0, name)
    found = thresholds.of(
        agent, tmp_path, environ={"CODEX_HOME": str(tmp_path / "elsewhere")}
    )
    assert found is not None
    assert found.late
    assert found.mend == (
        f"put {name} = 75% of the model's window into "
        f"{tmp_path / 'elsewhere' / 'config.toml'}"
    )


def test_gemini_and_qwen(tmp_path: Path) -> None:
    key = "model.compressionThreshold"
    assert share("gemini-cli", tmp_path, {}) == (50.0, "its default")
    own = {
        "~/.gemini/settings.json": '{// mine\n"model": {"compressionThreshold": 0.9,}}'
    }
    assert share("gemini-cli", tmp_path, own) == (90.0, key)
    project = {".gemini/settings.json": {"model": {"compressionThreshold": 0.3}}}
    assert share("gemini-cli", tmp_path, project) == (30.0, key)
    assert share("qwen-code", tmp_path, {}) == (85.0, "its default")
    late = {"~/.qwen/settings.json": {"context": {"autoCompactThreshold": 0.95}}}
    assert share("qwen-code", tmp_path, late) == (95.0, "context.autoCompactThreshold")
    old = {"model": {"chatCompression": {"contextPercentageThreshold": 0.6}}}
    assert share("qwen-code", tmp_path, {"~/.qwen/settings.json": old}) == (
        60.0,
        "model.chatCompression.contextPercentageThreshold",
    )


def test_opencode(tmp_path: Path) -> None:
    agent, own = "opencode", "~/.config/opencode/opencode.json"

    def with_limits(**limits: int) -> dict[str, object]:
        models = {"m": {"limit": limits}}
        return {own: {"model": "p/m", "provider": {"p": {"models": models}}}}

    assert share(agent, tmp_path, {}) is None
    found = share(agent, tmp_path, with_limits(context=100_000, output=8_000))
    assert found == (92.0, "limit.output")
    found = share(
        agent, tmp_path, with_limits(context=100_000, output=8_000, input=100_000)
    )
    assert found == (92.0, "its default")
    reserved = {"opencode.jsonc": '{"compaction": {"reserved": 30000}} // mine'}
    assert share(agent, tmp_path, reserved) == (70.0, "compaction.reserved")
    off = {".opencode/opencode.json": {"compaction": {"auto": False}}}
    assert share(agent, tmp_path, off) == (None, "compaction.auto")


def test_copilot_has_no_such_setting(tmp_path: Path) -> None:
    assert share("copilot-cli", tmp_path, {}) is None


@pytest.mark.parametrize("agent", adapters.NAMES)
@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "null", "[[", "\0", '{"model": 5, "context": [], "env": "x"}',
        '{"model": {"compressionThreshold": -1}, "context": {"autoCompactThreshold": 7}}',
        "model_context_window = 'many'\nmodel_auto_compact_token_limit = true\n",
    ],
)  # fmt: skip
def test_settings_that_say_nothing_are_the_defaults(
    tmp_path: Path, agent: str, text: str
) -> None:
    before = share(agent, tmp_path, {}, window=200_000)
    names = (
        "~/.claude.json", "~/.claude/settings.json", "~/.codex/config.toml",
        "~/.gemini/settings.json", "~/.qwen/settings.json", "opencode.json",
    )  # fmt: skip
    assert share(agent, tmp_path, dict.fromkeys(names, text), window=200_000) == before


def test_what_is_no_file_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "home" / ".gemini" / "settings.json"
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    assert share("gemini-cli", tmp_path, {}) == (50.0, "its default")


def test_doctor_advises(repo: Repo, home: Path) -> None:
    ws = Workspace.open(ready(repo).path)
    installer.install(ws, "gemini-cli")
    own = home / ".gemini" / "settings.json"
    own.parent.mkdir()

    def doctor(value: float) -> str:
        own.write_text(json.dumps({"model": {"compressionThreshold": value}}))
        return gitstate("doctor", cwd=repo.path, check=False).stdout

    said = doctor(0.9)
    assert "gemini-cli compacts" in said
    assert "at 90% of the window, 75% is advised (model.compressionThreshold)\n" in said
    assert (
        '-> put "model": {"compressionThreshold": 0.75} into .gemini/settings.json'
        in said
    )
    (line,) = (one for one in said.splitlines() if "gemini-cli compacts" in one)
    assert line.startswith("hint ")
    found = json.loads(gitstate("doctor", "--json", cwd=repo.path, check=False).stdout)
    (check,) = (one for one in found["checks"] if one["name"] == "gemini-cli compacts")
    assert (check["ok"], check["advice"]) == (True, True)
    said = doctor(0.8)
    assert "at 80% of the window (model.compressionThreshold)" in said
    assert "advised" not in said
