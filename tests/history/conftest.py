"""The history room's tests run with both engines, and with sha1 and sha256."""

from __future__ import annotations

from tests.engines import engine, kind, remote, repo

__all__ = ["engine", "kind", "remote", "repo"]
