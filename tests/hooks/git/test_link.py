from __future__ import annotations

import contextlib
import fcntl
import os
from typing import TYPE_CHECKING

import pytest

from gitstate import reminders
from gitstate.errors import LockHeld
from gitstate.history import links, spool
from gitstate.hooks.git import link
from tests.hooks.git.coding import Coder
from tests.support import make_repo

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NO_HOOKS = ("core.hooksPath=/dev/null",)


@pytest.fixture
def coder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Coder:
    made = Coder.begin(tmp_path)
    monkeypatch.chdir(made.repo.path)
    return made


@contextlib.contextmanager
def locked(coder: Coder) -> Iterator[None]:
    """Somebody else holds the repository's lock."""
    fd = os.open(coder.ws().lock_path, os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def late(coder: Coder) -> None:
    """Code that is a good while younger than the task file."""
    coder.repo.git("config", "gitstate.freshnessThreshold", "60")
    path = coder.repo.path / "other.txt"
    path.write_text("x\n")
    coder.backdate(path, 120)


def reminded(coder: Coder) -> int:
    return len(reminders.read(coder.ws()))


def test_what_waits_is_linked(coder: Coder) -> None:
    coder.commit(updated=True)
    (coder.runtime / "linking").write_text("1\n")
    assert link.main([]) == 0
    assert coder.check() == "updated"
    assert spool.names(coder.ws()) == []
    assert not (coder.runtime / "linking").exists()


def test_what_comes_while_it_works_is_linked_too(
    coder: Coder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hook that found it at work relies on it."""
    process, rounds = links.process, []

    def slow(*args: object, **words: object) -> links.Processed:
        done = process(*args, **words)  # type: ignore[arg-type]
        rounds.append(done.linked)
        if len(rounds) == 1:
            coder.commit(updated=True)
        return done

    monkeypatch.setattr(links, "process", slow)
    coder.commit(updated=True)
    assert link.main([]) == 0
    assert rounds == [(coder.head("HEAD~1"),), (coder.head(),)]
    assert coder.checks(2) == ["updated", "updated"]


def test_what_cannot_be_worked_off_does_not_keep_it(coder: Coder) -> None:
    (coder.runtime / "links" / "of-nobody").write_text("?")
    assert link.main([]) == 0


def test_for_one_who_waits_it_only_tries(coder: Coder) -> None:
    coder.commit(updated=True)
    with locked(coder):
        assert link.main(["--try"]) == 1
    assert coder.verdict() == "updated"
    assert link.main(["--try"]) == 0
    assert coder.check() == "updated"


def test_past_the_hooks_only_where_it_is_asked(coder: Coder) -> None:
    coder.commit(settings=NO_HOOKS)
    assert link.main([]) == 0
    assert coder.text() == ""
    assert link.main(["--look"]) == 0
    assert coder.check() == "bypassed: made past the hooks"


def test_the_tips_that_are_named_are_looked_through(coder: Coder) -> None:
    coder.git("checkout", "-q", "-b", "topic")
    coder.commit(settings=NO_HOOKS)
    tip = coder.head()
    coder.git("checkout", "-q", "main")
    assert link.main(["--try", "--look"]) == 0
    assert coder.text(tip) == ""
    assert link.main(["--try", "--look", tip]) == 0
    assert coder.check(tip) == "bypassed: made past the hooks"


def test_afterwards_it_looks_at_freshness(coder: Coder) -> None:
    coder.commit(updated=True)
    late(coder)
    coder.backdate(coder.task, 3600)
    assert link.main(["--try"]) == 0
    assert reminded(coder) == 0  # somebody waits
    assert link.main([]) == 0
    assert reminded(coder) == 1
    coder.update()
    assert link.main([]) == 0
    assert reminded(coder) == 0


def test_where_gitstate_is_not_set_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(make_repo(tmp_path / "plain").path)
    assert link.main([]) == 1
    assert not (tmp_path / "plain" / ".git" / "gitstate").exists()
    monkeypatch.chdir(tmp_path)
    assert link.main([]) == 1


def test_init_works_off_what_waits(coder: Coder) -> None:
    coder.commit(updated=True)
    coder.commit()
    coder.scene.gitstate("init", "--no-daemon")
    assert [check.partition(":")[0] for check in coder.checks(2)] == [
        "stale",
        "updated",
    ]
    assert spool.names(coder.ws()) == []


def test_init_does_not_fail_for_what_waits(coder: Coder) -> None:
    coder.commit(updated=True)
    entry = coder.runtime / "links" / f"{coder.head()}.v"
    entry.write_bytes(b"\xff\0 nonsense")
    coder.scene.gitstate("init", "--no-daemon")
    assert entry.exists()  # it may be being written
    coder.backdate(entry, 60)
    coder.scene.gitstate("init", "--no-daemon")
    assert coder.check().startswith("updated")
    assert spool.names(coder.ws()) == []


def test_another_process_at_the_lock_is_waited_for(coder: Coder) -> None:
    coder.commit(updated=True)
    with locked(coder), pytest.raises(LockHeld):
        links.process(coder.ws(), wait_s=0)
    assert coder.verdict() == "updated"
