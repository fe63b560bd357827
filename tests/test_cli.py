from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import types
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from gitstate import __version__, cli, errors
from tests.support import gitstate
from tests.verbs import process, script

if TYPE_CHECKING:
    from collections.abc import Callable

BIN = Path(sys.executable).parent


@pytest.fixture
def boom(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Callable[[], int]]:
    """A verb ``boom`` that raises; returns the call of it."""

    def make(
        error: BaseException | None = None, answer: object = None
    ) -> Callable[[], int]:
        @click.command("boom")
        def verb() -> object:
            if error is not None:
                raise error
            return answer

        module = types.ModuleType("boom_verb")
        module.command = verb  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "boom_verb", module)
        monkeypatch.setitem(cli.VERBS, "boom", cli.Verb("boom_verb", "raise", "Test"))
        return lambda: cli.main(["boom"])

    return make


def test_version(tmp_path: Path) -> None:
    expected = f"gitstate {__version__}\n"
    assert gitstate("--version", cwd=tmp_path).stdout == expected
    for name in ("gitstate", "git-state"):
        done = subprocess.run(
            [BIN / name, "--version"], capture_output=True, text=True, check=True
        )
        assert done.stdout == expected


def test_as_a_git_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{BIN}{os.pathsep}{os.environ['PATH']}")
    done = subprocess.run(
        ["git", "state", "lgo"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        "gitstate: there is no verb 'lgo'; did you mean 'log'? (see git state --help)\n",
    )


def loaded(*words: str, **variables: str) -> set[str]:
    """The modules that are loaded when the command with ``words`` ends."""
    code = (
        "import sys; from gitstate import cli; code = cli.main(sys.argv[1:]); "
        "sys.stderr.write(' '.join(sys.modules)); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, *words],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.split())


def test_version_imports_nothing_heavy() -> None:
    assert not loaded("--version") & {"click", "pygit2", "subprocess"}


def test_help_imports_no_verb(tmp_path: Path) -> None:
    modules = loaded("--help")
    assert not modules & {"pygit2", "watchdog", "apscheduler"}
    assert not modules & {row.module for row in cli.VERBS.values()}
    lines = gitstate("--help", cwd=tmp_path).stdout.splitlines()
    for name, row in cli.VERBS.items():
        assert f"{row.section}:" in lines
        assert any(line.split(None, 1) == [name, row.help] for line in lines)
    assert max(map(len, lines)) <= 88


def test_completing_a_verb_imports_none() -> None:
    modules = loaded(
        _GITSTATE_COMPLETE="bash_complete", COMP_WORDS="gitstate ", COMP_CWORD="1"
    )
    assert not modules & {row.module for row in cli.VERBS.values()}


@pytest.mark.parametrize("name", sorted(cli.VERBS))
def test_every_verb_has_help_with_examples(name: str, tmp_path: Path) -> None:
    shown = gitstate(name, "--help", cwd=tmp_path).stdout
    assert shown.startswith(f"Usage: gitstate {name}")
    assert f"  gitstate {name}" in shown.partition("Examples:\n")[2]
    assert gitstate("help", name, cwd=tmp_path).stdout == shown
    assert gitstate(name, "-h", cwd=tmp_path).stdout == shown


@pytest.mark.parametrize("name", sorted(cli.VERBS))
def test_parsing_a_verb_imports_nothing_heavy(name: str) -> None:
    assert not loaded(name, "--help") & {"pygit2", "watchdog", "apscheduler"}


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ["restor"],
            "there is no verb 'restor'; did you mean 'restore'? (see gitstate --help)",
        ),
        (["Log"], "there is no verb 'Log'; did you mean 'log'? (see gitstate --help)"),
        (["qqqq"], "there is no verb 'qqqq' (see gitstate --help)"),
        (["a\nb"], "there is no verb 'a\\nb' (see gitstate --help)"),
        (
            ["task", "bgin"],
            "there is no verb 'task bgin'; did you mean 'begin'? (see gitstate task --help)",
        ),
        (["--nope"], "No such option '--nope' (see gitstate --help)"),
        (
            ["completion"],
            (
                "Missing argument '{bash|zsh|fish}'. Choose from: bash, zsh, fish "
                "(see gitstate completion --help)"
            ),
        ),
        (
            ["completion", "tcsh"],
            (
                "Invalid value for '{bash|zsh|fish}': 'tcsh' is not one of 'bash', 'zsh', "
                "'fish' (see gitstate completion --help)"
            ),
        ),
        (
            ["completion", "bash", "zsh"],
            "Got unexpected extra argument (zsh) (see gitstate completion --help)",
        ),
    ],
)
def test_wrong_usage_is_one_line(
    words: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(words) == 2
    said = capsys.readouterr()
    assert said.out == ""
    # quotation marks around names differ between versions of click
    assert said.err.replace(":", "").replace("'", "") == (
        f"gitstate: {line}\n".replace(":", "").replace("'", "")
    )


def test_no_words_shows_the_help(tmp_path: Path) -> None:
    done = gitstate(cwd=tmp_path, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == gitstate("--help", cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (errors.Refused("no"), 1, "no"),
        (errors.UsageError("what"), 2, "what"),
        (errors.UnknownVersion("no version\nis 'x'"), 1, "no version\\nis 'x'"),
        (errors.LockHeld("process 1 holds it"), 1, "process 1 holds it"),
        (
            errors.ObjectMissing("object 1234 is missing"),
            1,
            "object 1234 is missing; `gitstate fsck` names what is lost, `--repair` keeps the rest",
        ),
        (KeyboardInterrupt(), 130, "interrupted"),
        (click.Abort(), 130, "interrupted"),
        (click.ClickException("cannot"), 1, "cannot"),
        (OSError(errno.ENOSPC, "x", "/a/b"), 1, "the disk is full: /a/b"),
        (OSError(errno.EROFS, "x"), 1, "the file system is read-only"),
        (
            PermissionError(errno.EACCES, "x", b"/a/\xff"),
            1,
            "permission denied: /a/\\xff",
        ),
        (
            OSError(errno.EMFILE, "x"),
            1,
            "too many open files in this process (see ulimit -n)",
        ),
        (MemoryError(), 1, "not enough memory"),
    ],
)
def test_each_error_is_one_line(
    error: BaseException,
    code: int,
    line: str,
    boom: Callable[..., Callable[[], int]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert boom(error)() == code
    assert capsys.readouterr() == ("", f"gitstate: {line}\n")


@pytest.mark.parametrize(("answer", "code"), [(0, 0), (1, 1), (130, 130), (None, 0)])
def test_the_exit_code_is_the_verbs_answer(
    answer: object, code: int, boom: Callable[..., Callable[[], int]]
) -> None:
    assert boom(answer=answer)() == code


def test_a_bug_leaves_a_report(
    boom: Callable[..., Callable[[], int]],
    home: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert boom(ValueError("it was 'secret state'"))() == 3
    said = capsys.readouterr()
    (report,) = (home / ".state" / "gitstate" / "bugs").iterdir()
    assert said.out == ""
    assert said.err == (
        "gitstate: a bug of gitstate: ValueError in commands/group.py:"
        f"{said.err.split('group.py:')[1].split(';')[0]}; please send us its report, {report}\n"
    )
    text = report.read_text()
    assert "call       gitstate boom\n" in text
    assert text.endswith("ValueError: it was '…'\n")
    assert report.stat().st_mode & 0o777 == 0o600
    assert report.parent.stat().st_mode & 0o777 == 0o700


def test_a_bug_whose_report_cannot_be_written(
    boom: Callable[..., Callable[[], int]],
    home: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (home / ".state").write_text("a file where the folder should be")
    assert boom(ValueError("x"))() == 3
    assert capsys.readouterr().err.endswith(
        "; its report could not be written (Not a directory)\n"
    )


def test_a_lost_current_directory(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    done = process("os.rmdir(os.getcwd()); os.getcwd()", cwd=gone)
    assert (done.returncode, done.stdout) == (1, b"")
    assert (
        done.stderr
        == b"gitstate: the current directory no longer exists; cd to another\n"
    )


def test_interrupted_while_it_works() -> None:
    body = "output.say('ready'); sys.stdout.flush(); import time; time.sleep(60)"
    with subprocess.Popen(
        [sys.executable, "-P", "-c", script(body), "boom"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"ready\n"
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=20)
    assert (running.returncode, out, err) == (130, b"", b"gitstate: interrupted\n")


def test_a_folder_with_modules_of_the_same_names_changes_nothing(
    tmp_path: Path,
) -> None:
    for name in ("click", "json", "gitstate"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported from here')\n")
    done = subprocess.run(
        [BIN / "gitstate", "--help"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("Usage: gitstate ")
