"""The click side of the command: verbs that are imported only when they are called."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem, shell_complete

from gitstate import __version__, output
from gitstate.commands.family import missing
from gitstate.errors import EXIT_DONE, Refused, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gitstate.cli import Verb

EXAMPLES = """\
\b
Examples:
  gitstate init                     set up the repository you are in
  gitstate status                   what is kept, and is it up to date
  gitstate log                      the versions, newest first
  gitstate restore v17              bring a version back (this too can be undone)
  git state log                     the same, as a git command
"""


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 click's
    if wanted and not ctx.resilient_parsing:
        output.say(f"gitstate {__version__}")
        ctx.exit()


class Verbs(click.Group):
    """A group whose commands are rows of a table until one of them is called."""

    def __init__(self, table: Mapping[str, Verb]) -> None:
        super().__init__(
            name="gitstate",
            help="Keep a coding agent's working state in the repository's own git.",
            epilog=EXAMPLES,
            context_settings={
                "help_option_names": ["-h", "--help"],
                "max_content_width": 88,
            },
            subcommand_metavar="VERB [ARGS]...",
            params=[
                click.Option(
                    ["--version"],
                    is_flag=True,
                    is_eager=True,
                    expose_value=False,
                    callback=_show_version,
                    help="Show the version and exit.",
                )
            ],
        )
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 click's
        """The verbs, in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 click's
        """Import the module of a verb."""
        row = self.table.get(cmd_name)
        if row is None:
            return None
        command = importlib.import_module(row.module).command
        if not isinstance(command, click.Command):
            message = f"{row.module}.command is not a click command"
            raise TypeError(message)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that ``args`` starts with, or the one that was probably meant."""
        if args[0] in self.table or ctx.resilient_parsing or args[0].startswith("-"):
            return super().resolve_command(ctx, args)
        raise click.UsageError(missing(args[0], self.table), ctx)

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """The verbs with their one line, under the headings of the table."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, row in self.table.items():
            sections.setdefault(row.section, []).append((name, row.help))
        column = max(map(len, self.table), default=0)
        for section, rows in sections.items():
            with formatter.section(section):
                formatter.write_dl([(name.ljust(column), text) for name, text in rows])
        del ctx

    def shell_complete(
        self, ctx: click.Context, incomplete: str
    ) -> list[CompletionItem[Any]]:
        """Verbs from the table, options from click; imports no verb."""
        found: list[CompletionItem[Any]] = [
            CompletionItem(name, help=row.help)
            for name, row in self.table.items()
            if name.startswith(incomplete)
        ]
        return found + click.Command.shell_complete(self, ctx, incomplete)


def run(table: Mapping[str, Verb], words: Sequence[str], program: str) -> int:
    """Parse ``words`` and run the verb they name; returns its exit code.

    click's errors come out as gitstate's: ``UsageError``, ``Refused``, and
    ``KeyboardInterrupt`` for an aborted question.
    """
    try:
        group = Verbs(table)
        with group.make_context(program, list(words)) as context:
            answer = group.invoke(context)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return error.exit_code
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.Abort as error:
        raise KeyboardInterrupt from error
    except click.UsageError as error:
        context_of = error.ctx
        where = context_of.command_path if context_of is not None else program
        reason = " ".join(error.format_message().split()).rstrip(".")
        message = f"{reason} (see {where} --help)"
        raise UsageError(message) from error
    except click.ClickException as error:
        raise Refused(error.format_message()) from error
    return answer if isinstance(answer, int) else EXIT_DONE


def complete(table: Mapping[str, Verb], instruction: str, variable: str) -> int:
    """Answer a shell that asks for completions; ``instruction`` is click's."""
    return shell_complete(Verbs(table), {}, "gitstate", variable, instruction)
