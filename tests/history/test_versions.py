"""Every name a person gives a version, and every name that is none."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import pytest

from gitstate.errors import UnknownVersion
from gitstate.history.line import engine_for
from gitstate.history.repair import repair
from gitstate.history.restore import restore
from gitstate.history.snapshot import session
from gitstate.history.versions import lines, newest_first, resolve, resolve_file
from gitstate.workspace import Workspace
from tests.engines import begun, edit, snap, versions
from tests.support import Repo

if TYPE_CHECKING:
    from pathlib import Path

NOW = "2026-11-29T15:00:00+01:00"
TIMES = (
    "2026-11-26T09:00:00+01:00",
    "2026-11-27T23:59:00+01:00",
    "2026-11-28T10:00:00+01:00",
    "2026-11-28T14:05:00+01:00",
    "2026-11-28T14:05:40+01:00",
    "2026-11-29T13:30:00+01:00",
)


@pytest.fixture
def ws(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Six versions at the moments of ``TIMES``, looked at from ``NOW``."""
    repo.git("config", "gitstate.timezone", "Europe/Berlin")
    monkeypatch.setenv("GITSTATE_NOW", TIMES[0])
    found = begun(repo)
    for number, moment in enumerate(TIMES[1:], start=2):
        monkeypatch.setenv("GITSTATE_NOW", moment)
        edit(found, f"text of v{number}\n")
    monkeypatch.setenv("GITSTATE_NOW", NOW)
    return found


def number(ws: Workspace, name: str) -> int:
    with engine_for(ws) as engine:
        return resolve(ws, engine, name).number


def why_not(ws: Workspace, name: str) -> str:
    with engine_for(ws) as engine, pytest.raises(UnknownVersion) as caught:
        resolve(ws, engine, name)
    text = str(caught.value)
    assert "\n" not in text
    return text


NAMES = {
    "v1": 1,
    "V6": 6,
    "v006": 6,
    " v3 ": 3,
    "HEAD": 6,
    "@": 6,
    "HEAD~": 5,
    "HEAD^": 5,
    "HEAD~0": 6,
    "HEAD~3": 3,
    "HEAD~2^": 3,
    "@~1": 5,
    "2026-11-26": 1,
    "2026-11-28": 5,
    "today": 6,
    "yesterday": 5,
    "2026-11-28T14:05": 5,  # the last of that minute, as of a day
    "2026-11-28 14:05": 5,
    "2026-11-28T14:04": 3,
    "2026-11-28T14:05:00": 4,
    "2026-11-28T13:05+00:00": 5,
    "2026-11-28 14:05:39": 4,
    "2026-11-28T14:05:40": 5,
    "2026-11-28T13:05:40+00:00": 5,
    "2026-11-28T13:05:40Z": 5,
    "2030-01-01T00:00": 6,
    "2 hours ago": 5,
    "90 minutes ago": 6,
    "1 day ago": 5,
    "a day ago": 5,
    "3 days ago": 1,
    "2.days.ago": 1,
}


def test_a_name_is_a_version(ws: Workspace) -> None:
    assert {name: number(ws, name) for name in NAMES} == NAMES


NO_NAMES = [
    "banana",
    "",
    " ",
    "v0",
    "v7",
    "v-1",
    "v1.5",
    "v",
    "v99999999999999999999",
    "v\u0661",
    "7",
    "HEAD~6",
    "HEAD~99999999999",
    "HEAD~x",
    "HEAD@{1}",
    "main",
    "agent-state",
    "refs/heads/agent-state",
    "2026-13-45",
    "2026-11-28T99:99",
    "20261128",
    "0 parsecs ago",
    "9999999 years ago",
    "999999 years ago",
    "ago",
    "tomorrow",
    "now-ish",
    "--help",
    "-n",
    "v1:",
    ":",
    "\x1b[31mv1",
    "a\nb",
    "\udcff",
    "ffff",
    "g" * 40,
    "0" * 40,
    "f" * 64,
    "f" * 65,
    "code:nothing",
    "code:HEAD",
]


def test_a_name_that_is_none_is_one_clear_line(ws: Workspace) -> None:
    for name in NO_NAMES:
        text = why_not(ws, name)
        assert text.isprintable()
        if not name.startswith("code:"):
            assert "names no version; the newest is v6 (try v3" in text, name


TIMES_OF_NONE = {
    "2026-11-25": "the first is v1 of 2026-11-26 09:00",
    "2026-11-26T08:59": "the first is v1 of 2026-11-26 09:00",
    "4 days ago": "the first is v1 of 2026-11-26 09:00",
    "2026-11-30": "the last before it is v6 of 2026-11-29 13:30",
}


def test_a_time_of_no_version_is_told_which_is_the_nearest(ws: Workspace) -> None:
    for name, nearest in TIMES_OF_NONE.items():
        assert why_not(ws, name) == f"{name!r} names no version; {nearest}"
        with engine_for(ws) as engine, pytest.raises(UnknownVersion) as caught:
            resolve_file(ws, engine, name)
        assert str(caught.value).startswith(f"{name!r} names no version; ")


def test_a_commit_and_its_unique_prefix(ws: Workspace) -> None:
    for version in versions(ws):
        for length in (len(version.commit.id), 20, 12):
            assert number(ws, version.commit.id[:length]) == version.number
        assert number(ws, version.commit.id[:12].upper()) == version.number


def test_a_code_commit_is_no_version(ws: Workspace, repo: Repo) -> None:
    assert "names no version" in why_not(ws, repo.git("rev-parse", "main"))
    blob = repo.git("rev-parse", "agent-state:.agent-state/02-current-task.md")
    assert "names no version" in why_not(ws, blob)


