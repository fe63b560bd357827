"""What each agent's settings get: entries of JSON files, and files of our own."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gitstate.values import dataclass, field, replace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

_HERE = Path(__file__).parent
_IGNORE = ".gemini/gitstate.ignore"
HOOK, SHIM = _HERE / "hook.py", _HERE / "shims" / "tool.sh"
_SLOW_S, _FAST_S = 30, 10  # a machine under load; ours take a tenth of a second
_EDITS_CLAUDE = "Edit|MultiEdit|Write|NotebookEdit"
_OTHERS_CLAUDE = "Read|NotebookRead|Grep|Glob|Bash|WebFetch|WebSearch|Task"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """One agent's part of a project.

    ``entries``: (settings file, way to an array in it, the value that is put in);
    ``files``: whole files of ours; ``texts``: the same, of words that people may make
    their own; ``blocks``: what stands between marks in a Markdown file of others. Paths
    are from the project's root. ``says``: what a person has to know.
    """

    entries: tuple[tuple[str, tuple[str, ...], Any], ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    blocks: Mapping[str, str] = field(default_factory=dict)
    says: tuple[str, ...] = ()

    @property
    def paths(self) -> list[str]:
        """Every file that it concerns, once."""
        settings = (one[0] for one in self.entries)
        return list(dict.fromkeys([*settings, *self.files, *self.blocks, *self.texts]))

    def only_texts(self) -> Layout:
        """The commands and skills alone, which need nothing that is set up."""
        return Layout(texts=self.texts)


def is_ours(value: object) -> bool:
    """Is a hook, or a text of a settings array, one that we put in, in whatever version.

    Others have a ``hooks/agents/hook.py`` too: ours is told an agent's name.
    """
    if isinstance(value, dict):
        said = value.get("command")
        return isinstance(said, str) and bool(_OURS.search(said))
    return value == _IGNORE


def of(agent: str, *, state_dir: str = ".agent-state", lang: str = "en") -> Layout:
    """The layout of an agent, with the paths of this tool; ``KeyError`` for no agent."""
    if agent == ANY:
        return _any_agent(state_dir, lang)
    layout = _LAYOUTS[agent](agent, state_dir)
    return replace(layout, texts=_commands(agent, lang))


def _slow(agent: str, event: str, *more: str) -> str:
    """One shell command; an agent is never stopped by what became of us."""
    words = [sys.executable, "-I", "-S", str(HOOK), agent, event, *more]
    return f"{shlex.join(words)} || :"


def _fast(agent: str, event: str, project: str = "", *more: str) -> str:
    words = ["sh", str(SHIM), sys.executable, agent, event]
    said = [shlex.join(words), *([project] if project else []), *more]
    return f"{' '.join(said)} || :"


def _group(
    command: str, timeout: int, matcher: str = "", **more: object
) -> dict[str, Any]:
    hook = {"type": "command", "command": command, "timeout": timeout, **more}
    return {**({"matcher": matcher} if matcher else {}), "hooks": [hook]}


# around the tools' own, as Claude Code named them and others after it
_AROUND = ("SessionStart", "UserPromptSubmit", "PreCompact", "PostCompact", "Stop")


def _around(
    agent: str, path: str, timeout: int = _SLOW_S
) -> Iterator[tuple[str, tuple[str, ...], Any]]:
    for event in _AROUND:
        yield path, ("hooks", event), _group(_slow(agent, event), timeout)


def claude_groups(*more: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Claude Code's events and what hangs on each; ``more``: words for each command."""
    agent, project = "claude-code", '"$CLAUDE_PROJECT_DIR"'
    for event in _AROUND:
        yield event, _group(_slow(agent, event, *more), _SLOW_S)
    event = "PostToolUse"
    yield event, _group(_slow(agent, event, *more), _FAST_S, _EDITS_CLAUDE)
    fast = _fast(agent, event, project, *more)
    yield event, _group(fast, _FAST_S, _OTHERS_CLAUDE)
    event = "PostToolUseFailure"
    yield event, _group(_fast(agent, event, project, *more), _FAST_S, "Bash")


def _claude_code(_agent: str, _: str) -> Layout:
    path = ".claude/settings.local.json"
    return Layout(
        entries=tuple(
            (path, ("hooks", event), group) for event, group in claude_groups()
        )
    )


def _codex(agent: str, _: str) -> Layout:
    path = ".codex/hooks.json"

    def entries() -> Iterator[tuple[str, tuple[str, ...], Any]]:
        yield from _around(agent, path)
        event = "PostToolUse"
        yield (
            path,
            ("hooks", event),
            _group(_slow(agent, event), _FAST_S, "apply_patch"),
        )
        yield path, ("hooks", event), _group(_fast(agent, event), _FAST_S, "Bash")

    return Layout(
        entries=tuple(entries()),
        says=(
            (
                "Codex skips hooks that you have not trusted, and does not say so: run "
                "/hooks in Codex once, in this project (again after each change of them)"
            ),
            (
                "a project cannot give Codex slash commands; `gitstate agent install "
                f"{ANY}` gives it the same as a skill"
            ),
        ),
    )


