"""What a summary of the talk has to keep: the template for an agent's own summariser.

Failed attempts stay out of it: a summary that names them has been seen to lead back to
them. They are in the state, which the briefing gives back.
"""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.documents import CURRENT_TASK, current_task
from gitstate.errors import GitstateError
from gitstate.history.anchor import read_anchors
from gitstate.history.editing import viewed
from gitstate.memory.operations_log import OPERATIONS, parse
from gitstate.recall.fence import line_of
from gitstate.recall.file_states import last_writes

if TYPE_CHECKING:
    from gitstate.documents.current_task import CurrentTask
    from gitstate.workspace import Workspace

MOST_CHARS = 2_000
_MOST_FILES = 12

_EN = {
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
    "full": "Full state: {dir}/ ({version}); run `gitstate brief` before reading code",
}
_ZH = {
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
    "full": "完整状态：{dir}/（{version}）；读代码前先运行 `gitstate brief`",
}


def template(ws: Workspace) -> str:
    """The template, filled with what the state says; at most ``MOST_CHARS`` characters.

    A part of which the state says nothing says what to write there. Never raises
    ``GitstateError``.
    """
    words = _ZH if ws.settings.lang == "zh" else _EN
    task, paths = _read(ws)
    anchor = read_anchors(ws).get(ws.line)
    version = f"v{anchor.version}" if anchor else "-"
    full = words["full"].format(dir=ws.settings.dir, version=version)
    parts = _parts(task, paths)
    room = MOST_CHARS - len(words["lead"]) - len(full) - 2
    lines: list[str] = []
    for at, (key, text) in enumerate(parts):
        share = (room - sum(len(line) + 3 for line in lines)) // (len(parts) - at)
        said = words[key].format(text=text) if text else words[f"{key}?"]
        lines.append(said if len(said) <= share - 3 else f"{said[: share - 4]}…")
    return "\n".join([words["lead"], *(f"- {line}" for line in lines), f"- {full}"])


def _read(ws: Workspace) -> tuple[CurrentTask, list[str]]:
    try:
        with viewed(ws) as files:
            task = current_task.parse(files.text(CURRENT_TASK) or "")
            operations = parse(files.text(OPERATIONS) or "")
    except (GitstateError, OSError):
        return current_task.parse(""), []
    paths = list(last_writes(operations))
    paths += [path for step in task.steps for path in step.files if path not in paths]
    return task, list(dict.fromkeys(paths))


def _parts(task: CurrentTask, paths: list[str]) -> list[tuple[str, str]]:
    done = [
        f"{step.text}: {step.conclusion}" if step.conclusion else step.text
        for step in task.steps
        if step.status == "done"
    ]
    doing = [step.text for step in task.steps if step.status == "in_progress"]
    doing += [
        f"{step.text}: {step.conclusion}" if step.conclusion else step.text
        for step in task.steps
        if step.status == "blocked"
    ]
    doing += [one.text for one in task.blockers]
    next_step = task.next.text if task.next else ""
    if task.anchor:
        line = f":{task.anchor.line}" if task.anchor.line else ""
        next_step = f"{next_step} ({task.anchor.file}{line})".strip()
    said = {
        "goal": task.goal.text if task.goal else "",
        "done": "; ".join(done),
        "doing": "; ".join(doing),
        "next": next_step,
        "files": ", ".join(paths[:_MOST_FILES]),
    }
    return [(key, line_of(text)) for key, text in said.items()]
