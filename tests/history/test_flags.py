"""Which commits are flagged, and how a flag is settled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gitstate.errors import Refused, UnknownVersion
from gitstate.history import flags as flagged
from gitstate.history.flags import count, flags, resolve
from tests.hooks.git.coding import NOTES, Coder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def coder(tmp_path: Path) -> Coder:
    """Above the baseline: updated, ``stale``, updated, ``past the check``; all linked."""
    coder = Coder.begin(tmp_path)
    coder.commit(updated=True)
    coder.code()
    coder.git("commit", "-q", "-m", "stale")
    coder.commit(updated=True)
    coder.code()
    coder.git("commit", "-q", "-m", "past the check", "--no-verify")
    coder.link()
    return coder


def told(coder: Coder, span: str | None = None) -> list[tuple[str, str, str]]:
    found = flags(coder.ws(), span)
    return [(item.commit, item.subject, item.note.check) for item in found]


def test_exactly_those_without_an_update_newest_first(coder: Coder) -> None:
    assert told(coder) == [
        (coder.head(), "past the check", "bypassed"),
        (coder.head("HEAD~2"), "stale", "stale"),
    ]
    assert count(coder.ws()) == 2


RANGES = {
    "HEAD": ["past the check", "stale"],
    "HEAD~1": ["stale"],
    "HEAD~1..HEAD": ["past the check"],
    "HEAD~1..": ["past the check"],
    "HEAD~3..HEAD~1": ["stale"],
    "main": ["past the check", "stale"],
    "HEAD..HEAD": [],
    "HEAD~3": [],
    "HEAD^!": ["past the check"],
}
NONE = [
    "banana",
    "a..b",
    "--all",
    "-1",
    "--output=stolen",
    "HEAD main",
    "\udcff",
    "HEAD~99",
]


def test_a_range(coder: Coder) -> None:
    found = {span: [subject for _, subject, _ in told(coder, span)] for span in RANGES}
    assert found == RANGES


def test_what_is_no_range(coder: Coder) -> None:
    for span in NONE:
        with pytest.raises(UnknownVersion, match=r"^'.*' is no range of code commits$"):
            flags(coder.ws(), span)
    assert not (coder.repo.path / "stolen").exists()


def test_on_an_unborn_branch_there_are_none(tmp_path: Path) -> None:
    coder = Coder.begin(tmp_path, commit=False)
    assert (told(coder), count(coder.ws())) == ([], 0)


def test_other_branches_are_seen_where_they_are_named(coder: Coder) -> None:
    coder.git("switch", "-q", "-c", "topic", "HEAD~3")
    assert told(coder) == []
    assert [subject for _, subject, _ in told(coder, "main")] == [
        "past the check",
        "stale",
    ]


def test_only_the_newest_are_counted(
    coder: Coder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flagged, "COUNTED", 2)
    assert count(coder.ws()) == 1
    assert len(told(coder)) == 2


def test_notes_of_others_and_subjects_of_any_kind(coder: Coder) -> None:
    coder.code()
    coder.git("commit", "-q", "-m", "\x1b[31m ü\x01")
    coder.link()
    coder.repo.git("notes", "add", "-m", "State-Check: stale", "HEAD~1")
    coder.repo.git("config", "notes.displayRef", "refs/notes/*")
    coder.repo.git("config", "log.showSignature", "true")
    coder.repo.git("config", "i18n.logOutputEncoding", "latin1")
    coder.repo.git("notes", f"--ref={NOTES}", "append", "-m", "a remark", "HEAD~3")
    assert [row[1:] for row in told(coder)] == [
        ("\x1b[31m ü\x01", "stale"),
        ("past the check", "bypassed"),
        ("stale", "stale"),
    ]


# settling


def test_a_settled_flag_is_gone_and_says_why(coder: Coder) -> None:
    before = coder.note("HEAD~2")
    assert resolve(coder.ws(), "HEAD~2", "only formatting") == coder.head("HEAD~2")
    assert [subject for _, subject, _ in told(coder)] == ["past the check"]
    after = coder.note("HEAD~2")
    assert (after.check, after.reason) == ("exempt", "only formatting")
    assert (after.version, after.commit, after.task) == (
        before.version,
        before.commit,
        before.task,
    )


def test_what_waits_is_linked_before_it_is_settled(coder: Coder) -> None:
    coder.code()
    coder.git("commit", "-q", "-m", "waits")
    assert coder.text() == ""
    resolve(coder.ws(), "HEAD", "ü\nin two lines")
    assert coder.check() == r"exempt: ü\nin two lines"


def test_a_remark_of_the_users_stays(coder: Coder) -> None:
    coder.repo.git("notes", f"--ref={NOTES}", "append", "-m", "seen by me", "HEAD")
    resolve(coder.ws(), "HEAD", "why")
    assert coder.text().endswith("\n\nseen by me")
    assert coder.text().count("State-Check") == 1


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("HEAD~1", "it is updated"),
        ("HEAD~4", "it is exempt"),
        ("old", "it has no note"),
    ],
)
def test_what_is_not_flagged(coder: Coder, name: str, why: str) -> None:
    if name == "old":
        tree = coder.repo.git("rev-parse", "HEAD^{tree}")
        name = coder.repo.git("commit-tree", "-m", "x", tree)
    before = coder.repo.git("rev-parse", NOTES)
    with pytest.raises(Refused) as caught:
        resolve(coder.ws(), name, "why")
    commit = coder.head(name)[:12]
    assert str(caught.value) == f"code commit {commit} is not flagged: {why}"
    assert coder.repo.git("rev-parse", NOTES) == before


def test_a_commit_that_is_unknown(coder: Coder) -> None:
    with pytest.raises(UnknownVersion, match="'banana' is no code commit"):
        resolve(coder.ws(), "banana", "why")


def test_a_settled_commit_that_is_rebased_stays_settled(coder: Coder) -> None:
    resolve(coder.ws(), "HEAD", "why")
    assert coder.git("rebase", "-q", "--force-rebase", "HEAD~1").code == 0
    coder.link()
    assert coder.check() == "exempt: why"
