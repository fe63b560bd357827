"""The message of a version: short, true, and git reads its trailers whatever the text."""

from __future__ import annotations

import subprocess
import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitstate.history.columns import clip, columns
from gitstate.history.headings import changed_headings
from gitstate.history.message import SUBJECT_COLUMNS, FileChange, compose, words
from gitstate.history.record import Record, trailers_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support import Repo

RECORD = Record(
    version=42,
    line="agent-state",
    code_branch="main",
    code_head="3f2a" * 10,
    skipped=("big.bin (larger than the limit of 1 MiB)",),
)

hostile = st.text(st.characters(), max_size=120) | st.sampled_from(
    [
        "---",
        "--- a\n+++ b",
        "\n---\n",
        "Signed-off-by: me",
        "State-Version: 99",
        "x\n\nState-Version: 99\n",
        "State-Version: 99\nState-Line: other\n\n",
        "# comment\n# more",
        "(cherry picked from commit abc)",
        "key=value",
        "\x00\x01\x1b[31m",
        "\u2028\u2029\x85\x0b\x0c",
        "é" * 100,
        "漢" * 100,
        "e\u0301" * 100,
        "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 30,
        "\udcff\udcfe",
        "scissors\n# ------------------------ >8 ------------------------\nx",
        "diff --git a/x b/x\n",
    ]
)


def headings_of(text: str) -> tuple[str, ...]:
    """What a Markdown file with such a heading gives."""
    return changed_headings(b"", b"# " + text.encode("utf-8", "surrogatepass"))


paths = st.binary(min_size=1, max_size=40) | st.sampled_from(
    [
        b"02-current-task.md",
        b"a\nb: c",
        b"State-Version: 9",
        b"--- ",
        b"\xff\xfe",
        b"-x",
    ]
)
changes = st.lists(
    st.builds(
        FileChange,
        paths,
        st.sampled_from(["added", "changed", "removed", "mode"]),
        st.lists(hostile.map(headings_of), max_size=2).map(
            lambda found: sum(found, ())
        ),
    ),
    max_size=4,
)


def parsed(message: str, cwd: Path) -> list[str]:
    """The trailers that git finds."""
    done = subprocess.run(
        ["git", "interpret-trailers", "--parse"],
        cwd=cwd,
        input=message.encode("utf-8", "surrogateescape"),
        capture_output=True,
        check=True,
    )
    return done.stdout.decode("utf-8", "surrogateescape").split("\n")[:-1]


@settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    found=changes,
    text=st.none() | hostile,
    lead=st.sampled_from([None, words("zh")["restored"].format(version=17)]),
    lang=st.sampled_from(["en", "zh", "xx"]),
)
def test_git_reads_the_trailers_whatever_the_text(
    tmp_path: Path,
    *,
    found: list[FileChange],
    text: str | None,
    lead: str | None,
    lang: str,
) -> None:
    message = compose(42, found, RECORD.trailers(), lang=lang, lead=lead, text=text)

    expected = RECORD.trailers().split("\n")[:-1]
    assert parsed(message, tmp_path) == expected
    assert [f"{key}: {value}" for key, value in trailers_of(message)] == expected
    subject, _, rest = message.partition("\n")
    assert subject.startswith("state v42: ")
    assert wide(subject) <= SUBJECT_COLUMNS
    assert rest.startswith("\n")
    assert message.endswith("\n")
    assert "\0" not in message
    for line in message.split("\n\n")[1:-1]:
        assert not line.startswith("---")


def wide(text: str) -> int:
    """Columns, counted on the safe side: what is not known to be narrow is wide."""
    return sum(
        2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
        if not unicodedata.combining(char)
    )


@settings(max_examples=30, deadline=None)
@given(text=hostile, limit=st.integers(2, 100))
def test_clip_keeps_within_its_columns(text: str, limit: int) -> None:
    clipped = clip(text, limit)

    assert columns(clipped) <= limit
    assert clipped == text or clipped.endswith("…")


