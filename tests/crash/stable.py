"""A warm process that forks one gitstate after another, and kills them on demand.

``python -m tests.crash.stable`` reads one JSON request a line and answers each with
one line. Each request runs in a fork of its own, through the real command or the real
function, without the 300 ms that a start costs. ``Stable`` is the test's side of it.
"""

from __future__ import annotations

import contextlib
import io
import json
import mmap
import os
import signal
import struct
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self, cast

from tests.warm import warm_up

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

# struct control of tests/shims/crash.c
_CONTROL = struct.Struct("=6i232s")
_BUG = 3


@dataclass(frozen=True)
class Ran:
    """How a request ended; ``calls`` that change files, and the ``last`` one counted."""

    killed: bool
    code: int
    out: str
    err: str
    calls: int
    last: str

    def __str__(self) -> str:
        how = "killed" if self.killed else f"exit {self.code}"
        return f"{how} after {self.calls} calls ({self.last})\n{self.out}{self.err}"


class Stable:
    """The test's side: a context manager."""

    def __init__(self, folder: Path, *, preload: Path | None = None) -> None:
        self._control = folder / "crash-control"
        self._control.write_bytes(b"\0" * _CONTROL.size)
        environment = {**os.environ, "CRASH_CONTROL": str(self._control)}
        if preload is not None:
            environment["LD_PRELOAD"] = str(preload)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.crash.stable"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=Path(__file__).parents[2],
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        cast("IO[str]", self._process.stdin).close()
        self._process.wait(timeout=30)
        cast("IO[str]", self._process.stdout).close()

    def run(
        self,
        *words: str,
        cwd: Path,
        env: dict[str, str] | None = None,
        at: int | None = None,
        everything: bool = False,
        torn: bool = False,
        kill_after_s: float | None = None,
        stirring: Iterable[Path] = (),
    ) -> Ran:
        """Run ``gitstate WORDS`` (or a function of ``_FUNCTIONS``) in ``cwd``.

        ``at``: kill it at that call that changes a file (0: count them only), and with
        ``everything`` the git processes it started too; ``torn`` cuts a write there in
        half. ``kill_after_s``: kill it after that time; where ``stirring`` names folders,
        the time runs from the moment at which one of them has another list of names.
        """
        request = {
            "words": words,
            "cwd": str(cwd),
            "env": env or {},
            "at": at,
            "all": everything,
            "torn": torn,
            "kill_after_s": kill_after_s,
            "stirring": list(map(str, stirring)),
        }
        stdin = cast("IO[str]", self._process.stdin)
        stdin.write(json.dumps(request) + "\n")
        stdin.flush()
        answer = cast("IO[str]", self._process.stdout).readline()
        assert answer, "the stable died"
        ran = Ran(**json.loads(answer))
        assert "Traceback" not in ran.err, ran
        assert ran.code != _BUG, ran
        return ran

    def ok(self, *words: str, cwd: Path, env: dict[str, str] | None = None) -> Ran:
        """Run it to its end; it must exit 0."""
        ran = self.run(*words, cwd=cwd, env=env)
        assert not ran.killed, ran
        assert ran.code == 0, ran
        return ran


def _serve() -> None:
    warm_up()
    with Path(os.environ["CRASH_CONTROL"]).open("r+b") as file:
        control = mmap.mmap(file.fileno(), _CONTROL.size)
    for line in sys.stdin:
        answer = _answer(json.loads(line), control)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _answer(request: dict[str, Any], control: mmap.mmap) -> dict[str, Any]:
    out, err = _pipe_file(), _pipe_file()
    armed = request["at"] is not None
    control[:] = _CONTROL.pack(0, 0, 0, 0, 0, 0, b"")
    sys.stdout.flush()
    before = _names(request["stirring"])
    pid = os.fork()
    if pid == 0:
        os.dup2(out, 1)
        os.dup2(err, 2)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.chdir(request["cwd"])
        os.environ.update(request["env"])
        if armed:
            how = int(request["all"]), int(request["torn"])
            control[:] = _CONTROL.pack(1, request["at"], os.getpid(), *how, 0, b"")
        code = 120
        try:
            code = _call(request["words"])
        finally:
            os._exit(code)
    if request["kill_after_s"] is not None:
        while request["stirring"] and _names(request["stirring"]) == before:
            if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                break  # nothing to do
        time.sleep(request["kill_after_s"])
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    values = _CONTROL.unpack(control[:])
    control[:] = _CONTROL.pack(0, 0, 0, 0, 0, 0, b"")
    killed = os.WIFSIGNALED(status)
    return {
        "killed": killed,
        "code": -1 if killed else os.waitstatus_to_exitcode(status),
        "out": _drained(out),
        "err": _drained(err),
        "calls": values[5],
        "last": values[6].rstrip(b"\0").decode("utf-8", "replace"),
    }


def _names(folders: Sequence[str]) -> list[list[str]]:
    """What lies in each of these folders; nothing in one that is not there."""
    found: list[list[str]] = []
    for folder in folders:
        found.append([])
        with contextlib.suppress(FileNotFoundError):
            found[-1] = [entry.name for entry in os.scandir(folder)]
    return found


def _call(words: Sequence[str]) -> int:
    name, *rest = words
    if name in _FUNCTIONS:
        return _FUNCTIONS[name](*rest)
    from gitstate.cli import main  # noqa: PLC0415 in the stable alone

    # as after exec: the streams know nothing of what the parent buffered
    sys.stdout = io.TextIOWrapper(os.fdopen(1, "wb", 0), write_through=True)
    sys.stderr = io.TextIOWrapper(os.fdopen(2, "wb", 0), write_through=True)
    return main(words)


def _pack() -> int:
    """All packs of gitstate in the repository become one, as the daemon makes it."""
    from gitstate.git.packing import consolidate  # noqa: PLC0415 in the stable alone
    from gitstate.history.line import engine_for  # noqa: PLC0415
    from gitstate.workspace import Workspace  # noqa: PLC0415

    ws = Workspace.open()
    with engine_for(ws) as engine:
        consolidate(engine.packs, root=ws.root, scratch=ws.shared, everything=True)
    return 0


def _tend() -> int:
    """What the daemon does from time to time."""
    from gitstate.daemon.run import pack  # noqa: PLC0415 in the stable alone
    from gitstate.workspace import Workspace  # noqa: PLC0415

    pack(Workspace.open())
    return 0


def _link() -> int:
    """Code commits that wait get their notes, as the daemon and a hook's child do it."""
    from gitstate.history.links import process  # noqa: PLC0415 in the stable alone
    from gitstate.workspace import Workspace  # noqa: PLC0415

    process(Workspace.open())
    return 0


def _daemon() -> int:
    """The daemon itself, until it is killed."""
    from gitstate.daemon.__main__ import main  # noqa: PLC0415 in the stable alone

    return main()


_FUNCTIONS: dict[str, Callable[..., int]] = {
    "daemon": _daemon,
    "link": _link,
    "pack": _pack,
    "tend": _tend,
}


def _pipe_file() -> int:
    return os.memfd_create("output", os.MFD_CLOEXEC)


def _drained(fd: int) -> str:
    data = os.pread(fd, os.fstat(fd).st_size, 0)
    os.close(fd)
    return data.decode("utf-8", "surrogateescape")


if __name__ == "__main__":
    _serve()
