"""One repository, one worktree, one state directory, one line: where things are."""

from __future__ import annotations

import os
import stat
import sys
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from gitstate import settings as settings_module
from gitstate.errors import CannotWrite, GitFailed, NotARepository, Refused, printable
from gitstate.files import read_bytes
from gitstate.git.environment import asked, first_line, git, require_git
from gitstate.values import dataclass

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Mapping, Sequence

    from gitstate.git.environment import Asked
    from gitstate.settings import Settings

FORMAT = 1
SCRATCH = ".gitstate-tmp"
RESTORING = "restore"  # in the runtime folder: the journal of a restore under way


def state_home() -> Path:
    """``$XDG_STATE_HOME/gitstate``: what this user's gitstate knows outside any repository."""
    return _state_home(os.environ.get("XDG_STATE_HOME"), os.environ.get("HOME"))


@lru_cache(maxsize=4)
def _state_home(xdg: str | None, home: str | None) -> Path:  # noqa: ARG001 a key: what is asked looks at it
    if xdg and Path(xdg).is_absolute():
        return Path(xdg) / "gitstate"
    if sys.platform != "darwin":  # what platformdirs says too, 4 ms later
        return Path("~/.local/state/gitstate").expanduser()
    from platformdirs import user_state_path  # noqa: PLC0415 see above

    return user_state_path() / "gitstate"


def config_home() -> Path:
    """``$XDG_CONFIG_HOME``, for the service file."""
    from platformdirs import user_config_path  # noqa: PLC0415 for the daemon alone

    xdg = os.environ.get("XDG_CONFIG_HOME")
    return Path(xdg) if xdg and Path(xdg).is_absolute() else user_config_path()


@dataclass(frozen=True, kw_only=True)
class Workspace:
    """Where one worktree's state, runtime files and line of versions are."""

    root: Path
    git_dir: Path
    common_dir: Path
    object_format: str
    settings: Settings
    warnings: tuple[str, ...]
    config: Mapping[str, Sequence[str]]

    @classmethod
    def open(cls, path: Path | None = None) -> Workspace:
        """The workspace that ``path`` (default: here) lies in.

        Raises ``NotARepository`` outside a worktree and ``GitFailed`` with git's words
        where git refuses (for example ``safe.directory``).
        """
        start = Path(path) if path is not None else Path.cwd()
        ask = ["rev-parse", *_OPTIONS, "--path-format=absolute", *_PATHS]
        where = asked(ask, cwd=start)
        listing = _listing(start)  # both at once: a verb waits 4 ms less
        try:
            found = _locate(start, where.result(check=False))
        finally:
            said = listing.result(check=False)
        root, git_dir, common_dir, object_format = found
        config = _config_in(said.stdout) if not said.returncode else read_config(root)
        settings, warnings = settings_module.load(config)
        return cls(
            root=root,
            git_dir=git_dir,
            common_dir=common_dir,
            object_format=object_format,
            settings=settings,
            warnings=warnings,
            config=config,
        )

    @cached_property
    def state_dir(self) -> Path:
        """The directory that agents and people edit."""
        return self.root / self.settings.dir

    @property
    def tree_path(self) -> str:
        """The state directory inside a version's tree, with ``/`` between parts."""
        return self.settings.dir

    @cached_property
    def worktree_id(self) -> str | None:
        """Git's id of a linked worktree; ``None`` for the main one."""
        if self.git_dir == self.common_dir or self.git_dir.parent.name != "worktrees":
            return None
        return self.git_dir.name

    @cached_property
    def line(self) -> str:
        """The name of this worktree's line of versions."""
        branch = self.settings.branch
        return branch if self.worktree_id is None else f"{branch}.{self.worktree_id}"

    @cached_property
    def ref(self) -> str:
        """The branch that holds the line."""
        return f"refs/heads/{self.line}"

    @cached_property
    def pending_ref(self) -> str:
        """Where versions wait while the branch cannot be moved."""
        return f"refs/gitstate/pending/{self.line}"

    @cached_property
    def archive_prefix(self) -> str:
        """Where the tips that a squash or repair replaced are kept."""
        return f"refs/gitstate/archive/{self.line}/"

    @cached_property
    def runtime(self) -> Path:
        """Runtime files of this worktree."""
        return self.git_dir / "gitstate"

    @cached_property
    def shared(self) -> Path:
        """Lock, format and id of the repository."""
        return self.common_dir / "gitstate"

    @cached_property
    def lock_path(self) -> Path:
        """The repository's lock file."""
        return self.shared / "lock"

    @cached_property
    def objects_dir(self) -> Path:
        """Git's object directory."""
        return self.common_dir / "objects"

    @property
    def initialised(self) -> bool:
        """Has ``gitstate init`` run in this worktree."""
        return (self.runtime / "life").is_file()

    @cached_property
    def is_partial(self) -> bool:
        """Is it a partial clone: a remote has promised objects that are not here."""
        return any(
            key.startswith("remote.")
            and key.endswith(".promisor")
            and values[-1].lower() in {"true", "1", "yes", "on"}
            for key, values in self.config.items()
        )

    @cached_property
    def group_bits(self) -> int:
        """Permission bits for others by ``core.sharedRepository`` (0: the owner alone)."""
        value = (self.config.get("core.sharedrepository") or ["false"])[-1].lower()
        if value in {"group", "true", "1", "yes", "on"}:
            return 0o060
        if value in {"all", "world", "everybody", "2"}:
            return 0o064
        try:
            octal = int(value, 8)
        except ValueError:
            return 0
        return octal & 0o066

    @property
    def file_mode(self) -> int:
        """Mode of a runtime file."""
        return 0o600 | self.group_bits

    def identity(self) -> tuple[str, str]:
        """The user's git name and email, or gitstate's own where there is none."""
        name = (self.config.get("user.name") or [""])[-1].strip()
        email = (self.config.get("user.email") or [""])[-1].strip()
        for bad in "<>\n\r\0":
            name, email = name.replace(bad, ""), email.replace(bad, "")
        if not name or not email:
            return "gitstate", "gitstate@localhost"
        return name, email

    def make_folders(self) -> None:
        """Make the runtime folders; raises ``CannotWrite`` or ``Refused`` (newer format)."""
        bits = self.group_bits
        for folder in (self.shared, self.runtime):
            if folder.is_dir():
                continue
            try:
                folder.mkdir(mode=0o700, exist_ok=True)
                if bits:
                    execute = (bits & 0o044) >> 2
                    folder.chmod(stat.S_ISGID | 0o700 | bits | execute)
            except OSError as error:
                raise CannotWrite.from_os(
                    error, doing="make gitstate's folder"
                ) from error

    def check_format(self) -> None:
        """Raise ``Refused`` when a newer gitstate wrote here."""
        try:
            text = read_bytes(self.shared / "format").decode("utf-8", "replace").strip()
        except FileNotFoundError:
            return
        except OSError as error:
            message = (
                f"{printable(self.shared / 'format')} cannot be read: {error.strerror}"
            )
            raise Refused(message) from error
        # what is no number was not written by a newer gitstate, but by a power failure
        if text.isascii() and text.isdigit() and int(text) > FORMAT:
            message = (
                f"this repository was written by a newer gitstate (format {printable(text)}; "
                f"this one knows {FORMAT}): it is read only here, upgrade gitstate"
            )
            raise Refused(message)


