"""The template for an agent's summariser: what the state says, within its length."""

from __future__ import annotations

from gitstate.recall.handoff import MOST_CHARS, template
from tests.commands.kept import GOAL, TASK, Kept, now, repo, zh

__all__ = ["now", "repo", "zh"]


def test_it_is_filled_with_what_the_state_says(repo: Kept) -> None:
    repo.do(
        *("task", "start", GOAL, "--anchor", "src/core/parser.ts:142"),
        *("--step", "Locate it", "--step", "Fix it", "--next", "Count in parseExpr"),
    )
    repo.do("task", "done", "1", "root cause in parseExpr", "--file", "src/a.ts")
    repo.do("task", "begin", "2")
    repo.do("task", "fail", "Change line 140 alone", "--reason", "breaks the other")
    assert (
        template(repo.ws)
        == f"""\
Keep in the summary, in these words:
- Goal: {GOAL}
- Done: Locate it: root cause in parseExpr
- In progress: Fix it
- Next step: Count in parseExpr (src/core/parser.ts:142)
- Changed, as whole paths: src/a.ts
- Full state: .agent-state/ (v5); run `gitstate brief` before reading code"""
    )


def test_what_is_not_known_is_asked_for(repo: Kept) -> None:
    text = template(repo.ws)
    assert "- Goal: one sentence with the file or function it is about\n" in text
    assert text.endswith(
        "- Full state: .agent-state/ (v1); run `gitstate brief` before reading code"
    )
    for path in repo.state.glob("0*.md"):
        path.write_bytes(b"\xff")
    assert template(repo.ws) == text


def test_it_keeps_within_its_length(repo: Kept) -> None:
    steps = [f"--step=Step {number} {'long ' * 60}" for number in range(40)]
    repo.do("task", "start", GOAL, *steps)
    repo.do("task", "begin", "1")
    text = template(repo.ws)
    assert len(text) <= MOST_CHARS
    assert text.endswith("run `gitstate brief` before reading code")


def test_items_are_left_out_whole(repo: Kept) -> None:
    paths = [f"src/{'deep/' * 10}part{number}.ts" for number in range(80)]
    done = [f"{number}. [done] Do {number} {'well ' * 9}" for number in range(1, 31)]
    files = ", ".join(paths)
    (repo.state / TASK).write_text(
        f"# Task\n\n## Goal\n\n{GOAL}\n\n## Steps\n\n"
        + "\n".join(done)
        + f"\n   - Files: {files}\n\n## Next step\n\nOpen parseExpr {'now ' * 900}\n"
    )
    text = template(repo.ws)
    assert 1_500 < len(text) <= MOST_CHARS
    lines = dict(line[2:].split(": ", 1) for line in text.splitlines()[1:-1])
    assert lines["Goal"] == GOAL
    assert lines["Next step"] == "1 in .agent-state/"
    told = lines["Changed, as whole paths"].split(", ")
    assert told[-1] == f"and {80 - len(told) + 1} more"
    assert set(told[:-1]) <= set(paths)
    *steps, more = lines["Done"].split("; ")
    assert steps[-1].startswith("Do 30 ")  # the newest stay
    assert more == f"and {30 - len(steps)} more"
