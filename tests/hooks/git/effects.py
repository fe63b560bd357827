"""What ran, told by what it left behind: ours in the git directory, others in a log."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import stat
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gitstate import cli
from tests.support import Repo, make_repo

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ALL_OURS = {"pre-commit", "post-commit"}  # of those, what a plain commit runs
SAMPLES = ".sample"


@dataclass(frozen=True)
class Ran:
    """One run of git: its exit code, what it said, and who ran meanwhile, in order."""

    code: int
    err: str
    others: list[str]
    ours: set[str]


@dataclass
class Scene:
    """A repository, and a log that others' hooks write to (``$HOOK_LOG``)."""

    repo: Repo
    log: Path
    variables: dict[str, str] = field(default_factory=dict)
    _baseline: int = field(default=0, init=False)

    @classmethod
    def make(cls, folder: Path) -> Scene:
        """A repository with one commit in ``folder``, which is made."""
        repo = make_repo(folder / "repo")
        for sample in (repo.path / ".git" / "hooks").iterdir():
            sample.unlink()
        return cls(repo, folder / "log")

    def init(self, *words: str) -> str:
        """``gitstate init``; nobody links meanwhile, so that what the hooks leave stays."""
        said = self.gitstate("init", "--no-daemon", *words)
        self.let_nobody_link()
        return said

    def gitstate(self, *words: str, code: int | None = 0) -> str:
        """The command, in this process; returns what it says on both streams."""
        said = io.StringIO()
        with (
            contextlib.chdir(self.repo.path),
            contextlib.redirect_stdout(said),
            contextlib.redirect_stderr(said),
        ):
            ended = cli.main(words)
        assert code in {None, ended}, said.getvalue()
        return said.getvalue()

    def let_nobody_link(self) -> None:
        (self.runtime / "daemon").write_text(f"{os.getpid()}\n")

    @property
    def git_dir(self) -> Path:
        """As git finds it: ``.git`` itself where that is a folder; else git is asked."""
        usual = self.repo.path / ".git"
        if usual.is_dir():
            return usual
        return self.repo.path / self.repo.git("rev-parse", "--git-dir")

    @property
    def runtime(self) -> Path:
        return self.git_dir / "gitstate"

    def git(
        self,
        *words: str,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        timeout: float = 60,
    ) -> Ran:
        """Run git as a user does; any exit code."""
        self.log.unlink(missing_ok=True)
        self._forget()
        done = subprocess.run(
            ["git", *words],
            cwd=self.repo.path,
            input=stdin,
            capture_output=True,
            check=False,
            timeout=timeout,
            env={
                **os.environ,
                "HOOK_LOG": str(self.log),
                **self.variables,
                **(env or {}),
            },
        )
        place = str(self.repo.path)
        text = self.log.read_text() if self.log.exists() else ""
        return Ran(
            done.returncode,
            done.stderr.decode().replace(place, "REPO"),
            text.replace(place, "REPO").splitlines(),
            self._left(),
        )

    def commit(self, *words: str) -> Ran:
        """A commit of one more line of code, with the task file updated before."""
        self.work()
        return self.git("commit", "-q", "-m", "more", *words)

    def work(self) -> None:
        """Update the task file, then write and stage one more line of code."""
        if self.repo.state.is_dir():
            with (self.repo.state / "02-current-task.md").open("a") as file:
                file.write("more\n")
        with (self.repo.path / "code.txt").open("a") as file:
            file.write("more\n")
        self.repo.git("add", "code.txt")

    def _forget(self) -> None:
        for name in ("gate-by", "said"):
            (self.runtime / name).unlink(missing_ok=True)
        for path in (self.runtime / "links").glob("*"):
            path.unlink(missing_ok=True)
        self._baseline = self._baseline_time()

    def _baseline_time(self) -> int:
        """When post-commit left what the next check compares with."""
        path = self.runtime / "baseline"
        return path.stat().st_mtime_ns if path.exists() else 0

    def _left(self) -> set[str]:
        links = self.runtime / "links"
        signs = {
            "pre-commit": (self.runtime / "gate-by").exists(),
            # a daemon that runs takes what is left in links
            "post-commit": any(links.glob("*.v"))
            or self._baseline_time() != self._baseline,
            "post-rewrite": any(links.glob("rewrite.*")),
            "post-merge": (links / "look").exists(),
            "pre-push": (self.runtime / "said").exists()
            and not (self.runtime / "gate-by").exists(),
        }
        return {name for name, ran in signs.items() if ran}

    def files(self, *folders: str) -> dict[str, str]:
        """Every hook, and git's configuration: what it is, its mode, its bytes' digest."""
        found = {}
        for folder in ("hooks", *folders):
            base = (
                self.git_dir / folder if folder == "hooks" else self.repo.path / folder
            )
            for path in sorted(base.rglob("*")):
                name = f"{folder}/{path.relative_to(base)}"
                found[name] = describe(path, str(self.repo.path))
        found["config"] = describe(self.git_dir / "config", str(self.repo.path))
        return found


def describe(path: Path, place: str) -> str:
    """A file in one line, without the name of its place."""
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return f"link to {path.readlink()}"
    if stat.S_ISDIR(mode):
        return "folder"
    data = path.read_bytes().replace(place.encode(), b"REPO")
    return f"{stat.S_IMODE(mode):o} {hashlib.sha256(data).hexdigest()[:16]}"


def add_hook(path: Path, text: str | bytes, mode: int = 0o755) -> None:
    """A hook of the user's."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    path.chmod(mode)
