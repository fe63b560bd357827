from __future__ import annotations

import os
import plistlib
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from gitstate.daemon import managers
from gitstate.daemon.managers import Launchd, Systemd, agent, unit
from gitstate.errors import Refused

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = ["/opt/a b/python", "-P", "-m", "gitstate.daemon"]
ENVIRONMENT = {
    "HOME": "/home/a",
    "LANG": "C",
    "PATH": '/bin:/a b:/100%:/quo"te',
    "XDG_STATE_HOME": "/s",
    "XDG_RUNTIME_DIR": "/run/user/1",
    "GITSTATE_QUIET_MS": "50",
    "GITSTATE_DIR": "a\nExecStart=/bin/evil",
}
UNIT = """\
[Unit]
Description=gitstate keeps every version of a coding agent's state

[Service]
Type=exec
ExecStart="/opt/a b/python" "-P" "-m" "gitstate.daemon"
Environment="GITSTATE_QUIET_MS=50"
Environment="PATH=/bin:/a b:/100%%:/quo\\"te"
Environment="XDG_STATE_HOME=/s"
WorkingDirectory=/
KillMode=mixed
TimeoutStopSec=30
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=1

[Install]
WantedBy=default.target
"""


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stands for systemctl and launchctl: notes its words, and says yes."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("systemctl", "launchctl"):
        script = folder / name
        script.write_text(
            "#!/bin/sh\n"
            f'echo "${{0##*/}} $*" >> {tmp_path}/words\n'
            f'[ ! -e {tmp_path}/refuse ] || {{ echo "no bus" >&2; exit 1; }}\n'
            f"[ ! -e {tmp_path}/hang ] || exec sleep 60\n"
        )
        script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    (tmp_path / "words").touch()
    return tmp_path


def words(fake: Path) -> list[str]:
    return (fake / "words").read_text().splitlines()


def test_the_unit() -> None:
    assert unit(COMMAND, ENVIRONMENT) == UNIT


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    path = tmp_path / "gitstate.service"
    path.write_text(unit([sys.executable, "-P", "-m", "gitstate.daemon"], {}))
    done = subprocess.run(
        ["systemd-analyze", "--user", "verify", path], capture_output=True, check=False
    )
    assert b"gitstate.service:" not in done.stderr


def test_systemd_installs_starts_and_forgets(fake: Path, home: Path) -> None:
    systemd = Systemd()
    assert systemd.answers()
    assert not systemd.installed()
    path = systemd.install(COMMAND, ENVIRONMENT)
    assert path == home / ".config/systemd/user/gitstate.service"
    assert path.read_text() == UNIT
    assert systemd.installed()
    systemd.start()
    assert systemd.uninstall() == path
    assert not path.exists()
    assert systemd.uninstall() is None
    assert [line for line in words(fake) if "show-environment" not in line] == [
        "systemctl --user daemon-reload",
        "systemctl --user enable gitstate.service",
        "systemctl --user restart gitstate.service",
        "systemctl --user disable gitstate.service",
        "systemctl --user daemon-reload",
    ]


def test_no_answer_is_no_manager(fake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (fake / "refuse").touch()
    assert not Systemd().answers()
    assert managers.available() is None
    with pytest.raises(Refused, match=r"systemctl --user restart .*: no bus"):
        Systemd().start()
    (fake / "refuse").unlink()
    (fake / "hang").touch()
    monkeypatch.setattr(managers, "ANSWER_S", 0.2)
    assert not Systemd().answers()
    monkeypatch.setenv("PATH", "/nowhere")
    assert not Systemd().answers()


def test_the_unit_file_goes_even_when_systemd_is_away(fake: Path) -> None:
    path = Systemd().install(COMMAND, ENVIRONMENT)
    (fake / "refuse").touch()
    assert Systemd().uninstall() == path
    assert not path.exists()


def test_the_agent() -> None:
    assert plistlib.loads(agent(COMMAND, {"PATH": "/bin", "HOME": "/ü"})) == {
        "Label": "gitstate.daemon",
        "ProgramArguments": COMMAND,
        "EnvironmentVariables": {"PATH": "/bin", "HOME": "/ü"},
        "RunAtLoad": True,
        "KeepAlive": {"Crashed": True},
        "ExitTimeOut": 30,
        "ProcessType": "Background",
        "WorkingDirectory": "/",
        "StandardOutPath": "/dev/null",
        "StandardErrorPath": "/dev/null",
    }


def test_launchd_installs_starts_and_forgets(fake: Path, home: Path) -> None:
    launchd = Launchd()
    assert launchd.answers()
    path = launchd.install(COMMAND, {"PATH": "/bin"})
    assert path == home / "Library/LaunchAgents/gitstate.daemon.plist"
    assert launchd.installed()
    launchd.start()
    assert launchd.uninstall() == path
    assert not path.exists()
    domain = f"gui/{os.getuid()}"
    assert words(fake) == [
        f"launchctl print {domain}",
        f"launchctl bootout {domain}/gitstate.daemon",
        f"launchctl bootstrap {domain} {path}",
        f"launchctl bootout {domain}/gitstate.daemon",
    ]
