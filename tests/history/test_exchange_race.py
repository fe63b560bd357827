"""Writers without pause, and links swapped in, while files are exchanged."""

from __future__ import annotations

import json
import os
import resource
import signal
import threading
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

import pytest

from gitstate.errors import CannotWrite, Refused
from gitstate.history import moves
from gitstate.history.directory import scan
from gitstate.history.exchange import Change, Way, apply, leftovers, settle
from gitstate.history.live import Live
from gitstate.history.primitives import At, exchange
from gitstate.workspace import SCRATCH
from tests.history.contents import content, tree_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gitstate.history.directory import Content
    from gitstate.history.reading import Unread

APPLIES = 200
MOST_APPLIES = 100 * APPLIES
MET = 8


@pytest.fixture(params=list(Way), ids=lambda way: way.name.lower())
def way(request: pytest.FixtureRequest) -> Way:
    found: Way = request.param
    return found


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / ".agent-state"
    folder.mkdir()
    return folder


class Writing(Protocol):
    """Writes text after text until ``stop``; what must be found afterwards."""

    def __call__(self, path: Path, stop: threading.Event) -> set[str]: ...


def append(path: Path, stop: threading.Event) -> set[str]:
    """Add lines: every one must be found."""
    lines: set[str] = set()
    while not stop.is_set():
        line = f"line {len(lines)}\n"
        with path.open("a") as file:
            file.write(line)
        lines.add(line)
    return lines


def rewrite(path: Path, stop: threading.Event) -> set[str]:
    """Write in place: the last text of every file (inode) must be found."""
    last: dict[tuple[int, int], str] = {}
    pins = []  # an inode that is held open cannot be given to another file
    number = 0
    while not stop.is_set():
        number += 1
        text = f"text {number}\n"
        with path.open("w") as file:
            found = os.fstat(file.fileno())
            if (found.st_dev, found.st_ino) not in last:
                pins.append(os.dup(file.fileno()))
            file.write(text)
        last[found.st_dev, found.st_ino] = text
    for pin in pins:
        os.close(pin)
    return set(last.values())


def replace(path: Path, stop: threading.Event) -> set[str]:
    """Write beside and move into place: what no text of our own replaced must be found.

    By an exchange, so that each knows what it replaced; the same to whoever is read.
    """
    standing: set[str] = set()
    number = 0
    beside = path.parent.parent / "beside"
    here = os.open(path.parent, os.O_RDONLY)
    there = os.open(beside.parent, os.O_RDONLY)
    while not stop.is_set():
        number += 1
        text = f"text {number}\n"
        beside.write_text(text)
        try:
            exchange(At(there, b"beside"), At(here, os.fsencode(path.name)))
        except FileNotFoundError:
            try:
                path.hardlink_to(beside)
            except FileExistsError:
                continue
        else:
            standing.discard(beside.read_text())
        standing.add(text)
        beside.unlink()
    os.close(here)
    os.close(there)
    return standing


class Process:
    """``action(stop)`` in a process of its own until it is ended; what it returns."""

    def __init__(self, action: Callable[[threading.Event], set[str]]) -> None:
        read, write = os.pipe()
        self._pid = os.fork()
        if self._pid:
            os.close(write)
            self._pipe = os.fdopen(read)
            return
        try:
            os.close(read)
            stop = threading.Event()
            signal.signal(signal.SIGTERM, lambda *_: stop.set())
            limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(limit, 65536), limit))
            with os.fdopen(write, "w") as pipe:
                json.dump(sorted(action(stop)), pipe)
        except BaseException:  # noqa: BLE001 told on the terminal; the pipe stays empty
            traceback.print_exc()
        finally:
            os._exit(0)

    def stop(self) -> set[str]:
        """End it; what it returned."""
        os.kill(self._pid, signal.SIGTERM)
        with self._pipe:
            report = self._pipe.read()
        os.waitpid(self._pid, 0)
        return set(json.loads(report))


