"""What a summary of the talk has to keep: for an agent's own summariser, and as a file.

Failed attempts stay out of it: a summary that names them has been seen to lead back to
them. They are in the state, which the briefing gives back.
"""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gitstate.documents import CURRENT_TASK, current_task
from gitstate.documents.sections import outline
from gitstate.documents.writing import language
from gitstate.errors import GitstateError, Refused, printable
from gitstate.history import batches
from gitstate.history.anchor import read_anchors
from gitstate.history.editing import viewed
from gitstate.history.worktree_files import line_counter
from gitstate.memory import wording
from gitstate.memory.operations_log import OPERATIONS, known
from gitstate.recall.fence import line_of
from gitstate.recall.file_states import last_writes
from gitstate.values import dataclass

if TYPE_CHECKING:
    from gitstate.documents.current_task import CurrentTask
    from gitstate.history.editing import Files
    from gitstate.workspace import Workspace

HANDOFF = "long_mem/handoff.md"
MOST_CHARS = 2_000
_MOST_ITEMS = 100
_MOST_TEXT = 600  # characters of a goal or a next step: the other parts need some too
_DROPS = {"done": 1, "files": 1, "doing": 1}  # before a goal or a next step goes
_VERSION = re.compile(r"\(v\d+\)(?=[^\n]*\n?\Z)")

_EN = {
    "title": "# Handoff",
    "lead": "Keep in the summary, in these words:",
    "goal": "Goal: {text}",
    "goal?": "Goal: one sentence with the file or function it is about",
    "done": "Done: {text}",
    "done?": "Done: each finished step with its conclusion",
    "doing": "In progress: {text}",
    "doing?": "In progress: the step, and where it is stuck",
    "next": "Next step: {text}",
    "next?": "Next step: one action, with the file and line to open first",
    "files": "Changed, as whole paths: {text}",
    "files?": "Changed, as whole paths: each file",
    "done-": "Done: no step yet",
    "doing-": "In progress: no step",
    "next-": "Next step: not written down",
    "files-": "Changed, as whole paths: no file recorded",
    "full": "Full state: {dir}/ ({version}); run `gitstate brief` before reading code",
    "more": "and {count} more",
    "none": "{count} in {dir}/",
}
_ZH = {
    "title": "# 交接",
    "lead": "摘要中请原样保留：",
    "goal": "目标：{text}",
    "goal?": "目标：一句话，写明文件或函数",
    "done": "已完成：{text}",
    "done?": "已完成：每个完成的步骤及其结论",
    "doing": "进行中：{text}",
    "doing?": "进行中：步骤，以及卡在哪里",
    "next": "下一步：{text}",
    "next?": "下一步：一个动作，写明先打开的文件与行",
    "files": "已修改（完整路径）：{text}",
    "files?": "已修改（完整路径）：每个文件",
    "done-": "已完成：尚无步骤",
    "doing-": "进行中：无",
    "next-": "下一步：未写明",
    "files-": "已修改（完整路径）：没有记录",
    "full": "完整状态：{dir}/（{version}）；读代码前先运行 `gitstate brief`",
    "more": "另有 {count} 项",
    "none": "{count} 项，见 {dir}/",
}


@dataclass(frozen=True, slots=True)
class Handoff:
    """The parts as the text of a file; ``problems``: what they lack, a line each."""

    text: str
    problems: tuple[str, ...]


class _Read(NamedTuple):
    """What the parts are made of; ``paths`` newest first, ``gone``: such as were deleted.

    ``lang`` is the task file's own, where there is one.
    """

    task: CurrentTask
    paths: list[str]
    gone: set[str]
    lang: str


class _Part(NamedTuple):
    """One line: its items, the first ones kept the longest; how they are put together."""

    key: str
    items: list[str]
    between: str
    backwards: bool = False  # shown the last first


def asked_for(lang: str) -> list[str]:
    """The parts in their order, each with what belongs there."""
    words = _ZH if lang == "zh" else _EN
    return [words[f"{key}?"] for key in ("goal", "done", "doing", "next", "files")]


def template(ws: Workspace) -> str:
    """The template, filled with what the state says; at most ``MOST_CHARS`` characters.

    A part of which the state says nothing says what to write there. Whole items are left
    out where they do not fit. Never raises ``GitstateError``.
    """
    try:
        with viewed(ws) as files:
            found = _read(ws, files)
    except (GitstateError, OSError):
        found = _Read(current_task.parse(""), [], set(), ws.settings.lang)
    anchor = read_anchors(ws).get(ws.line)
    return "\n".join(_lines(ws, found, "lead", anchor.version if anchor else None))


