"""`gitstate mcp`, spoken to by the protocol's own client over pipes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.engines import init
from tests.inside import call
from tests.support import command, gitstate, make_repo

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from tests.support import Repo

mcp = pytest.importorskip(
    "mcp.server.mcpserver", reason="the extra mcp is not installed"
)

NOW = "2026-11-29T14:05:00+01:00"
GOAL = "Fix nested brackets in src/core/parser.ts parseExpr"


class Session:
    """A client's session: tools called by name, answered with text."""

    def __init__(self, client: Any) -> None:
        self.client = client

    async def __call__(self, tool: str, **arguments: object) -> str:
        """The text of what was done."""
        answer = await self.client.call_tool(tool, arguments)
        assert not answer.is_error, answer
        (content,) = answer.content
        text: str = content.text
        return text

    async def refused(self, tool: str, **arguments: object) -> str:
        """The text of what was not."""
        answer = await self.client.call_tool(tool, arguments)
        assert answer.is_error, answer
        (content,) = answer.content
        text: str = content.text
        return text


def talk(
    cwd: Path,
    said: Callable[[Session], Awaitable[None]],
    *,
    path: str | None = None,
    mode: str = "auto",
) -> str:
    """Hold a session with a server in ``cwd``; returns what that wrote to stderr."""
    import anyio  # noqa: PLC0415 comes with the extra
    from mcp.client import Client  # noqa: PLC0415 the same
    from mcp.client.stdio import StdioServerParameters, stdio_client  # noqa: PLC0415 the same

    program, *words = command("mcp", *([path] if path else []))
    server = StdioServerParameters(
        command=program, args=words, cwd=cwd, env=dict(os.environ)
    )
    log = cwd.parent / "server.log"

    wrong: list[AssertionError] = []

    async def hold() -> None:
        with log.open("w", encoding="utf-8") as errlog:
            async with Client(stdio_client(server, errlog), mode=mode) as client:
                try:
                    await said(Session(client))
                except AssertionError as error:  # else it would be told in a group
                    wrong.append(error)

    anyio.run(hold)
    for error in wrong:
        raise error
    return log.read_text("utf-8")


