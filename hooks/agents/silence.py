"""Hooks that are in, and never run: the client switched them off, or skips them silently.

A client keeps a transcript of every session. One that began here after our hooks were
put in, and of which no hook ever told us, ran without them: Codex does so with hooks
that were not trusted, again after each change of them.
"""

from __future__ import annotations

import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gitstate.hooks.agents import foreign
from gitstate.hooks.agents import place as places
from gitstate.hooks.agents.client_settings import at, home, of_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from gitstate.hooks.agents.adapter import Adapter

    Environ = Mapping[str, str]

_MOST = 200  # transcripts that are looked at
_HEAD = 1 << 20  # bytes of one
_PATH = 4096  # bytes
_SLACK_S = 2.0  # clocks of files and of records


class Seen(NamedTuple):
    """A session as its client's transcript has it: its id, and when it began (epoch)."""

    session: str
    began: float


def newest(
    agent: str, root: Path, *, since: float, environ: Environ = os.environ
) -> Seen | None:
    """The newest session of an agent in this worktree that began after ``since``."""
    look = _LOOKS.get(agent)
    if look is None:
        return None
    found = [one for one in look(root, since, environ) if one.began > since + _SLACK_S]
    return max(found, key=lambda one: one.began, default=None)


def mend(adapter: Adapter) -> str:
    """What is to be looked at where a client ran none of the hooks."""
    if adapter.name == "copilot-cli":
        return (
            "is this folder trusted in Copilot CLI; with -p, is "
            "GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS=true set"
        )
    return f"run /hooks in {adapter.title}, in this project: are they trusted, and on"


def switched_off(
    agent: str, root: Path, *, environ: Environ = os.environ
) -> tuple[str, str] | None:
    """Why the client's own settings have it run no hooks here, and what mends that."""
    look = _SWITCHES.get(agent)
    return look(root, environ) if look else None


def _claude_code_off(root: Path, environ: Environ) -> tuple[str, str] | None:
    own = environ.get("CLAUDE_CONFIG_DIR")
    folder = Path(own) if own else home(environ) / ".claude"
    names = ("settings.json", "settings.local.json")
    return _disabled([folder / names[0], *(root / ".claude" / name for name in names)])


def _qwen_code_off(root: Path, environ: Environ) -> tuple[str, str] | None:
    return _disabled([one / ".qwen" / "settings.json" for one in (home(environ), root)])


def _disabled(paths: Sequence[Path]) -> tuple[str, str] | None:
    if at(of_json(paths), "disableAllHooks") is True:
        return "disableAllHooks is true", "take disableAllHooks out of its settings"
    return None


def _gemini_cli_off(root: Path, environ: Environ) -> tuple[str, str] | None:
    own = home(environ) / ".gemini"
    found = of_json([own / "settings.json", root / ".gemini" / "settings.json"])
    if at(found, "hooksConfig", "enabled") is False:
        return "hooksConfig.enabled is false", "set hooksConfig.enabled to true"
    named = environ.get("GEMINI_CLI_TRUSTED_FOLDERS_PATH")
    rules = of_json([Path(named) if named else own / "trustedFolders.json"])
    if at(found, "security", "folderTrust", "enabled") is not False and (
        _trust(root, rules) == "DO_NOT_TRUST"
    ):
        return "you do not trust this folder", "run /permissions in Gemini CLI, here"
    return None


def _trust(root: Path, rules: Mapping[str, object]) -> object:
    """The level of the rule that is nearest to a folder; ``None`` where none is for it."""
    here, nearest, level = os.path.realpath(root), "", None
    for path, said in rules.items():
        base = os.path.dirname(path) if said == "TRUST_PARENT" else path
        try:
            base = os.path.realpath(base)
        except ValueError:  # no path: a NUL in it, or half a character
            continue
        below = here == base or here.startswith(base.rstrip("/") + "/")
        if below and len(base) >= len(nearest):
            nearest, level = base, said
    return level


_SWITCHES: dict[str, Callable[[Path, Environ], tuple[str, str] | None]] = {
    "claude-code": _claude_code_off,
    "gemini-cli": _gemini_cli_off,
    "qwen-code": _qwen_code_off,
}


