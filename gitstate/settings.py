"""git config keys of section ``gitstate`` -> one frozen ``Settings``.

Any scope of git config counts; the environment wins: ``quietMs`` is
``GITSTATE_QUIET_MS``. A bad value or an unknown key is one warning and the default.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from gitstate.values import dataclass, field, fields

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

SECTION = "gitstate."
_SIZE = {
    "": 1,
    "b": 1,
    "k": 1 << 10,
    "kib": 1 << 10,
    "m": 1 << 20,
    "mib": 1 << 20,
    "g": 1 << 30,
    "gib": 1 << 30,
}
_TIME = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


class BadValue(ValueError):
    """A value that a key does not allow; the text says what is allowed."""


def _text(value: str) -> str:
    return value


def _whole(low: int, high: int) -> Callable[[str], int]:
    def parse(value: str) -> int:
        if not re.fullmatch(r"[0-9]{1,12}", value) or not low <= int(value) <= high:
            message = f"a whole number from {low} to {high}"
            raise BadValue(message)
        return int(value)

    return parse


def _switch(value: str) -> bool:
    lowered = value.lower()
    if lowered in {"true", "yes", "on", "1"}:
        return True
    if lowered in {"false", "no", "off", "0", ""}:
        return False
    message = "true or false"
    raise BadValue(message)


def _choice(*allowed: str) -> Callable[[str], str]:
    def parse(value: str) -> str:
        if value.lower() not in allowed:
            message = " or ".join([", ".join(allowed[:-1]), allowed[-1]])
            raise BadValue(message)
        return value.lower()

    return parse


def _size(value: str) -> int:
    found = re.fullmatch(r"([0-9]{1,12})\s*([a-z]*)", value.strip().lower())
    if not found or found[2] not in _SIZE or int(found[1]) == 0:
        message = "a size such as 524288, 512k or 1m"
        raise BadValue(message)
    return int(found[1]) * _SIZE[found[2]]


def _duration(value: str) -> int:
    found = re.fullmatch(r"([0-9]{1,9})\s*([smhd]?)", value.strip().lower())
    if not found or int(found[1]) == 0:
        message = "a duration such as 90s, 10m or 2h"
        raise BadValue(message)
    return int(found[1]) * _TIME[found[2]]


def _keep(value: str) -> str:
    if value.lower() in {"forever", "never", ""}:
        return "forever"
    found = re.fullmatch(r"([0-9]{1,6})\s*d(ays)?", value.strip().lower())
    if not found:
        message = "forever or a number of days such as 365d"
        raise BadValue(message)
    return f"{int(found[1])}d"


def _clock(value: str) -> str:
    if not re.fullmatch(r"([01][0-9]|2[0-3]):[0-5][0-9]", value):
        message = "a time of day such as 00:05"
        raise BadValue(message)
    return value


def _share(value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0.0 < number <= 1.0:
        message = "a share above 0 and at most 1, such as 0.75"
        raise BadValue(message)
    return number


def _zone(value: str) -> str:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415 2 ms

    try:
        ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        message = "a time zone such as Europe/Berlin"
        raise BadValue(message) from error
    return value


def _directory(value: str) -> str:
    parts = value.replace("\\", "/").rstrip("/").split("/")
    if (
        value.startswith(("/", "~"))
        or any(part in {"", ".", ".."} or part.lower() == ".git" for part in parts)
        or not value.isprintable()
    ):
        message = "a folder inside the worktree, such as .agent-state"
        raise BadValue(message)
    return "/".join(parts)


def _branch(value: str) -> str:
    # the parts of git check-ref-format that matter for one branch name
    if (
        not value
        or value.startswith(("-", "/", "."))
        or value.endswith(("/", ".", ".lock"))
        or any(bad in value for bad in ("..", "//", "@{", "/.", ".lock/"))
        or re.search(r"[\x00-\x20\x7f~^:?*\[\\]", value)
        or value in {"@", "HEAD"}
    ):
        message = "a branch name such as agent-state"
        raise BadValue(message)
    return value


def _key(name: str, parse: Callable[[str], Any], default: Any, help_: str) -> Any:  # noqa: ANN401 any setting's type
    metadata = {"key": name, "parse": parse, "help": help_}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting, with its unit in the name where it has one."""

    dir: str = _key(
        "dir", _directory, ".agent-state", "the state directory, inside the worktree"
    )
    branch: str = _key(
        "branch", _branch, "agent-state", "the branch that holds the versions"
    )
    quiet_ms: int = _key(
        "quietMs", _whole(0, 600_000), 300, "quiet time after an edit before a version"
    )
    max_wait_ms: int = _key(
        "maxWaitMs", _whole(0, 3_600_000), 2000, "longest wait while edits go on"
    )
    scan_seconds: int = _key(
        "scanSeconds", _whole(1, 86_400), 30, "how often the daemon looks for itself"
    )
    durable: bool = _key(
        "durable", _switch, default=True, help_="flush every version to the disk"
    )
    max_file_size: int = _key(
        "maxFileSize", _size, 1 << 20, "larger files are named and left out"
    )
    secrets: str = _key(
        "secrets",
        _choice("hold", "allow"),
        "hold",
        "what to do with a file that holds a secret",
    )
    timezone: str | None = _key(
        "timezone", _zone, None, "time zone of days; the machine's where not set"
    )
    squash: bool = _key("squash", _switch, default=True, help_="one commit a day")
    squash_at: str = _key("squashAt", _clock, "00:05", "when a day ends")
    squash_pushed: bool = _key(
        "squashPushed", _switch, default=False, help_="squash days that were pushed"
    )
    archive_keep: str = _key(
        "archiveKeep",
        _keep,
        "forever",
        "how long a squashed day's own versions are kept",
    )
    message_command: str | None = _key(
        "messageCommand", _text, None, "a command that writes the day's message"
    )
    gate: str = _key(
        "gate",
        _choice("warn", "block", "off"),
        "warn",
        "code commits without a task update",
    )
    gate_exempt: tuple[str, ...] = _key(
        "gateExempt", _text, (), "paths that need no task update; repeatable"
    )
    gate_push: str = _key(
        "gatePush", _choice("warn", "block", "off"), "warn", "the same at the push"
    )
    push: bool = _key(
        "push", _switch, default=False, help_="permits publishing the line by plain git"
    )
    repair_hooks: bool = _key(
        "repairHooks", _switch, default=True, help_="the daemon puts hooks back"
    )
    freshness_interval_s: int = _key(
        "freshnessInterval", _duration, 600, "how often freshness is looked at"
    )
    freshness_threshold_s: int = _key(
        "freshnessThreshold", _duration, 600, "how old the task file may be"
    )
    notify: bool = _key("notify", _switch, default=False, help_="desktop notifications")
    brief_budget: int = _key(
        "briefBudget", _whole(500, 1_000_000), 9000, "characters of a briefing, at most"
    )
    refresh_turns: int = _key(
        "refreshTurns", _whole(1, 100_000), 10, "turns between refresh requests"
    )
    probe: str = _key(
        "probe",
        _choice("auto", "always", "off"),
        "auto",
        "questions with a known answer",
    )
    probe_turns: int = _key("probeTurns", _whole(1, 100_000), 5, "turns between probes")
    verify_after_brief: bool = _key(
        "verifyAfterBrief", _switch, default=True, help_="check what was taken in"
    )
    compaction_warn: float = _key(
        "compactionWarn", _share, 0.75, "share of the window that warns"
    )
    context_window: int | None = _key(
        "contextWindow", _whole(1000, 100_000_000), None, "tokens of the window"
    )
    log_keep_turns: int = _key(
        "logKeepTurns", _whole(1, 1_000_000), 50, "turns that the operations log keeps"
    )
    log_keep_days: int = _key(
        "logKeepDays", _whole(1, 36_500), 7, "days it keeps where turns are unknown"
    )
    lang: str = _key(
        "lang", _choice("en", "zh"), "en", "language of templates and messages"
    )


