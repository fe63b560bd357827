"""A client ends a hook that takes too long: what cannot be judged in time costs one turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import pytest

from tests.hooks.agents.places import Client, ready

if TYPE_CHECKING:
    from tests.support import Repo

ANSWER = {"last_assistant_message": "State check: nothing is in progress."}


class Killed(BaseException):
    """Nothing of ours handles it, as nothing is run after SIGKILL."""


@pytest.fixture
def client(
    repo: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Client:
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    return Client(ready(repo), capsys, monkeypatch)


def test_it_is_judged_once(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    judged = []

    def too_long(*words: object, **_: object) -> NoReturn:
        judged.append(words)
        raise Killed

    client.tell("SessionStart", "SessionStart-startup")
    client.tell("UserPromptSubmit")
    client.tell("SessionStart", "SessionStart-compact")
    (client.repo.state / "05-file-map.md").write_text("- a.txt: more\n")
    before = client.repo.git("rev-parse", "agent-state")
    monkeypatch.setattr("gitstate.hooks.agents.recalled.judged", too_long)
    with pytest.raises(Killed):
        client.tell("Stop", **ANSWER)
    assert len(judged) == 1
    # the turn's other ends were met
    assert client.repo.git("rev-parse", "agent-state") != before
    assert client.session.ended == client.session.track.turns == 1
    for _ in range(2):
        client.tell("UserPromptSubmit")
        client.tell("Stop", **ANSWER)
    assert len(judged) == 1
    assert client.session.asked == {}
    assert client.session.receipts[-1].verified is None
    # the next compaction asks again
    assert "State check:" in client.context("SessionStart", "SessionStart-compact")
    with pytest.raises(Killed):
        client.tell("Stop", **ANSWER)
    assert len(judged) == 2
