"""Numbers of decisions and issues that only versions hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gitstate.documents import DECISION_LOG, KNOWN_ISSUES
from gitstate.history.exchange import Change
from gitstate.history.line import engine_for
from gitstate.history.reading import Content
from gitstate.history.restore import restore
from gitstate.history.used_ids import highest, note
from tests.engines import begun, snap

if TYPE_CHECKING:
    from gitstate.workspace import Workspace
    from tests.support import Repo

FORMS = """\
# Decision log of 2026

## D-0004 Use npm

- Reason: it is there, and D-0900 says so
- Supersedes: D-0003
3. Run it 700 times
- 800. is a step

## [superseded] D-0031: Use make

- **D-7**: Use yarn
- [x] adr 8 Use tsc

| ID | Decision |
|---|---|
| D-12 | Use pino |
"""


@pytest.fixture
def ws(repo: Repo) -> Workspace:
    return begun(repo)


def put_away(ws: Workspace, path: str, text: str) -> None:
    old = Content(0o100644, "0" * 40, text.encode())
    with engine_for(ws) as engine:
        note(ws, engine, [Change(path.encode(), old, None)])


@pytest.mark.parametrize(
    ("path", "text", "noted"),
    [
        (DECISION_LOG, FORMS, (31, 0)),
        (DECISION_LOG, "## 决策 7 使用 pino\n", (7, 0)),
        (DECISION_LOG, "## 9. Use pino\n", (9, 0)),
        (DECISION_LOG, "- 决策 15 使用 pino\n* **#14** b\n", (15, 0)),
        (DECISION_LOG, "- [withdrawn] Decision 16: a\n- Date: 2026-11-29\n", (16, 0)),
        (DECISION_LOG, "- Step 17 fails\n- 2026-11-29 moved\n", (0, 0)),
        (DECISION_LOG, "## D-999999999 a slip\n\n## D-2 a\n", (2, 0)),
        (DECISION_LOG, "no entry in it\n", (0, 0)),
        ("archive/old.md", "## D-0005 Use make\n", (5, 0)),
        (f"old/{DECISION_LOG}", "## D-0006 Use make\n", (6, 0)),
        (KNOWN_ISSUES, "- [ ] I-3 a\n- ~~I-11 b~~\n", (0, 11)),
        ("resolved/03-known-issues-2.md", "## I-0013 Hangs\n", (0, 13)),
        ("02-current-task.md", "## D-0008 no decision\n", (0, 0)),
        ("archive/data.json", "# D-0008\n", (0, 0)),
    ],
)
def test_the_highest_of_what_goes_is_noted(
    ws: Workspace, path: str, text: str, noted: tuple[int, int]
) -> None:
    put_away(ws, path, text)
    assert (highest(ws, "D"), highest(ws, "I")) == noted


def test_a_lower_one_changes_nothing(ws: Workspace) -> None:
    put_away(ws, DECISION_LOG, "## D-0009 a\n")
    put_away(ws, DECISION_LOG, "## D-0004 a\n")
    put_away(ws, KNOWN_ISSUES, "## I-0002 a\n")
    assert (highest(ws, "D"), highest(ws, "I")) == (9, 2)


@pytest.mark.parametrize("text", ["", "[]", '{"D": "9"}', '{"D": true}', "\xff"])
def test_a_garbled_note_says_nothing(ws: Workspace, text: str) -> None:
    (ws.runtime / "used-ids").write_text(text, "latin-1")
    assert highest(ws, "D") == 0
    put_away(ws, DECISION_LOG, "## D-0009 a\n")
    assert highest(ws, "D") == 9


def test_a_restore_notes_what_it_replaces(repo: Repo, ws: Workspace) -> None:
    repo.write(DECISION_LOG, "# Log\n\n## D-0004 Use npm\n")
    snap(ws)
    restore(ws, "v1", dry_run=True)
    restore(ws, "v1", ["02-current-task.md"])
    assert highest(ws, "D") == 0
    restore(ws, "v1")
    assert highest(ws, "D") == 4


def test_what_is_damaged_is_replaced_all_the_same(ws: Workspace) -> None:
    gone = Change(DECISION_LOG.encode(), Content(0o100644, "1" * 40, None), None)
    with engine_for(ws) as engine:
        note(ws, engine, [gone])
    assert highest(ws, "D") == 0
