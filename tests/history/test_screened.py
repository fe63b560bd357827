"""A file with a secret: held out of history, nothing of it lost, let in after a look."""

from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING

import pytest

from gitstate.errors import Refused, UsageError
from gitstate.git.objects import object_id
from gitstate.history import withheld
from gitstate.history.cache import Cache
from gitstate.history.derived import take
from gitstate.history.line import engine_for
from gitstate.history.moment import place
from gitstate.history.restore import restore
from gitstate.history.spool import Waiting
from tests.engines import begun, edit, files_of, files_on_disk, snap, versions
from tests.memory.secrets_made_up import ALNUM, made, secrets
from tests.support import Repo, gitstate, with_settings

if TYPE_CHECKING:
    from gitstate.workspace import Workspace

TASK = "02-current-task.md"
KEY = "AK" + "IA" + made(16, "ABCDEFGHIJ234567", 1)
OTHER = "gh" + "p_" + made(36, ALNUM, 2)
WITH_KEY = f"# Task\n\nnext: try\nwith {KEY} on staging\n"


def every_object(repo: Repo) -> bytes:
    """All bytes of all objects of the repository, whatever names them."""
    listing = repo.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    return "\n".join(
        repo.git("cat-file", "-p", name) for name in listing.split()
    ).encode("utf-8", "surrogateescape")


def newest(ws: Workspace) -> dict[str, bytes]:
    return files_of(ws, versions(ws)[0].commit.id)


def trailers(ws: Workspace) -> list[str]:
    return list(versions(ws)[0].record.skipped)


def texts(ws: Workspace) -> dict[str, list[bytes]]:
    """What waits: path -> texts, oldest first."""
    found: dict[str, list[bytes]] = {}
    for text in withheld.waiting(ws):
        data = withheld.read(ws, text)
        assert data is not None
        found.setdefault(text.path.decode(), []).append(data)
    return found


def test_a_planted_key_never_enters_history_while_everything_else_does(
    repo: Repo,
) -> None:
    ws = begun(repo)
    before = newest(ws)[TASK]
    repo.write("notes.md", f"new file\n{KEY}\n")
    repo.write(TASK, WITH_KEY)
    repo.write("04-decision-log.md", "two\n")
    repo.write("more/deep.md", "fine\n")

    outcome = snap(ws)

    assert outcome.version == 2
    found = newest(ws)
    assert found[TASK] == before
    assert "notes.md" not in found
    assert found["04-decision-log.md"] == b"two\n"
    assert found["more/deep.md"] == b"fine\n"
    assert trailers(ws) == [
        f"{TASK} (holds a secret: AWS Access Key in line 4)",
        "notes.md (holds a secret: AWS Access Key in line 2)",
    ]
    assert [(row.path, row.secrets) for row in outcome.skipped] == [
        (TASK.encode(), ((4, "AWS Access Key"),)),
        (b"notes.md", ((2, "AWS Access Key"),)),
    ]
    assert KEY.encode() not in every_object(repo)
    assert (ws.state_dir / TASK).read_text() == WITH_KEY
    assert not snap(ws).changed
    assert texts(ws) == {
        TASK: [WITH_KEY.encode()],
        "notes.md": [f"new file\n{KEY}\n".encode()],
    }


@pytest.mark.parametrize(
    "secret", ["private key RSA", "postgres", "env file, weak", "anthropic"]
)
def test_secrets_of_other_kinds_are_held_as_well(repo: Repo, secret: str) -> None:
    ws = begun(repo)
    text, value = secrets()[secret]
    edit(ws, f"# Task\n\n{text}\n")
    assert [row.path for row in snap(ws).skipped] == [TASK.encode()]
    assert value.encode() not in every_object(repo)


def test_what_waits_is_its_owners_alone(repo: Repo) -> None:
    repo.git("config", "core.sharedRepository", "group")
    ws = begun(repo)
    edit(ws, WITH_KEY)

    (text,) = withheld.waiting(ws)

    assert stat.S_IMODE(text.place.stat().st_mode) == 0o600
    assert text.place.is_relative_to(ws.runtime)
    assert text.id == object_id("blob", WITH_KEY.encode(), ws.object_format)
    for path in ws.runtime.rglob("*"):
        if path.is_file() and path != text.place:
            assert KEY.encode() not in path.read_bytes()