def _codex(root: Path, since: float, environ: Environ) -> Iterator[Seen]:
    own = environ.get("CODEX_HOME")
    folder = (Path(own) if own else home(environ) / ".codex") / "sessions"
    for path in _latest(folder.glob("*/*/*/rollout-*.jsonl"), since):
        for record in _records(path):
            meta = record.get("payload")
            if record.get("type") != "session_meta" or not isinstance(meta, dict):
                break
            moment = meta.get("timestamp") or record.get("timestamp")
            yield from _seen(meta.get("id"), meta.get("cwd"), moment, root)
            break


def _claude_code(root: Path, since: float, environ: Environ) -> Iterator[Seen]:
    own = environ.get("CLAUDE_CONFIG_DIR")
    folder = (Path(own) if own else home(environ) / ".claude") / "projects"
    for base in {str(root), os.path.realpath(root)}:
        project = folder / re.sub(r"[^A-Za-z0-9]", "-", base)
        for path in _latest(project.glob("*.jsonl"), since):
            times = (_epoch(record.get("timestamp")) for record in _records(path))
            began = next(filter(None, times), 0.0)
            if began and not path.name.startswith("agent-"):
                yield Seen(path.stem, began)


def _gemini_cli(root: Path, since: float, environ: Environ) -> Iterator[Seen]:
    folder = home(environ) / ".gemini" / "tmp"
    for path in _latest(folder.glob("*/chats/session-*.jsonl"), since):
        first = next(_records(path), {})
        named = foreign.head(path.parent.parent / ".project_root", _PATH)
        cwd = os.fsdecode(named).strip()
        if first.get("kind", "main") == "main":
            yield from _seen(first.get("sessionId"), cwd, first.get("startTime"), root)


def _qwen_code(root: Path, since: float, environ: Environ) -> Iterator[Seen]:
    folder = home(environ) / ".qwen" / "projects"
    for path in _latest(folder.glob("*/chats/*.jsonl"), since):
        first = next(_records(path), {})
        moment = first.get("timestamp")
        yield from _seen(first.get("sessionId"), first.get("cwd"), moment, root)


def _copilot_cli(root: Path, since: float, environ: Environ) -> Iterator[Seen]:
    own = environ.get("COPILOT_HOME")
    folder = (Path(own) if own else home(environ) / ".copilot") / "session-state"
    for path in _latest(folder.glob("*/events.jsonl"), since):
        records = _records(path)
        data = next(records, {}).get("data")
        # one in which nothing was asked runs no hooks
        if any(one.get("type") == "user.message" for one in records):
            cwd = at(data, "context", "cwd")
            yield from _seen(at(data, "sessionId"), cwd, at(data, "startTime"), root)


def _seen(session: object, cwd: object, moment: object, root: Path) -> Iterator[Seen]:
    """A session, where it is one of this worktree."""
    began = _epoch(moment)
    here = isinstance(cwd, str) and os.path.isabs(cwd) and _is_in(cwd, root)
    if here and isinstance(session, str) and began:
        yield Seen(session, began)


_LOOKS: dict[str, Callable[[Path, float, Environ], Iterator[Seen]]] = {
    "codex": _codex,
    "claude-code": _claude_code,
    "gemini-cli": _gemini_cli,
    "qwen-code": _qwen_code,
    "copilot-cli": _copilot_cli,
}


def _latest(paths: Iterator[Path], since: float) -> list[Path]:
    """Those written last, after ``since``."""
    found = []
    try:
        for path in paths:
            written = path.stat().st_mtime
            if written > since:
                found.append((written, path))
    except OSError:  # it vanishes meanwhile
        pass
    return [path for _, path in sorted(found, reverse=True)[:_MOST]]


def _records(path: Path) -> Iterator[dict[str, object]]:
    """The records at the begin of a transcript."""
    for line in foreign.head(path, _HEAD).splitlines():
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            yield record


def _is_in(cwd: str, root: Path) -> bool:
    try:
        found = places.find(cwd)
    except ValueError:  # no path
        return False
    return found is not None and os.path.realpath(found.root) == os.path.realpath(root)


def _epoch(said: object) -> float:
    """An ISO time as seconds since 1970; 0 for anything else."""
    if not isinstance(said, str):
        return 0.0
    try:
        moment = datetime.fromisoformat(said)
    except ValueError:
        return 0.0
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.timestamp()
