"""One repository with a task in it, and what an agent must know of it after a compaction."""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gitstate.hooks.agents import layouts
from gitstate.recall.words import word
from tests.agents import clients
from tests.agents.stub_model import strings
from tests.support import Repo, gitstate, make_repo, wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.agents.stub_model import Stub


@dataclass(frozen=True, kw_only=True)
class Words:
    """What is recorded before an agent begins, in one language."""

    goal: str
    step: str
    next: str
    forbidden: tuple[str, ...]
    rules: tuple[str, ...]
    decision: tuple[str, str]
    condensed: str

    @property
    def binding(self) -> tuple[str, ...]:
        """What every request after a compaction must have, word for word."""
        return (self.goal, *self.forbidden, *self.rules, self.next, ANCHOR)


ANCHOR = "src/core/parser.ts:142"
WORDS = {
    "en": Words(
        goal="Fix nested brackets in src/core/parser.ts parseExpr",
        step="Locate the function",
        next="Count open brackets in parseExpr before line 142",
        forbidden=(
            "Never edit anything below legacy/",
            "Never call npm or yarn, pnpm is the package manager",
        ),
        rules=(
            "Must go through the repository layer for every database access",
            "Must log with pino through src/utils/logger.ts",
            "Must name error codes E_MODULE_REASON",
        ),
        decision=("Use pnpm", "monorepo hoisting"),
        condensed="use pnpm (reason: monorepo hoisting)",
    ),
    "zh": Words(
        goal="修复 src/core/parser.ts 的 parseExpr 嵌套括号解析",
        step="定位函数",
        next="在 parseExpr 第 142 行之前统计未闭合的括号",
        forbidden=(
            "禁止修改 legacy/ 目录下的任何文件",
            "禁止调用 npm 或 yarn，包管理器是 pnpm",  # noqa: RUF001 as it is written
        ),
        rules=(
            "所有数据库访问必须通过 repository 层",
            "必须通过 src/utils/logger.ts 用 pino 记录日志",
            "错误码必须采用 E_MODULE_REASON 格式",
        ),
        decision=("使用 pnpm", "monorepo 依赖提升"),
        condensed="使用 pnpm（理由：monorepo 依赖提升）",  # noqa: RUF001 as it is written
    ),
}
OTHER_GOAL = "Translate the manual in docs/manual.md"
CODE = "export const parseExpr = 1;"
TASK = ".agent-state/02-current-task.md"
LIMIT_S = 60
_PUT_BACK = (
    r"The state was put back to v\d+: what was learned in v\d+–v\d+ no longer holds"  # noqa: RUF001 as it is written
)


def start(path: Path, agent: str, lang: str = "en") -> Repo:
    """A repository with the story's state, and the agent's hooks in its settings."""
    repo = make_repo(path)
    repo.commit("src/core/parser.ts", f"{CODE}\n" * 150)
    repo.commit("README.md", "# hello\n")
    at, words = repo.path, WORDS[lang]
    if lang != "en":
        repo.git("config", "gitstate.lang", lang)
    gitstate("init", "--lang", lang, cwd=at, env={"CI": "1"})
    gitstate(
        "task", "start", words.goal, "--anchor", ANCHOR,
        "--step", words.step, "--next", words.next, cwd=at,
    )  # fmt: skip
    for rule in words.forbidden:
        gitstate("rule", "add", "--forbidden", rule, cwd=at)
    for rule in words.rules:
        gitstate("rule", "add", rule, cwd=at)
    title, reason = words.decision
    gitstate("decide", title, "--reason", reason, cwd=at)
    gitstate("agent", "install", agent, cwd=at)
    return repo


def other_worktree(repo: Repo, path: Path, agent: str) -> Repo:
    """A linked worktree with a task of its own, and the agent's hooks in its settings."""
    repo.git("worktree", "add", "-q", str(path))
    gitstate("init", cwd=path, env={"CI": "1"})
    gitstate("task", "start", OTHER_GOAL, cwd=path)
    gitstate("agent", "install", agent, cwd=path)
    return Repo(path)