def test_nothing_is_lost_when_the_file_is_overwritten_or_deleted(repo: Repo) -> None:
    ws = begun(repo)
    repo.write("notes.md", f"one\n{KEY}\n")
    snap(ws)
    repo.write("notes.md", f"two\n{KEY}\n")
    snap(ws)
    repo.write("notes.md", "clean\n")
    snap(ws)
    (ws.state_dir / "notes.md").unlink()
    snap(ws)

    assert texts(ws) == {
        "notes.md": [f"one\n{KEY}\n".encode(), f"two\n{KEY}\n".encode()]
    }
    assert "notes.md" not in newest(ws)
    snap(ws, allow=["notes.md"])

    said = [version.commit.message.split("\n")[0] for version in versions(ws)[:2]]
    assert said[0].startswith("state v5: ")
    assert said[1] == "state v4: let in what notes.md held before"
    held = [files_of(ws, version.commit.id).get("notes.md") for version in versions(ws)]
    assert f"two\n{KEY}\n".encode() in held
    assert f"one\n{KEY}\n".encode() not in held
    assert texts(ws) == {"notes.md": [f"one\n{KEY}\n".encode()]}


def test_after_a_look_exactly_these_bytes_are_let_in(repo: Repo) -> None:
    ws = begun(repo)
    edit(ws, WITH_KEY)

    outcome = snap(ws, allow=[f".agent-state/{TASK}"])

    assert outcome.changed
    assert outcome.skipped == ()
    assert outcome.notices == (
        f"let in: {TASK}, which holds a secret: AWS Access Key in line 4",
    )
    assert newest(ws)[TASK] == WITH_KEY.encode()
    assert texts(ws) == {}
    assert not snap(ws).changed
    # the same secret is in history already; another one is not
    assert edit(ws, WITH_KEY + "more\n").changed
    later = edit(ws, WITH_KEY + f"and {OTHER}\n")
    assert [row.secrets for row in later.skipped] == [((5, "GitHub Token"),)]
    assert OTHER.encode() not in every_object(repo)
    assert newest(ws)[TASK] == (WITH_KEY + "more\n").encode()


def test_a_secret_that_was_removed_is_held_again(repo: Repo) -> None:
    ws = begun(repo)
    edit(ws, WITH_KEY)
    snap(ws, allow=[TASK])
    assert edit(ws, "without\n").changed
    assert not edit(ws, f"again {KEY}\n").changed
    assert newest(ws)[TASK] == b"without\n"


@pytest.mark.parametrize("name", [TASK, "no-such.md"])
def test_there_has_to_be_something_to_let_in(repo: Repo, name: str) -> None:
    ws = begun(repo)
    with pytest.raises(Refused, match="is not held back, and nothing of it waits"):
        snap(ws, allow=[name])
    with pytest.raises(UsageError):
        snap(ws, allow=["../x"])
    repo.write(name, b"\0")
    with pytest.raises(Refused, match="cannot be let in: not a text"):
        snap(ws, allow=[name])


def test_what_is_no_text_is_left_out_as_what_is_too_large(repo: Repo) -> None:
    ws = with_settings(begun(repo), max_file_size=1000)
    repo.write("latin.md", "caf\xe9\n".encode("latin-1"))
    repo.write("image.png", b"\x89PNG\0\0")
    repo.write("large.md", "x" * 2000)
    repo.write(TASK, b"\xff\n")
    repo.write("good.md", "fine\n")

    outcome = snap(ws)

    assert newest(ws).keys() - {f"0{at}" for at in range(6)} >= {"good.md", TASK}
    assert newest(ws)[TASK] == b"# 02-current-task.md\n\none\n"
    assert [(row.path.decode(), row.reason) for row in outcome.skipped] == [
        (TASK, "not UTF-8: byte 0xff in line 1"),
        ("image.png", "not a text: a NUL byte in line 1"),
        ("large.md", "larger than the limit of 1000 bytes"),
        ("latin.md", "not UTF-8: byte 0xe9 in line 1"),
    ]
    repo.write("latin.md", "café\n")
    assert snap(ws).changed
    assert newest(ws)["latin.md"] == "café\n".encode()


def test_the_setting_lets_everything_in(repo: Repo) -> None:
    ws = begun(repo)
    edit(ws, WITH_KEY)
    outcome = snap(with_settings(ws, secrets="allow"))
    assert outcome.changed
    assert outcome.skipped == ()
    assert newest(ws)[TASK] == WITH_KEY.encode()
    assert texts(ws) == {}


