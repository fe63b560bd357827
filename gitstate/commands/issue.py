"""``gitstate issue``: what goes wrong, and is not gone yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from gitstate import output
from gitstate.commands.common import CONTEXT, one_of
from gitstate.commands.family import Family
from gitstate.documents import KNOWN_ISSUES
from gitstate.errors import EXIT_DONE, printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitstate.documents.known_issues import Issue, IssueKind
    from gitstate.history.editing import Files

_EXAMPLE = 'gitstate issue add "npm install leaves two lock files" --kind bug'


@click.group("issue", cls=Family, context_settings=CONTEXT)
def command() -> None:
    """Known issues (03-known-issues.md): bugs, workarounds and debts.

    \b
    Examples:
      gitstate issue add "npm install leaves two lock files" \\
          --workaround "delete package-lock.json"
      gitstate issue resolve I-0003 "yarn alone is used now"
      gitstate issue list
    """


@command.command("add")
@click.argument("title")
@click.option(
    "--kind",
    type=click.Choice(["bug", "workaround", "debt"]),
    default="bug",
    show_default=True,
    help="What sort of issue it is.",
)
@click.option("--workaround", metavar="TEXT", help="What to do meanwhile.")
def add_command(title: str, kind: str, workaround: str | None) -> int:
    """Open an issue; it gets the next number."""
    return add(title, cast("IssueKind", kind), workaround)


def add(title: str, kind: IssueKind, workaround: str | None) -> int:
    """Exit 0 with the new number."""
    from gitstate.commands import writing  # noqa: PLC0415 after the words are parsed
    from gitstate.documents import edit_issues  # noqa: PLC0415 the same
    from gitstate.memory import wording  # noqa: PLC0415 the same

    ws = writing.begin()
    day = writing.today(ws)
    made: list[Issue] = []

    def change(files: Files) -> Mapping[str, str]:
        text, new = edit_issues.add(
            files.required(KNOWN_ISSUES),
            wording.one_line(title, "issue", _EXAMPLE),
            kind_=kind,
            workaround=workaround,
            date=day,
            above=writing.highest(ws, files, "resolved", "I"),
        )
        made[:] = [new]
        return {KNOWN_ISSUES: text}

    version = writing.write(ws, change, verb="issue add")
    output.say(f"{made[0].id} {printable(made[0].title)}{version}")
    return EXIT_DONE


@command.command("resolve")
@click.argument("number", metavar="I-NNNN")
@click.argument("how", required=False)
@click.option("--how", "also", metavar="TEXT", help="The same as HOW.")
def resolve_command(number: str, how: str | None, also: str | None) -> int:
    """Set an issue resolved, and say HOW where that is worth knowing."""
    return resolve(number, one_of(how, also, "--how"))


def resolve(number: str, how: str | None) -> int:
    """Exit 0; also where it is resolved already."""
    from gitstate.commands import writing  # noqa: PLC0415 after the words are parsed
    from gitstate.documents import edit_issues  # noqa: PLC0415 the same
    from gitstate.documents.known_issues import issue_id  # noqa: PLC0415 the same

    ws = writing.begin()

    def change(files: Files) -> Mapping[str, str]:
        text = files.required(KNOWN_ISSUES)
        return {KNOWN_ISSUES: edit_issues.resolve(text, number, how)}

    version = writing.write(ws, change, verb="issue resolve")
    output.say(f"{issue_id(number) or printable(number)} resolved{version}")
    return EXIT_DONE


@command.command("list")
@click.option("--all", "all_", is_flag=True, help="Resolved ones, too.")
@click.option("--json", "json_", is_flag=True, help="One JSON document.")
def list_command(*, all_: bool, json_: bool) -> int:
    """List the open issues."""
    return list_(all_=all_, json_=json_)


def list_(*, all_: bool, json_: bool) -> int:
    """Exit 0, also where there is none."""
    from gitstate.commands.common import open_workspace  # noqa: PLC0415 as above
    from gitstate.documents import known_issues  # noqa: PLC0415 as above
    from gitstate.history.editing import viewed  # noqa: PLC0415 as above

    with viewed(open_workspace()) as files:
        found = known_issues.parse(files.required(KNOWN_ISSUES))
    issues = found.issues if all_ else found.open()
    if json_:
        output.say_json([_document(one) for one in issues])
        return EXIT_DONE
    rows = [
        (one.id or "-", one.kind, *((one.status,) if all_ else ()), _told(one))
        for one in issues
    ]
    output.say(*output.aligned(rows))
    return EXIT_DONE


def _told(one: Issue) -> str:
    meanwhile = f" (meanwhile: {one.workaround})" if one.workaround else ""
    return printable(f"{one.title}{meanwhile}")


def _document(one: Issue) -> dict[str, object]:
    return {
        "id": one.id,
        "title": one.title,
        "kind": one.kind,
        "status": one.status,
        "workaround": one.workaround,
        "resolution": one.resolution,
        "date": one.date,
        "line": one.lines.first,
    }