KEYS: dict[str, tuple[str, Callable[[str], Any], Any, str]] = {
    item.metadata["key"]: (
        item.name,
        item.metadata["parse"],
        item.default,
        item.metadata["help"],
    )
    for item in fields(Settings)
}
_BY_LOWER = {key.lower(): key for key in KEYS}


def variable_name(key: str) -> str:
    """The environment variable of a config key: ``quietMs`` -> ``GITSTATE_QUIET_MS``."""
    return "GITSTATE_" + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key).upper()


def load(
    config: Mapping[str, Sequence[str]],
    environ: Mapping[str, str] = os.environ,
) -> tuple[Settings, tuple[str, ...]]:
    """Settings from git config (lower-cased full keys -> values) and the environment.

    Returns them with one warning for each unknown key and each bad value.
    """
    values: dict[str, Any] = {}
    warnings: list[str] = []
    for full, found in config.items():
        name = full.removeprefix(SECTION)
        if name == full:
            continue
        key = _BY_LOWER.get(name)
        if key is None:
            warnings.append(
                f"unknown setting gitstate.{name}; known: {', '.join(KEYS)}"
            )
            continue
        _take(key, found, f"gitstate.{key}", values, warnings)
    for key in KEYS:
        variable = variable_name(key)
        if variable in environ:
            _take(key, [environ[variable]], variable, values, warnings)
    return Settings(**values), tuple(warnings)


def _take(
    key: str,
    found: Sequence[str],
    source: str,
    values: dict[str, Any],
    warnings: list[str],
) -> None:
    name, parse, default, _ = KEYS[key]
    try:
        values[name] = (
            tuple(map(parse, found)) if isinstance(default, tuple) else parse(found[-1])
        )
    except BadValue as error:
        shown = "not set" if default is None else default
        warnings.append(f"{source} is {found[-1]!r}; allowed: {error}; used: {shown}")
        values.pop(name, None)