def knows(request: dict[str, Any], lang: str = "en") -> list[str]:
    """What of the story is missing in a request, word for word."""
    whole = "\n".join(strings(request))
    return [said for said in WORDS[lang].binding if said not in whole]


def by_someone_else(repo: Repo) -> None:
    """A person changes a file that the agent changed in this task."""
    path = repo.path / "src/core/parser.ts"
    path.write_text(path.read_text() + "// by hand\n")


def says_first(request: dict[str, Any], lang: str = "en") -> None:
    """That such a file changed is said before what is to be done next."""
    whole = "\n".join(strings(request))
    begin = whole.rindex("[gitstate briefing ")
    told = whole[begin : whole.index("[end of gitstate briefing ", begin)]
    key = word(lang, "changed", path="src/core/parser.ts", when="@", what="edit")
    changed = told.index(key.partition("@")[0])
    assert changed < told.rindex(WORDS[lang].next)


def briefings(request: dict[str, Any]) -> list[str]:
    """The ids of the briefings in a request, in order; each once."""
    whole = "\n".join(strings(request))
    parts = whole.split("[gitstate briefing ")[1:]
    return list(dict.fromkeys(part[:8] for part in parts))


def status(repo: Repo, agent: str) -> dict[str, Any]:
    """What ``gitstate agent status`` says of the newest session."""
    said = gitstate("agent", "status", agent, "--json", cwd=repo.path, check=False)
    (row,) = json.loads(said.stdout)
    found: dict[str, Any] = row["sessions"][0]
    return found


def right(lang: str = "en") -> str:
    """An answer to what a briefing after a compaction ends with."""
    words = WORDS[lang]
    mark = {"en": "State check:", "zh": "状态核对："}[lang]  # noqa: RUF001 as it is said
    return f"{mark} {words.step}. {words.next}. {'. '.join(words.rules)}."


def arrived(
    repo: Repo, agent: str, request: dict[str, Any], *, injected: int = 3
) -> None:
    """All of it is in the request, once; the session's receipts and its log say so too.

    What was asked was answered right in the end: the client's words were heard.
    ``injected``: a start, a resumption, and this one.
    """
    assert knows(request) == []
    assert len(briefings(request)) == 1
    says_first(request)
    task = (repo.path / TASK).read_text()
    assert "[in progress] Locate the function" in task
    found = status(repo, agent)
    assert (found["compactions"], found["blocks"]) == (1, 0)
    assert found["received"] == found["injected"] == injected
    assert found["verified"] == 1
    log = (repo.state / "long_mem" / "operations.log").read_text()
    assert "| src/core/parser.ts | read" in log
    assert "| src/core/parser.ts | edit " in log
    leaves_nothing(repo, agent)


def leaves_nothing(repo: Repo, agent: str) -> None:
    """What an install made is gone after an uninstall, whatever the client did meanwhile."""
    paths = layouts.of(agent).paths
    assert all((repo.path / path).exists() for path in paths)
    gitstate("agent", "uninstall", agent, cwd=repo.path)
    assert not any((repo.path / path).exists() for path in paths)


