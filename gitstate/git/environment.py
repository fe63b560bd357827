"""How git is called: the scrubbed environment and the flags of every git process.

Nobody else starts git. Each variable and flag below stands with its reason.
"""

from __future__ import annotations

import os

from gitstate.errors import GitFailed, NotARepository, printable

TYPE_CHECKING = False  # as typing's, which costs a hook 10 ms
if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

MINIMUM_GIT = (2, 34)  # `multi-pack-index write --stdin-packs`; 2.32 has the rest

_KEPT = frozenset(
    {
        # which configuration files the user chose
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_SYSTEM",
        "GIT_CONFIG_NOSYSTEM",
        # how far up a repository may be looked for
        "GIT_CEILING_DIRECTORIES",
        "GIT_DISCOVERY_ACROSS_FILESYSTEM",
        # an installation of git in an unusual place
        "GIT_EXEC_PATH",
    }
)
_KEPT_FOR_NETWORK = frozenset(
    {
        "GIT_ASKPASS",
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_SSH_VARIANT",
        "GIT_SSL_CAINFO",
        "GIT_SSL_CERT",
        "GIT_SSL_KEY",
        "GIT_SSL_NO_VERIFY",
        "GIT_PROXY_COMMAND",
    }
)
# `git -c gitstate.gate=off commit` reaches a hook in these
_KEPT_FOR_SETTINGS_PREFIXES = (
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_KEY_",
    "GIT_CONFIG_VALUE_",
)

FLAGS = (
    # none of the user's hooks fires on what gitstate does (known report 1)
    "-c", "core.hooksPath=/dev/null",
    # a monitor daemon must not be started, nor asked, from the background
    "-c", "core.fsmonitor=false",
    # our writes never start the user's maintenance
    "-c", "gc.auto=0",
    "-c", "maintenance.auto=false",
    # no pinentry from the background (known report 14)
    "-c", "commit.gpgsign=false",
)  # fmt: skip

_TERM_GRACE_S = 5.0


def scrubbed(*, network: bool = False, settings: bool = False) -> dict[str, str]:
    """The environment of this process without what a hook or a shell left of git's.

    A hook's ``GIT_DIR`` or ``GIT_INDEX_FILE`` would send our reads and writes to
    another repository (known report 7).
    """
    kept = _KEPT | _KEPT_FOR_NETWORK if network else _KEPT
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith("GIT_")
        or key in kept
        or (settings and key.startswith(_KEPT_FOR_SETTINGS_PREFIXES))
    }
    environment["GIT_OPTIONAL_LOCKS"] = "0"  # never take index.lock for a refresh
    environment["GIT_TERMINAL_PROMPT"] = "1" if network else "0"
    environment["GIT_NO_REPLACE_OBJECTS"] = "1"  # a version is what its id says
    environment["LC_ALL"] = "C"  # messages are matched below
    environment["LANGUAGE"] = "C"
    if not network:
        # reading a promised object of a partial clone must not reach the network
        environment["GIT_NO_LAZY_FETCH"] = "1"
    return environment


