"""``gitstate squash``, and the log and diff of squashed days."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from tests.engines import begun
from tests.history.simulated import at, version
from tests.inside import call

if TYPE_CHECKING:
    from tests.support import Repo

NIGHT = "2026-11-29T00:10:00+00:00"


def test_days_are_squashed_listed_compared_and_opened_again(repo: Repo) -> None:
    with at("2026-11-27T09:00:00+00:00"):
        ws = begun(repo)
    version(ws, "2026-11-28T09:00:00+00:00")
    version(ws, "2026-11-28T10:00:00+00:00")
    with at(NIGHT):
        dry = call(repo.path, "squash", "--dry-run")
        assert dry.lines[-1] == "(a dry run: nothing was changed)"
        assert len(call(repo.path, "log").lines) == 3
        found = json.loads(call(repo.path, "squash", "--json").out)
        assert [(row["day"], row["versions"]) for row in found] == [
            ("2026-11-27", "1-1"),
            ("2026-11-28", "2-3"),
        ]
        assert dry.lines[1].split()[:2] == ["2026-11-28", found[1]["commit"][:12]]
        assert call(repo.path, "squash").out == "no day to squash\n"
        log = json.loads(call(repo.path, "log", "--json").out)
        assert [(row["versions"], row["day"]) for row in log] == [
            ("2-3", "2026-11-28"),
            ("1-1", "2026-11-27"),
        ]
        opened = call(repo.path, "log", "--all").lines
        assert [row.split()[0] for row in opened] == ["v3", "v2", "v1"]
        assert re.fullmatch(
            r"v2–v3  [0-9a-f]{12}  2026-11-28  .+",  # noqa: RUF001 a range
            call(repo.path, "log", "-n", "1").lines[0],
        )
        shown = call(repo.path, "show", "2026-11-28").lines
        assert shown[0] == f"v3 {log[0]['commit']}"
        assert shown[3] == f"    {log[0]['subject']}"
        assert call(repo.path, "show", "2026-11-28:02-current-task.md").out == (
            call(repo.path, "show", "v3:02-current-task.md").out
        )
        changed = call(repo.path, "log", "02-current-task.md").lines
        assert len(changed) == 2
        days = ("2026-11-27", "2026-11-28")
        assert "+2026-11-28T10:00:00+00:00" in call(repo.path, "diff", *days).lines
        assert call(repo.path, "diff", "--words", *days).out != ""
        assert call(repo.path, "squash", "--undo", "2026-11-28").code == 0
        assert len(call(repo.path, "log").lines) == 3
        assert call(repo.path, "show", "2026-11-28").lines[3].startswith("    state v3")
        assert call(repo.path, "squash").err == (
            "gitstate: 2026-11-28 stays as it is: it was undone; "
            "`gitstate squash --day 2026-11-28` squashes it again\n"
        )
        assert call(repo.path, "squash", "--day", "banana").code == 2
        assert call(repo.path, "squash", "--day", "2026-11-28").code == 0
        assert json.loads(call(repo.path, "log", "--json").out) == log
