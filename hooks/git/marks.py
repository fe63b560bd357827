"""Our marked lines in the bytes of a hook: put in, found, and cut out again; pure.

A mark's first line says what was done to the file: nothing more than putting lines in,
``file`` (all of it is ours), ``newline`` (its last line had no end), or ``before`` (an
interpreter that is no shell: our shell lines stand before its first line).
"""

from __future__ import annotations

import os
import re
import shlex

VERSION = 1
_WORDS = b"put in by gitstate; `gitstate hooks uninstall` takes it out again"
_START = re.compile(
    rb"^# >>> gitstate (\d+)(?: (file|newline|before))? >>>.*\n", re.MULTILINE
)
END = b"# <<< gitstate <<<\n"
_SHELLS = frozenset(
    {"sh", "bash", "dash", "ash", "ksh", "ksh93", "mksh", "zsh", "yash"}
)
_TEXT_LOOKED_AT = 4096


def start(kind: str = "") -> bytes:
    """The first line of a mark of ``kind``."""
    words = f"# >>> gitstate {VERSION}{' ' * bool(kind)}{kind} >>> "
    return words.encode() + _WORDS + b"\n"


def marked(data: bytes) -> bool:
    """Is anything of ours in these bytes."""
    return _START.search(data) is not None


def ours_alone(data: bytes) -> bool:
    """Is there nothing but ours in these bytes."""
    return marked(data) and cut(data) == b""


def cut(data: bytes) -> bytes:
    """The bytes as they were without us; empty where all of the file was ours.

    What others wrote around our lines stays. A mark without its end stays too: where
    it ends is not known.
    """
    alone = False
    while True:
        first = _START.search(data)
        end = data.find(END, first.end()) if first else -1
        if first is None or end < 0:
            break
        kind, after = first[2], end + len(END)
        alone = alone or kind == b"file"
        head = data[: first.start()]
        if kind == b"before":
            head = b""
        elif kind == b"newline" and after == len(data):
            head = head.removesuffix(b"\n")
        data = head + data[after:]
    if alone and re.fullmatch(rb"(#![^\n]*\n)?\s*", data):
        return b""
    return data


def interpreter(data: bytes) -> list[str]:
    """The words that run a script: its first line's path and its one argument.

    ``["/bin/sh"]`` where a text has no such line, as git and every shell have it; empty
    for anything that is no script.
    """
    if not data.startswith(b"#!"):
        return [] if b"\0" in data[:_TEXT_LOOKED_AT] or not data else ["/bin/sh"]
    line = data[2:].partition(b"\n")[0]
    if b"\r" in line:  # the kernel takes it for a part of the name
        return []
    return os.fsdecode(line.strip(b" \t")).split(None, 1)


def language(data: bytes) -> str:
    """What runs a script: ``sh`` for any shell, ``python``, ``perl``, ``ruby``, or empty."""
    words = " ".join(interpreter(data)).split()
    if not words:
        return ""
    name = os.path.basename(words[0])  # noqa: PTH119 a word, not a file
    rest = words[1:]
    if name == "env":
        while rest and (rest[0].startswith("-") or "=" in rest[0]):
            rest = rest[1:]
        name = os.path.basename(rest[0]) if rest else ""  # noqa: PTH119 the same
    elif name == "busybox" and rest:
        name = rest[0]
    if name in _SHELLS:
        return "sh"
    plain = re.sub(r"[\d.]+$", "", name)
    if plain == "python" and not name.startswith("python2"):
        return "python"
    return plain if plain in {"perl", "ruby"} else ""


def put_in(data: bytes, lines: bytes) -> bytes:
    """A shell script with our lines after its first: below, an ``exec`` may come."""
    first, newline, rest = b"", b"", data
    if data.startswith(b"#!"):
        first, newline, rest = data.partition(b"\n")
    if first and not newline:
        return first + b"\n" + start("newline") + lines + END
    return first + newline + start() + lines + END + rest


def put_at_end(data: bytes, lines: bytes) -> bytes:
    """A configuration file with our lines at its end, where they win."""
    if data and not data.endswith(b"\n"):
        return data + b"\n" + start("newline") + lines + END
    return data + start() + lines + END


def put_before(data: bytes, lines: bytes) -> bytes:
    """A script of another language with our shell lines before it, in the same file.

    The interpreter is started on this very file, so the script keeps its name, its
    folder and its line numbers.
    """
    words = " ".join(map(shlex.quote, interpreter(data))).encode(
        "utf-8", "surrogateescape"
    )
    how = {"python": b"-c " + _PYTHON, "perl": b"-x", "ruby": b"-x"}[language(data)]
    go_on = b"exec " + words + b" " + how + b' "$0" "$@"\n'
    return b"#!/bin/sh\n" + start("before") + lines + go_on + END + data


# Run a file from below our lines; nothing of this stays in its sight.
_PYTHON = rb"""'
def load():
    import io, os, sys, tokenize
    del sys.argv[0]
    name = sys.argv[0]
    with open(name, "rb") as file:
        ours, mark, text = file.read().partition(b"# <<< gitstate " + b"<<<\n")
    coding = tokenize.detect_encoding(io.BytesIO(text).readline)[0]
    above = "\n" * (ours.count(b"\n") + 1)
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = os.path.dirname(os.path.realpath(name))
    if sys.version_info >= (3, 9):
        name = os.path.abspath(name)
    own = sys.modules["__main__"].__dict__
    own["__file__"] = name
    del own["load"]
    exec(compile(above + text.decode(coding), name, "exec", 0, True), own)
load()
'"""
