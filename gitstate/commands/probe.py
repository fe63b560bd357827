"""``gitstate probe``: questions with a known answer, made from the project's facts."""

from __future__ import annotations

import click

from gitstate import output
from gitstate.commands.common import CONTEXT, open_workspace
from gitstate.errors import EXIT_DONE, Refused, printable

EXAMPLES = """\
\b
Examples:
  gitstate probe                     every question, with the name of its fact
  gitstate probe "package manager"   one question (on a terminal)
  echo "pnpm" | gitstate probe "package manager"
"""


@click.command("probe", epilog=EXAMPLES, context_settings=CONTEXT)
@click.argument("fact", required=False)
@click.option("--ask", is_flag=True, help="Only print the question.")
@click.option("--json", "json_", is_flag=True, help="One JSON document.")
def command(fact: str | None, *, ask: bool, json_: bool) -> int:
    """Print the questions, or hold an answer (standard input) against FACT.

    The questions are made from the facts and commands in 00-project-context.md. A wrong
    or evasive answer shows that an agent has lost its context. Nothing is written.
    """
    return run(fact, ask=ask, json_=json_)


def run(fact: str | None, *, ask: bool = False, json_: bool = False) -> int:
    """Exit 0; 1 where the answer is not right; refused for an unknown fact."""
    from gitstate.commands.verify import judge, on_terminal  # noqa: PLC0415 after the words are parsed
    from gitstate.recall.checks import checks_of  # noqa: PLC0415 the same

    ws = open_workspace()
    checks = checks_of(ws)
    # a fact and a command may be called the same: the command is what is run
    found = {one.dimensions[0].key: one for one in checks.probes()}
    if fact is None:
        if not found:
            raise Refused(
                "no fact is recorded to ask about: `gitstate fact set KEY VALUE` records one"
            )
        rows = [{"fact": key, "question": one.text} for key, one in found.items()]
        if json_:
            output.say_json(rows)
        else:
            output.say(
                *output.aligned(
                    [printable(key), one.text] for key, one in found.items()
                )
            )
        return EXIT_DONE
    if fact not in found:
        known = ", ".join(printable(one) for one in found)
        raise Refused(
            f"no fact {printable(fact)} is recorded; there are: {known or 'none'}"
        )
    request = found[fact]
    if ask or on_terminal():
        if json_:
            output.say_json({"fact": fact, "question": request.text})
        else:
            output.say(request.text)
        return EXIT_DONE
    return judge(checks, request, None, folder=ws.settings.dir, json_=json_)
