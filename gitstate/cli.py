"""The ``gitstate`` command: the table of its verbs, and the one error handler.

A verb's module is imported when the verb is called, click when there is anything to
parse: ``gitstate --version`` costs what Python costs.
"""

from __future__ import annotations

import errno
import gc
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from gitstate import __version__, output, utf8
from gitstate.errors import (
    EXIT_BUG,
    EXIT_DONE,
    EXIT_INTERRUPTED,
    EXIT_REFUSED,
    GitstateError,
    ObjectDamaged,
    ObjectMissing,
    printable,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

COMPLETE_VARIABLE = "_GITSTATE_COMPLETE"
# what a shell says of a program that SIGPIPE ended, as it ends git
EXIT_PIPE = 141
_GARBAGE_AFTER = 50_000


class Verb(NamedTuple):
    """One row of the table; ``module`` has the click command as ``command``."""

    module: str
    help: str
    section: str


_SET_UP = "Set up"
_VERSIONS = "Versions"
_STATE = "State"
_EXCHANGE = "Exchange with a remote"
_HEALTH = "Health"

VERBS: dict[str, Verb] = {
    "init": Verb(
        "gitstate.commands.init", "set up a repository, or repair it", _SET_UP
    ),
    "uninstall": Verb(
        "gitstate.commands.uninstall", "take gitstate out of a repository", _SET_UP
    ),
    "daemon": Verb(
        "gitstate.commands.daemon",
        "the background service of all repositories",
        _SET_UP,
    ),
    "hooks": Verb(
        "gitstate.commands.hooks", "git's hooks: a code commit notices", _SET_UP
    ),
    "agent": Verb(
        "gitstate.commands.agent", "a coding agent's lifecycle hooks", _SET_UP
    ),
    "mcp": Verb("gitstate.commands.mcp", "the verbs as tools, over MCP", _SET_UP),
    "completion": Verb(
        "gitstate.commands.completion", "a shell's completion script", _SET_UP
    ),
    "status": Verb(
        "gitstate.commands.status", "what is kept, and is it up to date", _VERSIONS
    ),
    "snapshot": Verb("gitstate.commands.snapshot", "make a version now", _VERSIONS),
    "log": Verb("gitstate.commands.log", "the versions, newest first", _VERSIONS),
    "show": Verb("gitstate.commands.show", "a version, or a file of it", _VERSIONS),
    "diff": Verb(
        "gitstate.commands.diff",
        "what differs between versions or the files",
        _VERSIONS,
    ),
    "restore": Verb("gitstate.commands.restore", "bring a version back", _VERSIONS),
    "squash": Verb(
        "gitstate.commands.squash", "one commit a day, or its own again", _VERSIONS
    ),
    "flags": Verb(
        "gitstate.commands.flags", "code commits without a task update", _VERSIONS
    ),
    "task": Verb("gitstate.commands.task", "the current task and its steps", _STATE),
    "decide": Verb("gitstate.commands.decide", "write down a decision", _STATE),
    "issue": Verb(
        "gitstate.commands.issue", "what goes wrong, until it is gone", _STATE
    ),
    "rule": Verb("gitstate.commands.rule", "what every change must keep to", _STATE),
    "fact": Verb("gitstate.commands.fact", "what holds for the project", _STATE),
    "map": Verb("gitstate.commands.map", "where things are", _STATE),
    "op": Verb("gitstate.commands.op", "log what was done to a file", _STATE),
    "note": Verb("gitstate.commands.note", "keep what was found out", _STATE),
    "tidy": Verb(
        "gitstate.commands.tidy", "keep the files within their limits", _STATE
    ),
    "lint": Verb("gitstate.commands.lint", "what is vague, wrong or too large", _STATE),
    "brief": Verb("gitstate.commands.brief", "what to know before going on", _STATE),
    "context": Verb(
        "gitstate.commands.context", "all that is recorded of a file", _STATE
    ),
    "handoff": Verb(
        "gitstate.commands.handoff", "the task in a few lines, kept and checked", _STATE
    ),
    "verify": Verb(
        "gitstate.commands.verify", "was a file of the state taken in", _STATE
    ),
    "probe": Verb("gitstate.commands.probe", "questions with a known answer", _STATE),
    "condense": Verb(
        "gitstate.commands.condense", "the state without its narrative", _STATE
    ),
    "search": Verb("gitstate.commands.search", "find what is no longer loaded", _STATE),
    "push": Verb("gitstate.commands.push", "send the versions to a remote", _EXCHANGE),
    "fetch": Verb("gitstate.commands.fetch", "get the versions of a remote", _EXCHANGE),
    "fsck": Verb(
        "gitstate.commands.fsck", "check the history, and put it back", _HEALTH
    ),
    "doctor": Verb(
        "gitstate.commands.doctor", "find what is broken and how to mend it", _HEALTH
    ),
}

# the machine's state, not our bug: what happened, in words
_CONDITIONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "permission denied",
    errno.EPERM: "not permitted",
    errno.EIO: "the disk or the file system fails (input/output error)",
    errno.EMFILE: "too many open files in this process (see ulimit -n)",
    errno.ENFILE: "too many open files on this machine",
    errno.ENOMEM: "not enough memory",
    errno.ESTALE: "the network file system lost the file (stale handle)",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code and never raises."""
    words = utf8.typed(sys.argv[1:]) if argv is None else list(argv)
    try:
        output.prepare_streams()
        code = _dispatch(words, _program())
        sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001 the one error handler
        code = _explain(error, words)
        with suppress(OSError, ValueError):  # once more at exit, python would tell
            sys.stdout.flush()
    return code


def program() -> NoReturn:
    """The command as a process of its own, which ends here.

    A verb lives for a fifth of a second: to look for garbage while modules are loaded,
    and to take the interpreter apart at the end, would cost an eighth of that.
    """
    utf8.required()
    gc.set_threshold(_GARBAGE_AFTER)
    code = main()
    if sys.argv[1:2] == ["daemon"]:  # its threads end as they do
        raise SystemExit(code)
    with suppress(OSError, ValueError):
        sys.stderr.flush()
    os._exit(code)


def _program() -> str:
    """The name the command was called by, for the usage lines."""
    return "git state" if os.path.basename(sys.argv[0]) == "git-state" else "gitstate"  # noqa: PTH119 pathlib is 10 ms


def _dispatch(words: list[str], program: str) -> int:
    if words == ["--version"]:
        output.say(f"gitstate {__version__}")
        return EXIT_DONE
    from gitstate.commands import group  # noqa: PLC0415 click, see above

    instruction = os.environ.get(COMPLETE_VARIABLE)
    if instruction:
        with suppress(Exception):  # a shell at its prompt wants no explanations
            return group.complete(VERBS, instruction, COMPLETE_VARIABLE)
        return EXIT_REFUSED
    if words[:1] == ["help"]:  # as git has it
        words = [*words[1:], "--help"]
    return group.run(VERBS, words, program)


def _explain(error: BaseException, words: list[str]) -> int:  # noqa: PLR0911 one a kind
    """Say in one line what happened; returns the exit code."""
    match error:
        case SystemExit():
            return error.code if isinstance(error.code, int) else EXIT_REFUSED
        case KeyboardInterrupt():
            output.complain("interrupted")
            return EXIT_INTERRUPTED
        case ObjectMissing() | ObjectDamaged():
            mend = "`gitstate fsck` names what is lost, `--repair` keeps the rest"
            output.complain(f"{printable(error)}; {mend}")
            return error.exit_code
        case GitstateError():
            output.complain(printable(error))
            return error.exit_code
        case BrokenPipeError():  # the reader of our output has enough
            return EXIT_PIPE
        case MemoryError():
            output.complain(_CONDITIONS[errno.ENOMEM])
            return EXIT_REFUSED
        case OSError() if error.errno in _CONDITIONS:
            where = f": {printable(error.filename)}" if error.filename else ""
            output.complain(f"{_CONDITIONS[error.errno]}{where}")
            return EXIT_REFUSED
        case FileNotFoundError() if not _here():
            output.complain("the current directory no longer exists; cd to another")
            return EXIT_REFUSED
    return _confess(error, words)


def _here() -> bool:
    try:
        os.getcwd()  # noqa: PTH109 as above
    except OSError:
        return False
    return True


def _confess(error: BaseException, words: list[str]) -> int:
    """Leave a report of a bug of ours and name it."""
    from gitstate import bugs  # noqa: PLC0415 only for a bug

    line = f"a bug of gitstate: {bugs.describe(error)}"
    try:
        report = bugs.write_report(error, words, verbs=VERBS)
    except Exception as second:  # noqa: BLE001 the first bug is what matters
        reason = (
            second.strerror if isinstance(second, OSError) else bugs.describe(second)
        )
        output.complain(f"{line}; its report could not be written ({reason})")
    else:
        output.complain(f"{line}; please send us its report, {printable(report)}")
    return EXIT_BUG