def read_config(root: Path) -> dict[str, list[str]]:
    """Every git config value that counts in ``root``: lower-cased key -> values.

    Through git itself: libgit2 ignores ``GIT_CONFIG_GLOBAL``.
    """
    return _config_in(_listing(root).result().stdout)


def _listing(cwd: Path) -> Asked:
    return asked(["config", "--list", "--includes", "-z"], cwd=cwd, settings=True)


def _config_in(listing: bytes) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    own = {
        "core.hookspath",
        "core.fsmonitor",
        "gc.auto",
        "maintenance.auto",
        "commit.gpgsign",
    }
    records = listing.split(b"\0")
    for record in records:
        key, separator, value = record.decode("utf-8", "surrogateescape").partition(
            "\n"
        )
        if key:
            found.setdefault(key, []).append(value if separator else "true")
    for key in own:  # our own -c flags stand last in the listing
        if key in found:
            found[key].pop()
            if not found[key]:
                del found[key]
    return found


_OPTIONS = ("--is-inside-work-tree", "--show-object-format")
_PATHS = ("--show-toplevel", "--absolute-git-dir", "--git-common-dir")


def _locate(
    start: Path, answer: subprocess.CompletedProcess[bytes]
) -> tuple[Path, Path, Path, str]:
    lines = answer.stdout.split(b"\n")[:-1]
    if answer.returncode != 0:
        _refuse(start, answer, lines)
    if lines[1:2] and lines[1].startswith(b"--"):
        # what an old git does not know it prints back
        require_git(start)
    if len(lines) < len(_PATHS) + 2:
        message = f"git rev-parse does not answer as git does; is {_git_found()} git?"
        raise GitFailed(message)
    if len(lines) == len(_PATHS) + 2:
        paths = lines[2:]
    else:  # a newline in a path: ask one by one
        paths = [
            git(["rev-parse", "--path-format=absolute", option], cwd=start).stdout[:-1]
            for option in _PATHS
        ]
    root, git_dir, common_dir = (Path(os.fsdecode(path)) for path in paths)
    return root, git_dir, common_dir, lines[1].decode()


def _refuse(
    start: Path, answer: subprocess.CompletedProcess[bytes], lines: Sequence[bytes]
) -> None:
    reason = first_line(answer.stderr)
    if "not a git repository" in reason:
        message = f"{printable(start)} is not in a git repository; run `git init` first"
        raise NotARepository(message)
    if lines and lines[0] == b"false":
        message = (
            f"{printable(start)} is in a bare repository or inside a git directory: there is "
            "no worktree here; run gitstate in a worktree (git worktree add)"
        )
        raise NotARepository(message)
    for advice in answer.stderr.splitlines():
        if b"safe.directory" in advice:
            message = (
                f"{printable(start)} is another user's repository, which git does not open; if "
                f"you trust it, run `{printable(advice.strip())}`"
            )
            raise NotARepository(message)
    code = f"exit code {answer.returncode}; is {_git_found()} git?"
    raise GitFailed(f"git rev-parse: {reason or code}")


def _git_found() -> str:
    """The program that is called when git is."""
    import shutil  # noqa: PLC0415 only where git fails

    return printable(shutil.which("git") or "the git on the PATH")
