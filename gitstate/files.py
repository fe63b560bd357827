"""Small files of our own, written beside and moved into place."""

from __future__ import annotations

import contextlib
import json
import os
from typing import TYPE_CHECKING, Any

from gitstate.errors import CannotWrite

if TYPE_CHECKING:
    from pathlib import Path


def replace_file(
    path: Path, data: bytes, *, mode: int = 0o600, durable: bool = False
) -> None:
    """Make ``path`` hold ``data``: a reader sees the old bytes or the new, never a part.

    Raises ``CannotWrite``.
    """
    beside = path.with_name(f"{path.name}.{os.getpid()}-{os.urandom(4).hex()}.tmp")
    try:
        fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        try:
            try:
                view = memoryview(data)
                while view:
                    view = view[os.write(fd, view) :]
                if mode & 0o066:  # core.sharedRepository beats the umask
                    os.fchmod(fd, mode)
                if durable:
                    os.fsync(fd)
            finally:
                os.close(fd)
            beside.rename(path)
        except OSError:
            with contextlib.suppress(OSError):
                beside.unlink()
            raise
    except OSError as error:
        raise CannotWrite.from_os(error, doing=f"write {path.name}") from error


def flush(path: Path) -> None:
    """Flush a file or folder to the disk; raises ``OSError``."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def read_bytes(path: Path | str) -> bytes:
    """A small file's bytes, at half the cost of ``Path.read_bytes``; raises ``OSError``."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        parts = []
        while part := os.read(fd, 1 << 16):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(fd)


def read_json(path: Path) -> dict[str, Any] | None:
    """The JSON object in a file, or ``None`` where there is none that can be read."""
    try:
        found = json.loads(read_bytes(path))
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def write_json(
    path: Path, value: object, *, mode: int = 0o600, durable: bool = False
) -> None:
    """Replace a file by one JSON document; raises ``CannotWrite``."""
    text = json.dumps(value, ensure_ascii=True, indent=1, sort_keys=True) + "\n"
    replace_file(path, text.encode(), mode=mode, durable=durable)