def test_a_secret_in_a_renamed_file_and_in_a_link(repo: Repo) -> None:
    ws = begun(repo)
    (ws.state_dir / TASK).rename(ws.state_dir / "99-renamed.md")
    repo.write("99-renamed.md", WITH_KEY)
    (ws.state_dir / "link").symlink_to(f"https://bot:{made(20, ALNUM, 3)}@host/x")

    outcome = snap(ws)

    assert {row.path for row in outcome.skipped} == {b"99-renamed.md", b"link"}
    assert TASK not in newest(ws)
    assert KEY.encode() not in every_object(repo)
    assert texts(ws)["99-renamed.md"] == [WITH_KEY.encode()]


def test_a_secret_in_a_name_or_in_the_users_words_is_not_told(repo: Repo) -> None:
    ws = begun(repo)
    repo.write(f"keys/{KEY}.md", "nothing\n")
    repo.write("other.md", "two\n")

    assert snap(ws).changed
    with pytest.raises(
        Refused, match="the message holds a secret: GitHub Token in line 1"
    ):
        snap(ws, text=f"before {OTHER}")

    assert trailers(ws) == ["keys (1 entry: its name holds a secret: AWS Access Key)"]
    objects = every_object(repo)
    assert KEY.encode() not in objects
    assert OTHER.encode() not in objects


def test_what_is_derived_from_a_held_file_is_left_out_with_it(repo: Repo) -> None:
    ws = begun(repo)
    repo.write(TASK, WITH_KEY)
    repo.write("long_mem/task-state.json", '{"goal": "derived"}\n')
    repo.write("long_mem/other.json", '{"goal": "own"}\n')

    outcome = snap(ws)

    assert {row.path for row in outcome.skipped} == {
        TASK.encode(),
        b"long_mem/task-state.json",
    }
    assert "long_mem/other.json" in newest(ws)


@pytest.mark.parametrize("secret", ["aws access key", "private key EC", "prose"])
def test_the_derived_file_is_let_in_with_the_task(repo: Repo, secret: str) -> None:
    ws = begun(repo)
    text, value = secrets()[secret]
    repo.write(TASK, f"# Task\n\n## Goal\n\nFix a.py\n\n## Constraints\n\n- {text}\n")

    outcome = take(ws, verb="snapshot", certain=True, allow=[TASK])

    assert outcome.skipped == ()
    assert value.split("\n")[0].encode() in newest(ws)["long_mem/task-state.json"]


# --- restore, undo, the daemon's path, links -----------------------------------------


def test_a_restore_neither_lets_it_in_nor_loses_it(repo: Repo) -> None:
    ws = begun(repo)
    edit(ws, "two\n", "04-decision-log.md")
    repo.write(TASK, WITH_KEY)
    repo.write("new.md", f"{OTHER}\n")

    done = restore(ws, "v1")

    assert files_on_disk(ws)[TASK] == WITH_KEY.encode()
    assert files_on_disk(ws)["new.md"] == f"{OTHER}\n".encode()
    assert files_on_disk(ws)["04-decision-log.md"] != b"two\n"
    assert {path for path, _ in done.left} == {TASK.encode(), b"new.md"}
    assert texts(ws).keys() == {TASK, "new.md"}
    restore(ws, "v2")
    assert newest(ws)["04-decision-log.md"] == b"two\n"
    objects = every_object(repo)
    assert KEY.encode() not in objects
    assert OTHER.encode() not in objects
    foreseen = restore(ws, "v1", dry_run=True)
    assert {change.path for change in foreseen.changed} == {b"04-decision-log.md"}


def test_a_version_with_an_allowed_secret_comes_back_whole(repo: Repo) -> None:
    ws = begun(repo)
    edit(ws, WITH_KEY)
    snap(ws, allow=[TASK])
    edit(ws, "three\n")

    restore(ws, "v2")

    assert (ws.state_dir / TASK).read_text() == WITH_KEY
    assert snap(ws).skipped == ()
    assert newest(ws)[TASK] == WITH_KEY.encode()


def test_with_a_cache_that_knows_the_file_only_by_its_id(repo: Repo) -> None:
    """As the daemon looks: again and again, the bytes read once."""
    now = [1000.0]
    cache = Cache(lambda: now[0])
    ws = begun(repo)
    repo.write("notes.md", f"{KEY}\n")
    for _ in range(4):
        now[0] += 60.0
        outcome = snap(ws, cache=cache)
        assert [row.path for row in outcome.skipped] == [b"notes.md"]
    assert texts(ws) == {"notes.md": [f"{KEY}\n".encode()]}
    withheld.waiting(ws)[0].place.unlink()
    now[0] += 60.0
    snap(ws, cache=cache)  # read again, for it has no copy
    assert texts(ws) == {"notes.md": [f"{KEY}\n".encode()]}
    assert KEY.encode() not in every_object(repo)