def _gemini_cli(agent: str, state_dir: str) -> Layout:
    path, ms = ".gemini/settings.json", 1000

    def entries() -> Iterator[tuple[str, tuple[str, ...], Any]]:
        for event in ("SessionStart", "BeforeAgent", "PreCompress", "AfterAgent"):
            group = _group(_slow(agent, event), _SLOW_S * ms, name="gitstate")
            yield path, ("hooks", event), group
        event = "AfterTool"
        slow = _slow(agent, event)
        yield (
            path,
            ("hooks", event),
            _group(slow, _FAST_S * ms, "write_file|replace|edit", name="gitstate"),
        )
        fast = _fast(agent, event)
        others = "read_file|read_many_files|run_shell_command|search_file_content|grep_search|glob|list_directory"
        yield (
            path,
            ("hooks", event),
            _group(fast, _FAST_S * ms, others, name="gitstate"),
        )
        # its read_file refuses what git ignores
        way = ("context", "fileFiltering", "customIgnoreFilePaths")
        yield path, way, _IGNORE

    return Layout(entries=tuple(entries()), files={_IGNORE: f"!{state_dir}/\n"})


def _qwen_code(agent: str, _: str) -> Layout:
    path, ms = ".qwen/settings.json", 1000

    def entries() -> Iterator[tuple[str, tuple[str, ...], Any]]:
        yield from _around(agent, path, _SLOW_S * ms)
        event = "PostToolUse"
        slow = _group(_slow(agent, event), _FAST_S * ms, "edit|write_file|replace")
        yield path, ("hooks", event), slow
        others = "read_file|read_many_files|run_shell_command|grep_search|glob"
        yield path, ("hooks", event), _group(_fast(agent, event), _FAST_S * ms, others)
        event, shell = "PostToolUseFailure", "run_shell_command"
        yield path, ("hooks", event), _group(_fast(agent, event), _FAST_S * ms, shell)

    return Layout(entries=tuple(entries()))


def _copilot_cli(agent: str, _: str) -> Layout:
    slow = ("sessionStart", "userPromptSubmitted", "preCompact", "agentStop")
    hooks: dict[str, list[dict[str, Any]]] = {
        event: [{"type": "command", "bash": _slow(agent, event), "timeoutSec": _SLOW_S}]
        for event in slow
    }
    event = "postToolUse"
    hooks[event] = [
        {"type": "command", "bash": _slow(agent, event), "timeoutSec": _FAST_S}
    ]
    text = json.dumps({"version": 1, "hooks": hooks}, indent=2) + "\n"
    return Layout(
        files={".github/hooks/gitstate.json": text},
        says=(
            (
                "with -p, Copilot runs a repository's hooks only where "
                "GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS=true is set"
            ),
        ),
    )


def _opencode(_agent: str, _: str) -> Layout:
    text = (_HERE / "opencode" / "gitstate.js").read_text("utf-8")
    for name, value in (("@PYTHON@", sys.executable), ("@HOOK@", str(HOOK))):
        text = text.replace(json.dumps(name), json.dumps(value))
    return Layout(files={".opencode/plugins/gitstate.js": text})


def _any_agent(state_dir: str, lang: str) -> Layout:
    """For clients without hooks of their own: what they read by themselves.

    ``.agents/skills`` is the folder of skills that clients share.
    """
    from gitstate.recall import instructions  # noqa: PLC0415 loads the documents

    skill = f".agents/skills/{instructions.SKILL}/SKILL.md"
    return Layout(
        blocks={AGENTS_MD: instructions.block(lang, state_dir)},
        texts={skill: instructions.skill(lang, state_dir)},
    )


def _commands(agent: str, lang: str) -> dict[str, str]:
    """The slash commands of a project, where the client has such."""
    if agent not in COMMANDS:
        return {}
    from gitstate.recall import instructions  # noqa: PLC0415 loads the documents

    path = COMMANDS[agent]
    toml = path.endswith(".toml")
    made = instructions.toml_command if toml else instructions.markdown_command
    return {path: made(lang, "handoff")}


# Codex has commands of a user alone, Copilot CLI none
COMMANDS = {
    "claude-code": ".claude/commands/gitstate/handoff.md",
    "gemini-cli": ".gemini/commands/gitstate/handoff.toml",
    "qwen-code": ".qwen/commands/gitstate/handoff.md",
    "opencode": ".opencode/commands/gitstate/handoff.md",
}
_LAYOUTS = {
    "claude-code": _claude_code,
    "codex": _codex,
    "gemini-cli": _gemini_cli,
    "qwen-code": _qwen_code,
    "opencode": _opencode,
    "copilot-cli": _copilot_cli,
}
ANY, AGENTS_MD = "agents-md", "AGENTS.md"
NAMES = (*_LAYOUTS, ANY)
_OURS = re.compile(
    rf"/hooks/agents/(?:hook\.py'? |shims/tool\.sh'? .+? )(?:{'|'.join(_LAYOUTS)}) "
)
