"""The name of a session's file: of its agent and its id, which may be anything."""

from __future__ import annotations

import hashlib


def name_of(agent: str, session: str) -> str:
    """The name of a session's file."""
    digest = hashlib.sha256(f"{agent}\0{session}".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()[:20]
