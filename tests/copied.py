"""A fresh repository as git made it once, written again elsewhere.

Thousands of tests begin with the same repository: one ``init`` and one commit. To write
its files again takes a fifth of the time that git's four processes take.
"""

from __future__ import annotations

import hashlib
import os
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Self

PLAIN_CONFIG = (
    "[user]\n\tname = Test Person\n\temail = test@example.com\n"
    "[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n"
)
_INDEX = ".git/index"
# git's index: 12 bytes of header, then the first entry: times, device, inode, mode, owner
_HEADER = 12
_STAT = struct.Struct(">6I")


def plain() -> bool:
    """Is git configured as for every test, by nothing else than ``PLAIN_CONFIG``."""
    if any(
        name.startswith("GIT_") for name in os.environ.keys() - {"GIT_CONFIG_NOSYSTEM"}
    ):
        return False
    own = Path(os.environ.get("XDG_CONFIG_HOME", "/"), "git")
    try:
        text = Path(os.environ["HOME"], ".gitconfig").read_text()
    except (KeyError, OSError):
        return False
    return text == PLAIN_CONFIG and not own.exists()


@dataclass(frozen=True)
class Copied:
    """Names below one folder, with the mode to ask for: folders, and files' bytes."""

    folders: tuple[str, ...]
    files: tuple[tuple[str, int, bytes], ...]

    @classmethod
    def of(cls, root: Path) -> Self:
        """What is below ``root``, where nothing is a link; git's index comes last."""
        paths = sorted(root.rglob("*"), key=lambda path: (path.name == "index", path))
        return cls(
            tuple(str(path.relative_to(root)) for path in paths if path.is_dir()),
            tuple(
                (str(path.relative_to(root)), _asked(path), path.read_bytes())
                for path in paths
                if path.is_file()
            ),
        )

    def put(self, root: Path) -> None:
        """Write all of it into the empty folder ``root``, with the modes of the umask."""
        for name in self.folders:
            os.mkdir(f"{root}/{name}")  # noqa: PTH102 a Path for each doubles the time
        for name, mode, data in self.files:
            fd = os.open(f"{root}/{name}", os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)
            try:
                os.write(fd, _known(data, root) if name == _INDEX else data)
            finally:
                os.close(fd)


def _asked(path: Path) -> int:
    """The mode that git asked for, before the umask."""
    mode = path.stat().st_mode
    if mode & 0o100:
        return 0o777
    return 0o666 if mode & 0o200 else 0o444


def _known(index: bytes, root: Path) -> bytes:
    """An index of one entry that knows this copy of the file, as if git had added it."""
    width = 32 if hashlib.sha256(index[:-32]).digest() == index[-32:] else 20
    name = index[_HEADER + 40 + width + 2 :].split(b"\0", 1)[0]
    stat = os.lstat(os.fsencode(root) + b"/" + name)
    times = (divmod(ns, 10**9) for ns in (stat.st_ctime_ns, stat.st_mtime_ns))
    low = 0xFFFFFFFF
    numbers = [
        *(part for time in times for part in time),
        stat.st_dev & low,
        stat.st_ino & low,
    ]
    body = bytearray(index[:-width])
    _STAT.pack_into(body, _HEADER, *numbers)
    digest = (hashlib.sha256 if width == 32 else hashlib.sha1)(
        body, usedforsecurity=False
    )
    return bytes(body) + digest.digest()
