"""A user's machine for install.sh: a home of its own, and a PATH with what it needs."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

CHECKOUT = Path(__file__).parents[1]
SHIPPED = (
    "install.sh",
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "gitstate",
    "hooks",
    "daemon",
)


def copy_checkout(target: Path) -> Path:
    """What install.sh needs of the checkout, to be changed by a test."""
    target.mkdir(parents=True)
    for name in SHIPPED:
        source = CHECKOUT / name
        if source.is_dir():
            ignore = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, target / name, symlinks=True, ignore=ignore)
        else:
            shutil.copy2(source, target / name)
    return target


def set_version(checkout: Path, version: str) -> None:
    (checkout / "gitstate" / "__init__.py").write_text(
        f'"""A release of gitstate."""\n\n__version__ = "{version}"\n'
    )


def tree(folder: Path) -> dict[str, str]:
    """Everything below ``folder``, by name: what it is and what is in it."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            found[name] = f"link to {path.readlink()}"
        elif stat.S_ISREG(mode):
            found[name] = f"{mode:o} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        else:
            found[name] = f"{mode:o}"
    return found


@dataclass
class Machine:
    """A home with a space in its name; ``tools`` stands first on the PATH."""

    folder: Path
    variables: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.home = self.folder / "h ome"
        self.tools = self.folder / "tools"
        self.home.mkdir()
        self.tools.mkdir()
        self.tool("python3", f'exec "{os.path.realpath(sys.executable)}" "$@"')

    def tool(self, name: str, script: str) -> None:
        path = self.tools / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    @property
    def bin(self) -> Path:
        return self.home / ".local" / "bin"

    @property
    def data(self) -> Path:
        return self.home / ".local" / "share"

    def environment(self) -> dict[str, str]:
        lost = ("XDG_", "GIT_", "DBUS_", "VIRTUAL_ENV", "UV_TOOL", "PIPX_")
        kept = {
            key: value for key, value in os.environ.items() if not key.startswith(lost)
        }
        return {
            **kept,
            "HOME": str(self.home),
            "SHELL": "/bin/bash",
            "PATH": f"{self.tools}:{self.bin}:/usr/bin:/bin",
            **self.variables,
        }

    def run(
        self,
        *command: str | Path,
        cwd: Path | None = None,
        check: bool = True,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            command,
            cwd=cwd or self.folder,
            env={**self.environment(), **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if check and done.returncode != 0:
            raise AssertionError(
                f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
            )
        return done

    def install(
        self, *words: str | Path, checkout: Path = CHECKOUT, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        shell = shutil.which("dash") or "sh"
        return self.run(shell, checkout / "install.sh", *words, check=check)

    def version(self) -> str:
        """What the installed command says; both names, and git, say the same."""
        said = {
            self.run(*words, "--version").stdout
            for words in (("gitstate",), ("git-state",), ("git", "state"))
        }
        assert len(said) == 1
        return said.pop().strip()

    def environments(self) -> list[str]:
        return sorted(path.name for path in (self.data / "gitstate").glob("env-*"))
