"""A verb that has verbs below it (``task``, ``daemon``), and what it says of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterable

    from click.shell_completion import CompletionItem

_WHOLE = 1_000  # characters: more than any first sentence has


class Family(click.Group):
    """A group whose list tells the whole first sentence of each command.

    click cuts it where the line ends, and sorts by name.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 click's
        """The commands in the order in which they are written down, and mostly used."""
        return list(self.commands)

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """The commands by name, each with its sentence."""
        names = self.list_commands(ctx)
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._sentence(ctx, name)) for name in names])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that ``args`` starts with, or the one that was probably meant."""
        if args[0] in self.commands or ctx.resilient_parsing or args[0][:1] == "-":
            return super().resolve_command(ctx, args)
        raise click.UsageError(missing(args[0], self.commands, of=f"{self.name} "), ctx)

    def shell_complete(
        self, ctx: click.Context, incomplete: str
    ) -> list[CompletionItem[Any]]:
        """The commands and options, with the same sentences."""
        found = super().shell_complete(ctx, incomplete)
        for item in found:
            if item.value in self.commands:
                item.help = self._sentence(ctx, item.value)
        return found

    def _sentence(self, ctx: click.Context, name: str) -> str:
        one = self.get_command(ctx, name)
        return "" if one is None else one.get_short_help_str(_WHOLE)


def missing(word: str, known: Iterable[str], *, of: str = "") -> str:
    """What is said of a verb that there is not, and which one was probably meant."""
    from difflib import get_close_matches  # noqa: PLC0415 only for a mistake

    near = get_close_matches(word.lower(), known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"there is no verb {of + word!r}{hint}"