def handoff(ws: Workspace, files: Files, version: int | None) -> Handoff:
    """The parts as the file keeps them, for the state of ``version``, and checked.

    The file that is there stays where it says the same of the version before: the one
    since then is that file's own. Raises ``Refused`` where there is no task, or its file
    cannot be read.
    """
    found = _read(ws, files)
    if found.task.goal is None:
        raise Refused(
            "no task is written down, so there is nothing to hand over: "
            'gitstate task start "Fix nested brackets in src/core/parser.ts parseExpr"'
        )
    title, *lines = _lines(ws, found, "title", version)
    text = "\n".join([title, "", *lines]) + "\n"
    there = files.text(HANDOFF)
    if there is not None and version is not None:
        before = _VERSION.sub(f"(v{version - 1})", text)
        if there == before:
            text = there
    return Handoff(text, tuple(_problems(ws, found)))


def _read(ws: Workspace, files: Files) -> _Read:
    waiting = batches.waiting(ws)
    text = files.text(CURRENT_TASK) or ""
    task = current_task.parse(text)
    writes = last_writes(known(files.text(OPERATIONS), waiting))
    paths = list(writes)
    paths += [path for step in reversed(task.steps) for path in step.files]
    gone = {path for path, one in writes.items() if one.action == "delete"}
    lang = language(outline(text)) if task.goal else ws.settings.lang
    return _Read(task, list(dict.fromkeys(paths)), gone, lang)


def _lines(ws: Workspace, found: _Read, lead: str, version: int | None) -> list[str]:
    """The lead and a line for each part, in all at most ``MOST_CHARS`` characters."""
    words = _ZH if found.lang == "zh" else _EN
    folder = ws.settings.dir
    said = "-" if version is None else f"v{version}"
    full = words["full"].format(dir=folder, version=said)
    parts = _parts(found)
    left = {
        part.key: min(len(part.items), _MOST_ITEMS)
        if part.between or len("".join(part.items)) <= _MOST_TEXT
        else 0
        for part in parts
    }

    def line(part: _Part) -> str:
        kept = part.items[: left[part.key]]
        more = len(part.items) - len(kept)
        if not part.items:  # a file tells what is, a template what to write there
            said = words[f"{part.key}{'-' if lead == 'title' else '?'}"]
            return said + (_place(found.task) if part.key == "next" else "")
        shown = kept[::-1] if part.backwards else list(kept)
        if more:
            key = "more" if kept else "none"
            shown.append(words[key].format(count=more, dir=folder))
        return words[part.key].format(text=part.between.join(shown))

    while True:
        lines = [words[lead], *(f"- {line(part)}" for part in parts), f"- {full}"]
        longest = max(
            (part for part in parts if left[part.key]),
            key=lambda part: (_DROPS.get(part.key, 0), len(line(part))),
            default=None,
        )
        # a line's end each, and the empty one below a title
        if longest is None or sum(map(len, lines)) + len(lines) + 1 <= MOST_CHARS:
            return lines
        left[longest.key] -= 1


def _parts(found: _Read) -> list[_Part]:
    task = found.task

    def told(status: str) -> list[str]:
        return [
            line_of(f"{step.text}: {step.conclusion}" if step.conclusion else step.text)
            for step in task.steps
            if step.status == status
        ]

    doing = [*told("in_progress"), *told("blocked")]
    doing += [line_of(one.text) for one in task.blockers]
    next_step = f"{task.next.text}{_place(task)}" if task.next else ""
    goal = [line_of(task.goal.text)] if task.goal else []
    return [
        _Part("goal", goal, ""),
        _Part("done", told("done")[::-1], "; ", backwards=True),
        _Part("doing", doing, "; "),
        _Part("next", [line_of(next_step)] if next_step else [], ""),
        _Part("files", [line_of(path) for path in found.paths], ", "),
    ]


def _place(task: CurrentTask) -> str:
    """Where to begin, as it stands behind the next step; "" where no place is set."""
    if task.anchor is None:
        return ""
    line = f":{task.anchor.line}" if task.anchor.line else ""
    return f" ({line_of(task.anchor.file)}{line})"


def _problems(ws: Workspace, found: _Read) -> list[str]:
    """What a reader of the parts would lack, each with the verb that mends it."""
    task, problems = found.task, []
    for said, check in ((task.goal, wording.goal), (task.next, wording.next_step)):
        try:
            check(said.text if said else "")
        except Refused as error:
            problems.append(str(error))
    length = line_counter(ws)
    if task.anchor is None or task.anchor.line is None:
        problems.append(
            "no file and line to open first: gitstate task anchor src/core/parser.ts:142"
        )
    else:
        lines = length(task.anchor.file)
        if lines is None or lines < task.anchor.line:
            place = printable(f"{task.anchor.file}:{task.anchor.line}")
            problems.append(f"{place} is not there: gitstate task anchor FILE:LINE")
    problems += [
        f"step {step.number} is done without a conclusion: "
        f'gitstate task done {step.number} "root cause in parseExpr"'
        for step in task.steps
        if step.status == "done" and not step.conclusion
    ]
    problems += [
        f"{printable(path)} is not there: gitstate op add PATH delete, "
        "or gitstate map add where it is now"
        for path in found.paths
        if path not in found.gone and length(path) is None
    ]
    return problems
