"""Claude Code itself, against a stub model: is the state there after a compaction."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any, Self

import pytest

from gitstate.recall import handoff
from tests.agents import story
from tests.agents.stub_model import Stub, strings
from tests.support import gitstate, make_repo

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support import Repo

AGENT = "claude-code"
SETTINGS = ".claude/settings.local.json"
pytestmark = [pytest.mark.agents, pytest.mark.timeout(600)]


class Talk:
    """A session of Claude Code: what is sent, one after the other."""

    def __init__(self, repo: Repo, stub: Stub, home: Path, *more: str) -> None:
        env = story.environment(
            home,
            ANTHROPIC_BASE_URL=stub.url,
            ANTHROPIC_API_KEY="stub",
            IS_SANDBOX="1",
            DISABLE_AUTOUPDATER="1",
            DISABLE_TELEMETRY="1",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
            CLAUDE_CODE_AUTO_COMPACT_WINDOW="100000",
        )
        words = [
            *story.client(AGENT), "-p", "--input-format", "stream-json",
            "--output-format", "stream-json", "--verbose",
            "--dangerously-skip-permissions", *more,
        ]  # fmt: skip
        self._process = subprocess.Popen(
            words,
            cwd=repo.path,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.records: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        for _line in self._lines():
            pass
        try:
            self._process.wait(60)
        finally:
            self._process.kill()
            self._process.wait()
            assert self._process.stdout is not None
            self._process.stdout.close()

    def send(self, text: str) -> dict[str, Any]:
        """Send a prompt or a command; returns its result."""
        assert self._process.stdin is not None
        message = {"role": "user", "content": text}
        self._process.stdin.write(
            json.dumps({"type": "user", "message": message}) + "\n"
        )
        self._process.stdin.flush()
        for record in self._lines():
            if record.get("type") == "result":
                return record
        raise AssertionError(f"it ended: {self.records[-3:]}")

    def turn(self, prompt: str, *, resume: bool = False) -> dict[str, Any]:
        """As the other clients are run: one more turn of the session that is open."""
        assert resume or not self.records
        return self.send(prompt)

    def _lines(self) -> Iterator[dict[str, Any]]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                record = json.loads(line)
            except ValueError:
                record = {"said": line}
            self.records.append(record)
            yield record


def edit_task(repo: Repo, lang: str = "en") -> list[tuple[str, object]]:
    path, old = str(repo.path / story.TASK), story.WORDS[lang].step
    return [
        ("Read", {"file_path": path}),
        (
            "Edit",
            {"file_path": path, "old_string": old, "new_string": f"{old} parseExpr"},
        ),
    ]


@pytest.mark.parametrize("lang", story.WORDS)
def test_the_state_arrives_once_and_whole_after_each_of_three_compactions(
    tmp_path: Path, home: Path, lang: str
) -> None:
    repo = story.start(tmp_path / "repo", AGENT, lang)
    code = str(repo.path / "src/core/parser.ts")
    edit = {
        "file_path": code,
        "old_string": "parseExpr = 1",
        "new_string": "parseExpr = 2",
        "replace_all": True,
    }
    with Stub() as stub, Talk(repo, stub, home) as talk:
        read = ("Read", {"file_path": code})
        talk.send(story.calls(read, ("Edit", edit), *edit_task(repo, lang)))
        assert story.knows(story.main_requests(stub)[0], lang) == []
        story.by_someone_else(repo)
        for _ in range(3):
            talk.send("/compact")
            before = len(stub.requests)
            summary = "\n".join(strings(stub.requests[before - 1]))
            talk.send(story.calls(say="going on"))
            # the summariser got the template, the request after it the state, once
            assert "gitstate brief" in summary.rpartition("Additional")[2]
            after = stub.requests[before]
            assert story.knows(after, lang) == []
            assert len(story.briefings(after)) == 1
            story.says_first(after, lang)
        talk.send(story.calls(say="and on"))
    words = story.WORDS[lang]
    assert f"{words.step} parseExpr" in (repo.path / story.TASK).read_text("utf-8")
    assert words.condensed in gitstate("condense", cwd=repo.path).stdout
    found = story.status(repo, AGENT)
    assert (found["compactions"], found["injected"], found["received"]) == (3, 4, 4)
    assert found["blocks"] == 0
    log = (repo.state / "long_mem" / "operations.log").read_text()
    assert "| src/core/parser.ts | read" in log
    assert "| src/core/parser.ts | edit " in log
    story.leaves_nothing(repo, AGENT)


def test_compaction_by_itself_and_in_the_middle_of_a_turn(
    tmp_path: Path, home: Path
) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    with Stub() as stub, Talk(repo, stub, home) as talk:
        talk.send(story.calls(say="first", usage=98_000))
        before = len(stub.requests)
        # tried at once, and failed: there is too little to be summed up; then it succeeds
        talk.send(story.calls(*edit_task(repo), say="second", usage=98_000))
    results = [one["compact_result"] for one in talk.records if "compact_result" in one]
    assert results == ["failed", "success"]
    after = [one for one in stub.requests[before:] if "STUB-SUMMARY" in str(one)]
    assert story.knows(after[0]) == []
    assert len(story.briefings(after[0])) == 1
    found = story.status(repo, AGENT)
    assert (found["compactions"], found["injected"], found["received"]) == (1, 2, 2)


@pytest.mark.parametrize("lang", story.WORDS)
def test_what_was_taken_in_is_verified_and_what_was_missed_comes_back(
    tmp_path: Path, home: Path, lang: str
) -> None:
    repo = story.start(tmp_path / "repo", AGENT, lang)
    words = story.WORDS[lang]
    mark = {"en": "State check:", "zh": "状态核对："}[lang]  # noqa: RUF001 as it is said
    with Stub() as stub, Talk(repo, stub, home) as talk:
        talk.send(story.calls(say="first"))
        talk.send("/compact")
        talk.send(story.calls(say=story.right(lang)))
        assert story.status(repo, AGENT)["verified"] == 1
        talk.send("/compact")
        talk.send(story.calls(say=f"{mark} {words.step}."))
        before = len(stub.requests)
        talk.send(story.calls(say="going on"))
        back = "\n".join(strings(stub.requests[before])).rpartition(mark)[0]
    missed = {"en": "not said: next: ", "zh": "没有说到：下一步："}[lang]  # noqa: RUF001 the same
    assert f"{missed}{words.next}" in back
    assert story.status(repo, AGENT)["verified"] == 1


def plugin(repo: Repo, folder: Path) -> str:
    gitstate("agent", "plugin", str(folder), cwd=repo.path)
    return str(folder)


@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside settings"])
def test_a_plugin_gives_the_state_back_once(
    tmp_path: Path, home: Path, *, beside: bool
) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    if not beside:
        gitstate("agent", "uninstall", AGENT, cwd=repo.path)
    words = ("--plugin-dir", plugin(repo, tmp_path / "plugin"))
    code = str(repo.path / "src/core/parser.ts")
    with Stub() as stub, Talk(repo, stub, home, *words) as talk:
        talk.send(story.calls(("Read", {"file_path": code}), *edit_task(repo)))
        assert story.knows(story.main_requests(stub)[0]) == []
        talk.send("/compact")
        before = len(stub.requests)
        talk.send(story.calls(say="going on"))
        after = stub.requests[before]
    (init,) = [one for one in talk.records[:20] if one.get("subtype") == "init"][:1]
    assert {"gitstate:handoff", "gitstate:brief"} <= set(init["slash_commands"])
    assert "gitstate:gitstate" in init["skills"]
    assert story.knows(after) == []
    assert len(story.briefings(after)) == 1
    found = story.status(repo, AGENT)
    assert (found["compactions"], found["injected"], found["received"]) == (1, 2, 2)
    log = (repo.state / "long_mem" / "operations.log").read_text()
    assert log.count("| src/core/parser.ts | read") == 1


def test_the_client_takes_the_plugin_for_a_good_one(tmp_path: Path, home: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    folder = plugin(repo, tmp_path / "plugin")
    env = story.environment(home, DISABLE_AUTOUPDATER="1")
    for words in (
        ["validate", folder],
        ["marketplace", "add", folder],
        ["install", "gitstate@gitstate"],
    ):
        done = story.run(
            [*story.client(AGENT), "plugin", *words], cwd=repo.path, env=env
        )
        assert done.code == 0, done.out
    with Stub() as stub, Talk(repo, stub, home) as talk:
        talk.send(story.calls(say="one"))
    (init,) = [one for one in talk.records[:20] if one.get("subtype") == "init"][:1]
    assert "gitstate:handoff" in init["slash_commands"]


def test_a_handoff_is_asked_for_where_nothing_is_set_up(
    tmp_path: Path, home: Path
) -> None:
    repo = make_repo(tmp_path / "repo")
    words = ("--plugin-dir", plugin(repo, tmp_path / "plugin"))
    with Stub() as stub, Talk(repo, stub, home, *words) as talk:
        talk.send("/gitstate:handoff")
        asked = "\n".join(strings(story.main_requests(stub)[0]))
    for said in (*handoff.asked_for("en"), f"{handoff.MOST_CHARS:,} characters"):
        assert said in asked
    assert not (repo.path / ".git" / "gitstate").exists()


def test_the_end_of_a_turn_is_blocked_once(tmp_path: Path, home: Path) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    code = str(repo.path / "src" / "new.ts")
    with Stub() as stub, Talk(repo, stub, home) as talk:
        talk.send(story.calls(("Write", {"file_path": code, "content": "x\n"})))
        told = [one for one in stub.texts() if "src/new.ts) and" in one]
        talk.send(story.calls(say="nothing more"))
    assert len(told) == 1
    assert story.status(repo, AGENT)["blocks"] == 1


def test_worktrees_keep_apart_and_a_restore_is_told(tmp_path: Path, home: Path) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    other = story.other_worktree(repo, tmp_path / "other", AGENT)
    with (
        Stub() as stub,
        Talk(repo, stub, home) as here,
        Talk(other, stub, home) as there,
    ):
        story.keeps_apart(repo, other, stub, here.turn, there.turn)


def test_what_was_stripped_is_not_received(tmp_path: Path, home: Path) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    story.strip(repo.path / SETTINGS, "SessionStart", "UserPromptSubmit")
    with Stub() as stub, Talk(repo, stub, home) as talk:
        talk.send(story.calls(say="one"))
        for word in ("two", "three", "four"):
            talk.send(story.calls(say=word))
    assert not any("gitstate briefing" in one for one in stub.texts())
    found = story.all_lost(repo, AGENT)
    # and it was given once more, and no oftener
    assert [one["reason"] for one in found["briefings"]] == ["start", "again"]


def test_uninstall_leaves_the_settings_as_they_were(tmp_path: Path, home: Path) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    gitstate("agent", "uninstall", AGENT, cwd=repo.path)
    path = repo.path / SETTINGS
    assert not path.parent.exists()
    theirs = (
        b'{\n\t"permissions": { "allow": ["Bash(ls)"] },\n\t"hooks": {"Stop": []}\n}'
    )
    path.parent.mkdir()
    path.write_bytes(theirs)
    gitstate("agent", "install", AGENT, cwd=repo.path)
    assert path.read_bytes() != theirs
    with Stub() as stub, Talk(repo, stub, home) as talk:
        talk.send(story.calls(say="one"))
    assert story.knows(story.main_requests(stub)[0]) == []
    gitstate("agent", "uninstall", AGENT, cwd=repo.path)
    assert path.read_bytes() == theirs