@pytest.fixture
def state(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("GITSTATE_NOW", NOW)
    repo.commit("src/core/parser.ts", "x\n" * 200)
    init(repo)
    return repo


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_its_tools_are_few_and_short(state: Repo, mode: str) -> None:
    async def said(session: Session) -> None:
        tools = (await session.client.list_tools()).tools
        assert [(one.name, one.annotations.read_only_hint) for one in tools] == [
            ("brief", True),
            ("verify", True),
            ("task", False),
            ("decide", False),
            ("log", True),
            ("search", True),
            ("restore", False),
        ]
        shown = [one.model_dump(by_alias=True, exclude_none=True) for one in tools]
        assert len(json.dumps(shown)) < 4000
        for one in tools:
            assert one.description
            assert "\n    " not in one.description
        assert "brief" in session.client.instructions

    assert talk(state.path, said, mode=mode) == ""


def test_a_tool_says_and_does_what_its_verb_does(state: Repo) -> None:
    async def said(session: Session) -> None:
        task = session
        assert await task("task", action="start", text=GOAL) == f"task: {GOAL} (v2)"
        assert await task("task", action="step", text="Locate it") == (
            "step 1: Locate it (v3)"
        )
        assert await task("task", action="begin", step=1) == "step 1 in progress (v4)"
        done = await task(
            "task",
            action="done",
            step=1,
            text="-1 is the depth in parseExpr, line 142",
            files=["src/core/parser.ts"],
            next="Count open brackets in parseExpr",
        )
        assert done == "step 1 done (v5)"
        assert await task("task", action="anchor", text="src/core/parser.ts:142") == (
            "anchor: src/core/parser.ts:142 (v6)"
        )
        failed = await task(
            "task", action="fail", text="Change line 140 alone", reason="--no effect"
        )
        assert failed == "failed: Change line 140 alone (v7)"
        blocked = await task("task", action="block", text="CI has no node 20")
        assert blocked == "blocked: CI has no node 20 (v8)"
        decided = await session(
            "decide",
            decision="Use yarn",
            reason="npm writes two lock files",
            alternatives=["npm: two lock files", "-x: no such thing"],
            confidence="high",
        )
        assert decided == "D-0001 Use yarn (v9)"
        assert await session("task", action="show") == same("task", "show")
        assert await session("brief") == same("brief")
        assert await session("brief", budget=4000) == same("brief", "--budget", "4000")
        assert await session("log", count=3) == same("log", "-n", "3")
        assert await session("log", file="04-decision-log.md") == (
            same("log", "-n", "10", "04-decision-log.md")
        )
        assert await session("log", grep="yarn") == same("log", "--grep", "yarn")
        assert await session("search", text="lock files") == same(
            "search", "lock files"
        )

    def same(*words: str) -> str:
        verb = call(state.path, *words)
        assert (verb.code, verb.err) == (0, "")
        return verb.out.rstrip("\n")

    assert talk(state.path, said) == ""
    assert "- Conclusion: -1 is the depth in parseExpr, line 142\n" in (
        state.state / "02-current-task.md"
    ).read_text("utf-8")
    assert state.git("rev-list", "--count", "agent-state") == "9"


def test_what_a_verb_refuses_is_an_error_in_its_words(state: Repo) -> None:
    async def said(session: Session) -> None:
        assert await session.refused("task", action="next", text="Go on") == (
            call(state.path, "task", "next", "Go on").err.rstrip("\n")
        )
        assert "a decision needs its reason" in await session.refused(
            "decide", decision="Use yarn", reason=""
        )
        assert await session.refused("search", text="--json") == (
            "gitstate: nowhere: --json"
        )
        assert "no version" in await session.refused("restore", version="banana")
        assert await session.refused("task", action="begin", step=-1) == (
            "gitstate: Invalid value for 'STEP': -1 is not in the range x>=1 "
            "(see gitstate task begin --help)"
        )
        assert "action" in await session.refused("task", action="import")
        assert "nothing" in await session.refused("nothing")

    assert talk(state.path, said) == ""
    assert state.git("rev-list", "--count", "agent-state") == "1"


def test_an_answer_is_checked_as_the_verb_checks_it(state: Repo) -> None:
    gitstate(
        "rule", "add", "Never edit src/gen/, because make writes it", cwd=state.path
    )
    gitstate("task", "start", GOAL, "--step", "Locate it", cwd=state.path)
    gitstate("task", "begin", "1", cwd=state.path)
    name = "01-coding-conventions.md"

    async def said(session: Session) -> None:
        for answer in ("Never edit src/gen/.", "I edit src/gen/ by hand."):
            verb = gitstate("verify", name, cwd=state.path, stdin=answer, check=False)
            assert await session("verify", file=name, answer=answer) == (
                verb.stdout + verb.stderr
            ).rstrip("\n")
        assert "nothing.md" in await session.refused(
            "verify", file="nothing.md", answer="x"
        )
        found = await session("verify", answer="Step 1 (Locate it) is in progress.")
        assert found == "accepted: 1 of 1 are there"

    assert talk(state.path, said) == ""


def test_restore_asks_first(state: Repo) -> None:
    first = (state.state / "03-known-issues.md").read_bytes()
    gitstate("issue", "add", "Two lock files after npm install", cwd=state.path)
    second = (state.state / "03-known-issues.md").read_bytes()
    count = "rev-list", "--count", "agent-state"

    def token_in(text: str) -> str:
        found = re.search(r"token=([0-9a-f]{8})$", text)
        assert found, text
        return found[1]

    async def said(session: Session) -> None:
        asked = await session("restore", version="v1")
        token = token_in(asked)
        assert asked == (
            "restoring v1 would change:\n  ~ 03-known-issues.md\n"
            f"Nothing is changed yet. To do this, call restore again with token={token}"
        )
        for wrong in (
            {"version": "v1", "token": "00000000"},
            {"version": "v1", "files": ["03-known-issues.md"], "token": token},
        ):
            said = await session("restore", **wrong)
            assert "That token is not, or no longer, for this restore." in said
        assert (state.state / "03-known-issues.md").read_bytes() == second
        assert state.git(*count) == "2"

        token = token_in(await session("restore", version="v1"))
        # what was shown is not what would be done now
        state.write("05-file-map.md", "# File map\n\n- src/a.ts: parses\n")
        again = await session("restore", version="v1", token=token)
        assert "  ~ 05-file-map.md\n" in again
        assert "That token is not, or no longer, for this restore." in again
        assert state.git(*count) == "2"

        done = await session("restore", version="v1", token=token_in(again))
        assert done == (
            "saved the present as v3\nrestored v1 as v4\n"
            "  ~ 03-known-issues.md\n  ~ 05-file-map.md"
        )
        assert await session("restore", version="v1", token=token) == (
            "nothing to change"
        )

    assert talk(state.path, said) == ""
    assert (state.state / "03-known-issues.md").read_bytes() == first
    assert state.git(*count) == "4"


def test_the_repository_is_where_it_was_told(state: Repo, tmp_path: Path) -> None:
    elsewhere = make_repo(tmp_path / "else" / "where").path

    async def said(session: Session) -> None:
        assert "first version" in await session("log")

    assert talk(elsewhere, said, path=str(state.path)) == ""


HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def calls(*, tool: str, id_: int, **arguments: object) -> dict[str, object]:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": params}


class Server(subprocess.Popen[bytes]):
    """A server without a client's library: what it writes is seen as it is."""

    def __init__(self, cwd: Path) -> None:
        pipe = subprocess.PIPE
        super().__init__(command("mcp"), cwd=cwd, stdin=pipe, stdout=pipe, stderr=pipe)

    def send(self, *messages: object) -> None:
        assert self.stdin
        for one in messages:
            line = one if isinstance(one, bytes) else json.dumps(one).encode()
            self.stdin.write(line + b"\n")
        self.stdin.flush()

    def answer(self) -> Any:
        assert self.stdout
        return json.loads(self.stdout.readline())


def test_it_ends_with_its_input_and_writes_only_the_protocol(state: Repo) -> None:
    with Server(state.path) as server:
        server.send(HELLO)
        assert server.answer()["result"]["serverInfo"]["name"] == "gitstate"
        server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        server.send(b"\xff\xfe no JSON", b"[1, 2]", b"", {"jsonrpc": "2.0", "id": 2})
        server.send({"jsonrpc": "2.0", "id": 3, "method": "nothing"})
        while (said := server.answer()).get("id") != 3:
            assert said["jsonrpc"] == "2.0"
        assert said["error"]["code"] == -32601
        # a verb that speaks on both streams, with a name that is no UTF-8 in it
        name = b"pipe.md" if sys.platform == "darwin" else b"pipe-\xff.md"
        os.mkfifo(os.fsencode(state.state) + b"/" + name)
        server.send(calls(tool="task", id_=4, action="start", text=GOAL))
        (content,) = server.answer()["result"]["content"]
        assert content["text"].startswith(f"task: {GOAL} (v2)\ngitstate: left out: ")
        out, err = server.communicate(timeout=60)
    assert (server.returncode, out, err) == (0, b"", b"")


def test_a_client_that_is_gone_ends_it(state: Repo) -> None:
    with Server(state.path) as server:
        server.send(HELLO)
        server.answer()
        assert server.stdout
        server.stdout.close()
        server.send(calls(tool="log", id_=2))
        assert server.stdin
        server.stdin.close()
        assert server.wait(timeout=60) == 0
        assert server.stderr
        assert server.stderr.read() == b""


def test_without_a_repository_it_says_so_at_once(tmp_path: Path) -> None:
    done = gitstate("mcp", cwd=tmp_path, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("gitstate: ")
    assert done.stderr.count("\n") == 1
    done = gitstate("mcp", str(tmp_path / "a\nb"), cwd=tmp_path, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (
        1,
        "",
        f"gitstate: cannot go to {tmp_path}/a\\nb: No such file or directory\n",
    )


@pytest.mark.parametrize("there", ["nothing", "version 1"])
def test_without_the_extra_one_line_says_how_to_get_it(
    state: Repo, tmp_path: Path, there: str
) -> None:
    hiding = tmp_path / "hiding"
    (hiding / "mcp" / "server").mkdir(parents=True)
    text = "raise ModuleNotFoundError('No module named mcp', name='mcp')"
    (hiding / "mcp" / "__init__.py").write_text(text if there == "nothing" else "")
    (hiding / "mcp" / "server" / "__init__.py").write_text("")
    env = {**os.environ, "PYTHONPATH": str(hiding)}
    done = subprocess.run(
        command("mcp"), cwd=state.path, env=env, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, b"")
    line = done.stderr.decode()
    assert line.startswith("gitstate: the MCP server needs the extra mcp, ")
    assert line.endswith(f"{sys.executable} -m pip install 'mcp>=2,<3'\n")
    assert line.count("\n") == 1