def test_the_state_at_a_code_commit_is_screened_too(repo: Repo) -> None:
    """The hook left the task file's bytes; the file is another by now."""
    ws = begun(repo)
    data = WITH_KEY.encode()
    waiting = Waiting(
        commit=repo.git("rev-parse", "HEAD"),
        check="updated",
        reason="",
        task=object_id("blob", data, ws.object_format),
        data=data,
        when=versions(ws)[0].commit.author.time + 5.0,
        written_ns=2**62,
    )
    with engine_for(ws) as engine:
        found = place(ws, engine, waiting, set())

    assert found is not None
    assert not found.exact
    assert KEY.encode() not in every_object(repo)
    assert texts(ws) == {TASK: [data]}


def test_what_a_restore_displaced_is_screened_too(repo: Repo) -> None:
    """Somebody wrote into a file in the very instant of its exchange, or before a kill."""
    ws = begun(repo)
    texts_there = {"a.md": WITH_KEY.encode(), "b.md": b"bin\0ary", TASK: b"fine\n"}
    kept = ws.state_dir / ".gitstate-tmp" / "0123456789abcdef" / "old"
    for name, data in texts_there.items():
        kept.mkdir(parents=True, exist_ok=True)
        (kept / name).write_bytes(data)

    snap(ws)

    assert texts(ws) == {"a.md": [WITH_KEY.encode()], "b.md": [b"bin\0ary"]}
    assert versions(ws)[1].record.version == 2
    assert files_of(ws, versions(ws)[1].commit.id)[TASK] == b"fine\n"
    assert KEY.encode() not in every_object(repo)
    assert not (ws.state_dir / ".gitstate-tmp").exists()
    assert snap(ws).changed is False


# --- when it cannot be put aside ----------------------------------------------------


def test_it_is_held_where_nothing_can_be_put_aside(repo: Repo) -> None:
    """A full disk and a read-only folder look the same: no file can be made there."""
    ws = begun(repo)
    (ws.runtime / "held").write_text("in the way\n")
    (ws.runtime / "screened").mkdir()
    repo.write(TASK, WITH_KEY)
    repo.write("other.md", "two\n")

    outcome = snap(ws)

    assert outcome.changed
    assert [row.path for row in outcome.skipped] == [TASK.encode()]
    (notice,) = outcome.notices
    assert notice.startswith(f"{TASK} is held back, and has no copy yet: cannot ")
    assert "\n" not in notice
    assert KEY.encode() not in every_object(repo)
    (ws.runtime / "held").unlink()
    assert snap(ws).notices == ()
    assert texts(ws) == {TASK: [WITH_KEY.encode()]}


def test_a_garbled_memory_lets_nothing_in(repo: Repo) -> None:
    ws = begun(repo)
    edit(ws, WITH_KEY)
    for name in ("screened", "released"):
        for garbage in (b"", b"\xff", b"[]", b'{"texts": 3}', b'{"texts": [[1]]}'):
            (ws.runtime / name).write_bytes(garbage)
            assert [row.path for row in snap(ws).skipped] == [TASK.encode()]
    assert KEY.encode() not in every_object(repo)


