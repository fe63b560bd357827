"""Signals in any order, twice, or only announced: what they come to."""

from __future__ import annotations

from gitstate.recall.compaction import Track


def test_one_compaction_counts_once_whatever_tells_of_it() -> None:
    track = Track()
    track.turn()
    track.announce()
    assert track.compacted()  # the hook after it
    assert not track.compacted()  # the session that starts anew with it
    assert not track.compacted(by_transcript=True)
    assert (track.compactions, track.pending, track.announced) == (1, "compact", False)
    track.briefed()
    assert track.pending == ""
    track.goes_on()
    assert track.compacted()
    assert track.compactions == 2


def test_several_in_one_turn_are_as_many_whenever_the_transcript_shows_them() -> None:
    track = Track()
    track.turn()
    for _ in range(2):  # between them nothing is heard of but that
        track.announce()
        assert track.compacted()
        assert not track.compacted()
    assert not track.compacted(by_transcript=True)
    assert not track.compacted(by_transcript=True)
    assert track.compactions == 2
    assert track.compacted(by_transcript=True)


def test_what_an_answer_showed_is_no_compaction_that_a_transcript_owes() -> None:
    track = Track()
    track.turn()
    assert track.lost()
    assert not track.lost()
    assert (track.compactions, track.pending) == (1, "probe")
    track.briefed()
    assert track.compacted(by_transcript=True)
    assert (track.compactions, track.pending) == (2, "compact")


def test_one_that_was_announced_and_failed_is_none() -> None:
    track = Track()
    track.turn()
    track.announce()
    track.turn()
    assert (track.compactions, track.pending, track.announced) == (0, "", False)


def test_the_transcript_alone_is_believed() -> None:
    track = Track()
    track.turn()
    assert track.compacted(by_transcript=True)
    assert (track.compactions, track.pending) == (1, "compact")


def test_what_the_hook_told_is_not_told_again_by_a_transcript_that_lags() -> None:
    track = Track()
    track.turn()
    assert track.compacted()
    track.turn()
    assert not track.compacted(by_transcript=True)
    assert track.compacted(by_transcript=True)  # another one, which no hook told of


def test_two_within_five_turns_make_the_next_briefing_lean() -> None:
    track = Track()
    track.turn()
    track.compacted()
    track.briefed()
    for _ in range(4):
        track.turn()
    track.compacted()
    assert (track.lean, track.close) == (True, True)
    track.briefed()
    assert not track.lean


def test_two_that_are_farther_apart_do_not() -> None:
    track = Track()
    track.turn()
    track.compacted()
    for _ in range(5):
        track.turn()
    track.compacted()
    assert (track.compactions, track.lean, track.close) == (2, False, False)


def test_the_warning_comes_once_a_window() -> None:
    track = Track()
    track.measured(70_000, 100_000)
    assert track.warns(warn=0.75, window=None) is None
    track.measured(76_000)
    assert track.warns(warn=0.75, window=None) == 0.76
    track.measured(80_000)
    assert track.warns(warn=0.75, window=None) is None
    track.compacted()
    track.measured(90_000)
    assert track.warns(warn=0.75, window=None) == 0.9


def test_the_window_that_was_set_counts_before_the_transcripts() -> None:
    track = Track()
    track.measured(40_000, 200_000)
    assert track.warns(warn=0.75, window=50_000) == 0.8
    unknown = Track()
    unknown.measured(40_000)
    assert unknown.warns(warn=0.75, window=None) is None


def test_a_silent_transcript_is_estimated_by_the_mean() -> None:
    track = Track()
    for tokens in (10_000, 14_000, 18_000):
        track.measured(tokens, 100_000)
        track.ended()
    assert track.mean() == 4_000
    track.ended(silent=True)
    assert track.tokens == 22_000


def test_a_sudden_fall_is_a_compaction_where_nothing_else_shows_it() -> None:
    for drops, expected in ((True, 1), (False, 0)):
        track = Track()
        track.measured(60_000, 100_000, drops=drops)
        track.measured(9_000, drops=drops)
        assert track.compactions == expected


def test_a_refresh_is_due_every_so_many_turns() -> None:
    track = Track()
    due = []
    for _ in range(7):
        track.turn()
        due.append(track.refresh_due(3))
    assert due == [False, False, True, False, False, True, False]
