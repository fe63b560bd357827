from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from gitstate.daemon.workers import Workers
from tests.support import wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Gate:
    """A job that runs until it is let through."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.open = threading.Event()

    def __call__(self) -> None:
        self.entered.set()
        assert self.open.wait(30)


@pytest.fixture
def gates() -> Iterator[Callable[[], Gate]]:
    made: list[Gate] = []

    def make() -> Gate:
        made.append(Gate())
        return made[-1]

    yield make
    for gate in made:
        gate.open.set()


def test_one_key_never_runs_twice_at_once(gates: Callable[[], Gate]) -> None:
    workers = Workers(lambda: None)
    gate = gates()
    assert workers.offer("a", gate)
    assert gate.entered.wait(10)
    assert not workers.offer("a", lambda: None)
    assert workers.busy("a")
    gate.open.set()
    wait_for(workers.idle)
    assert workers.offer("a", lambda: None)
    wait_for(workers.idle)
    workers.close()


def test_others_wait_while_all_are_at_work(gates: Callable[[], Gate]) -> None:
    done = threading.Event()
    workers = Workers(done.set, size=2)
    first, second, third = gates(), gates(), gates()
    for key, gate in zip("abc", (first, second, third), strict=True):
        assert workers.offer(key, gate)
    assert first.entered.wait(10)
    assert second.entered.wait(10)
    assert not third.entered.is_set()
    first.open.set()
    assert third.entered.wait(10)
    assert done.wait(10)
    second.open.set()
    third.open.set()
    wait_for(workers.idle)
    workers.close()


def test_one_that_hangs_is_replaced(gates: Callable[[], Gate]) -> None:
    now = [0.0]
    workers = Workers(lambda: None, size=1, stall_s=10.0, clock=lambda: now[0])
    hanging, other = gates(), gates()
    workers.offer("hangs", hanging)
    assert hanging.entered.wait(10)
    workers.offer("other", other)
    now[0] = 9.0
    workers.relieve()
    assert workers.stalled() == {}
    assert not other.entered.is_set()
    now[0] = 11.0
    workers.relieve()
    assert other.entered.wait(10)
    assert workers.stalled() == {"hangs": 11.0}
    other.open.set()
    hanging.open.set()
    wait_for(workers.idle)
    workers.close()


def test_done_is_told_when_nothing_waits() -> None:
    told = threading.Semaphore(0)
    workers = Workers(told.release, size=1)
    for key in "abcde":
        workers.offer(key, lambda: None)
    assert told.acquire(timeout=10)
    wait_for(workers.idle)
    workers.close()
