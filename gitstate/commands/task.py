"""``gitstate task``: the current task, written without editing its file by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gitstate import output
from gitstate.commands import task_whole
from gitstate.commands.common import CONTEXT, one_of
from gitstate.commands.family import Family
from gitstate.documents import CURRENT_TASK
from gitstate.errors import EXIT_DONE, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gitstate.documents.anchors import Anchor
    from gitstate.history.editing import Files
    from gitstate.workspace import Workspace

_ANCHOR = "gitstate task anchor src/core/parser.ts:142"
_FILE = 'gitstate task done 1 "root cause in parseExpr" --file src/core/parser.ts'


@click.group("task", cls=Family, context_settings=CONTEXT)
def command() -> None:
    """The current task (02-current-task.md): its goal, steps, next step and anchor.

    Each verb writes its own lines, in the language of the file, and makes a version.

    \b
    Examples:
      gitstate task start "Fix nested brackets in src/core/parser.ts parseExpr" \\
          --anchor src/core/parser.ts:142
      gitstate task step "Locate the function" "Fix it" "Add unit tests"
      gitstate task begin 1
      gitstate task done 1 "root cause in parseExpr, line 142" --file src/core/parser.ts
      gitstate task fail "Change line 140 alone" --reason "breaks the other branch"
      gitstate task next "Count open brackets in parseExpr"
      gitstate task finish
    """


@command.command("start")
@click.argument("goal")
@click.option(
    "--anchor", metavar="FILE[:LINE]", help="The place to open first, as a whole path."
)
@click.option(
    "--constraint",
    "constraints",
    multiple=True,
    metavar="TEXT",
    help="What the solution must keep to; repeatable.",
)
@click.option(
    "--step", "steps", multiple=True, metavar="TEXT", help="A step; repeatable."
)
@click.option("--next", "next_", metavar="TEXT", help="The next step.")
def start_command(
    goal: str,
    anchor: str | None,
    constraints: Sequence[str],
    steps: Sequence[str],
    next_: str | None,
) -> int:
    """Begin a task: GOAL says what is true when it is done."""
    from gitstate.memory import tasks  # noqa: PLC0415 after the words are parsed

    def change(ws: Workspace) -> Callable[[str], str]:
        at = _anchor(ws, anchor) if anchor is not None else None
        return lambda text: tasks.start(
            text,
            goal,
            constraints=constraints,
            steps=steps,
            next_step=next_,
            anchor=at,
        )

    return _edit(change, "task start", lambda: f"task: {printable(goal.strip())}")


@command.command("step")
@click.argument("steps", nargs=-1, required=True, metavar="STEP...")
def step_command(steps: Sequence[str]) -> int:
    """Add steps at the end; each gets the next number."""
    from gitstate.documents.current_task import parse  # noqa: PLC0415 as above
    from gitstate.documents.edit_steps import add_step  # noqa: PLC0415 as above
    from gitstate.memory import tasks, wording  # noqa: PLC0415 as above

    numbers: list[int] = []

    def change(text: str) -> str:
        tasks.require_task(text)
        for step in steps:
            text = add_step(text, wording.step(step))
        numbers[:] = [one.number for one in parse(text).steps[-len(steps) :]]
        return text

    def said() -> str:
        return "\n".join(
            f"step {number}: {printable(step.strip())}"
            for number, step in zip(numbers, steps, strict=True)
        )

    return _edit(lambda _: change, "task step", said)


@command.command("begin")
@click.argument("number", type=click.IntRange(min=1), metavar="STEP")
@click.option(
    "--file", "files", multiple=True, metavar="PATH", help="A file it touches."
)
def begin_command(number: int, files: Sequence[str]) -> int:
    """Begin (or go on with) the step of that number; one is in progress at a time."""
    from gitstate.memory import tasks  # noqa: PLC0415 after the words are parsed

    return _edit(
        lambda ws: lambda text: tasks.begin(text, number, _paths(ws, files)),
        "task begin",
        lambda: f"step {number} in progress",
        ends=True,
    )


@command.command("done")
@click.argument("number", type=click.IntRange(min=1), metavar="STEP")
@click.argument("conclusion", required=False)
@click.option("--conclusion", "also", metavar="TEXT", help="The same as CONCLUSION.")
@click.option(
    "--file", "files", multiple=True, metavar="PATH", help="A file it touched."
)
@click.option("--next", "next_", metavar="TEXT", help="The next step from here.")
def done_command(
    number: int,
    conclusion: str | None,
    also: str | None,
    files: Sequence[str],
    next_: str | None,
) -> int:
    """End a step with its CONCLUSION: what was found or changed, on one line."""
    conclusion = one_of(conclusion, also, "--conclusion")
    from gitstate.documents.edit_task import set_next  # noqa: PLC0415 as above
    from gitstate.memory import tasks, wording  # noqa: PLC0415 as above

    def change(ws: Workspace) -> Callable[[str], str]:
        whole = _paths(ws, files)

        def changed(text: str) -> str:
            text = tasks.done(text, number, conclusion, whole)
            return text if next_ is None else set_next(text, wording.next_step(next_))

        return changed

    return _edit(change, "task done", lambda: f"step {number} done", ends=True)


@command.command("block")
@click.argument("words", nargs=-1, metavar="[STEP] TEXT")
@click.option(
    "--gone", metavar="TEXT", help="Take out the blocker that has TEXT in it."
)
def block_command(words: Sequence[str], gone: str | None) -> int:
    """Say what a step waits for, or (without STEP) what stops the whole task."""
    from gitstate.memory import tasks  # noqa: PLC0415 after the words are parsed

    number = int(words[0]) if words and words[0].isdecimal() else None
    rest = words[1:] if number is not None else words
    if len(rest) > 1 or (gone is None and not words) or (gone is not None and words):
        message = "say either a STEP and what it waits for, or one TEXT, or --gone TEXT"
        raise click.UsageError(message)
    dropped: list[str] = []

    def change(text: str) -> str:
        if gone is not None:
            text, one = tasks.drop_block(text, gone)
            dropped[:] = [one]
            return text
        if number is not None:
            return tasks.block(text, number, rest[0] if rest else None)
        tasks.require_task(text)
        return tasks.add_block(text, rest[0])

    def said() -> str:
        if gone is not None:
            return f"no longer blocked: {printable(dropped[0])}"
        what = f"step {number} blocked" if number is not None else "blocked"
        return f"{what}: {printable(rest[0].strip())}"

    return _edit(lambda _: change, "task block", said, ends=True)


@command.command("next")
@click.argument("text")
def next_command(text: str) -> int:
    """Set the next step: an action that can be started without thinking again."""
    from gitstate.documents.edit_task import set_next  # noqa: PLC0415 as above
    from gitstate.memory import tasks, wording  # noqa: PLC0415 as above

    def change(there: str) -> str:
        tasks.require_task(there)
        return set_next(there, wording.next_step(text))

    return _edit(
        lambda _: change, "task next", lambda: f"next: {printable(text.strip())}"
    )


@command.command("anchor")
@click.argument("place", metavar="FILE[:LINE]")
def anchor_command(place: str) -> int:
    """Set the place to open first, as a whole path from the repository's root."""
    from gitstate.documents.edit_task import set_anchor  # noqa: PLC0415 as above

    def change(ws: Workspace) -> Callable[[str], str]:
        at = _anchor(ws, place)
        return lambda text: set_anchor(text, at)

    return _edit(change, "task anchor", lambda: f"anchor: {printable(place)}")


