"""Other hook managers, from their registries, with one hook that does nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support import Repo

MANAGERS = ("prek", "lefthook", "pre-commit")
_YAML = """\
repos:
- repo: local
  hooks:
  - id: nothing
    name: nothing
    language: system
    entry: "{entry}"
    always_run: true
    pass_filenames: false
"""
_LEFTHOOK = "pre-commit:\n  commands:\n    nothing:\n      run: '{entry}'\n"
_CONFIGURED = {
    "prek": (".pre-commit-config.yaml", _YAML),
    "pre-commit": (".pre-commit-config.yaml", _YAML),
    "lefthook": ("lefthook.yml", _LEFTHOOK),
}
_PATIENCE_S = 120


@dataclass(frozen=True, slots=True)
class Manager:
    """One that is installed."""

    name: str
    command: Path

    def set_up(self, repo: Repo) -> None:
        """Let a project use it; its one hook runs from then on, which is tried."""
        name, text = _CONFIGURED[self.name]
        for entry in ("false", "true"):
            (repo.path / name).write_text(text.format(entry=entry))
            repo.git("add", name)
            words = [str(self.command), "install"]
            subprocess.run(words, cwd=repo.path, check=True, capture_output=True)
            commit = ["git", "commit", "-q", "-m", entry]
            done = subprocess.run(
                commit, cwd=repo.path, capture_output=True, check=False
            )
            assert (done.returncode == 0) == (entry == "true"), done.stderr


def installed(folder: Path) -> dict[str, Manager | str]:
    """Each manager by name, in a folder of its own; or why its registry did not give it."""
    with ThreadPoolExecutor() as pool:
        found = pool.map(
            lambda name: _installed(folder / "managers" / name, name), MANAGERS
        )
        return dict(zip(MANAGERS, found, strict=True))


def _installed(place: Path, name: str) -> Manager | str:
    """From PyPI, as its users install it; the native program where there is one."""
    python = place / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    for words in (
        [sys.executable, "-m", "venv", "--without-pip", str(place)],
        [*pip, "--python", str(python), "install", "-q", "--retries=1", name],
    ):
        try:
            done = subprocess.run(
                words, capture_output=True, text=True, check=False, timeout=_PATIENCE_S
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{name} cannot be installed: {error}"
        if done.returncode != 0:
            said = (done.stderr or done.stdout).strip().splitlines()
            return (
                f"{name} cannot be installed: {said[-1][:200] if said else 'no word'}"
            )
    command = place / "bin" / name
    if name == "lefthook":  # beside the script of this name, which only starts it
        command = max(place.rglob("lefthook"), key=lambda path: path.stat().st_size)
        os.environ["LEFTHOOK_BIN"] = str(command)  # where its hooks look first
    return Manager(name, command)
