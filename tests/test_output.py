from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from gitstate import cli, output
from tests.verbs import process, script


def test_one_is_not_many() -> None:
    assert [output.several(count, "turn") for count in range(3)] == [
        "0 turns",
        "1 turn",
        "2 turns",
    ]


def test_a_reader_that_has_enough_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = process(
        "[output.say('x' * 99) for _ in range(9999)]",
        stdout=writer,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (cli.EXIT_PIPE, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("words", [("boom",), ("--help",), ("--version",)])
def test_output_that_does_not_fit(words: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = process(
            "output.say('x')",
            *words,
            stdout=full,
        )
    assert (done.returncode, done.stderr) == (1, b"gitstate: the disk is full\n")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_descriptors_are_filled(closed: str, tmp_path: Path) -> None:
    note = tmp_path / "note"
    body = (
        f"note = os.open({str(note)!r}, os.O_CREAT | os.O_WRONLY)\n"
        "    os.write(note, b'kept')\n"
        "    output.say('lost')\n"
        "    os.system('echo lost; echo lost >&2')\n"
        "    return 0 if note > 2 else 1"
    )
    program = tmp_path / "verb.py"
    program.write_text(script(body))
    done = subprocess.run(
        ["sh", "-c", f'"$0" "$1" boom {closed}', sys.executable, program],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert note.read_bytes() == b"kept"


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
    ],
)
def test_no_character_is_too_much(environment: dict[str, str]) -> None:
    body = r"output.say('\udcff \u72b6\u6001 \u00e9'); output.complain('\udcff \u72b6')"
    done = process(body, env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(b"\\udcff ")
    assert done.stderr.startswith(b"gitstate: \\udcff ")


def test_json_is_valid_in_every_encoding() -> None:
    for encoding in ("ascii", "utf-8"):
        done = process(
            r"output.say_json({'name': 'a\udcff', 'text': '\u72b6'})",
            env={**os.environ, "PYTHONIOENCODING": encoding},
        )
        assert json.loads(done.stdout) == {"name": "a\udcff", "text": "状"}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [
        ({"TERM": "xterm"}, True),
        ({"TERM": "xterm", "NO_COLOR": ""}, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
    ],
)
def test_colours_only_where_they_are_wanted(
    variables: dict[str, str], *, coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    expected = "\x1b[1;31mx\x1b[0m" if coloured else "x"
    assert output.paint("x", "bold", "red", stream=Terminal()) == expected
    assert output.paint("x", "bold", stream=io.StringIO()) == "x"


def test_aligned_columns() -> None:
    red = "\x1b[31mred\x1b[0m"
    rows = [["v1", "9", "状态"], ["v22", "10", "x", "end"], [red, "1"], []]
    assert output.aligned(rows, right=[1], indent=2) == [
        "  v1    9  状态",
        "  v22  10  x     end",
        f"  {red}   1",
        "",
    ]
    assert output.aligned([]) == []


def test_progress_is_for_terminals_and_for_patience() -> None:
    """Nothing for quick work or without a terminal; for slow work a line that goes."""
    slow = (
        "import time\n"
        "    with output.progress('reading', total=7) as tell:\n"
        "        tell(3); time.sleep(1.5)"
    )
    quick = "exec('with output.progress(str()): pass')"
    assert process(slow).stderr == b""
    seen = []
    for body in (slow, quick):
        master, slave = pty.openpty()
        subprocess.run(
            [sys.executable, "-P", "-c", script(body), "boom"],
            stderr=slave,
            env={**os.environ, "TERM": "xterm"},
            check=True,
        )
        os.close(slave)
        text = b""
        try:
            while chunk := os.read(master, 4096):
                text += chunk
        except OSError:
            pass  # EIO: the other side is closed and everything is read
        os.close(master)
        seen.append(text.decode())
    assert seen[0].startswith("\rreading … 3/7\x1b[K")
    assert seen[0].endswith("\r\x1b[K")
    assert seen[1] == ""
