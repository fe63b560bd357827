from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitstate.daemon.debounce import Debounce


def test_nothing_is_due_without_a_hint() -> None:
    burst = Debounce(quiet_s=0.3, max_wait_s=2.0)
    assert burst.due is None
    assert not burst.take()


def test_a_burst_is_due_when_it_was_quiet() -> None:
    burst = Debounce(quiet_s=0.3, max_wait_s=2.0)
    burst.hint(10.0)
    assert burst.due == 10.3
    burst.hint(10.2)
    assert burst.due == 10.5


def test_a_writer_without_pause_is_due_after_the_longest_wait() -> None:
    burst = Debounce(quiet_s=0.3, max_wait_s=2.0)
    for step in range(100):
        burst.hint(10.0 + step / 10)
    assert burst.due == 12.0


def test_taking_forgets_the_burst() -> None:
    burst = Debounce(quiet_s=0.3, max_wait_s=2.0)
    burst.hint(10.0)
    assert burst.take()
    assert burst.due is None
    burst.hint(50.0)
    assert burst.due == 50.3


def test_a_clock_that_steps_back_does_not_prolong_the_wait() -> None:
    burst = Debounce(quiet_s=0.3, max_wait_s=2.0)
    burst.hint(10.0)
    burst.hint(3.0)
    assert burst.due == 10.3


@given(
    st.lists(st.floats(0, 1e6), min_size=1).map(sorted),
    st.floats(0, 600),
    st.floats(0, 3600),
)
def test_due_is_never_later_than_either_bound(
    moments: list[float], quiet_s: float, max_wait_s: float
) -> None:
    burst = Debounce(quiet_s=quiet_s, max_wait_s=max_wait_s)
    for moment in moments:
        burst.hint(moment)
    assert burst.due == min(moments[-1] + quiet_s, moments[0] + max_wait_s)
