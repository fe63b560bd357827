"""The real hook managers, from their registries: installed once a test session."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.hooks.git.effects import Ran, Scene, add_hook

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAMES = ("pre-commit", "prek", "lefthook", "husky")
HOOKS = ("pre-commit", "post-commit", "pre-push")
IN_CI = bool(os.environ.get("CI"))


class RefusedError(Exception):
    """A registry did not give a manager; its own words."""


class Tools:
    """Where the managers were put; each kind is fetched when it is first needed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._found: dict[str, list[str] | Exception] = {}

    def command(self, name: str) -> list[str]:
        """The words that run a manager; skips, or fails, the test where it is not to be had."""
        if name not in self._found:
            try:
                fetch = self._node if name == "husky" else self._python
                self._found[name] = fetch(name)
            except (RefusedError, FileNotFoundError) as error:
                self._found[name] = error
        found = self._found[name]
        if isinstance(found, RefusedError):
            pytest.skip(f"the registry refused {name}: {found}")
        if isinstance(found, Exception):
            if IN_CI:
                pytest.fail(f"{name} cannot be installed: {found}")
            pytest.skip(f"{name} cannot be installed: {found}")
        return found

    def _python(self, name: str) -> list[str]:
        place = self._folder / "python"  # one for all of them
        if not place.exists():
            subprocess.run([sys.executable, "-m", "venv", place], check=True)
        versions = {"pre-commit": ">=4.7", "prek": ">=0.5.11", "lefthook": ">=2.2.2"}
        pip = [str(place / "bin" / "pip"), "install", "-q", name + versions[name]]
        fetched(pip, self._folder)
        return [str(place / "bin" / name)]

    def _node(self, name: str) -> list[str]:
        place = self._folder / name
        place.mkdir()
        for program in ("node", "npm"):
            if shutil.which(program) is None:
                raise FileNotFoundError(program)
        (place / "package.json").write_text('{"private": true}\n')
        fetched(["npm", "install", "--no-audit", "--no-fund", "husky@>=9.1.7"], place)
        return ["node", str(place / "node_modules" / "husky" / "bin.js")]


def fetched(command: list[str], folder: Path) -> None:
    """Run a registry's own client."""
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RefusedError((done.stderr or done.stdout).strip()[-600:])


@dataclass(frozen=True)
class Manager:
    """One manager: how a project uses it, and how its hooks are put in and taken out."""

    name: str
    command: list[str]

    def configure(self, scene: Scene) -> None:
        """The project's own files, tracked; each hook writes its name into the log."""
        files = CONFIGURED[self.name]()
        for path, text in files.items():
            add_hook(scene.repo.path / path, text, 0o644)
        scene.repo.git("add", "-A")
        scene.repo.git("-c", "core.hooksPath=/dev/null", "commit", "-qm", self.name)

    def install(self, scene: Scene, *, force: bool = False) -> str:
        """Its install verb; husky has no force, its install always is."""
        words = {
            "husky": [],
            "pre-commit": ["install", *(["-f"] if force else [])],
            "prek": ["install", *(["-f"] if force else [])],
            "lefthook": ["install", *(["-f"] if force else [])],
        }[self.name]
        return self._run(scene, *words)

    def uninstall(self, scene: Scene) -> None:
        """Its way out; husky has none but its documentation's."""
        if self.name == "husky":
            shutil.rmtree(scene.repo.path / ".husky" / "_", ignore_errors=True)
            scene.repo.git("config", "--unset", "core.hooksPath", check=False)
            return
        if self.name == "lefthook":
            self._run(scene, "uninstall")
            return
        self._run(scene, "uninstall", *(f"--hook-type={hook}" for hook in HOOKS))

    def _run(self, scene: Scene, *words: str) -> str:
        done = subprocess.run(
            [*self.command, *words],
            cwd=scene.repo.path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        said = done.stdout + done.stderr
        assert done.returncode == 0, said
        return said


def _yaml() -> dict[str, str]:
    rows = ["default_install_hook_types: [pre-commit, post-commit, pre-push]", "repos:"]
    rows += ["- repo: local", "  hooks:"]
    for hook in HOOKS:
        entry = f"sh -c 'echo manager {hook} >>$HOOK_LOG'"
        rows.append(
            f'  - {{id: {hook}, name: {hook}, language: system, entry: "{entry}", '
            f"stages: [{hook}], always_run: true, pass_filenames: false}}"
        )
    return {".pre-commit-config.yaml": "\n".join(rows) + "\n"}


def _lefthook() -> dict[str, str]:
    text = "".join(
        f"{hook}:\n  commands:\n    tell:\n      run: echo manager {hook} >>$HOOK_LOG\n"
        for hook in HOOKS
    )
    return {"lefthook.yml": text}


def _husky() -> dict[str, str]:
    return {f".husky/{hook}": f"echo manager {hook} >>$HOOK_LOG\n" for hook in HOOKS}


CONFIGURED: dict[str, Callable[[], dict[str, str]]] = {
    "pre-commit": _yaml,
    "prek": _yaml,
    "lefthook": _lefthook,
    "husky": _husky,
}


def same(mine: Ran, alone: Ran) -> bool:
    """Did the others do the same, in the same order, with the same end."""
    return (mine.code, mine.others) == (alone.code, alone.others)
