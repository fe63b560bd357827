"""A command from the warm process is the command from a cold one."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support import command, make_repo
from tests.warm import Warm

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support import Repo

_WARM = Warm()


@pytest.mark.parametrize(
    "words",
    [
        ("--version",),
        ("log", "--nonsense"),
        ("show", "banana"),
        ("init", "--no-daemon", "--dry-run"),
        ("status", "--json"),
    ],
)
def test_it_says_and_ends_as_a_cold_one(repo: Repo, words: tuple[str, ...]) -> None:
    cold = subprocess.run(
        command(*words),
        cwd=repo.path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    warm = _WARM.run(words, cwd=repo.path, env=os.environ, stdin="")
    assert warm is not None
    assert (warm.returncode, warm.stdout, warm.stderr) == (
        cold.returncode,
        cold.stdout,
        cold.stderr,
    )


def test_each_has_its_own_folder_and_environment(tmp_path: Path) -> None:
    for name in ("one", "two"):
        repo = make_repo(tmp_path / name / "repo")
        env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / name / "state")}
        warm = _WARM.run(["init", "--no-daemon"], cwd=repo.path, env=env, stdin="")
        assert warm is not None
        assert (warm.returncode, warm.stderr) == (0, "")
        assert (tmp_path / name / "state" / "gitstate").is_dir()
        assert repo.git("rev-list", "--count", "agent-state") == "1"


def test_what_python_reads_at_its_start_takes_a_cold_one(tmp_path: Path) -> None:
    warm = Warm()
    for name in ("LC_ALL", "PYTHONUTF8", "LD_PRELOAD"):
        assert warm.run(["--version"], cwd=tmp_path, env=os.environ, stdin="")
        env = {**os.environ, name: "" if name == "LD_PRELOAD" else "0"}
        assert warm.run(["--version"], cwd=tmp_path, env=env, stdin="") is None