def keeps_apart(
    repo: Repo,
    other: Repo,
    stub: Stub,
    here: Callable[..., object],
    there: Callable[..., object],
) -> None:
    """Sessions in two worktrees: each has its own state, and only one is told of a restore.

    ``here`` runs the client in ``repo``, ``there`` in ``other``, a linked worktree.
    """

    def asked(
        run: Callable[..., object], say: str, *, resume: bool = False
    ) -> list[str]:
        before = len(stub.requests)
        run(calls(say=say), resume=resume)
        return ["\n".join(strings(one)) for one in stub.requests[before:]]

    words = WORDS["en"]
    theirs = asked(there, "one")
    assert any(OTHER_GOAL in one for one in theirs)
    assert not any(said in one for one in theirs for said in words.binding)
    mine = asked(here, "two")
    assert any(all(said in one for said in words.binding) for one in mine)
    gitstate("restore", "HEAD~1", cwd=repo.path)
    told = asked(here, "three", resume=True)
    (lead,) = {found for one in told for found in re.findall(_PUT_BACK, one)}
    assert max(one.count(lead) for one in told) == 1
    assert not any(OTHER_GOAL in one for one in [*mine, *told])
    git = Path(other.git("rev-parse", "--absolute-git-dir"))
    assert not (git / "gitstate" / "agents" / "waiting").exists()


def blocked_once(repo: Repo, agent: str, stub: Stub) -> int:
    """The end of a turn was held up once; how many requests told why."""
    told = [one for one in stub.texts() if "src/new.ts) and" in one]
    assert told
    assert status(repo, agent)["blocks"] == 1
    return len(told)


def strip(path: Path, *events: str) -> None:
    """Have the hooks of these events say nothing, as a client that drops it would."""
    settings = json.loads(path.read_text())
    for event in events:
        for group in settings["hooks"][event]:
            for hook in group.get("hooks", [group]):
                key = "bash" if "bash" in hook else "command"
                hook[key] = f"( {hook[key]} ) >/dev/null"
    path.write_text(json.dumps(settings))


def nothing_received(
    repo: Repo, agent: str, stub: Stub, run: Callable[..., object]
) -> None:
    """Two turns of a client whose hooks were stripped: none of it is called received."""
    run(calls(say="one"))
    run(calls(say="two"), resume=True)
    assert not any("gitstate briefing" in one for one in stub.texts())
    all_lost(repo, agent)


def all_lost(repo: Repo, agent: str) -> dict[str, Any]:
    """The same, when it is known of each briefing that it was not received."""
    wait_for(lambda: (now := status(repo, agent))["not_received"] == now["injected"])
    said = gitstate("agent", "status", agent, cwd=repo.path, check=False)
    found = status(repo, agent)
    assert (said.returncode, found["received"]) == (1, 0)
    assert said.stdout.count("not received") == found["injected"] > 0
    return found


def client(name: str) -> list[str]:
    """The words that start a client; a test is skipped where its registry refuses it."""
    try:
        return clients.program(name)
    except clients.Refused as refusal:
        pytest.skip(f"the registry refuses it: {refusal}")


def environment(home: Path, **more: str) -> dict[str, str]:
    """An environment with nothing of this machine's accounts."""
    node = os.environ["PATH"]
    return {
        "PATH": node,
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        **{key: os.environ[key] for key in os.environ if key.startswith("XDG_STATE")},
        **more,
    }


@dataclass(frozen=True)
class Run:
    """What a client's process came to."""

    code: int
    out: str


def run(
    words: Sequence[str], *, cwd: Path, env: dict[str, str], stdin: str = ""
) -> Run:
    """Run a client to its end; its whole output is shown where a test fails."""
    done = subprocess.run(
        list(words),
        cwd=cwd,
        env=env,
        input=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )
    print(done.stdout[-4000:])  # noqa: T201 for whoever reads a failure
    return Run(done.returncode, done.stdout)


def calls(*each: tuple[str, object], say: str = "done", usage: int = 0) -> str:
    """A prompt that has the stub model call these tools of the client."""
    lines = [f"CALL {name} {json.dumps(arguments)}" for name, arguments in each]
    return "\n".join(
        ["please", *lines, *([f"USAGE={usage}"] if usage else []), f"SAY {say}"]
    )


def main_requests(stub: Stub, least: int = 1) -> list[dict[str, Any]]:
    """The requests that can call tools: the agent's own, no summary, no title."""
    found = [one for one in stub.requests if one.get("tools")]
    assert len(found) >= least
    return found