class Asked:
    """A git process that is under way; whoever began it takes its ``result``."""

    __slots__ = ("_command", "_process")

    def __init__(
        self, command: list[str], *, cwd: Path | str, environment: Mapping[str, str]
    ) -> None:
        import subprocess  # noqa: PLC0415 a hook that uses `run_here` saves 15 ms

        self._command = command
        try:
            self._process = subprocess.Popen(
                command,
                cwd=cwd,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        except FileNotFoundError as error:
            if not os.path.isdir(cwd):  # noqa: PTH112 pathlib costs a hook 10 ms
                message = f"{printable(cwd)}: no such directory"
                raise NotARepository(message) from error
            raise GitFailed(missing_git()) from error
        except NotADirectoryError as error:
            message = f"{printable(cwd)}: not a directory"
            raise NotARepository(message) from error

    def result(
        self, *, stdin: bytes = b"", timeout_s: float = 60.0, check: bool = True
    ) -> subprocess.CompletedProcess[bytes]:
        """What it said, once it has ended; raises ``GitFailed`` as ``git`` does."""
        import signal  # noqa: PLC0415 as above
        import subprocess  # noqa: PLC0415 the same

        process, verb = self._process, self._command[len(FLAGS) + 1]
        try:
            out, err = process.communicate(stdin, timeout=timeout_s)
        except BaseException as error:
            process.send_signal(signal.SIGTERM)
            try:
                process.communicate(timeout=_TERM_GRACE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
            if isinstance(error, subprocess.TimeoutExpired):
                message = f"git {verb} took longer than {timeout_s:g} s and was stopped"
                raise GitFailed(message) from error
            raise
        if check and process.returncode != 0:
            reason = first_line(err) or f"exit code {process.returncode}"
            raise GitFailed(f"git {verb}: {reason}")
        return subprocess.CompletedProcess(self._command, process.returncode, out, err)


def asked(
    args: Sequence[str],
    *,
    cwd: Path | str,
    network: bool = False,
    settings: bool = False,
    variables: Mapping[str, str] | None = None,
) -> Asked:
    """Begin a git process; raises ``GitFailed`` or ``NotARepository`` where it cannot."""
    environment = scrubbed(network=network, settings=settings)
    environment.update(variables or {})
    return Asked(["git", *FLAGS, *args], cwd=cwd, environment=environment)


def git(  # noqa: PLR0913 one door for every git process
    args: Sequence[str],
    *,
    cwd: Path | str,
    stdin: bytes = b"",
    timeout_s: float = 60.0,
    check: bool = True,
    network: bool = False,
    settings: bool = False,
    variables: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run git with ``args`` in ``cwd``; stdout and stderr are bytes.

    Raises ``GitFailed`` with git's own first line when it exits other than 0 (unless
    ``check`` is false), when it is not installed, or when it takes longer than
    ``timeout_s``. Cut off, it gets SIGTERM first: a killed git leaves its lock behind.
    """
    begun = asked(
        args, cwd=cwd, network=network, settings=settings, variables=variables
    )
    return begun.result(stdin=stdin, timeout_s=timeout_s, check=check)


def git_fields(
    args: Sequence[str], *, cwd: Path | str, timeout_s: float = 60.0
) -> Iterator[bytes]:
    """What a git command prints between NULs (``-z``), as it comes; for reading commands.

    Whoever has seen enough stops reading: git is ended then. Raises ``GitFailed`` as
    ``git`` does.
    """
    import subprocess  # noqa: PLC0415 a hook that uses `run_here` saves 15 ms
    import time  # noqa: PLC0415 the same

    deadline = time.monotonic() + timeout_s
    try:
        process = subprocess.Popen(
            ["git", *FLAGS, *args],
            cwd=cwd,
            env=scrubbed(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except (FileNotFoundError, NotADirectoryError) as error:
        raise GitFailed(missing_git()) from error
    assert process.stdout is not None  # noqa: S101 a pipe
    stream, rest = process.stdout.fileno(), b""
    try:
        while data := _part(stream, deadline):
            *whole, rest = (rest + data).split(b"\0")
            yield from whole
        process.wait(timeout=max(0, deadline - time.monotonic()))
    except (TimeoutError, subprocess.TimeoutExpired) as error:
        message = f"git {args[0]} took longer than {timeout_s:g} s and was stopped"
        raise GitFailed(message) from error
    finally:
        process.stdout.close()
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(timeout=_TERM_GRACE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    if process.returncode != 0:
        raise GitFailed(f"git {args[0]}: exit code {process.returncode}")


def _part(stream: int, deadline: float) -> bytes:
    """What has come, empty at the end; raises ``TimeoutError``."""
    import select  # noqa: PLC0415 a hook that uses `run_here` saves 15 ms
    import time  # noqa: PLC0415 the same

    if not select.select([stream], [], [], max(0, deadline - time.monotonic()))[0]:
        raise TimeoutError
    return os.read(stream, 1 << 16)


def run_here(
    args: Sequence[str],
    *,
    settings: bool = False,
    variables: Mapping[str, str] | None = None,
    check: bool = True,
) -> bytes:
    """``git`` for a hook that has no time: its stdout, in the current directory.

    Nothing costly is imported. There is no time limit: whoever starts the hook has one.
    Raises ``GitFailed``, where it exits other than 0 (unless ``check`` is false) or is
    not installed.
    """
    environment = scrubbed(settings=settings)
    environment.update(variables or {})
    reading, writing = os.pipe()
    try:
        pid = os.posix_spawnp(
            "git",
            ["git", *FLAGS, *args],
            environment,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_DUP2, writing, 1),
            ],
        )
    except FileNotFoundError as error:
        os.close(reading)
        raise GitFailed(missing_git()) from error
    finally:
        os.close(writing)
    with open(reading, "rb") as file:  # noqa: PTH123 a descriptor
        out = file.read()
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if check and code != 0:
        raise GitFailed(f"git {args[0]}: exit code {code}")
    return out


def first_line(stderr: bytes) -> str:
    """The most telling line of git's stderr: its first ``fatal:`` or ``error:``."""
    lines = [
        line for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()
    ]
    for prefix in ("fatal: ", "error: "):
        for line in lines:
            if line.startswith(prefix):
                return printable(line.removeprefix(prefix))
    return printable(lines[0]) if lines else ""


def missing_git() -> str:
    """What to say where there is no git."""
    return (
        "git was not found on the PATH; install git "
        f"{'.'.join(map(str, MINIMUM_GIT))} or later"
    )


def git_version(cwd: Path) -> tuple[int, ...]:
    """The version of the git on the PATH, as numbers."""
    words = git(["version"], cwd=cwd).stdout.decode("ascii", "replace").split()
    numbers: list[int] = []
    for part in (words[2] if len(words) > 2 else "").split("."):  # noqa: PLR2004
        if not part.isdigit():
            break
        numbers.append(int(part))
    return tuple(numbers)


def require_git(cwd: Path) -> tuple[int, ...]:
    """The version of git; raises ``GitFailed`` when it is too old for gitstate."""
    found = git_version(cwd)
    if found < MINIMUM_GIT:
        message = (
            f"git {'.'.join(map(str, found)) or '?'} is too old: gitstate needs git "
            f"{'.'.join(map(str, MINIMUM_GIT))} or later"
        )
        raise GitFailed(message)
    return found
