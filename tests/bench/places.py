"""Where it is measured: repositories of its own, under a home of its own."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from gitstate.commands import init
from gitstate.workspace import Workspace
from tests.support import NUMBERED, Repo, make_repo, with_settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TASK = "02-current-task.md"
_WORDS = (
    "parser",
    "token",
    "stream",
    "error",
    "branch",
    "commit",
    "state",
    "version",
    "restore",
    "index",
    "cache",
    "worker",
    "queue",
    "retry",
    "timeout",
    "config",
    "schema",
    "field",
    "value",
    "test",
    "fixture",
    "module",
    "import",
    "path",
    "lock",
    "file",
    "folder",
    "review",
    "change",
    "reason",
    "because",
    "after",
    "before",
    "every",
    "only",
    "never",
    "until",
    "when",
    "should",
    "must",
    "could",
    "reads",
    "writes",
    "returns",
    "raises",
    "checks",
    "keeps",
    "drops",
    "moves",
    "opens",
    "closes",
)


@contextlib.contextmanager
def hermetic() -> Iterator[Path]:
    """A folder for everything; no configuration of this machine counts in it."""
    with tempfile.TemporaryDirectory(prefix="gitstate-bench-") as name:
        folder = Path(name)
        home = folder / "home"
        home.mkdir()
        (home / ".gitconfig").write_text(
            "[user]\n\tname = A Person\n\temail = person@example.com\n"
            # nothing of git's own may start in the background of a measurement
            "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"
        )
        kept = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("GIT_", "GITSTATE_", "XDG_"))
            and key not in {"CI", "EMAIL"}
        }
        before = dict(os.environ)
        os.environ.clear()
        os.environ.update(kept, HOME=str(home), LC_ALL="C.UTF-8")
        os.environ["GIT_CONFIG_NOSYSTEM"] = "1"
        try:
            yield folder
        finally:
            os.environ.clear()
            os.environ.update(before)


def sentence(pick: random.Random, count: int = 9) -> str:
    """Some words."""
    return " ".join(pick.choice(_WORDS) for _ in range(count)).capitalize() + "."


@lru_cache(maxsize=512)
def text(seed: int, size: int = 2048) -> str:
    """Markdown of about ``size`` bytes, another for each seed."""
    pick = random.Random(seed)
    lines = [f"# Notes {seed}", ""]
    while sum(len(line) + 1 for line in lines) < size:
        lines.append(f"- {sentence(pick)}")
        if pick.random() < 0.1:
            lines += ["", f"## {sentence(pick, 3)}", ""]
    return "\n".join(lines)[: size - 1] + "\n"


def begun(path: Path, *, durable: bool = True) -> tuple[Repo, Workspace]:
    """A repository with gitstate and the six templates, without the daemon."""
    repo = make_repo(path)
    with (
        Path(os.devnull).open("w", encoding="utf-8") as nowhere,
        contextlib.redirect_stdout(nowhere),
    ):
        init.run(repo.path, None, no_daemon=True, dry_run=False)
    ws = Workspace.open(repo.path)
    return repo, ws if durable else with_settings(ws, durable=False)


def beside(path: Path, files: dict[str, str]) -> Repo:
    """A repository in which git itself keeps the same files."""
    repo = make_repo(path)
    for name, content in files.items():
        (repo.path / name).write_text(content)
    repo.git("add", "--", *files)
    repo.git("commit", "-q", "-m", "begin")
    return repo


def git_keeps(repo: Repo, names: Sequence[str], *options: str) -> None:
    """``git add`` and ``git commit`` of these files, as a user or a script runs them."""
    for words in (["add", "--", *names], ["commit", "-q", "-m", "change"]):
        subprocess.run(["git", *options, *words], cwd=repo.path, check=True)


def gitstate_words() -> list[str]:
    """The command as it is installed beside this Python, or the module."""
    script = Path(sys.executable).with_name("gitstate")
    return [str(script)] if script.exists() else [sys.executable, "-m", "gitstate"]


def run(*words: str, cwd: Path, quiet: bool = True) -> None:
    """The command in a process of its own, from a cold start."""
    out = subprocess.DEVNULL if quiet else None
    subprocess.run([*gitstate_words(), *words], cwd=cwd, check=True, stdout=out)


class Editor:
    """Edits the six files as an agent at work does; the same ones for the same seed."""

    def __init__(self, folder: Path, seed: int = 1) -> None:
        self._folder = folder
        self._pick = random.Random(seed)
        self._count = 0

    def edit(self) -> str:
        """Change one file; returns its name."""
        self._count += 1
        weights = (2, 4, 60, 10, 14, 10)
        name = self._pick.choices(NUMBERED, weights)[0]
        path = self._folder / name
        lines = path.read_text().split("\n")
        act = self._pick.random()
        bullets = [at for at, line in enumerate(lines) if line.startswith("- ")]
        if bullets and act < 0.35:  # a step is ticked, or worded anew
            at = self._pick.choice(bullets)
            lines[at] = f"- [x] {sentence(self._pick, 7)}"
        elif len(bullets) > 40:  # what is long done goes
            del lines[bullets[0] : bullets[6]]
        else:
            lines.insert(len(lines) - 1, f"- {self._count}: {sentence(self._pick)}")
        path.write_text("\n".join(lines))
        return name
