"""Which names may stand in a version: what git's own fsck accepts in a tree; pure.

git refuses ``.git`` in every form that HFS+ or NTFS takes for it, and reads
``.gitmodules`` and ``.gitattributes`` wherever they stand in a tree: one such entry
and ``git fsck`` fails, and a server that checks what it receives refuses the push.
The rules are those of git's ``fsck.c``, ``path.c`` and ``utf8.c``.
"""

from __future__ import annotations

import re

# what HFS+ leaves out when it compares names (next_hfs_char in git's utf8.c)
_HFS_IGNORED = dict.fromkeys(
    [*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF]
)
_NO_CHARACTER = re.compile("[\ufffe\uffff]")  # git's UTF-8 reader stops at these
_ATTRIBUTES_LINE = 2048  # ATTR_MAX_LINE_LENGTH: fsck reports longer lines
_NUMBERED = re.compile(rb"[0-9]{2,}-[^/]+\.md", re.DOTALL)


def is_numbered(path: bytes) -> bool:
    """Is it a numbered file of the state directory, such as ``02-current-task.md``."""
    return _NUMBERED.fullmatch(path) is not None


def is_allowed(name: bytes) -> bool:
    """May a tree have an entry of this name (one part of a path)."""
    if name in {b"", b".", b".."} or b"/" in name or b"\0" in name:
        return False
    folded = _hfs_folded(name)
    if folded in {".git", ".gitmodules"}:
        return False
    # a backslash parts a path on Windows: every piece counts there
    pieces = [name]
    while b"\\" in pieces[-1]:
        pieces.append(pieces[-1].partition(b"\\")[2])
    return not any(
        _NTFS_DOTGIT.fullmatch(piece) or _NTFS_DOTGITMODULES.fullmatch(piece)
        for piece in pieces
    )


def is_allowed_content(name: bytes, data: bytes) -> bool:
    """Does git accept these bytes under this (allowed) name: attributes' lines."""
    if _hfs_folded(name) != ".gitattributes" and not _NTFS_ATTRIBUTES.fullmatch(name):
        return True
    return all(len(line) < _ATTRIBUTES_LINE for line in data.split(b"\n"))


def _hfs_folded(name: bytes) -> str:
    try:
        text = name.decode()
    except UnicodeDecodeError as error:
        text = name[: error.start].decode()  # to git a broken character ends the name
    text = _NO_CHARACTER.split(text, maxsplit=1)[0].translate(_HFS_IGNORED)
    return text.lower() if text.isascii() else text


def _ntfs(name: bytes, short: bytes) -> re.Pattern[bytes]:
    # the name itself, its 8.3 name (six letters, ~1 to ~4), or the 8.3 name that NTFS
    # falls back to: some letters of a hash, ~, and digits, eight characters in all;
    # NTFS drops trailing spaces and dots, and a colon begins a stream of the same file
    fallback = [
        rb"%s~[1-9][0-9]{%d}" % (re.escape(short[:kept]), 6 - kept) for kept in range(7)
    ]
    forms = [rb"\." + name, re.escape(name[:6]) + rb"~[1-4]", *fallback]
    return re.compile(
        rb"(?:" + rb"|".join(forms) + rb")[ .]*(?::.*)?", re.DOTALL | re.IGNORECASE
    )


_NTFS_DOTGIT = re.compile(
    rb"(?:\.git|git~1)[ .]*(?:[\\:].*)?", re.DOTALL | re.IGNORECASE
)
_NTFS_DOTGITMODULES = _ntfs(b"gitmodules", b"gi7eba")
_NTFS_ATTRIBUTES = _ntfs(b"gitattributes", b"gi7d29")
