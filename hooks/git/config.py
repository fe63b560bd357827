"""The few settings that count in a hook, without the cost of reading them all."""

from __future__ import annotations

import os

from gitstate.git.environment import run_here

_CHOICES = {"warn", "block", "off"}
_TRUE = {"true", "yes", "on", "1"}


class Config:
    """The settings of the gate in the current directory; a bad value is the default."""

    def __init__(self) -> None:
        self.gate = "warn"
        self.gate_push = "warn"
        self.push = False
        self.dir = ".agent-state"
        self.branch = "agent-state"
        self.exempt: list[str] = []
        self.remotes: set[tuple[str, str]] = set()  # name, URL
        listing = run_here(["config", "--list", "--includes", "-z"], settings=True)
        for record in os.fsdecode(listing).split("\0"):
            key, separator, value = record.partition("\n")
            self._take(key, value if separator else "true")
        if "GITSTATE_GATE_EXEMPT" in os.environ:
            self.exempt.clear()
        for key, variable in (
            ("gate", "GITSTATE_GATE"),
            ("gatepush", "GITSTATE_GATE_PUSH"),
            ("gateexempt", "GITSTATE_GATE_EXEMPT"),
            ("push", "GITSTATE_PUSH"),
            ("dir", "GITSTATE_DIR"),
            ("branch", "GITSTATE_BRANCH"),
        ):
            if variable in os.environ:
                self._take(f"gitstate.{key}", os.environ[variable])

    def _take(self, key: str, value: str) -> None:
        lowered = value.lower()
        if key == "gitstate.gate":
            self.gate = lowered if lowered in _CHOICES else "warn"
        elif key == "gitstate.gatepush":
            self.gate_push = lowered if lowered in _CHOICES else "warn"
        elif key == "gitstate.push":
            self.push = lowered in _TRUE
        elif key == "gitstate.gateexempt":
            self.exempt.append(value)
        elif key == "gitstate.dir":
            self.dir = _folder(value)
        elif key == "gitstate.branch":
            self.branch = value or "agent-state"
        elif key.startswith("remote.") and key.endswith((".url", ".pushurl")):
            self.remotes.add((key.removeprefix("remote.").rpartition(".")[0], value))


def _folder(value: str) -> str:
    """The state directory that a value names; as ``gitstate.settings`` reads it."""
    parts = value.replace("\\", "/").rstrip("/").split("/")
    outside = value.startswith(("/", "~")) or any(
        part in {"", ".", ".."} or part.lower() == ".git" for part in parts
    )
    return ".agent-state" if outside or not value.isprintable() else "/".join(parts)
