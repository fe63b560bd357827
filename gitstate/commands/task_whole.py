"""``gitstate task fail|finish|import|show``: what came of a task, and a task as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

import click

from gitstate import output
from gitstate.documents import CURRENT_TASK
from gitstate.errors import EXIT_DONE, Refused, printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitstate.history.editing import Files

_FAIL = 'gitstate task fail "Change line 140 alone" --reason "breaks the other branch"'
_LARGEST = 1 << 20  # bytes of a task in JSON


@click.command("fail")
@click.argument("approach")
@click.option("--reason", metavar="TEXT", help="Why it failed.")
def fail_command(approach: str, reason: str | None) -> int:
    """Write down an approach that failed, so that nobody tries it again."""
    return fail(approach, reason)


def fail(approach: str, reason: str | None) -> int:
    """Add it to long_mem/failed-attempts.md, below the task's goal."""
    from gitstate.commands import writing  # noqa: PLC0415 after the words are parsed
    from gitstate.documents.attempts import Attempt  # noqa: PLC0415 as above
    from gitstate.memory import attempts, tasks, wording  # noqa: PLC0415 as above
    from gitstate.memory.shelf import FAILED_ATTEMPTS  # noqa: PLC0415 as above

    ws = writing.begin()

    def change(files: Files) -> Mapping[str, str]:
        text = files.required(CURRENT_TASK)
        goal = tasks.require_task(text)
        what = wording.one_line(approach, "attempt", _FAIL)
        why = wording.reason(reason, "a failed attempt", _FAIL)
        there = files.text(FAILED_ATTEMPTS)
        lang = writing.language_of(text)
        return {FAILED_ATTEMPTS: attempts.add(there, goal, Attempt(what, why), lang)}

    version = writing.write(ws, change, verb="task fail", ends=True)
    output.say(f"failed: {printable(approach.strip())}{version}")
    return EXIT_DONE


@click.command("finish")
@click.option("--unfinished", is_flag=True, help="Also where steps are not done.")
def finish_command(*, unfinished: bool) -> int:
    """Move the task to completed/, and its conclusions to long_mem/conclusions.md."""
    return finish(unfinished=unfinished)


def finish(*, unfinished: bool) -> int:
    """The task file is as it began; exit 0."""
    from gitstate import clock  # noqa: PLC0415 after the words are parsed
    from gitstate.commands import writing  # noqa: PLC0415 as above
    from gitstate.memory import finishing  # noqa: PLC0415 as above
    from gitstate.memory.shelf import CONCLUSIONS, FAILED_ATTEMPTS  # noqa: PLC0415 as above

    ws = writing.begin()
    day = clock.now(ws.settings.timezone).date().isoformat()
    where: list[str] = []

    def change(files: Files) -> Mapping[str, str]:
        done = finishing.finish(
            files.required(CURRENT_TASK),
            files.text(CONCLUSIONS),
            files.text(FAILED_ATTEMPTS),
            unfinished=unfinished,
        )
        taken = files.names(finishing.COMPLETED)
        where[:] = [finishing.name_of(done.goal, day, taken)]
        new = {where[0]: done.completed}
        if done.conclusions is not None:
            new[CONCLUSIONS] = done.conclusions
        if done.failed is not None:
            new[FAILED_ATTEMPTS] = done.failed
        return {**new, CURRENT_TASK: done.task}  # last: a kill before it loses nothing

    version = writing.write(ws, change, verb="task finish", ends=True)
    output.say(f"finished: {printable(where[0])}{version}")
    return EXIT_DONE


@click.command("import")
@click.argument("file", type=click.File("rb"), metavar="FILE|-")
def import_command(file: BinaryIO) -> int:
    """Write a task from its JSON form, whose fields are those of task-state.json.

    Only the goal must be there. A field that is wrong is named by its JSON path, and
    nothing is written then.
    """
    return import_(file.read(_LARGEST + 1))


def import_(data: bytes) -> int:
    """Exit 1 with the field that is wrong."""
    from gitstate.commands import writing  # noqa: PLC0415 after the words are parsed
    from gitstate.memory import attempts, task_import  # noqa: PLC0415 as above
    from gitstate.memory.shelf import FAILED_ATTEMPTS  # noqa: PLC0415 as above

    if len(data) > _LARGEST:
        raise Refused("no task: it is larger than 1 MiB")
    ws = writing.begin()
    found = task_import.read(data)

    def whole(path: str) -> str:
        return writing.whole(ws, path, "src/core/parser.ts")

    def change(files: Files) -> Mapping[str, str]:
        text, failed = task_import.written(files.required(CURRENT_TASK), found, whole)
        there = files.text(FAILED_ATTEMPTS)
        lang = writing.language_of(text)
        for attempt in failed:
            there = attempts.add(there, found["goal"], attempt, lang)
        return {
            **({FAILED_ATTEMPTS: there} if failed and there is not None else {}),
            CURRENT_TASK: text,
        }

    version = writing.write(ws, change, verb="task import")
    steps = len(found["subtasks"])
    output.say(f"task: {printable(found['goal'])}, {steps} steps{version}")
    return EXIT_DONE


@click.command("show")
@click.option("--json", "json_", is_flag=True, help="One JSON document.")
def show_command(*, json_: bool) -> int:
    """Show the task; ``--json`` is what long_mem/task-state.json has."""
    return show(json_=json_)


def show(*, json_: bool) -> int:
    """Exit 0, also where there is no task."""
    from gitstate.commands.common import open_workspace  # noqa: PLC0415 as above
    from gitstate.history.derived import task_document  # noqa: PLC0415 as above
    from gitstate.history.editing import viewed  # noqa: PLC0415 as above

    with viewed(open_workspace()) as files:
        found = task_document(files)
    if json_:
        output.say_json(found)
    else:
        output.say(*_screen(found))
    return EXIT_DONE


_MARKS = {"done": "x", "in_progress": ">", "blocked": "!", "todo": " "}


def _screen(found: Mapping[str, Any]) -> list[str]:
    """A task for people: the goal, the steps with their marks, and where to go on."""
    if found["goal"] is None and not found["subtasks"]:
        return ["no task"]
    lines = [output.paint(printable(found["goal"] or "(no goal)"), "bold")]
    lines += [f"  must: {printable(one)}" for one in found["constraints"]]
    for step in found["subtasks"]:
        lines.append(
            f"  [{_MARKS[step['status']]}] {step['id']}. {printable(step['desc'])}"
        )
        if step["conclusion"]:
            lines.append(f"      {printable(step['conclusion'])}")
    for one in found["failed_attempts"]:
        why = f" ({printable(one['reason'])})" if one["reason"] else ""
        lines.append(f"  failed: {printable(one['approach'])}{why}")
    lines += [f"  blocked: {printable(one)}" for one in found["blockers"]]
    if found["next"]:
        lines.append(f"  next: {printable(found['next'])}")
    if anchor := found["anchor"]:
        line = f":{anchor['line']}" if anchor["line"] else ""
        lines.append(f"  anchor: {printable(anchor['file'])}{line}")
    return lines
