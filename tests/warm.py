"""One warm process that forks a gitstate command at each request.

A command is so in a process of its own, as the real one is, without the quarter of a
second in which Python and the libraries start. ``python -P warm.py FD`` is the warm
process: it reads one JSON request a line from a socket and answers each with one line.
``Warm`` is the side that asks.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import json
import os
import pkgutil
import runpy
import socket
import subprocess
import sys
import threading
import time
import traceback
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    import io
    from collections.abc import Mapping, Sequence
    from pathlib import Path

# what Python or the loader reads once, when a process starts
_AT_START = ("PYTHON", "LC_", "LANG", "LD_", "MALLOC_", "GLIBC_")


class Warm:
    """The side that asks; the process starts at the first request and ends with ours."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._stream: io.BufferedRWPair | None = None
        self._at_start: dict[str, str] = {}

    def run(
        self, words: Sequence[str], *, cwd: Path, env: Mapping[str, str], stdin: str
    ) -> subprocess.CompletedProcess[str] | None:
        """``gitstate WORDS``; ``None`` where it takes a process that starts anew."""
        if not self._lock.acquire(blocking=False):
            return None  # two at once are to run at once
        try:
            at_start = {
                name: value for name, value in env.items() if name.startswith(_AT_START)
            }
            if self._stream is None:
                self._start(env)
                self._at_start = at_start
            if self._stream is None or at_start != self._at_start:
                return None
            request = {
                "words": [os.fspath(word) for word in words],
                "cwd": os.fspath(cwd),
                "env": dict(env),
                "stdin": stdin,
            }
            self._stream.write(json.dumps(request).encode() + b"\n")
            self._stream.flush()
            answer = self._stream.readline()
            assert answer, "the warm process died"
            return subprocess.CompletedProcess(list(words), **json.loads(answer))
        finally:
            self._lock.release()

    def _start(self, env: Mapping[str, str]) -> None:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", __file__, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env=dict(env),
                cwd="/",
            )
            self._stream = ours.makefile("rwb")
        atexit.register(self._end)

    def _end(self) -> None:
        if self._stream is not None and self._process is not None:
            self._stream.close()
            self._process.wait()


def _serve(fd: int) -> None:
    warm_up()
    with socket.socket(fileno=fd) as line, line.makefile("rwb") as stream:
        os.set_inheritable(fd, False)  # noqa: FBT003 the name of it says what
        for request in stream:
            stream.write(json.dumps(_answer(json.loads(request))).encode() + b"\n")
            stream.flush()


def warm_up() -> None:
    """Import all of gitstate, and what its commands need."""
    import gitstate  # noqa: PLC0415 in the warm process alone

    everything = pkgutil.walk_packages(gitstate.__path__, "gitstate.")
    names = [found.name for found in everything if "__main__" not in found.name]
    others = ("click.shell_completion", "ctypes", "encodings.ascii", "markdown_it")
    for name in (*names, *others, "importlib.resources.readers"):
        with contextlib.suppress(ImportError):  # the command that needs it will say so
            importlib.import_module(name)


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    streams = [os.memfd_create(name, os.MFD_CLOEXEC) for name in ("in", "out", "err")]
    os.pwrite(streams[0], request["stdin"].encode("utf-8", "surrogateescape"), 0)
    pid = os.fork()
    if pid == 0:
        _be(request, streams)
    _, status = os.waitpid(pid, 0)
    texts = []
    for fd in streams[1:]:
        data = os.pread(fd, os.fstat(fd).st_size, 0).decode("utf-8", "surrogateescape")
        texts.append(data.replace("\r\n", "\n").replace("\r", "\n"))
    for fd in streams:
        os.close(fd)
    code = os.waitstatus_to_exitcode(status)
    return {"returncode": code, "stdout": texts[0], "stderr": texts[1]}


def _be(request: dict[str, Any], streams: Sequence[int]) -> NoReturn:
    """Be ``python -P -m gitstate WORDS`` from here on."""
    code = 1
    try:
        for target, fd in enumerate(streams):
            os.dup2(fd, target)
        os.chdir(request["cwd"])
        os.environ.clear()
        os.environ.update(request["env"])
        time.tzset()
        sys.argv[1:] = request["words"]
        runpy.run_module("gitstate", run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 as Python itself tells of it
        traceback.print_exc()
    finally:
        for ending in (_join_threads, sys.stdout.flush, sys.stderr.flush):
            try:
                ending()
            except BaseException:  # noqa: BLE001 as Python itself tells of it
                code = 120
        os._exit(code)


def _join_threads() -> None:
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
