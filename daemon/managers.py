"""The two service managers that bring the daemon back at login: systemd and launchd."""

from __future__ import annotations

import os
import plistlib
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from gitstate.errors import CannotWrite, Refused, printable
from gitstate.files import replace_file
from gitstate.workspace import config_home

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ANSWER_S = 2.0  # a manager that takes longer counts as absent
_ACT_S = 60.0
UNIT = "gitstate.service"
LABEL = "gitstate.daemon"


class Manager(Protocol):
    """A service manager of this user."""

    name: str

    def answers(self) -> bool:
        """Is it there, and talking."""

    def installed(self) -> bool:
        """Does it know the daemon."""

    def install(self, command: Sequence[str], environment: Mapping[str, str]) -> Path:
        """Make it know the daemon; returns the file. Raises ``Refused`` or ``CannotWrite``."""

    def start(self) -> None:
        """Have it start the daemon; raises ``Refused``."""

    def uninstall(self) -> Path | None:
        """Make it forget the daemon; returns the file that was removed."""


def known() -> tuple[Manager, ...]:
    """The managers of this system, whether they answer or not."""
    return (Launchd(),) if sys.platform == "darwin" else (Systemd(),)


def available() -> Manager | None:
    """The manager that answers, or ``None``."""
    return next((manager for manager in known() if manager.answers()), None)


class Systemd:
    """systemd's user instance."""

    name = "systemd"

    @property
    def path(self) -> Path:
        """The unit file."""
        return config_home() / "systemd" / "user" / UNIT

    def answers(self) -> bool:
        """Is there a user instance, and does it answer in time."""
        return _run(["systemctl", "--user", "show-environment"], ANSWER_S) is None

    def installed(self) -> bool:
        """Is the unit file there."""
        return self.path.is_file()

    def install(self, command: Sequence[str], environment: Mapping[str, str]) -> Path:
        """Write the unit and enable it for every login."""
        _write(self.path, unit(command, environment).encode("utf-8", "surrogateescape"))
        _must(["systemctl", "--user", "daemon-reload"])
        _must(["systemctl", "--user", "enable", UNIT])
        return self.path

    def start(self) -> None:
        """Start the unit."""
        _must(["systemctl", "--user", "restart", UNIT])

    def uninstall(self) -> Path | None:
        """Disable the unit and remove its file."""
        if not self.path.exists():
            return None
        if self.answers():
            _run(["systemctl", "--user", "disable", UNIT], _ACT_S)
        _remove(self.path)
        if self.answers():
            _run(["systemctl", "--user", "daemon-reload"], _ACT_S)
        return self.path


def unit(command: Sequence[str], environment: Mapping[str, str]) -> str:
    """The unit file's text (systemd.service(5), systemd.exec(5))."""
    kept = "".join(
        f"Environment={_quoted(f'{key}={value}')}\n"
        for key, value in sorted(environment.items())
        if "\n" not in value
        and (key in {"PATH", "TMPDIR"} or key.startswith("GITSTATE_") or _is_home(key))
    )
    return (
        "[Unit]\n"
        "Description=gitstate keeps every version of a coding agent's state\n"
        "\n"
        "[Service]\n"
        "Type=exec\n"
        f"ExecStart={' '.join(_quoted(word, program=True) for word in command)}\n"
        f"{kept}"
        "WorkingDirectory=/\n"
        # the daemon alone is told to stop: a git it runs may finish
        "KillMode=mixed\n"
        "TimeoutStopSec=30\n"
        "Restart=on-failure\n"
        "RestartSec=5\n"
        # exit code 1: another daemon runs already, or the folder cannot be written
        "RestartPreventExitStatus=1\n"
        "\n"
        "[Install]\n"
        "WantedBy=default.target\n"
    )


def _is_home(key: str) -> bool:
    return re.fullmatch(r"XDG_(STATE|CONFIG|DATA|CACHE)_HOME", key) is not None


def _quoted(word: str, *, program: bool = False) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    if program:
        escaped = escaped.replace("$", "$$")
    return f'"{escaped}"'


class Launchd:
    """The agent of this user in launchd (macOS)."""

    name = "launchd"

    @property
    def path(self) -> Path:
        """The agent's property list."""
        return Path.home() / "Library" / "LaunchAgents" / f"{LABEL}.plist"

    @property
    def domain(self) -> str:
        """The name of this user's session in launchd."""
        return f"gui/{os.getuid()}"

    def answers(self) -> bool:
        """Is there a session of this user."""
        return _run(["launchctl", "print", self.domain], ANSWER_S) is None

    def installed(self) -> bool:
        """Is the property list there."""
        return self.path.is_file()

    def install(self, command: Sequence[str], environment: Mapping[str, str]) -> Path:
        """Write the property list; launchd reads it at every login."""
        _write(self.path, agent(command, environment))
        return self.path

    def start(self) -> None:
        """Load the agent, which starts it."""
        _run(["launchctl", "bootout", f"{self.domain}/{LABEL}"], _ACT_S)
        _must(["launchctl", "bootstrap", self.domain, str(self.path)])

    def uninstall(self) -> Path | None:
        """Unload the agent and remove its file."""
        if not self.path.exists():
            return None
        _run(["launchctl", "bootout", f"{self.domain}/{LABEL}"], _ACT_S)
        _remove(self.path)
        return self.path


def agent(command: Sequence[str], environment: Mapping[str, str]) -> bytes:
    """The property list of the agent (launchd.plist(5))."""
    return plistlib.dumps(
        {
            "Label": LABEL,
            "ProgramArguments": list(command),
            "EnvironmentVariables": dict(environment),
            "RunAtLoad": True,
            "KeepAlive": {"Crashed": True},
            "ExitTimeOut": 30,
            "ProcessType": "Background",
            "WorkingDirectory": "/",
            "StandardOutPath": "/dev/null",
            "StandardErrorPath": "/dev/null",
        }
    )


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotWrite.from_os(error, doing="make the service's folder") from error
    replace_file(path, data, mode=0o644)


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise CannotWrite.from_os(error, doing="remove the service file") from error


def _must(command: Sequence[str]) -> None:
    problem = _run(command, _ACT_S)
    if problem is not None:
        message = f"{' '.join(command)}: {problem}"
        raise Refused(message)


def _run(command: Sequence[str], timeout_s: float) -> str | None:
    """Run a manager's command; ``None`` when it succeeded, else why not, in one line."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return (
            "no answer"
            if isinstance(error, subprocess.TimeoutExpired)
            else str(error.strerror)
        )
    if done.returncode == 0:
        return None
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return printable(lines[-1]) if lines else f"exit code {done.returncode}"
