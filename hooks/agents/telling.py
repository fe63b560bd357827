"""What agents are told beside a briefing, in both languages; pure."""

# ruff: noqa: RUF001 Chinese is written as it is

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.errors import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

_SHOWN = 5  # names in one line

_TEXTS = {
    "en": {
        "start": "The state of the work in this repository, as recorded in {dir}.",
        "resume": "The session was resumed; this is the state as it is recorded now.",
        "clear": "The context was cleared; this is the state as it is recorded.",
        "fork": "The session was forked; this is the state as it is recorded.",
        "compact": (
            "Your context was compacted: what you remember is a summary. This is the "
            "recorded state; where the two differ, it holds."
        ),
        "probe": (
            "An answer of yours showed that what is recorded here has been lost. This is "
            "the recorded state."
        ),
        "again": "An earlier briefing did not reach you; here it is once more.",
        "restore": (
            "The state was put back to v{source}: what was learned in "
            "v{first}–v{last} no longer holds."
        ),
        "restore files": (
            "Of the state, {files} was put back to v{source}: what was written there in "
            "v{first}–v{last} no longer holds."
        ),
        "block": (
            "Code changed ({files}) and {task} did not. Before you finish, write what "
            'was done: `gitstate task done STEP "CONCLUSION"` (or `gitstate task next '
            '"NEXT STEP"`), `gitstate decide` for a decision, `gitstate issue add` for '
            "a new problem, `gitstate task fail` for what did not work. If nothing needs "
            "to be written, say so and finish."
        ),
        "unwritten": (
            "gitstate: code changed ({files}) and {task} has not been updated since: "
            '`gitstate task done STEP "CONCLUSION"`.'
        ),
        "warn": (
            "gitstate: {share} % of the context window is in use; it will be compacted "
            "soon. Bring the state up to date now: `gitstate task done`, `gitstate task "
            "next`, `gitstate decide`, `gitstate issue add`."
        ),
        "close": (
            "gitstate: the context was compacted twice within {turns} turns ({sizes}). "
            "Read less at a time, and write conclusions down (`gitstate note`); the next "
            "briefing leaves out what is of medium and low strength."
        ),
        "refresh": (
            "gitstate: in the last {turns} turns work was logged ({files}), and these "
            "files of the state have not changed since: {unchanged}."
        ),
        "failing": (
            "gitstate: the same command failed {count} times in a row. If the approach "
            'does not work, write it down: `gitstate task fail "APPROACH" --reason '
            '"WHY"`.'
        ),
        "undone": (
            "gitstate: an edit was undone ({files}). If the approach did not work, write "
            'it down: `gitstate task fail "APPROACH" --reason "WHY"`.'
        ),
    },
    "zh": {
        "start": "本仓库的工作状态，记录于 {dir}。",
        "resume": "会话已恢复；以下是当前记录的状态。",
        "clear": "上下文已清空；以下是记录的状态。",
        "fork": "会话已分叉；以下是记录的状态。",
        "compact": "你的上下文已被压缩：你所记得的只是摘要。以下是记录的状态；两者不一致时，以此为准。",
        "probe": "你的一个回答表明，这里记录的内容已经丢失。以下是记录的状态。",
        "again": "先前的简报没有送达；现在再给一次。",
        "restore": "状态已恢复到 v{source}：v{first}–v{last} 中得到的结论不再有效。",
        "restore files": "状态中的 {files} 已恢复到 v{source}：v{first}–v{last} 中写入其中的内容不再有效。",
        "block": (
            "代码已改动（{files}），而 {task} 没有更新。结束之前请写下所做的事："
            '`gitstate task done 步骤 "结论"`（或 `gitstate task next "下一步"`），'
            "决策用 `gitstate decide`，新问题用 `gitstate issue add`，行不通的做法用 "
            "`gitstate task fail`。如果没有要写的，请说明后结束。"
        ),
        "unwritten": (
            "gitstate：代码已改动（{files}），{task} 此后没有更新："
            '`gitstate task done 步骤 "结论"`。'
        ),
        "warn": (
            "gitstate：上下文窗口已用 {share} %，即将被压缩。请现在更新状态："
            "`gitstate task done`、`gitstate task next`、`gitstate decide`、`gitstate issue add`。"
        ),
        "close": (
            "gitstate：上下文在 {turns} 轮之内被压缩了两次（{sizes}）。每次少读一些，"
            "并写下结论（`gitstate note`）；下一次简报将略去中、低强度的内容。"
        ),
        "refresh": (
            "gitstate：最近 {turns} 轮的日志显示有工作（{files}），"
            "而以下状态文件没有变化：{unchanged}。"
        ),
        "failing": (
            "gitstate：同一条命令连续失败了 {count} 次。如果这个做法行不通，请写下来："
            '`gitstate task fail "做法" --reason "原因"`。'
        ),
        "undone": (
            "gitstate：有改动被撤销了（{files}）。如果这个做法行不通，请写下来："
            '`gitstate task fail "做法" --reason "原因"`。'
        ),
    },
}
# the verb that writes each file
VERBS = {
    "02-current-task.md": "gitstate task done / task next",
    "03-known-issues.md": "gitstate issue add",
    "04-decision-log.md": "gitstate decide",
    "05-file-map.md": "gitstate map add",
}


def say(lang: str, key: str, **words: object) -> str:
    """A text in the language of the state."""
    return _TEXTS.get(lang, _TEXTS["en"])[key].format(**words)


def named(paths: Sequence[str]) -> str:
    """A few names, each on one line whatever is in it, and how many more there are."""
    shown = ", ".join(map(printable, paths[:_SHOWN]))
    more = len(paths) - _SHOWN
    return f"{shown}, +{more}" if more > 0 else shown


def wrapped(id_: str, lead: str, text: str) -> str:
    """A briefing between its two marks: both must arrive for it to have been received."""
    return "\n".join((mark(id_), lead, "", text.rstrip("\n"), end_mark(id_)))


def mark(id_: str) -> str:
    """What a briefing begins with."""
    return f"[gitstate briefing {id_}]"


def end_mark(id_: str) -> str:
    """What it ends with."""
    return f"[end of gitstate briefing {id_}]"
