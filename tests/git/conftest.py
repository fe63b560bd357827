"""The git room's tests run with each engine and each format that it knows."""

from __future__ import annotations

from tests.engines import engine, every_kind, repo

__all__ = ["engine", "every_kind", "repo"]
