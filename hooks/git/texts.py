"""The text of each hook, from the templates in ``shims/`` and the paths of this tool."""

from __future__ import annotations

import re
import shlex
import sys
from functools import cache
from pathlib import Path

import gitstate
from gitstate.hooks.git import marks
from gitstate.values import dataclass

HOOKS = ("pre-commit", "post-commit", "post-rewrite", "post-merge", "pre-push")
WITH_INPUT = frozenset({"post-rewrite", "pre-push"})
# Every hook that a client or a plain server runs, and whose mere presence changes
# nothing: a folder that stands in for another one passes all of these on.
PASSED_ON = (
    "applypatch-msg", "pre-applypatch", "post-applypatch", "pre-merge-commit",
    "prepare-commit-msg", "commit-msg", "pre-rebase", "post-checkout", "pre-auto-gc",
    "sendemail-validate", "pre-receive", "update", "post-receive", "post-update",
)  # fmt: skip
# Those that git calls at every turn, or whose presence changes what git does: passed
# on only where there is one.
PASSED_ON_IF_THERE = (
    "reference-transaction", "post-index-change", "push-to-checkout", "proc-receive",
    "fsmonitor-watchman", "p4-changelist", "p4-prepare-changelist",
    "p4-post-changelist", "p4-pre-submit",
)  # fmt: skip
EVERY = (*HOOKS, *PASSED_ON, *PASSED_ON_IF_THERE)
_READS = re.compile(rb"^# shellcheck source=prologue\.sh\n\. .*\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Tool:
    """What the hooks start: a Python, and the folder of the package ``gitstate``."""

    python: Path
    package: Path


def this_tool() -> Tool:
    """The tool that runs now."""
    return Tool(Path(sys.executable), Path(gitstate.__file__).parent)


@dataclass(frozen=True, slots=True)
class Theirs:
    """The hook that ours runs first: a shell word, so that ``$0`` can stand in it."""

    word: bytes

    @classmethod
    def none(cls) -> Theirs:
        """There is none."""
        return cls(b"''")

    @classmethod
    def at(cls, path: str) -> Theirs:
        """The one at a path, as git would name it."""
        return cls(shell_word(path))

    @classmethod
    def beside(cls, name: str) -> Theirs:
        """The one of this name beside ours."""
        return cls(b'"${0%/*}/"' + shell_word(name))


def hook(name: str, tool: Tool, theirs: Theirs) -> bytes:
    """A whole hook of ours; one that we have no part in only passes on."""
    if name in HOOKS:
        body = _READS.sub(lambda _: _template("prologue.sh"), _template(f"{name}.sh"))
    else:
        body = _template("chain.sh")
    body = body.replace(b"@PYTHON@", shell_word(str(tool.python)))
    body = body.replace(b"@PACKAGE@", shell_word(str(tool.package)))
    body = body.replace(b"@THEIRS@", theirs.word)
    return b"#!/bin/sh\n" + marks.start("file") + body + marks.END


def block(name: str, shim: str) -> bytes:
    """The lines that go into another's hook; ``shim``: from its folder to our hook."""
    template = "block-stdin.sh" if name in WITH_INPUT else "block.sh"
    return _template(template).replace(b"@SHIM@", shell_word(shim))


def in_place_of_link(name: str, shim: str, target: bytes, kept: str) -> bytes:
    """What stands where a link to the shell script ``target`` stood; it is kept beside.

    The script is read when it is run, in this file's name: ``$0`` is what it was.
    """
    first = target.partition(b"\n")[0] if target.startswith(b"#!") else b"#!/bin/sh"
    there = b'"${0%/*}/"' + shell_word(kept)
    run = b"if [ -x " + there + b' ]; then\n    eval "$(cat ' + there + b')"\nfi\n'
    return first + b"\n" + marks.start("file") + block(name, shim) + run + marks.END


@cache
def _template(name: str) -> bytes:
    data = (Path(__file__).parent / "shims" / name).read_bytes()
    return data.removeprefix(b"#!/bin/sh\n")


def shell_word(text: str) -> bytes:
    """``text`` as one word of a shell script."""
    return shlex.quote(text).encode("utf-8", "surrogateescape")