def blind(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last look before each move sees what the plan says: all else is 'just now'."""
    expected: list[Content | None] = []
    look = Live.look

    def stale(self: Live, at: At) -> Content | Unread | None:
        return expected.pop() if expected else look(self, at)

    monkeypatch.setattr(Live, "look", stale)
    for name in ("put", "remove"):
        real = getattr(moves.Mover, name)

        def move(self: moves.Mover, change: Change, real: object = real) -> None:
            expected[:] = [change.old]
            real(self, change)  # type: ignore[operator]
            expected.clear()

        monkeypatch.setattr(moves.Mover, name, move)


@pytest.mark.parametrize("writing", [append, rewrite, replace])
@pytest.mark.parametrize(
    "instant", [False, True], ids=["as it comes", "always too late"]
)
def test_every_text_that_was_ever_written_is_somewhere(
    state: Path,
    way: Way,
    writing: Writing,
    instant: bool,  # noqa: FBT001 a parameter of the test
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if instant:
        blind(monkeypatch)
    path = state / "a"
    path.write_text("first\n")
    known: set[str] = {"first\n"}
    surprises: list[str] = []
    done = left = met = number = 0
    mine: bytes | None = b"first\n"
    writer = Process(lambda stop: writing(path, stop))
    try:
        # a busy machine may let the writer run late: on until they met
        while number < APPLIES or (met < MET and number < MOST_APPLIES):
            found = scan(state, object_format="sha1", max_file_size=1 << 20)
            old = found.files.get(b"a")
            new = None if number % 3 == 2 else content(f"version {number}\n")
            known |= {(item.data or b"").decode() for item in (old, new) if item}
            applied = apply(
                state,
                [Change(b"a", old, new)],
                object_format="sha1",
                durable=False,
                way=way,
            )
            done += len(applied.done)
            left += len(applied.left)
            surprises += [(item.data or b"").decode() for item in applied.surprises]
            strange = old is not None and old.data != mine
            met += strange and (writing is append or bool(applied.done))
            mine = new.data if new else None
            number += 1
    finally:
        written = writer.stop()
    kept = [(item.data or b"").decode() for item in leftovers(state)]
    disk = [path.read_text()] if path.exists() else []
    everything = "".join([*known, *surprises, *kept, *disk])
    if writing is append:
        lost = written - set(everything.splitlines(keepends=True))
    else:
        lost = written - {*known, *surprises, *kept, *disk}
    print(f"{len(written)} to find; {number=} {met=} {done=} {len(surprises)=}")  # noqa: T201
    assert lost == set()
    assert (done + left, len(written) > 5) == (number, True)
    if instant:
        assert done > APPLIES // 10
    texts = {*known, *surprises, *kept}
    assert settle(state, lambda item: (item.data or b"").decode() in texts) == ()
    assert not (state / SCRATCH).exists()


@pytest.mark.parametrize("name", ["sub", SCRATCH])
def test_links_swapped_in_lead_nowhere(
    state: Path, tmp_path: Path, way: Way, name: str
) -> None:
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    for inner in ("file", "gone", "deep/file"):
        (outside / inner).write_text("outside")
    (tmp_path / "spare").symlink_to(outside)
    (state / name).mkdir()

    def swap(stop: threading.Event) -> set[str]:
        here = os.open(state, os.O_RDONLY)
        there = os.open(tmp_path, os.O_RDONLY)
        swaps = 0
        while not stop.is_set():
            with suppress(FileNotFoundError):
                exchange(At(there, b"spare"), At(here, os.fsencode(name)))
                swaps += 1
        return {str(swaps)}

    before = tree_of(outside)
    swapper = Process(swap)
    known = {f"version {number}" for number in range(20 * APPLIES)}
    done = 0
    try:
        for number in range(20 * APPLIES):  # on a busy machine it rarely gets between
            if number >= APPLIES and done > 10:
                break
            new = content(f"version {number}")
            paths = (b"sub/file", b"sub/deep/file", b"sub/new/file", b"sub/gone")
            files = scan(state, object_format="sha1", max_file_size=1 << 20).files
            changes = [
                Change(path, files.get(path), new if number % 2 else None)
                for path in paths
            ]
            with suppress(CannotWrite, Refused):
                applied = apply(
                    state, changes, object_format="sha1", durable=False, way=way
                )
                done += len(applied.done)
                assert applied.surprises == ()
            settle(state, lambda item: (item.data or b"").decode() in known)
    finally:
        (swaps,) = swapper.stop()
    assert tree_of(outside) == before
    print(f"{swaps=} {done=}")  # noqa: T201
    assert (int(swaps) > APPLIES, done > 10) == (True, True)
