from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gitstate.daemon.mending import Mending
from gitstate.hooks.git import installer
from gitstate.hooks.git.texts import HOOKS
from tests.hooks.git.coding import Coder

if TYPE_CHECKING:
    from pathlib import Path

    from gitstate.workspace import Workspace


class Counting:
    """A mending, and how often it looked closely."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.mend = Mending()
        self.calls = 0
        self._real = installer.mend
        monkeypatch.setattr(installer, "mend", self._closely)

    def _closely(self, ws: Workspace) -> list[str]:
        self.calls += 1
        return self._real(ws)


@pytest.fixture
def coder(tmp_path: Path) -> Coder:
    return Coder.begin(tmp_path)


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> Counting:
    return Counting(monkeypatch)


def test_where_all_is_well_nothing_is_read(coder: Coder, counting: Counting) -> None:
    ws = coder.ws()
    for _ in range(3):
        assert counting.mend(ws) == []
    assert counting.calls == 1


@pytest.mark.parametrize("name", HOOKS)
def test_a_hook_that_was_written_over_is_mended(
    coder: Coder, counting: Counting, name: str
) -> None:
    ws = coder.ws()
    counting.mend(ws)
    path = coder.repo.path / ".git" / "hooks" / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    assert counting.mend(ws) != []
    assert installer.status(ws).effective
    assert counting.mend(ws) == []
    assert counting.calls == 3


def test_a_mode_is_enough(coder: Coder, counting: Counting) -> None:
    ws = coder.ws()
    counting.mend(ws)
    path = coder.repo.path / ".git" / "hooks" / "pre-commit"
    path.chmod(0o644)
    assert counting.mend(ws) != []
    assert installer.status(ws).effective


def test_another_configuration_is_looked_at(coder: Coder, counting: Counting) -> None:
    counting.mend(coder.ws())
    coder.repo.git("config", "core.hooksPath", "elsewhere")
    assert counting.mend(coder.ws()) != []
    assert counting.mend(coder.ws()) == []
    assert installer.status(coder.ws()).effective


def test_what_was_taken_out_stays_out(coder: Coder, counting: Counting) -> None:
    ws = coder.ws()
    counting.mend(ws)
    installer.uninstall(ws)
    assert counting.mend(ws) == []
    assert installer.status(ws).missing == HOOKS


def test_one_that_fails_is_tried_again(
    coder: Coder, counting: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    ws = coder.ws()

    def refuse(_: Workspace) -> list[str]:
        raise OSError

    with monkeypatch.context() as patched:
        patched.setattr(installer, "mend", refuse)
        for _ in range(2):
            with pytest.raises(OSError):  # noqa: PT011 any
                counting.mend(ws)
    assert counting.mend(ws) == []
    assert counting.calls == 1