def _edit(
    change: Callable[[Workspace], Callable[[str], str]],
    verb: str,
    said: Callable[[], str],
    *,
    ends: bool = False,
) -> int:
    """Change the task file; ``ends``: a step ends, and the log of operations is written."""
    from gitstate.commands import writing  # noqa: PLC0415 after the words are parsed

    ws = writing.begin()
    edit_text = change(ws)

    def edited(files: Files) -> Mapping[str, str]:
        return {CURRENT_TASK: edit_text(files.required(CURRENT_TASK))}

    version = writing.write(ws, edited, verb=verb, ends=ends)
    output.say(f"{said()}{version}")
    return EXIT_DONE


def _anchor(ws: Workspace, text: str) -> Anchor:
    from gitstate.commands.writing import place  # noqa: PLC0415 as above
    from gitstate.documents.anchors import Anchor  # noqa: PLC0415 as above

    file, line = place(ws, text, _ANCHOR)
    return Anchor(file, line)


def _paths(ws: Workspace, files: Sequence[str]) -> list[str]:
    from gitstate.commands.writing import whole  # noqa: PLC0415 as above

    return [whole(ws, file, _FILE) for file in files]


for _one in (
    task_whole.fail_command,
    task_whole.finish_command,
    task_whole.show_command,
    task_whole.import_command,
):
    command.add_command(_one)
