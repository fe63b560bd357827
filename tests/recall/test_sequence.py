"""Two acts and their order: told as it is recorded in many ways, or turned around."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

import pytest

from gitstate.recall.cleaning import clean
from gitstate.recall.sequence import is_reversed

FIX = "Must add a failing test in test/ before a bug is fixed"
SCREEN = "Must record a snapshot in Tests/Snapshots/ before a new screen is merged"
READ = "Read buffer.jsonl before the location manager starts"
COMMIT = "提交前必须运行 west twister -T tests/unit"
SAVE = "先保存检查点，再上报指标"
ASK = "新增权限之前必须先得到隐私组的批准"
ERASE = "run xcrun simctl erase all before the app starts"
REPEAT = "The lidar driver repeats the last scan after a reconnect"
BATCHES = "splitBatch 在库存不足时按效期从近到远拆分"
SORT = "Rows are sorted from newest to oldest"
SET = "Set the finalizer before an external resource is created"

AS_RECORDED = [
    (FIX, "a bug gets its failing test in test/ first, then the fix"),
    (FIX, "bug → red test in test/ first, fix second"),
    (FIX, "before a bug is fixed, a failing test goes into test/"),
    (FIX, "a failing test goes into test/ before a bug is fixed"),
    (FIX, "write the failing test in test/, and only after that fix the bug"),
    (FIX, "no bug is fixed before a failing test is in test/"),
    (FIX, "a bug may be fixed only after a failing test was added to test/"),
    (FIX, "If I'm fixing a bug, I'll put a red test into test/ before the fix."),
    (FIX, "a bug fix comes after its failing test in test/"),
    (SCREEN, "no screen gets merged before its snapshot sits in Tests/Snapshots/"),
    (SCREEN, "before merging a new screen I record a snapshot in Tests/Snapshots/"),
    (SCREEN, "a new screen is merged only once its snapshot is recorded"),
    (READ, "buffer.jsonl gets read, and only then may the location manager start."),
    (READ, "load buffer.jsonl before starting the location manager"),
    (READ, "before the location manager starts, read buffer.jsonl"),
    (READ, "reading buffer.jsonl, which has to occur ahead of the manager's start."),
    (COMMIT, "先跑 west twister -T tests/unit，再提交"),
    (COMMIT, "没跑过 west twister -T tests/unit 就别提交"),
    (COMMIT, "提交之前先跑 west twister -T tests/unit"),
    (COMMIT, "跑完 west twister -T tests/unit 之后才能提交"),
    (COMMIT, "commit 之前跑 west twister -T tests/unit"),
    (SAVE, "保存检查点之后再上报指标"),
    (SAVE, "上报指标前先保存检查点"),
    (ASK, "要加新权限，得先拿到隐私组的批准"),
    (ASK, "新增权限前先得到隐私组的批准"),
    (ERASE, "xcrun simctl erase all is run before launching the app"),
    (SET, "Set the finalizer before an external resource is created."),
    (SET, "The finalizer is set, and then an external resource may be created"),
    (SET, "Nothing is said of what comes first"),
    (REPEAT, "I-0025: after a reconnect the lidar driver repeats the last scan"),
    (BATCHES, "库存不足时 splitBatch 从近到远按效期拆分"),
    (SORT, "the rows go from the newest to the oldest"),
    ("Use pnpm", "first npm, then pnpm"),
]
TURNED_AROUND = [
    (FIX, "For a bug: land the fix, and after that add the test in test/"),
    (FIX, "Fix the bug first, and only then add a test for it in test/"),
    (FIX, "Fix a bug, then add a failing test in test/"),
    (FIX, "Once a bug is fixed, add a failing test in test/"),
    (FIX, "add a failing test in test/ after a bug is fixed"),
    (FIX, "After fixing a bug, put a failing test into test/"),
    (SCREEN, "once a new screen has been merged, its snapshot is recorded"),
    (SCREEN, "merge a new screen, then record its snapshot in Tests/Snapshots/"),
    (READ, "Next I start the location manager; as soon as it runs I read buffer.jsonl"),
    (READ, "start the location manager before reading buffer.jsonl"),
    (COMMIT, "提交之后运行 west twister -T tests/unit"),
    (COMMIT, "先提交，再跑 west twister -T tests/unit"),
    (SAVE, "先上报指标，再保存检查点"),
    (SAVE, "上报指标之后保存检查点"),
    (ASK, "新增权限之后再补隐私组的批准"),
    (ERASE, "after the app has started, run xcrun simctl erase all"),
    (SET, "Create the external resource first, then set the finalizer"),
    (SET, "Create the external resource first and set the finalizer after that."),
    (BATCHES, "splitBatch 在库存不足时按效期从远到近拆分"),
    (SORT, "rows are sorted from oldest to newest"),
    (SET, "set the finalizer after creating an external resource"),
]


@pytest.mark.parametrize(("recorded", "said"), AS_RECORDED)
def test_the_recorded_order_in_other_words(recorded: str, said: str) -> None:
    assert not is_reversed(clean(recorded), clean(said))


@pytest.mark.parametrize(("recorded", "said"), TURNED_AROUND)
def test_the_order_turned_around(recorded: str, said: str) -> None:
    assert is_reversed(clean(recorded), clean(said))
