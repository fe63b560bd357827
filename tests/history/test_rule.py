from __future__ import annotations

import pytest

from gitstate.history.rule import Linked, Replaced, is_exempt, judge

BELOW = Linked("below", "A", "updated")


@pytest.mark.parametrize(
    ("task", "last", "expected"),
    [
        ("A", None, ("stale", "below")),
        ("B", None, ("updated", "")),
        ("B", Linked("below", "A"), ("updated", "")),
        ("B", Linked("other", "B"), ("stale", "other")),
        ("A", Linked("other", "B"), ("stale", "below")),
        ("-", Linked("other", "B"), ("updated", "")),
    ],
)
def test_a_new_commit(
    task: str, last: Linked | None, expected: tuple[str, str]
) -> None:
    assert judge(task, below=BELOW, last=last) == expected


@pytest.mark.parametrize(
    ("task", "own", "last", "expected"),
    [
        # nothing was written since the commit: what it came to holds
        ("B", Linked("old", "B", "updated"), Linked("old", "B"), ("updated", "")),
        ("B", Linked("old", "B", "updated"), Linked("other", "B"), ("updated", "")),
        ("B", Linked("old", "B", "stale"), Linked("old", "B"), ("stale", "old")),
        ("B", Linked("old", "B", "bypassed"), Linked("old", "B"), ("stale", "old")),
        (
            "B",
            Linked("old", "B", "updated", "older files"),
            None,
            ("updated", "older files"),
        ),
        (
            "B",
            Linked("old", "B", "exempt", "only formatting"),
            None,
            ("exempt", "only formatting"),
        ),
        ("B", Linked("old", "B", "exempt", "only exempt paths"), None, ("updated", "")),
        # it was taken back
        ("A", Linked("old", "B", "updated"), Linked("old", "B"), ("stale", "below")),
        # it was written since
        ("C", Linked("old", "B", "stale"), Linked("old", "B"), ("updated", "")),
        ("C", Linked("old", "A", "stale"), Linked("other", "C"), ("stale", "other")),
        ("C", Linked("old", "B", "updated"), Linked("other", "C"), ("updated", "")),
        # nothing is known of the commit that is replaced
        ("B", None, None, ("updated", "")),
        ("B", None, Linked("old", "B"), ("updated", "")),
        ("B", None, Linked("other", "B"), ("stale", "other")),
    ],
)
def test_an_amend(
    task: str, own: Linked | None, last: Linked | None, expected: tuple[str, str]
) -> None:
    replaced = Replaced("old", own)
    assert judge(task, below=BELOW, last=last, replaced=replaced) == expected


@pytest.mark.parametrize(
    ("path", "patterns", "expected"),
    [
        (".agent-state/02-current-task.md", [], True),
        (".agent-state", [], True),
        (".agent-state2/x", [], False),
        ("docs/x.md", ["docs/"], True),
        ("a/b/x.md", ["a/**/x.md"], True),
        ("a/x.md", ["a/**/x.md"], True),
        ("x.md", ["**/x.md"], True),
        ("x.MD", ["*.md"], False),
        ("x", ["", "/"], False),
        ("x\ny", ["x?y"], True),
    ],
)
def test_exempt_paths(path: str, patterns: list[str], *, expected: bool) -> None:
    assert is_exempt(path, ".agent-state", patterns) is expected
