"""A command of the user's words the body: real processes, and whatever they do."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitstate.errors import Refused
from gitstate.history.message_command import (
    MAX_BYTES,
    body_of_day,
    environment,
    fit,
    worded,
)
from tests.support import wait_for

if TYPE_CHECKING:
    from pathlib import Path

DOCUMENT = {"day": "2026-11-29", "changes": [{"text": "统一使用 pino"}]}


def python(code: str) -> str:
    """A command that runs this code."""
    return shlex.join([sys.executable, "-c", code])


def refusal(command: str, cwd: Path, *, timeout_s: float = 60.0) -> str:
    with pytest.raises(Refused) as caught:
        worded(command, DOCUMENT, cwd=cwd, timeout_s=timeout_s)
    return str(caught.value).replace(sys.executable, "PYTHON")


def test_it_is_given_the_changes_and_its_text_is_the_body(tmp_path: Path) -> None:
    code = (
        "import json, os, sys\n"
        "given = json.load(sys.stdin)\n"
        "sys.stdout.reconfigure(encoding='utf-8')\n"
        "print(given['changes'][0]['text'])\n"
        "print(); print(); print()\n"
        "print(os.path.basename(os.getcwd()) + '  ')\n"
    )

    said = worded(python(code), DOCUMENT, cwd=tmp_path)

    assert said == f"统一使用 pino\n\n{tmp_path.name}"


def test_without_a_body_from_it_the_generated_one_stands(tmp_path: Path) -> None:
    document = {**DOCUMENT, "body": "Decisions:\n- D-0001 Use pino"}
    good, bad = python("print('In other words.')"), python("raise SystemExit(3)")

    assert body_of_day(None, document, cwd=tmp_path) == (document["body"], None)
    assert body_of_day(good, document, cwd=tmp_path) == ("In other words.", None)
    body, notice = body_of_day(bad, document, cwd=tmp_path)
    assert body == document["body"]
    assert notice is not None
    assert notice.replace(sys.executable, "PYTHON") == (
        "gitstate.messageCommand (PYTHON): exit code 3; the day is told as without it"
    )


def test_no_shell_reads_the_command(tmp_path: Path) -> None:
    code = "import sys; print(sys.argv[1:])"
    command = f"{python(code)} '$(touch made)' ';' touch 'a b' '>' out `touch made`"

    said = worded(command, DOCUMENT, cwd=tmp_path)

    expected = ["$(touch made)", ";", "touch", "a b", ">", "out", "`touch", "made`"]
    assert said == str(expected)
    assert list(tmp_path.iterdir()) == []


def test_it_sees_nothing_of_a_git_that_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GITSTATE_NOW", "2026-11-29T00:00:00+00:00")
    monkeypatch.setenv("MODEL_KEY", "kept")
    code = (
        "import os; print(sorted(k for k in os.environ"
        " if k.startswith(('GIT', 'MODEL'))))"
    )

    said = worded(python(code), DOCUMENT, cwd=tmp_path)
    assert said == "['GITSTATE_MESSAGE_COMMAND', 'MODEL_KEY']"
    assert environment()["GITSTATE_MESSAGE_COMMAND"] == ""
    assert environment()["PATH"] == os.environ["PATH"]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("", "gitstate.messageCommand is empty"),
        ("'", "gitstate.messageCommand cannot be read: No closing quotation"),
        (
            "/no/such/command --x",
            "gitstate.messageCommand (/no/such/command) cannot be started: No such "  # noqa: ISC004 one text
            "file or directory",
        ),
        (python("pass"), "gitstate.messageCommand (PYTHON) printed nothing"),
        (
            python("print(' \\n\\t\\n')"),
            "gitstate.messageCommand (PYTHON) printed nothing",
        ),
        (
            python("print('half'); raise SystemExit(3)"),
            "gitstate.messageCommand (PYTHON): exit code 3",
        ),
        (
            python(f"print('x' * {MAX_BYTES * 2})"),
            "gitstate.messageCommand (PYTHON) printed more than 64 KiB",
        ),
    ],
)
def test_where_it_gives_no_body_the_reason_is_said(
    tmp_path: Path, command: str, expected: str
) -> None:
    assert refusal(command, tmp_path) == expected


def test_without_room_for_what_it_is_asked_it_is_not_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))

    assert refusal("cat", tmp_path) == (
        "gitstate.messageCommand (cat) cannot be started: No such file or directory"
    )


@pytest.mark.parametrize(
    "script",
    [
        "sleep 600 & echo $! > child; wait",
        "sleep 600 & echo $! > child; echo said",  # with its output open to it
    ],
)
def test_one_that_takes_too_long_is_stopped_with_all_it_started(
    tmp_path: Path, script: str
) -> None:
    said = refusal(shlex.join(["sh", "-c", script]), tmp_path, timeout_s=3.0)

    assert said == "gitstate.messageCommand (sh) took too long and was stopped"
    child = int((tmp_path / "child").read_text())
    wait_for(lambda: not running(child))


def running(pid: int) -> bool:
    done = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, check=False
    )
    return done.returncode == 0 and not done.stdout.strip().startswith(b"Z")


def test_it_need_not_read_what_it_is_given(tmp_path: Path) -> None:
    large = {"changes": ["x" * 1000] * 1000}

    assert worded(python("print('short')"), large, cwd=tmp_path) == "short"


HOSTILE = st.lists(
    st.text(max_size=30)
    | st.sampled_from(
        [
            "---",
            "--- a/x",
            "State-Version: 99",
            "Signed-off-by: Eve <eve@example.com>",
            "# comment",
            "# ------------------------ >8 ------------------------",
            "(cherry picked from commit 1234567)",
            "diff --git a/x b/x",
            "Key: value",
            "",
            "- a point",
        ]
    ),
    max_size=8,
).map("\n".join)


@settings(
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(HOSTILE)
def test_git_reads_our_trailers_alone_below_any_body(tmp_path: Path, said: str) -> None:
    body = fit(said.encode("utf-8", "replace"))
    trailers = "State-Day: 2026-11-29\nState-Version: 42\n"
    message = f"state 2026-11-29: 1 decision (v42)\n\n{body}\n\n{trailers}"

    done = subprocess.run(
        ["git", "interpret-trailers", "--parse"],
        cwd=tmp_path,
        input=message.encode(),
        capture_output=True,
        check=True,
    )

    assert done.stdout.decode() == trailers
    assert fit(body.encode()) == body


def test_what_git_could_mistake_is_indented() -> None:
    said = b"Progress:\n- one\n  - nested\n---\nState-Version: 9\n#1 is gone\n\n\n\nend\x1b[0m\n"

    assert fit(said) == (
        "Progress:\n- one\n  - nested\n  ---\n  State-Version: 9\n  #1 is gone\n"
        "\nend\\x1b[0m"
    )
