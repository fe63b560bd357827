"""When does a client compact by itself, and is that so late that work is lost.

The share of the context window that is full then, as the client's own settings and
defaults have it: Claude Code 2.1.332, Codex 0.171, Gemini CLI 0.61, Qwen Code 0.24.4 and
OpenCode 1.18.33, each looked up in that version. Copilot CLI 1.0 has no such setting.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from gitstate.hooks.agents.client_settings import (
    at,
    home,
    number,
    of_json,
    of_toml,
    switched_on,
)
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Environ = Mapping[str, str]

LATE, ADVISED = 0.85, 0.75
# Claude Code: kept free for the summary's output, and before the blocking limit
_CLAUDE_OUTPUT, _CLAUDE_BUFFER = 20_000, 13_000
_CODEX_SHARE = 0.9  # the default, and the highest that it takes
_GEMINI_SHARE, _QWEN_SHARE = 0.5, 0.85
_OPENCODE_OUTPUT, _OPENCODE_RESERVED = 32_000, 20_000


@dataclass(frozen=True, slots=True)
class Threshold:
    """``share`` of the window (``None``: it never compacts by itself) by ``setting``.

    ``mend``: what sets it to ``ADVISED``.
    """

    share: float | None
    setting: str
    mend: str

    @property
    def late(self) -> bool:
        """Is it later than advised."""
        return self.share is None or self.share > LATE


def of(
    agent: str, root: Path, *, window: int = 0, environ: Environ = os.environ
) -> Threshold | None:
    """An agent's threshold in a project; ``None`` where it cannot be known.

    ``window``: tokens of the context window, where that is known; 0 otherwise.
    """
    look = _LOOKS.get(agent)
    return look(root, window, environ) if look else None


def _claude_code(root: Path, window: int, environ: Environ) -> Threshold | None:
    own = environ.get("CLAUDE_CONFIG_DIR")
    folder = Path(own) if own else home(environ) / ".claude"
    project = root / ".claude"
    found = of_json(
        [
            (folder if own else home(environ)) / ".claude.json",
            folder / "settings.json",
            project / "settings.json",
            project / "settings.local.json",
        ]
    )

    def variable(name: str) -> object:
        value = at(found, "env", name)
        return environ.get(name) if value is None else value

    for name in ("DISABLE_AUTO_COMPACT", "DISABLE_COMPACT"):
        if switched_on(variable(name)):
            return Threshold(None, name, f"unset {name}")
    if at(found, "autoCompactEnabled") is False:
        return Threshold(
            None, "autoCompactEnabled", "switch auto-compact on in /config"
        )
    name = "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"
    advised = f"{ADVISED * 100:.0f}"
    mend = f'put "env": {{"{name}": "{advised}"}} into .claude/settings.local.json'
    percent = number(variable(name))
    if percent is not None and percent > 100:  # noqa: PLR2004 percent
        percent = None
    limit = number(variable("CLAUDE_CODE_AUTO_COMPACT_WINDOW"))
    setting = "CLAUDE_CODE_AUTO_COMPACT_WINDOW"
    if limit is None:
        limit, setting = number(at(found, "autoCompactWindow")), "autoCompactWindow"
    if not window:
        return Threshold(percent / 100, name, mend) if percent else None
    usable = min(window, limit or window) - _CLAUDE_OUTPUT
    most = usable - _CLAUDE_BUFFER
    if usable <= 0 or most <= 0:
        return None
    if percent and usable * percent / 100 < most:
        return Threshold(usable * percent / 100 / window, name, mend)
    return Threshold(most / window, setting if limit else "its default", mend)


def _codex(root: Path, window: int, environ: Environ) -> Threshold | None:
    own = environ.get("CODEX_HOME")
    folder = Path(own) if own else home(environ) / ".codex"
    found = of_toml([folder / "config.toml", root / ".codex" / "config.toml"])
    name = "model_auto_compact_token_limit"
    whole = number(at(found, "model_context_window")) or float(window)
    limit = number(at(found, name))
    tokens = (
        f"{ADVISED * whole:.0f}" if whole else f"{ADVISED:.0%} of the model's window"
    )
    mend = f"put {name} = {tokens} into {folder / 'config.toml'}"
    if limit is None:
        return Threshold(_CODEX_SHARE, "its default", mend)
    if not whole:
        return None
    return Threshold(min(limit / whole, _CODEX_SHARE), name, mend)


def _gemini_cli(root: Path, _: int, environ: Environ) -> Threshold:
    system = Path("/etc/gemini-cli")
    defaults = environ.get("GEMINI_CLI_SYSTEM_DEFAULTS_PATH")
    last = environ.get("GEMINI_CLI_SYSTEM_SETTINGS_PATH")
    found = of_json(
        [
            Path(defaults or system / "system-defaults.json"),
            home(environ) / ".gemini" / "settings.json",
            root / ".gemini" / "settings.json",
            Path(last or system / "settings.json"),
        ]
    )
    name = "model.compressionThreshold"
    share = number(at(found, "model", "compressionThreshold"))
    mend = (
        f'put "model": {{"compressionThreshold": {ADVISED}}} into .gemini/settings.json'
    )
    return Threshold(share or _GEMINI_SHARE, name if share else "its default", mend)


def _qwen_code(root: Path, _: int, environ: Environ) -> Threshold:
    last = environ.get("QWEN_CODE_SYSTEM_SETTINGS_PATH")
    found = of_json(
        [
            home(environ) / ".qwen" / "settings.json",
            root / ".qwen" / "settings.json",
            Path(last or "/etc/qwen-code/settings.json"),
        ]
    )
    name = "context.autoCompactThreshold"
    share = number(at(found, "context", "autoCompactThreshold"))
    if share is None or share > 1:
        # versions before 0.24 knew another name
        old = ("model", "chatCompression", "contextPercentageThreshold")
        share = number(at(found, *old))
        name = ".".join(old) if share else "its default"
    mend = (
        f'put "context": {{"autoCompactThreshold": {ADVISED}}} into .qwen/settings.json'
    )
    return Threshold(share or _QWEN_SHARE, name, mend)


def _opencode(root: Path, window: int, environ: Environ) -> Threshold | None:
    xdg = environ.get("XDG_CONFIG_HOME")
    folder = (Path(xdg) if xdg else home(environ) / ".config") / "opencode"
    places = [folder, root, root / ".opencode"]
    found = of_json(
        path / f"opencode.{kind}" for path in places for kind in ("json", "jsonc")
    )
    if at(found, "compaction", "auto") is False:
        mend = 'put "compaction": {"auto": true} into opencode.json'
        return Threshold(None, "compaction.auto", mend)
    provider, _, model = str(at(found, "model") or "").partition("/")
    limits = at(found, "provider", provider, "models", model, "limit")
    whole = number(at(limits, "context")) or float(window)
    if not whole:
        return None
    output = min(number(at(limits, "output")) or _OPENCODE_OUTPUT, _OPENCODE_OUTPUT)
    taken = number(at(limits, "input"))
    if taken is None:  # `reserved` counts only where the input has a limit of its own
        left, name = whole - output, "limit.output"
    else:
        reserved = number(at(found, "compaction", "reserved"))
        left = taken - (reserved or min(output, _OPENCODE_RESERVED))
        name = "compaction.reserved" if reserved else "its default"
    mend = (
        f'put "compaction": {{"reserved": {(1 - ADVISED) * whole:.0f}}} into opencode.json, '
        f"and the model's limit.input ({whole:.0f})"
    )
    return Threshold(max(left, 0) / whole, name, mend)


_LOOKS: dict[str, Callable[[Path, int, Environ], Threshold | None]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "gemini-cli": _gemini_cli,
    "qwen-code": _qwen_code,
    "opencode": _opencode,
}