def test_an_ambiguous_prefix_names_what_it_may_be(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Versions until two of them share four digits (the birthday comes quickly)."""
    monkeypatch.setattr("gitstate.history.versions._SHORTEST_PREFIX", 1)
    monkeypatch.setattr(
        "gitstate.history.versions._HEX",
        re.compile("[0-9a-f]{1,64}"),
    )
    for at in range(20):
        if len({version.commit.id[0] for version in versions(ws)}) < len(versions(ws)):
            break
        edit(ws, f"{at}\n")
    seen: dict[str, list[str]] = {}
    for version in reversed(versions(ws)):
        seen.setdefault(version.commit.id[0], []).append(
            f"v{version.number} {version.commit.id[:16]}"
        )
    digit, rows = next((key, rows) for key, rows in seen.items() if len(rows) > 1)
    more = ", …" if len(rows) > 5 else ""
    assert why_not(ws, digit) == (
        f"{digit} is ambiguous: {', '.join(rows[:5])}{more}; give more of the id"
    )


def test_before_the_first_version(repo: Repo) -> None:
    ws = Workspace.open(repo.path)

    for name in ("v1", "HEAD", "banana"):
        assert why_not(ws, name) == (
            "there is no version yet; `gitstate snapshot` makes the first"
        )


def test_a_name_and_a_file(ws: Workspace) -> None:
    def split(name: str) -> tuple[int, str | None]:
        with engine_for(ws) as engine:
            version, file = resolve_file(ws, engine, name)
            return version.number, file

    assert split("v2") == (2, None)
    assert split("v2:02-current-task.md") == (2, "02-current-task.md")
    assert split("2026-11-28:a/b.md") == (5, "a/b.md")
    # the whole is tried first, then its last colon
    assert split("2026-11-28T14:05") == (5, None)
    assert split("2026-11-28T14:05:x.md") == (5, "x.md")
    assert split(":x.md") == (6, "x.md")
    with engine_for(ws) as engine, pytest.raises(UnknownVersion, match="'banana'"):
        resolve_file(ws, engine, "banana:x.md")
    with engine_for(ws) as engine, pytest.raises(UnknownVersion, match="'v2:'"):
        resolve_file(ws, engine, "v2:")


def test_the_machines_zone_where_none_is_set(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        monkeypatch.setenv("GITSTATE_NOW", "2026-07-01T12:00:00-04:00")
        ws = begun(repo)
        monkeypatch.setenv("GITSTATE_NOW", "2026-12-01T12:00:00-05:00")
        edit(ws, "winter\n")

        assert number(ws, "2026-07-01T12:00") == 1
        assert number(ws, "2026-12-01T11:59") == 1
        assert number(ws, "2026-12-01T12:00") == 2
    finally:
        monkeypatch.delenv("TZ")
        time.tzset()


def test_every_id_ever_printed_resolves_for_ever(repo: Repo, ws: Workspace) -> None:
    """Also what a repair replaced, and what waits, and other worktrees' versions."""
    ids = {version.commit.id: version.number for version in versions(ws)}
    repo.git("worktree", "add", "-q", "-b", "b", str(repo.path.parent / "side"))
    side = begun(Repo(repo.path.parent / "side"), "side")
    ids |= {version.commit.id: version.number for version in versions(side)}
    repo.git("branch", "-f", "agent-state", "agent-state~2")
    with session(ws, verb="fsck", wait_s=5) as engine:
        repair(ws, engine)
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")

    for identity, expected in ids.items():
        assert number(ws, identity) == expected
        assert number(side, identity[:12]) == expected
    outcome = restore(ws, next(iter(versions(side))).commit.id)
    assert outcome.version == 7
    assert (ws.state_dir / "02-current-task.md").read_text().endswith("side\n")


def test_lines(repo: Repo, ws: Workspace) -> None:
    repo.git("worktree", "add", "-q", "-b", "b", str(repo.path.parent / "side"))
    side = begun(Repo(repo.path.parent / "side"), "side")
    repo.git("branch", "agent-stately")

    with engine_for(ws) as engine:
        assert list(lines(ws, engine)) == ["agent-state", "agent-state.side"]
    with engine_for(side) as engine:
        assert list(lines(side, engine)) == ["agent-state.side", "agent-state"]


def test_newest_first_passes_over_what_is_no_version(repo: Repo, ws: Workspace) -> None:
    tip = versions(ws)[0].commit.id
    tree = repo.git("rev-parse", f"{tip}^{{tree}}")
    odd = repo.git("commit-tree", "-p", tip, "-m", "not ours", tree)

    with engine_for(ws) as engine:
        found = [version.number for version in newest_first(engine, odd)]

    assert found == [6, 5, 4, 3, 2, 1]


def test_a_shallow_clone_knows_what_it_has(
    repo: Repo, ws: Workspace, tmp_path: Path
) -> None:
    Repo(tmp_path).git(
        "clone",
        "-q",
        "--depth=2",
        "--no-single-branch",
        f"file://{repo.path}",
        "clone",
    )
    clone = Repo(tmp_path / "clone")
    there = begun(clone, "clone")

    found = [version.number for version in versions(there)]
    assert found == [7, 6, 5]
    assert number(there, "v5") == 5
    assert number(there, "HEAD~2") == 5
    assert "names no version" in why_not(there, "v4")
    assert ws.line == there.line


def test_snapshots_do_not_move_names(ws: Workspace) -> None:
    before = [version.commit.id for version in versions(ws)]
    snap(ws)
    assert [version.commit.id for version in versions(ws)] == before
