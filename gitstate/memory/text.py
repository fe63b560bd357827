"""Is a file a text at all: what is none is left out of every version; pure."""

from __future__ import annotations


def unfit(data: bytes) -> str | None:
    """Why a file is no text that a version keeps, as a reason; ``None`` where it is."""
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        return f"not a text: a NUL byte in line {line}"
    if data.isascii():
        return None
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return f"not UTF-8: byte 0x{data[error.start]:02x} in line {line}"
    return None