def test_the_whole_message_of_an_edit() -> None:
    message = compose(
        42,
        [
            FileChange(b"02-current-task.md", "changed", ("Progress", "Next")),
            FileChange(b"06-notes.md", "added"),
            FileChange(b"old.md", "removed"),
            FileChange(b"run.sh", "mode"),
        ],
        RECORD.trailers(),
        lang="en",
    )

    assert message == (
        "state v42: current-task (Progress, Next); added notes; removed old; mod…\n"
        "\n"
        "Files:\n"
        "- changed 02-current-task.md: Progress; Next\n"
        "- added 06-notes.md\n"
        "- removed old.md\n"
        "- mode of run.sh\n"
        "\n"
        "State-Version: 42\n"
        "State-Line: agent-state\n"
        "Code-Branch: main\n"
        f"Code-Head: {'3f2a' * 10}\n"
        "State-Lang: en\n"
        "Skipped: big.bin (larger than the limit of 1 MiB)\n"
    )


def test_a_persons_own_text_stands_first() -> None:
    message = compose(
        7,
        [FileChange(b"a.md", "added")],
        "State-Version: 7\n",
        lang="en",
        text="before the rewrite\n\nwhy:\nbecause\n",
    )

    assert message == (
        "state v7: before the rewrite\n"
        "\n"
        "  why:\n"
        "  because\n"
        "\n"
        "Files:\n"
        "- added a.md\n"
        "\n"
        "State-Version: 7\n"
    )


def test_a_long_text_is_whole_in_the_body() -> None:
    text = "word " * 30
    message = compose(7, [], "State-Version: 7\n", lang="en", text=text)
    subject, body, trailers = message.split("\n\n")

    assert subject.endswith("…")
    assert columns(subject) <= SUBJECT_COLUMNS
    assert body == f"  {text.strip()}"
    assert trailers == "State-Version: 7\n"


def test_chinese() -> None:
    first = words("zh")["first"].format(count=6)
    message = compose(
        1,
        [FileChange(b"02-current-task.md", "added")],
        "State-Version: 1\n",
        lang="zh",
        lead=first,
    )

    assert message == (
        f"state v1: {first}\n\n{words('zh')['files']}\n- 新增 02-current-task.md\n\n"
        "State-Version: 1\n"
    )
    assert words("zh").keys() == words("en").keys()
    assert words("xx") == words("en")


def test_very_many_files_are_counted() -> None:
    found = [FileChange(b"%04d.md" % at, "added") for at in range(1000)]
    message = compose(1, found, "State-Version: 1\n", lang="en")

    assert message.count("\n- ") == 101
    assert "- and 900 more\n" in message


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (b"", b"", ()),
        (b"# A\nx\n", b"# A\ny\n", ("A",)),
        (b"# A\nx\n# B\ny\n", b"# A\nx\n# B\nz\n", ("B",)),
        (b"# A\nx\n", b"# A\nx\n## New\n", ("New",)),
        (b"# A\nx\n## Gone\n", b"# A\nx\n", ("Gone",)),
        (b"top\n# A\n", b"other\n# A\n", ()),
        (b"# A\r\nx\r\n", b"# A\nx\n", ()),
        (b"# A\n```\n# no heading\n```\n", b"# A\n```\n# none\n```\n", ("A",)),
        (b"~~~\n# x\n", b"~~~\n# y\n", ()),
        (b"# A #\nx\n", b"# A #\ny\n", ("A",)),
        (b"#nospace\n", b"#nospacer\n", ()),
        (b"# \xff\nx\n", b"# \xff\ny\n", ("\N{REPLACEMENT CHARACTER}",)),
        (b"# a\x1b[1m\nx", b"# a\x1b[1m\ny", ("a\\x1b[1m",)),
    ],
)
def test_changed_headings(old: bytes, new: bytes, expected: tuple[str, ...]) -> None:
    assert changed_headings(old, new) == expected


def test_git_log_shows_the_subject_and_the_trailers(repo: Repo) -> None:
    text = "it's \N{LATIN SMALL LETTER E WITH ACUTE}\n---\nState-Version: 1\n"
    message = compose(42, [], RECORD.trailers(), lang="en", text=text)
    repo.git(
        "commit",
        "-q",
        "--allow-empty",
        "--cleanup=verbatim",
        "-F",
        "-",
        stdin=message.encode(),
    )

    shown = repo.git("log", "-1", "--format=%s|%(trailers:key=State-Version,valueonly)")

    assert shown == "state v42: it's é|42"