def test_the_texts_of_one_path_are_bounded(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    ws = begun(repo)
    monkeypatch.setattr(withheld, "EACH", 3)
    for at in range(6):
        withheld.keep(
            ws, b"a.md", object_id("blob", b"%d" % at, ws.object_format), b"%d" % at
        )
    withheld.keep(ws, b"b\n.md", object_id("blob", b"b", ws.object_format), b"b")
    assert texts(ws) == {"a.md": [b"3", b"4", b"5"], "b\n.md": [b"b"]}

    monkeypatch.setattr(withheld, "LARGEST", 4)
    withheld.keep(ws, b"b\n.md", object_id("blob", b"bc", ws.object_format), b"bc")
    assert texts(ws) == {"a.md": [b"5"], "b\n.md": [b"b", b"bc"]}
    repo.write("c.md", f"{KEY}\n")
    outcome = snap(ws)
    assert outcome.notices == (
        "c.md is held back, and has no copy yet: 0 MiB of texts with secrets wait already",
    )
    assert texts(ws) == {"a.md": [b"5"], "b\n.md": [b"bc"]}


def test_a_text_that_others_changed_is_not_let_in(repo: Repo) -> None:
    ws = begun(repo)
    repo.write("a.md", f"{KEY}\n")
    snap(ws)
    (ws.state_dir / "a.md").unlink()
    (text,) = withheld.waiting(ws)
    text.place.write_text("other\n")
    with pytest.raises(Refused, match="is damaged"):
        snap(ws, allow=["a.md"])


# --- the command --------------------------------------------------------------------


def test_the_command_says_it_in_words_and_in_json(repo: Repo) -> None:
    ws = begun(repo)
    repo.write(TASK, WITH_KEY)
    derived = {
        "path": "long_mem/task-state.json",
        "reason": f"derived from {TASK}, which is left out",
    }
    row = {
        "path": TASK,
        "reason": "holds a secret: AWS Access Key in line 4",
        "secrets": [{"line": 4, "kind": "AWS Access Key"}],
    }
    line = (
        f"left out: {TASK} (holds a secret: AWS Access Key in line 4); look at it, then "
        f"`gitstate snapshot --allow-secret {TASK}` lets it in"
    )

    done = gitstate("snapshot", "--json", cwd=repo.path)
    assert json.loads(done.stdout)["skipped"] == [row, derived]
    assert f"gitstate: {line}" in done.stderr.splitlines()
    status = json.loads(gitstate("status", "--json", cwd=repo.path).stdout)
    assert status["skipped"] == [row, derived]
    (text,) = withheld.waiting(ws)
    assert status["waiting"] == [{"path": TASK, "file": str(text.place)}]
    assert line in gitstate("status", cwd=repo.path).stdout.splitlines()

    repo.write(TASK, "clean\n")
    gitstate("snapshot", cwd=repo.path)
    said = gitstate("status", cwd=repo.path).stdout
    assert "left out" not in said
    assert (
        f"waiting: {TASK} held a secret; 1 of its texts is in {text.place.parent}"
        in said.splitlines()
    )
    done = gitstate("snapshot", "--allow-secret", TASK, cwd=repo.path)
    assert done.stderr.splitlines()[0] == (
        f"gitstate: let in: what {TASK} held before, as a version of its own"
    )
    assert newest(ws)[TASK] == b"clean\n"
    assert "waiting" not in gitstate("status", cwd=repo.path).stdout
    assert KEY not in done.stderr + said


def test_what_is_there_before_init_is_screened_too(repo: Repo) -> None:
    repo.write_six()
    repo.write("notes.md", f"{KEY}\n")

    done = gitstate("init", "--no-hooks", "--no-daemon", cwd=repo.path)

    assert (
        "gitstate: left out: notes.md (holds a secret: AWS Access Key in line 1); look at "
        "it, then `gitstate snapshot --allow-secret notes.md` lets it in"
    ) in done.stderr.splitlines()
    assert KEY.encode() not in every_object(repo)


def test_a_verb_says_that_what_it_wrote_is_held(repo: Repo) -> None:
    ws = begun(repo)
    gitstate("decide", "Use pino for logging", "--reason", "structured", cwd=repo.path)
    before = len(versions(ws))

    done = gitstate(
        "decide", f"Use the token {OTHER} for CI", "--reason", "it works", cwd=repo.path
    )

    assert (
        "left out: 04-decision-log.md (holds a secret: GitHub Token in" in done.stderr
    )
    assert "(v" not in done.stdout
    assert len(versions(ws)) == before
    assert OTHER.encode() not in every_object(repo)
    assert OTHER in (ws.state_dir / "04-decision-log.md").read_text()


def test_an_uninstall_keeps_what_waits_and_a_purge_names_it(repo: Repo) -> None:
    ws = begun(repo)
    edit(ws, WITH_KEY)
    held = ws.runtime / "held"

    done = gitstate("uninstall", cwd=repo.path)
    assert done.stdout.splitlines()[-1] == (
        f"kept: {held}, texts with secrets that are in no version"
    )
    assert texts(ws) == {TASK: [WITH_KEY.encode()]}
    assert {path.name for path in ws.runtime.iterdir()} <= {"held", "id", "format"}

    gitstate("init", "--no-hooks", "--no-daemon", cwd=repo.path)
    done = gitstate("uninstall", "--purge", "--yes", cwd=repo.path)
    assert f"  {held}: texts with secrets, in no version" in done.stdout.splitlines()
    assert not held.exists()
