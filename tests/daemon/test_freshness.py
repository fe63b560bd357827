from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from gitstate.daemon.freshness import Freshness
from gitstate.freshness import Activity, Sign, Standstill

INTERVAL, THRESHOLD = 600.0, 600.0


@dataclass
class Machine:
    """A worktree and two clocks: seconds awake, and what the wall says."""

    awake: float = 50_000.0
    wall: float = 1_700_000_000.0
    task: float | None = 1_699_999_000.0
    edited: float | None = None
    life: int = 0
    whole: bool = True
    scans: int = 0
    freshness: Freshness = field(init=False)

    def __post_init__(self) -> None:
        self.freshness = Freshness(clock=lambda: self.awake, wall=lambda: self.wall)

    # the worktree

    def look(self) -> Standstill | None:
        self.scans += 1
        if self.task is None or self.edited is None or self.edited <= self.task:
            return None
        return Standstill(self.task, Activity("code.py", self.edited))

    def sign(self) -> Sign:
        return Sign(b"%d" % self.life, self.whole)

    def written(self) -> float | None:
        return self.task

    def edit(self) -> None:
        self.edited = self.wall
        self.life += 1

    def update(self) -> None:
        self.task = self.wall

    # time

    def after(self, seconds: float) -> None:
        self.awake += seconds
        self.wall += seconds

    def tick(self) -> bool:
        """Look as often as is due; is the task file late now."""
        assert self.freshness.due_in(INTERVAL, THRESHOLD) <= 0
        return self.freshness.standstill(self, THRESHOLD)[1]

    def run(self, seconds: float, step: float = 150) -> list[float]:
        """Let time go by in ticks; the moments, from now, at which it is late."""
        late = []
        for count in range(int(seconds / step)):
            self.after(step)
            due = self.freshness.due_in(INTERVAL, THRESHOLD) <= 0
            if due and self.freshness.standstill(self, THRESHOLD)[1]:
                late.append((count + 1) * step)
        return late


@pytest.fixture
def machine() -> Machine:
    """It has just been found quiet."""
    made = Machine()
    assert not made.tick()
    assert made.scans == 1
    return made


def test_an_edit_without_an_update_is_late_after_the_threshold(
    machine: Machine,
) -> None:
    machine.after(INTERVAL - 100)
    machine.edit()
    machine.after(100)
    assert not machine.tick()
    assert machine.freshness.due_in(INTERVAL, THRESHOLD) == pytest.approx(500)
    machine.after(501)
    assert machine.tick()


def test_an_update_in_time_is_none_of_it(machine: Machine) -> None:
    machine.after(100)
    machine.edit()
    machine.after(INTERVAL - 100)
    assert not machine.tick()
    machine.update()
    assert machine.run(5 * INTERVAL) == []


def test_every_update_counts_from_then_on(machine: Machine) -> None:
    for _ in range(10):
        machine.edit()
        assert machine.run(500) == []
        machine.update()
    machine.after(10)
    machine.edit()
    assert machine.run(2 * INTERVAL) != []


def test_late_it_stays_until_it_is_written(machine: Machine) -> None:
    machine.edit()
    late = machine.run(4 * INTERVAL)
    assert late[0] <= INTERVAL + THRESHOLD
    scans = machine.scans
    assert machine.run(5 * INTERVAL) != []
    assert machine.scans == scans  # it stands: nothing is looked for
    machine.update()
    assert machine.run(3 * INTERVAL) == []
    machine.after(1)
    machine.edit()
    assert machine.run(4 * INTERVAL) != []


def test_late_it_goes_when_the_edit_is_taken_back(machine: Machine) -> None:
    machine.edit()
    assert machine.run(3 * INTERVAL) != []
    machine.edited = None
    machine.life += 1
    assert machine.run(3 * INTERVAL) == []


def test_an_idle_worktree_is_not_scanned(machine: Machine) -> None:
    assert machine.run(100 * INTERVAL) == []
    assert machine.scans == 1


def test_where_a_sign_may_be_missed_it_is_scanned_now_and_then(
    machine: Machine,
) -> None:
    machine.whole = False
    machine.life += 1
    machine.run(60 * INTERVAL, step=INTERVAL)
    assert machine.scans == 1 + 1 + 59 // 6
    machine.edited = machine.wall  # without any sign
    assert machine.run(10 * INTERVAL) != []


def test_life_alone_is_no_standstill(machine: Machine) -> None:
    for _ in range(20):
        machine.life += 1  # what git ignores
        assert machine.run(INTERVAL) == []
    assert machine.scans == 21


def test_a_first_look_counts_from_itself() -> None:
    """The daemon has just been started: nobody knows how long it has been."""
    machine = Machine(edited=1_699_999_500.0)
    assert not machine.tick()
    assert min(machine.run(3 * INTERVAL)) >= THRESHOLD


def test_without_a_task_file(machine: Machine) -> None:
    machine.task = None
    machine.edit()
    assert machine.run(5 * INTERVAL) == []


def test_a_short_threshold_is_looked_at_as_often() -> None:
    machine = Machine()
    machine.freshness.standstill(machine, 4)
    machine.after(1)
    machine.edit()
    machine.after(2)
    assert machine.freshness.due_in(600, 4) > 0
    machine.after(0.7)
    assert machine.freshness.due_in(600, 4) <= 0
    assert not machine.freshness.standstill(machine, 4)[1]
    machine.after(1.5)
    assert machine.freshness.due_in(600, 4) <= 0
    assert machine.freshness.standstill(machine, 4)[1]


@pytest.mark.report(22)
def test_a_suspended_machine_makes_no_standstill(machine: Machine) -> None:
    machine.after(INTERVAL - 60)
    machine.edit()
    machine.after(60)
    assert not machine.tick()
    machine.wall += 12 * 3600  # asleep
    machine.after(300)
    assert machine.freshness.due_in(INTERVAL, THRESHOLD) > 0
    machine.after(300)
    assert machine.tick()


@pytest.mark.report(22)
def test_suspended_before_it_was_seen(machine: Machine) -> None:
    machine.after(100)
    machine.edit()
    machine.wall += 12 * 3600
    machine.after(500)
    assert not machine.tick()
    late = machine.run(3 * INTERVAL, step=10)
    assert 100 <= late[0] <= 600


@pytest.mark.report(22)
@pytest.mark.parametrize("step_s", [-7200, -3600, 3600, 86400])
def test_a_clock_that_is_set(machine: Machine, step_s: float) -> None:
    """By hand, by NTP, or daylight saving on a machine that keeps local time."""
    machine.after(300)
    machine.edit()
    machine.wall += step_s
    machine.after(300)
    assert not machine.tick()
    late = machine.run(3 * INTERVAL, step=10)
    assert 300 <= late[0] <= 600
