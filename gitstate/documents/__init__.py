"""The numbered files: their names, and the templates in which they begin.

A template states nothing about a project: below its header and headings there are only
comments. ``templates/<lang>/<name>`` is package data.
"""

from __future__ import annotations

from gitstate.errors import UsageError, printable

LANGUAGES = ("en", "zh")

NUMBERED = (
    "00-project-context.md",
    "01-coding-conventions.md",
    "02-current-task.md",
    "03-known-issues.md",
    "04-decision-log.md",
    "05-file-map.md",
)
PROJECT_CONTEXT = NUMBERED[0]
CONVENTIONS = NUMBERED[1]
CURRENT_TASK = NUMBERED[2]
KNOWN_ISSUES = NUMBERED[3]
DECISION_LOG = NUMBERED[4]
FILE_MAP = NUMBERED[5]


def template(name: str, lang: str) -> str:
    """The text of the template ``name`` (one of ``NUMBERED``) in ``lang``.

    Raises ``UsageError`` for a language that has no templates.
    """
    from importlib.resources import files  # noqa: PLC0415 10 ms that only `init` pays

    if lang not in LANGUAGES:
        message = f"no templates in language {printable(lang)}; there are: {', '.join(LANGUAGES)}"
        raise UsageError(message)
    found = files(__name__) / "templates" / lang / name
    return found.read_text(encoding="utf-8")
