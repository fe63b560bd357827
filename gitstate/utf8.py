"""Names and words are UTF-8 for us, whatever the locale is: git and the agents write them so.

Python reads names and words by the locale. Where that says GBK or Latin-1, a name that the
state has could not be looked for, and what an agent says would be garbled.
"""

from __future__ import annotations

import os
import sys

_NAME = "utf-8"
_MODE = [b"-X", b"utf8"]


def required() -> None:
    """Start this process anew in Python's UTF-8 mode, where names are of another encoding.

    To be called before anything is opened or read.
    """
    if sys.getfilesystemencoding() == _NAME or not sys.executable:
        return
    words = _words()
    if words[1:3] == _MODE:
        return  # it did not help, and would not again
    try:
        # in front: of two such options the first one counts
        os.execv(sys.executable, [os.fsencode(sys.executable), *_MODE, *words[1:]])  # noqa: S606 ourselves, with the words we have
    except OSError:
        return  # as it is, then


def _words() -> list[bytes]:
    """What this process was started with, byte for byte where the kernel tells it."""
    try:
        with open("/proc/self/cmdline", "rb") as file:  # noqa: PTH123 pathlib is 10 ms
            said = file.read().split(b"\0")[:-1]
    except OSError:
        said = []
    if len(said) == len(sys.orig_argv):
        return said
    return [
        one.encode(sys.getfilesystemencoding(), "surrogateescape")
        for one in sys.orig_argv
    ]


def of_locale() -> str:
    """The encoding of the locale where it is another than UTF-8's, else ""."""
    if not sys.flags.utf8_mode:
        return ""
    import codecs  # noqa: PLC0415 hardly ever
    import locale  # noqa: PLC0415 the same

    try:
        name = codecs.lookup(locale.getencoding()).name
    except LookupError:
        return ""
    return "" if name in {_NAME, "ascii"} else name


def typed(words: list[str]) -> list[str]:
    """The words of a call: what is not UTF-8 was typed in the locale's encoding."""
    if all(map(_is_whole, words)):
        return words
    encoding = of_locale()
    if not encoding:
        return words
    return [one if _is_whole(one) else _decoded(one, encoding) for one in words]


def _is_whole(word: str) -> bool:
    return word.isascii() or not any("\udc80" <= char <= "\udcff" for char in word)


def _decoded(word: str, encoding: str) -> str:
    try:
        return os.fsencode(word).decode(encoding)
    except UnicodeError:
        return word
