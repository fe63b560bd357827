"""Write the man page git-state(1) from the command's own help: ``python docs/make_man.py``.

The page is kept in the repository (``gitstate/share``) and shipped in the wheel; a test
fails when it is not what this script would write.
"""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING

from gitstate import __version__
from gitstate.cli import VERBS
from gitstate.settings import KEYS, variable_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    import click

TARGET = Path(__file__).parents[1] / "gitstate" / "share"

# the settings that something reads today, in the order of the page
SETTINGS = (
    "dir",
    "branch",
    "lang",
    "quietMs",
    "maxWaitMs",
    "scanSeconds",
    "durable",
    "maxFileSize",
    "secrets",
    "timezone",
    "gate",
    "gateExempt",
    "gatePush",
    "push",
    "repairHooks",
    "freshnessInterval",
    "freshnessThreshold",
    "squash",
    "squashAt",
    "squashPushed",
    "archiveKeep",
    "messageCommand",
    "logKeepTurns",
    "logKeepDays",
    "briefBudget",
    "refreshTurns",
    "compactionWarn",
    "contextWindow",
    "verifyAfterBrief",
    "probe",
    "probeTurns",
    "notify",
)

DESCRIPTION = """\
A coding agent loses its working memory whenever its context is compacted. gitstate
keeps that memory outside the agent, in numbered Markdown files in .agent-state/ that
the agent and people edit, and keeps every version of them in the repository's own git,
on a branch of its own.

After `gitstate init` a background service makes a version of every change. No command
is needed for that, and none of it touches the index, HEAD, the branches or the files
of the user. `gitstate restore` brings any version back.
"""

NAMING = (
    ("v42", "The version with that number. Numbers are never used twice."),
    ("HEAD, HEAD~3", "The newest version, and the third before it."),
    ("3f2a91c", "A commit id of the line, or a unique prefix of one."),
    ("2026-11-28", "The last version of that day."),
    ("2026-11-28T14:05", "The last version at that time."),
    ('"2 hours ago"', "The last version at that time."),
)

NAMING_END = """\
Where a file may follow, the whole argument is tried as a name first and then split at
its last colon: v42:02-current-task.md.
"""

ENVIRONMENT = (
    ("GITSTATE_NOW", "Stands for the clock (ISO 8601 with an offset)."),
    ("CI", "When set, init neither starts nor registers the service."),
    ("NO_COLOR", "When set, no colours."),
    ("XDG_STATE_HOME, XDG_CONFIG_HOME", "Where the files below are."),
)

FILES = (
    (".agent-state/", "The state: what agents and people read and edit."),
    ("refs/heads/agent-state", "The versions, oldest to newest, as ordinary commits."),
    (".git/gitstate/", "Lock, format and identity of the repository."),
    (
        "$XDG_STATE_HOME/gitstate/",
        (
            "Outside the repositories: the newest version that each is known to have, the\n"
            "service's registry and log, and reports of bugs in gitstate."
        ),
    ),
)

EXIT = (
    ("0", "Done."),
    ("1", "Refused, or not so; one line on stderr says why and what to do."),
    ("2", "The words of the call are wrong."),
    ("3", "A bug of gitstate; the line names a report."),
    ("130", "Interrupted."),
)


def escaped(text: str) -> str:
    """Text for the formatter: nothing in it is taken for a request or an escape."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = re.sub(r"`([^`]+)`", r"\\fB\1\\fR", text)
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.MULTILINE)


def paragraphs(text: str) -> Iterator[str]:
    """The formatter's lines for a click help text; ``\b`` keeps a paragraph's lines."""
    for number, paragraph in enumerate(text.strip("\n").split("\n\n") if text else ()):
        lines = paragraph.rstrip().split("\n")
        if lines[0].strip(" ") == "\b":
            yield from (".PP", ".nf", *map(escaped, lines[1:]), ".fi")
        else:
            if number:
                yield ".PP"
            yield escaped("\n".join(line.strip() for line in lines))


def rows(pairs: tuple[tuple[str, str], ...]) -> Iterator[str]:
    """The formatter's lines of a list of terms."""
    for term, text in pairs:
        yield from (".TP", f"\\fB{escaped(term)}\\fR", escaped(text))


def verb(path: str, command: click.Command) -> Iterator[str]:
    """The formatter's lines of one verb, its options and its own verbs."""
    context = command.make_context(path, [], resilient_parsing=True)
    usage = " ".join(command.collect_usage_pieces(context))
    yield from (
        f'.SS "{escaped(f"{path} {usage}")}"',
        *paragraphs(inspect.cleandoc(command.help or "")),
    )
    for parameter in command.params:
        if parameter.param_type_name == "option" and not getattr(
            parameter, "hidden", False
        ):
            term = ", ".join([*parameter.opts, *parameter.secondary_opts])
            if not getattr(parameter, "is_flag", False):
                term += f" {parameter.make_metavar(context)}"
            yield from rows(((term, getattr(parameter, "help", "") or ""),))
    yield from paragraphs(command.epilog or "")
    for name, inner in getattr(command, "commands", {}).items():
        yield from verb(f"{path} {name}", inner)


def page() -> str:
    """The whole page."""
    lines = [
        '.\\" written by docs/make_man.py from the help of the command',
        f'.TH GIT\\-STATE 1 "" "gitstate {__version__}" "gitstate manual"',
        ".SH NAME",
        "git\\-state, gitstate \\- versions of a coding agent's working state",
        ".SH SYNOPSIS",
        "\\fBgitstate\\fR \\fIVERB\\fR [\\fIARGS\\fR...]",
        ".br",
        "\\fBgit state\\fR \\fIVERB\\fR [\\fIARGS\\fR...]",
        ".SH DESCRIPTION",
        *paragraphs(DESCRIPTION),
        ".SH VERBS",
    ]
    for name, row in VERBS.items():
        lines += verb(name, importlib.import_module(row.module).command)
    lines += [
        '.SH "NAMING A VERSION"',
        *rows(NAMING),
        ".PP",
        *paragraphs(NAMING_END),
        ".SH SETTINGS",
        "git config, in any scope; the environment variable wins.",
    ]
    for key in SETTINGS:
        _, _, default, text = KEYS[key]
        shown = str(default).lower() if isinstance(default, bool) else default
        term = f"gitstate.{key} ({variable_name(key)})"
        known = "" if default is None else f" Default: {shown}."
        lines += rows(((term, f"{text[:1].upper()}{text[1:]}.{known}"),))
    lines += [
        ".SH ENVIRONMENT",
        *rows(ENVIRONMENT),
        ".SH FILES",
        *rows(FILES),
        '.SH "EXIT STATUS"',
        *rows(EXIT),
        '.SH "SEE ALSO"',
        "git(1), git\\-restore(1), git\\-log(1)",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the page, and the one that leads ``man gitstate`` to it."""
    TARGET.mkdir(exist_ok=True)
    (TARGET / "git-state.1").write_text(page(), "utf-8")
    (TARGET / "gitstate.1").write_text(".so man1/git-state.1\n", "utf-8")


if __name__ == "__main__":
    main()
