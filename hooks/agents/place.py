"""Which worktree an agent works in, found without a process: for hooks that have no time."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # as typing's, which costs a hook 10 ms
if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST = 4096  # bytes of a .git file, and of a path


class Place:
    """A worktree in which gitstate is set up: its root, and its folder of runtime files."""

    __slots__ = ("root", "runtime")

    def __init__(self, root: str, runtime: str) -> None:
        self.root = root
        self.runtime = runtime

    @property
    def agents(self) -> str:
        """The folder of what is known of agents' sessions."""
        return os.path.join(self.runtime, "agents")

    def state_dir(self, environ: Mapping[str, str] = os.environ) -> str:
        """The state directory's path below the root."""
        named = environ.get("GITSTATE_DIR")
        if named:
            return named
        try:
            with open(
                os.path.join(self.runtime, "state-dir"), encoding="utf-8"
            ) as file:
                return file.readline().rstrip("\n") or ".agent-state"
        except (OSError, ValueError):
            return ".agent-state"

    def inside(self, path: str, cwd: str = "") -> str | None:
        """A path as it is told, from the root; ``None`` where it is not below it."""
        whole = os.path.normpath(os.path.join(cwd or self.root, path))
        for base in (self.root, os.path.realpath(self.root)):
            if whole.startswith(base.rstrip("/") + "/"):
                return whole[len(base.rstrip("/")) + 1 :]
        real = os.path.join(
            os.path.realpath(os.path.dirname(whole)), os.path.basename(whole)
        )
        base = os.path.realpath(self.root).rstrip("/") + "/"
        return real[len(base) :] if real.startswith(base) else None


def find(start: str) -> Place | None:
    """The worktree that ``start`` lies in; ``None`` where gitstate is not set up in it."""
    found = nearest(start)
    there = found is not None and os.path.isfile(os.path.join(found.runtime, "life"))
    return found if there else None


def nearest(start: str) -> Place | None:
    """The same, where it may not be set up."""
    if len(start) > _LONGEST:
        return None
    folder = os.path.abspath(start)
    while True:
        git = _git_dir(folder)
        if git is not None:
            return Place(folder, os.path.join(git, "gitstate"))
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def is_elsewhere(place: Place, cwd: str) -> bool:
    """Does a session in ``cwd`` work in another worktree than the one of its project.

    A repository that lies in the worktree, as a submodule, is a part of it where gitstate
    is not set up in that; another worktree of the same repository never is.
    """
    other = nearest(cwd)
    if other is None:
        return False
    here, there = (os.path.realpath(one.runtime) for one in (place, other))
    if here == there:
        return False
    if os.path.isfile(os.path.join(there, "life")) or _common(here) == _common(there):
        return True
    root = os.path.realpath(place.root).rstrip("/")
    return not os.path.realpath(other.root).startswith(f"{root}/")


def _common(runtime: str) -> str:
    """What all worktrees of a repository have in common: its git dir."""
    git = os.path.dirname(runtime)
    above = os.path.dirname(git)
    return os.path.dirname(above) if os.path.basename(above) == "worktrees" else git


def _git_dir(folder: str) -> str | None:
    dot = os.path.join(folder, ".git")
    if os.path.isdir(dot):
        return dot
    try:
        with open(dot, "rb") as file:
            said = file.read(_LONGEST)
    except (OSError, ValueError):  # ValueError: what was told can be no path
        return None
    if not said.startswith(b"gitdir: "):
        return None
    return os.path.normpath(os.path.join(folder, os.fsdecode(said[8:].rstrip(b"\r\n"))))
