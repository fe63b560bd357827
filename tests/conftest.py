"""A hermetic home for every test: no configuration of this machine counts."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import signal
from pathlib import Path

import pytest

from tests.copied import PLAIN_CONFIG
from tests.reports.known import untested
from tests.support import Repo, make_repo


def pytest_configure() -> None:
    """Interrupts are heard again where a shell started the tests in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        with contextlib.suppress(ValueError):  # not in the main thread
            signal.signal(signal.SIGINT, signal.default_int_handler)


_COUNT = itertools.count()
_FOLDER = Path.cwd()


def new_folder(factory: pytest.TempPathFactory, name: str) -> Path:
    """A new folder; pytest's own numbers ask for a look at all the others each time."""
    return factory.mktemp(f"{name}-{next(_COUNT)}", numbered=False)


@pytest.fixture
def tmp_path(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Path:
    """The test's own folder, as pytest names it."""
    name = re.sub(r"\W", "_", request.node.name)[:30]
    return new_folder(tmp_path_factory, name)


def flushed(fd: int) -> None:
    """``os.fsync`` in the tests' own process, without the wait for the disk.

    Five milliseconds, three times a version, were a third of the suite's time, and
    only a power failure could tell. Each process that a test starts does flush.
    """
    os.fstat(fd)  # what is no file is refused


@pytest.fixture(autouse=True)
def home(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Own HOME and XDG folders, no system config, a fixed identity; the folder to be in."""
    monkeypatch.chdir(_FOLDER)  # wherever the test before this one went
    monkeypatch.setattr(os, "fsync", flushed)
    folder = new_folder(tmp_path_factory, "home")
    for key in list(os.environ):
        if key.startswith(("GIT_", "GITSTATE_", "XDG_")) or key in {"CI", "EMAIL"}:
            monkeypatch.delenv(key)
    monkeypatch.setenv("HOME", str(folder))
    for name, sub in (
        ("CONFIG", "config"),
        ("STATE", "state"),
        ("CACHE", "cache"),
        ("DATA", "data"),
    ):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(folder / f".{sub}"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    (folder / ".gitconfig").write_text(PLAIN_CONFIG)
    return folder


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with one commit."""
    return make_repo(tmp_path / "repo")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what tests measured, and name the known reports that no test is marked with."""
    for found in terminalreporter.stats.values():
        for report in found:
            for name, figure in getattr(report, "user_properties", ()):
                if name == "figures" and report.when == "call":
                    terminalreporter.write_line(f"{report.nodeid}: {figure}")
    missing = untested(Path(__file__).parent)
    if missing:
        terminalreporter.write_line(
            f"reports without a test: {', '.join(map(str, missing))}"
        )
