"""What stands at the edges of the daemon in its tests: the snapshot and the watcher."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gitstate.daemon.hints import Heard, UnwatchableError
from gitstate.errors import GitstateError

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from gitstate.daemon.scan import Identity
    from gitstate.history.cache import Cache
    from gitstate.workspace import Workspace


@dataclass(frozen=True)
class Outcome:
    version: int | None = None
    changed: bool = False
    vanished: tuple[bytes, ...] = ()
    skipped: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


@dataclass
class Taking:
    """A snapshot function that remembers the bytes it was asked to keep."""

    kept: dict[Path, list[dict[str, bytes]]] = field(default_factory=dict)
    refuse: dict[Path, Exception] = field(default_factory=dict)
    gates: dict[Path, threading.Event] = field(default_factory=dict)
    answers: dict[Path, Outcome] = field(default_factory=dict)
    calls: list[Path] = field(default_factory=list)

    def __call__(self, ws: Workspace, /, *, verb: str, cache: Cache) -> Outcome:
        assert verb == "daemon"
        assert cache is not None
        self.calls.append(ws.root)
        files = (
            {
                str(path.relative_to(ws.state_dir)): path.read_bytes()
                for path in ws.state_dir.rglob("*")
                if path.is_file()
            }
            if ws.state_dir.is_dir()
            else {}
        )
        if ws.root in self.gates:  # what is written from here on is not seen
            assert self.gates[ws.root].wait(60)
        if ws.root in self.refuse:
            raise self.refuse[ws.root]
        if ws.root in self.answers:
            return self.answers[ws.root]
        history = self.kept.setdefault(ws.root, [])
        changed = not history or history[-1] != files
        if changed:
            history.append(files)
        return Outcome(version=len(history), changed=changed)

    def newest(self, root: Path) -> dict[str, bytes]:
        history = self.kept.get(root)
        return history[-1] if history else {}


class Deaf:
    """A watcher of a file system that accepts watches and delivers nothing."""

    def __init__(self) -> None:
        self.running = True
        self.unwatchable: str | None = None
        self.watches: list[DeafWatch] = []

    def watch(self, root: bytes, top: bytes, wake: Callable[[], None]) -> DeafWatch:
        del top
        self.watches.append(DeafWatch(self, root, wake))
        return self.watches[-1]

    def alive(self) -> bool:
        return self.running

    def close(self) -> None:
        self.running = False


class DeafWatch(Heard):
    def __init__(self, watcher: Deaf, root: bytes, wake: Callable[[], None]) -> None:
        super().__init__(wake)
        self.root = root
        self.watcher = watcher
        self.armed: set[Identity] = set()
        self.closed = False

    def arm(self, directories: Mapping[Identity, bytes]) -> int:
        if self.watcher.unwatchable is not None:
            raise UnwatchableError(self.watcher.unwatchable)
        new = len(directories.keys() - self.armed)
        self.armed = set(directories)
        return new

    def alive(self) -> bool:
        return self.watcher.running and not self.closed

    def close(self) -> None:
        self.closed = True


class FakeClockwork:
    """The jobs, of which only the pace is remembered."""

    def __init__(self) -> None:
        self.paces: list[float] = []
        self.begun = 0

    def freshen_every(self, seconds: float) -> None:
        if self.paces[-1:] != [seconds]:
            self.paces.append(seconds)

    def begin_anew(self) -> None:
        self.begun += 1


class Refusal(GitstateError):
    """A failure with a line for a person."""
