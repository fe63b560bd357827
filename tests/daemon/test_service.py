from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
import threading
import time
from typing import TYPE_CHECKING

import pytest

import gitstate
from gitstate.daemon import hearing, registry, service, tending
from gitstate.daemon import presence as presence_module
from gitstate.daemon.inotify import InotifyWatch
from gitstate.daemon.instance import AlreadyRunning, Claim
from gitstate.daemon.logs import tail
from gitstate.daemon.presence import Tending, presence
from gitstate.daemon.service import Service
from gitstate.daemon.workers import Workers
from gitstate.workspace import Workspace, state_home
from tests.daemon.fakes import FakeClockwork, Outcome, Refusal, Taking
from tests.support import Repo, make_repo, wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


class Running:
    """A service in a thread, with a snapshot function of the test's own."""

    def __init__(self, tmp_path: Path) -> None:
        self.tmp_path = tmp_path
        self.take = Taking()
        self.packed: list[Path] = []
        self.pack_soon: Callable[[], None] = lambda: None
        self.freshen_soon: Callable[[], None] = lambda: None
        self.clockwork = FakeClockwork()
        self.thread: threading.Thread | None = None
        self.service: Service | None = None
        self.gone_s = 0.0

    def register(self, name: str) -> Repo:
        repo = make_repo(self.tmp_path / name)
        repo.write("02-current-task.md", "one")
        registry.add(Workspace.open(repo.path))
        return repo

    def start(self) -> Service:
        def pack(ws: Workspace) -> None:
            self.packed.append(ws.root)

        @contextlib.contextmanager
        def jobs(
            pack_soon: Callable[[], None], freshen_soon: Callable[[], None]
        ) -> Iterator[FakeClockwork]:
            self.pack_soon, self.freshen_soon = pack_soon, freshen_soon
            yield self.clockwork

        made = Service(state_home(), take=self.take, pack=pack, gone_s=self.gone_s)
        self.service = made
        self.thread = threading.Thread(target=made.run, args=(jobs,))
        self.thread.start()
        wait_for(lambda: presence().version)
        return made

    def stop(self) -> None:
        if self.service is not None and self.thread is not None:
            for gate in self.take.gates.values():
                gate.set()
            self.service.stop()
            self.thread.join(30)
            assert not self.thread.is_alive()
            self.service.close()
            self.service = None

    def kept(self, repo: Repo, text: str) -> bool:
        newest = self.take.newest(repo.path)
        return newest.get("02-current-task.md") == text.encode()

    def seen(self, repo: Repo) -> Tending:
        found = presence().of(repo.path)
        assert found is not None
        return found

    def said(self, event: str) -> list[str]:
        return [
            row["message"] for row in tail(state_home(), 500) if row["event"] == event
        ]


@pytest.fixture
def running(tmp_path: Path, home: Path) -> Iterator[Running]:
    assert home.is_dir()
    made = Running(tmp_path)
    yield made
    made.stop()


def test_an_edit_becomes_a_version(running: Running) -> None:
    repo = running.register("r")
    running.start()
    wait_for(lambda: running.kept(repo, "one"))
    repo.write("02-current-task.md", "two")
    wait_for(lambda: running.kept(repo, "two"))
    wait_for(lambda: running.seen(repo).version == 2)
    assert running.said("version") == ["v1", "v2"]


def test_a_writer_without_pause_is_kept_after_the_longest_wait(
    running: Running,
) -> None:
    repo = running.register("r")
    repo.git("config", "gitstate.quietMs", "30000")
    repo.git("config", "gitstate.maxWaitMs", "600")
    running.start()
    wait_for(lambda: running.kept(repo, "one"))
    began = time.monotonic()
    number = 0
    while len(running.take.kept[repo.path]) < 3:
        number += 1
        repo.write("02-current-task.md", f"text {number}")
        assert time.monotonic() - began < 60
        time.sleep(0.01)
    assert time.monotonic() - began > 0.6


def test_a_repository_is_picked_up_and_let_go_within_a_second(
    running: Running,
) -> None:
    running.start()
    repo = running.register("r")
    wait_for(lambda: running.kept(repo, "one"))
    wait_for(lambda: presence().of(repo.path))
    registry.remove(repo.path)
    wait_for(lambda: presence().of(repo.path) is None)
    assert running.said("added") == ["looked after from now on"]
    assert running.said("removed") == ["no longer looked after"]
    repo.write("02-current-task.md", "two")
    other = running.register("other")
    wait_for(lambda: running.kept(other, "one"))
    assert running.kept(repo, "one")


