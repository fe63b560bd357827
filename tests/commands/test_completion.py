from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gitstate import cli
from gitstate.commands.completion import SHELLS
from tests.support import gitstate

if TYPE_CHECKING:
    from collections.abc import Iterable

VERBS = sorted(cli.VERBS)
GITS_OWN = Path("/usr/share/bash-completion/completions/git")


@pytest.fixture
def path(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command on the PATH."""
    here = Path(sys.executable).parent
    monkeypatch.setenv("PATH", f"{here}{os.pathsep}{os.environ['PATH']}")


def need(program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")


def lines(command: Iterable[str | Path], **variables: str) -> list[str]:
    done = subprocess.run(
        list(command),
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.parametrize("shell", SHELLS)
def test_the_scripts_parse(shell: str, tmp_path: Path) -> None:
    need(shell)
    script = tmp_path / "script"
    script.write_text(gitstate("completion", shell, cwd=tmp_path).stdout)
    assert lines([shell, "-n", script]) == []


def bash(tmp_path: Path, *calls: str) -> list[str]:
    script = tmp_path / "completion"
    script.write_text(gitstate("completion", "bash", cwd=tmp_path).stdout)
    program = tmp_path / "program"
    program.write_text("\n".join([f". {script}", *calls]))
    return lines(["bash", "--norc", program])


@pytest.mark.usefixtures("path")
def test_bash(tmp_path: Path) -> None:
    need("bash")
    ask = 'COMP_WORDS=({}); COMP_CWORD=$(({} - 1)); _gitstate; echo "${{COMPREPLY[*]}}"'
    assert bash(
        tmp_path,
        ask.format('gitstate ""', 2),
        ask.format("gitstate res", 2),
        ask.format('git-state completion ""', 3),
        ask.format("git-state completion b", 3),
        ask.format("gitstate --v", 2),
        ask.format("gitstate nothing --v", 3),
        ask.format("gitstate zz", 2),
    ) == [
        " ".join(cli.VERBS),
        "restore",
        "bash zsh fish",
        "bash",
        "--version",
        "--version",  # as if the word before were not there
        "",
    ]


@pytest.mark.usefixtures("path")
def test_bash_as_a_git_command(tmp_path: Path) -> None:
    need("bash")
    if not GITS_OWN.exists():
        pytest.skip("git's own completion is not installed")
    ask = (
        "COMP_WORDS=({}); COMP_CWORD=$(({} - 1)); COMP_LINE=${{COMP_WORDS[*]}}; "
        'COMP_POINT=${{#COMP_LINE}}; __git_wrap__git_main; echo "${{COMPREPLY[*]}}"'
    )
    framework = GITS_OWN.parents[1] / "bash_completion"
    assert bash(
        tmp_path,
        f". {framework}; . {GITS_OWN}",
        ask.format("git state res", 3),
        ask.format('git state completion ""', 4),
        ask.format("git -C / state completion f", 6),
    ) == ["restore", "bash zsh fish", "fish"]


@pytest.mark.usefixtures("path")
def test_fish(tmp_path: Path) -> None:
    need("fish")
    folder = tmp_path / "fish" / "completions"
    folder.mkdir(parents=True)
    script = gitstate("completion", "fish", cwd=tmp_path).stdout
    for name in ("gitstate", "git-state"):
        (folder / f"{name}.fish").write_text(script)
    for asked, found in (
        ("gitstate ", VERBS),
        ("gitstate res", ["restore"]),
        ("git-state completion ", sorted(SHELLS)),
        ("git state res", ["restore"]),
        ("git -C / state completion f", ["fish"]),
    ):
        # fish 3.6 itself loads a custom command's completion only for its own name
        program = f"complete -C 'git-state ' >/dev/null; complete -C '{asked}'"
        answer = lines(["fish", "-c", program], XDG_CONFIG_HOME=str(tmp_path))
        assert sorted(line.split("\t")[0] for line in answer) == found, asked


@pytest.mark.usefixtures("path")
def test_zsh(tmp_path: Path) -> None:
    need("zsh")
    folder = tmp_path / "site-functions"
    folder.mkdir()
    script = gitstate("completion", "zsh", cwd=tmp_path).stdout
    for name in ("_gitstate", "_git-state"):
        (folder / name).write_text(script)
    prepare = (
        f"fpath=({folder} $fpath); autoload -U compinit; compinit -u -d {tmp_path}/dump"
    )
    shown = Zsh(prepare, tmp_path)
    try:
        for asked, found in (
            ("gitstate resto", "gitstate restore "),
            ("git state resto", "git state restore "),
            ("git state resto", "git state restore "),
            ("git-state completion z", "git-state completion zsh "),
        ):
            assert shown.complete(asked) == found
    finally:
        shown.end()


class Zsh:
    """An interactive zsh that prints the line it has instead of running it."""

    def __init__(self, prepare: str, folder: Path) -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="dumb", PS1="", ZDOTDIR=str(folder))
            os.execvp("zsh", ["zsh", "-f", "-i"])  # noqa: S606 no shell but zsh itself
        show = "accept() { print -r -- $'\\n'\"<$BUFFER>\"; BUFFER=; zle .accept-line }"
        self.write(
            f"{prepare}; {show}; zle -N accept-line accept; print -r -- re''ady\n"
        )
        self.read_until(b"ready")

    def write(self, text: str) -> None:
        os.write(self.fd, text.encode())

    def read_until(self, mark: bytes, *, limit_s: float = 30.0) -> bytes:
        seen = b""
        deadline = time.monotonic() + limit_s
        while mark not in seen:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.fd], [], [], left)[0]:
                raise AssertionError(f"no {mark!r} in {seen!r}")
            seen += os.read(self.fd, 4096)
        return seen

    def complete(self, line: str) -> str:
        self.write(f"{line}\t\n")
        return self.read_until(b">").rpartition(b"<")[2].partition(b">")[0].decode()

    def end(self) -> None:
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def test_no_answer_is_no_noise(tmp_path: Path) -> None:
    done = gitstate(
        cwd=tmp_path, check=False, env={"_GITSTATE_COMPLETE": "what_complete"}
    )
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
