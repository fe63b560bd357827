"""Names and words are UTF-8 whatever the locale is: no name is lost, no word garbled."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from gitstate.hooks.agents import hook
from tests.hooks.agents.places import ready

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.support import Repo

# ASCII, as Python has it where the locale is none of UTF-8
OTHER = {"LC_ALL": "POSIX"}
ASCII = (sys.executable, "-X", "utf8=0")
GBK = (
    "import locale, os\n"
    "locale.getencoding = lambda: 'GBK'\n"
    "from gitstate import output, utf8\n"
)
UTF8 = (sys.executable, "-X", "utf8", "-P", "-c")


def run(
    words: Sequence[str | bytes], cwd: Path, stdin: bytes = b"", **more: str
) -> bytes:
    done = subprocess.run(
        words,
        cwd=cwd,
        input=stdin,
        capture_output=True,
        check=False,
        env={**os.environ, **OTHER, **more},
    )
    assert done.stderr == b""
    return done.stdout


def test_the_locale_of_these_tests_has_no_utf_8(tmp_path: Path) -> None:
    said = run(
        [*ASCII, "-c", "import sys; print(sys.getfilesystemencoding())"], tmp_path
    )
    assert said == b"ascii\n"


@pytest.mark.parametrize("options", [("-P", "-m"), ("-Pm",)])
def test_a_word_is_written_as_it_was_said(repo: Repo, options: tuple[str, ...]) -> None:
    ready(repo)
    (repo.path / "文件.py").write_text("x\n")
    said = run(
        [*ASCII, *options, "gitstate", "task", "next", "打开 文件.py:1"], repo.path
    )
    assert said.startswith("next: 打开 文件.py:1".encode())
    assert "打开 文件.py:1" in (repo.state / "02-current-task.md").read_text("utf-8")
    for verb in ("brief", "handoff"):
        assert "打开 文件.py:1".encode() in run_any(
            [*ASCII, *options, "gitstate", verb], repo.path
        )


def run_any(words: Sequence[str], cwd: Path) -> bytes:
    env = {**os.environ, **OTHER}
    done = subprocess.run(words, cwd=cwd, capture_output=True, check=False, env=env)
    assert b"a bug of gitstate" not in done.stderr
    return done.stdout


def test_a_hook_knows_every_file(repo: Repo) -> None:
    ready(repo)
    (repo.path / "文件.py").write_text("x\n")

    def tell(event: str, **more: object) -> bytes:
        wire = {"session_id": "s", "cwd": str(repo.path), **more}
        words = [*ASCII, "-I", "-S", hook.__file__, "claude-code", event]
        return run(words, repo.path, json.dumps(wire).encode())

    tell("SessionStart", source="startup")
    edit = {"file_path": f"{repo.path}/文件.py"}
    tell("PostToolUse", tool_name="Edit", tool_input=edit, tool_response={})
    assert "文件.py" in json.loads(tell("Stop"))["reason"]
    log = (repo.state / "long_mem" / "operations.log").read_text("utf-8")
    assert "文件.py | edit" in log
    said = json.loads(tell("SessionStart", source="compact"))
    assert "文件.py" in said["hookSpecificOutput"]["additionalContext"]


def test_what_is_typed_in_another_encoding_is_read_in_that(tmp_path: Path) -> None:
    code = "import sys; print([ascii(one) for one in utf8.typed(sys.argv[1:])])"
    words = ["打开".encode("gbk"), "打开".encode(), b"plain", b"\xff"]
    said = run([*UTF8, GBK + code, *words], tmp_path)
    found = [ascii("打开"), ascii("打开"), ascii("plain"), ascii("\udcff")]
    assert said.decode() == f"{found}\n"


@pytest.mark.parametrize(
    ("variables", "encoding"), [({}, "gbk"), ({"PYTHONIOENCODING": "utf-8"}, "utf-8")]
)
def test_a_terminal_is_written_to_in_its_own(
    tmp_path: Path, variables: dict[str, str], encoding: str
) -> None:
    code = "output.prepare_streams(); output.say('状态\\U0001f600')"
    ours, theirs = pty.openpty()
    env = {**os.environ, **OTHER, **variables}
    subprocess.run(
        [*UTF8, GBK + code], stdout=theirs, check=True, cwd=tmp_path, env=env
    )
    os.close(theirs)
    said = os.read(ours, 100).decode(encoding)
    os.close(ours)
    assert said in {"状态\\U0001f600\r\n", "状态\U0001f600\r\n"}


def test_a_pipe_is_utf_8(tmp_path: Path) -> None:
    code = "output.prepare_streams(); output.say('状态')"
    assert run([*UTF8, GBK + code], tmp_path) == "状态\n".encode()