def test_one_that_fails_stops_nobody(running: Running) -> None:
    bad, good = running.register("bad"), running.register("good")
    running.take.refuse[bad.path] = Refusal("the disk is full")
    running.start()
    wait_for(lambda: running.kept(good, "one"))
    good.write("02-current-task.md", "two")
    wait_for(lambda: running.kept(good, "two"))
    wait_for(lambda: running.seen(bad).problem == "the disk is full")
    assert not running.seen(bad).healthy
    assert running.seen(good).healthy
    del running.take.refuse[bad.path]
    wait_for(lambda: running.kept(bad, "one"))
    wait_for(lambda: running.seen(bad).healthy)


def _break(_: float) -> None:
    raise ZeroDivisionError


def test_some_that_hang_stop_nobody(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "Workers", _impatient(Workers))
    hanging = [running.register(f"hangs{number}") for number in range(3)]
    for repo in hanging:
        running.take.gates[repo.path] = threading.Event()
    running.start()
    wait_for(lambda: len(running.take.calls) == 3)
    good = running.register("good")
    wait_for(lambda: running.kept(good, "one"))
    wait_for(lambda: "no answer for" in (running.seen(hanging[0]).problem or ""))
    assert not running.seen(hanging[0]).healthy
    for repo in hanging:
        running.take.gates.pop(repo.path).set()
    wait_for(lambda: all(running.kept(repo, "one") for repo in hanging))
    wait_for(lambda: all(running.seen(repo).healthy for repo in hanging))


def _impatient(made: Callable[..., object]) -> Callable[..., object]:
    def make(*args: object, **words: object) -> object:
        return made(*args, stall_s=0.3, **words)

    return make


def test_one_repository_is_never_at_work_twice(running: Running) -> None:
    main = running.register("main")
    main.git("worktree", "add", "-q", "../linked")
    linked = Repo(main.path.parent / "linked")
    linked.write("02-current-task.md", "one")
    registry.add(Workspace.open(linked.path))
    gate = running.take.gates[linked.path] = threading.Event()
    running.take.gates[main.path] = gate
    running.start()
    wait_for(lambda: running.take.calls)
    other = running.register("other")
    wait_for(lambda: running.kept(other, "one"))
    assert len(running.take.calls) == 2
    gate.set()
    wait_for(lambda: running.kept(main, "one") and running.kept(linked, "one"))


def test_stopping_saves_what_was_written_just_before(running: Running) -> None:
    repos = [running.register(f"r{number}") for number in range(5)]
    running.start()
    wait_for(lambda: all(running.kept(repo, "one") for repo in repos))
    for repo in repos:
        repo.write("02-current-task.md", "the last word")
    running.stop()
    assert all(running.kept(repo, "the last word") for repo in repos)
    assert running.said("stopped") == ["everything is saved"]


def test_stopping_waits_for_what_is_at_work_and_looks_again(running: Running) -> None:
    repo = running.register("r")
    made = running.start()
    wait_for(lambda: running.kept(repo, "one"))
    gate = running.take.gates[repo.path] = threading.Event()
    repo.write("02-current-task.md", "two")
    wait_for(lambda: len(running.take.calls) == 2)
    made.stop()
    repo.write("02-current-task.md", "three")
    gate.set()
    running.stop()
    assert running.kept(repo, "three")
    assert running.said("stopped") == ["everything is saved"]


def test_what_could_not_be_saved_is_named(running: Running) -> None:
    repo = running.register("r")
    running.take.refuse[repo.path] = Refusal("the disk is full")
    running.start()
    wait_for(lambda: running.said("problem"))
    running.stop()
    assert running.said("unsaved") == ["could not be saved"]
    assert running.said("stopped") == ["1 not saved"]


def test_what_hangs_does_not_keep_it_from_stopping(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "LEAVING_S", 4.0)
    hangs, good = running.register("hangs"), running.register("good")
    gate = running.take.gates[hangs.path] = threading.Event()
    made = running.start()
    wait_for(lambda: running.kept(good, "one"))
    good.write("02-current-task.md", "two")
    made.stop()
    assert running.thread is not None
    running.thread.join(20)
    assert not running.thread.is_alive()
    assert running.kept(good, "two")
    assert running.said("stopped") == ["1 not saved"]
    assert not made.idle()
    gate.set()
    wait_for(made.idle)


def test_there_is_one(running: Running) -> None:
    running.start()
    with (
        Service(state_home(), take=running.take, pack=lambda _: None) as other,
        pytest.raises(AlreadyRunning),
    ):
        other.run(lambda *_: contextlib.nullcontext(FakeClockwork()))


def test_a_bug_in_the_loop_does_not_end_it(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = running.register("r")
    made = running.start()
    wait_for(lambda: running.kept(repo, "one"))
    monkeypatch.setattr(made, "_notice_sleep", _break)
    repo.write("02-current-task.md", "two")
    wait_for(lambda: running.said("bug"))
    monkeypatch.delattr(made, "_notice_sleep")
    wait_for(lambda: running.kept(repo, "two"))
    (line,) = running.said("bug")
    assert line.startswith("a bug of gitstate: ZeroDivisionError")


def test_a_removed_lock_ends_it(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "BEAT_S", 0.1)
    running.start()
    (state_home() / "daemon.lock").unlink()
    assert running.thread is not None
    running.thread.join(20)
    assert not running.thread.is_alive()
    assert running.said("lost") == ["the lock file was removed: stopping"]


def test_a_repository_that_is_gone_is_dropped_with_a_line(running: Running) -> None:
    gone, stays = running.register("gone"), running.register("stays")
    running.start()
    wait_for(lambda: running.kept(gone, "one") and running.kept(stays, "one"))
    shutil.rmtree(gone.path)
    wait_for(lambda: running.said("dropped"))
    assert running.said("dropped") == ["the repository is gone: dropped"]
    assert [entry.root for entry in registry.listing().entries] == [stays.path]
    wait_for(lambda: presence().of(gone.path) is None)


def test_a_repository_that_is_not_mounted_is_kept(running: Running) -> None:
    usb = running.tmp_path / "usb"
    usb.mkdir()
    repo = make_repo(usb / "repo")
    registry.add(Workspace.open(repo.path))
    path = state_home() / "registry.json"
    document = json.loads(path.read_text())
    document["repositories"][0]["mount"] = str(usb)
    path.write_text(json.dumps(document))
    shutil.rmtree(repo.path)
    running.start()
    wait_for(lambda: running.said("problem"))
    assert "usb is not mounted" in running.said("problem")[0]
    assert [entry.root for entry in registry.listing().entries] == [repo.path]
    assert running.said("dropped") == []


def test_a_damaged_registry_is_said_once_and_mended(running: Running) -> None:
    repo = running.register("r")
    path = state_home() / "registry.json"
    document = json.loads(path.read_text())
    document["repositories"].append("garbage")
    path.write_text(json.dumps(document))
    running.start()
    wait_for(lambda: running.kept(repo, "one"))
    assert len(running.said("registry")) == 1
    path.write_bytes(b"garbage")
    wait_for(lambda: len(running.said("registry")) == 2)
    assert [entry.root for entry in registry.listing().entries] == [repo.path]
    repo.write("02-current-task.md", "two")
    wait_for(lambda: running.kept(repo, "two"))
    other = running.register("other")
    wait_for(lambda: running.kept(other, "one"))
    assert len(running.said("registry")) == len(running.said("added")) == 2
    assert running.said("removed") == []


def test_a_registry_that_cannot_be_read_drops_nobody(running: Running) -> None:
    repo = running.register("r")
    running.start()
    wait_for(lambda: running.kept(repo, "one"))
    path = state_home() / "registry.json"
    path.write_text('{"format": 99, "repositories": []}')
    wait_for(lambda: running.said("registry"))
    repo.write("02-current-task.md", "two")
    wait_for(lambda: running.kept(repo, "two"))
    assert len(running.said("registry")) == 1


def test_the_heartbeat_tells(running: Running) -> None:
    repo = running.register("r")
    running.start()
    wait_for(lambda: running.seen(repo).version == 1)
    path = state_home() / "heartbeat.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    beat = json.loads(path.read_text())
    (row,) = beat.pop("repositories")
    assert beat.pop("started") <= time.time()
    assert beat.pop("executable")
    assert beat == {"pid": os.getpid(), "version": gitstate.__version__}
    assert row.pop("last_scan") <= time.time()
    assert row == {
        "root": str(repo.path),
        "watching": True,
        "mode": "watch",
        "version": 1,
        "healthy": True,
        "problem": None,
    }


def test_the_heartbeat_goes_on_without_news(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "BEAT_S", 0.2)
    monkeypatch.setattr(presence_module, "SILENT_S", 1.2)
    repo = running.register("r")
    running.start()
    wait_for(lambda: running.seen(repo).version == 1)
    path = state_home() / "heartbeat.json"
    inode, moment = path.stat().st_ino, path.stat().st_mtime_ns
    wait_for(lambda: path.stat().st_mtime_ns != moment)
    wait_for(lambda: path.stat().st_ino != inode)  # written whole now and then
    assert running.seen(repo).healthy


def test_packing_looks_only_at_those_with_new_versions(running: Running) -> None:
    quiet, busy = running.register("quiet"), running.register("busy")
    running.take.answers[quiet.path] = Outcome(version=7)
    running.start()
    wait_for(lambda: running.kept(busy, "one"))
    wait_for(lambda: running.seen(quiet).version == 7)
    running.pack_soon()
    wait_for(lambda: running.packed)
    running.pack_soon()
    busy.write("02-current-task.md", "two")
    wait_for(lambda: running.kept(busy, "two"))
    running.pack_soon()
    wait_for(lambda: len(running.packed) == 2)
    assert running.packed == [busy.path, busy.path]


def test_the_clockwork_goes_at_the_most_impatient_ones_pace(running: Running) -> None:
    quiet, busy = running.register("quiet"), running.register("busy")
    busy.git("config", "gitstate.freshnessThreshold", "8")
    running.start()
    wait_for(lambda: running.kept(quiet, "one") and running.kept(busy, "one"))
    wait_for(lambda: running.clockwork.paces[-1:] == [2.0])
    busy.git("config", "gitstate.freshnessInterval", "2")
    busy.write("02-current-task.md", "two")
    wait_for(lambda: running.clockwork.paces[-1:] == [1.0])
    running.freshen_soon()  # nobody is set up here: nothing happens
    wait_for(lambda: running.service is not None and running.service.idle())
    assert running.said("freshness") == []


@pytest.mark.report(22)
def test_a_machine_that_slept_looks_at_once(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = running.register("r")
    monkeypatch.setattr(InotifyWatch, "on_event", lambda *_: None)
    running.start()
    wait_for(lambda: running.kept(repo, "one"))
    repo.write("02-current-task.md", "two")  # nobody tells
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + 7200)
    wait_for(lambda: running.kept(repo, "two"), limit_s=5)
    assert running.clockwork.begun == 1  # what was due in two hours is not, now


def test_a_file_system_that_tells_nothing_is_polled(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(InotifyWatch, "on_event", lambda *_: None)
    monkeypatch.setattr(tending, "POLL_S", 0.2)
    monkeypatch.setattr(hearing, "_HEARING_S", 0.05)
    repo = running.register("r")
    repo.git("config", "gitstate.scanSeconds", "1")
    running.start()
    wait_for(lambda: running.kept(repo, "one"))
    for text in ("two", "three", "four"):
        repo.write("02-current-task.md", text)
        wait_for(lambda text=text: running.kept(repo, text))  # type: ignore[misc]
    wait_for(lambda: running.seen(repo).mode == "poll")
    assert not running.seen(repo).watching
    assert running.seen(repo).healthy
    assert len(running.said("watch")) == 1


@pytest.mark.report(19)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_reader_that_dies_is_replaced(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = running.register("r")
    repo.git("config", "gitstate.scanSeconds", "86400")
    made = running.start()
    wait_for(lambda: running.kept(repo, "one"))
    reader = made._watcher.reader()  # type: ignore[attr-defined]  # noqa: SLF001
    monkeypatch.setattr(reader, "handle_event", _break)
    repo.write("02-current-task.md", "not heard of")  # the reader falls over it
    wait_for(lambda: not reader.is_alive())
    wait_for(made._watcher.alive)  # noqa: SLF001
    wait_for(lambda: running.seen(repo).watching)
    repo.write("02-current-task.md", "two")
    wait_for(lambda: running.kept(repo, "two"), limit_s=5)


def test_a_single_pass_looks_at_everything_once(running: Running) -> None:
    good, bad = running.register("good"), running.register("bad")
    running.take.refuse[bad.path] = Refusal("the disk is full")
    with Service(state_home(), take=running.take, pack=lambda _: None) as made:
        assert made.run_once() == [f"{bad.path}: the disk is full"]
    assert running.kept(good, "one")
    assert sorted(running.take.calls) == sorted([good.path, bad.path])
    with (
        Claim(state_home()),
        Service(state_home(), take=running.take, pack=lambda _: None) as made,
        pytest.raises(AlreadyRunning),
    ):
        made.run_once()
