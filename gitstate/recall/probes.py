"""Questions with a known answer, made from the facts of the project; pure."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.documents import PROJECT_CONTEXT, project_context
from gitstate.late import late
from gitstate.recall.asking import Dimension, Request, of_rule
from gitstate.recall.cleaning import clean
from gitstate.recall.fence import line_of
from gitstate.recall.stances import stance_of
from gitstate.recall.subjects import without_reason
from gitstate.recall.terms import terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitstate.documents.project_context import ProjectContext
    from gitstate.recall.asking import Kind

_PARTS = late(r"[,，]\s*|\s+(?:on|in)\s+")
# it asks for several parts
_BOTH = late(
    r"\b(?:which|what|how)\b.{3,60}\b(?:which|what|how)\b|\band (?:on |in |at )?(?:which|what|how)\b|[和与及].{0,6}[什多哪]|[，,].{0,6}(?:哪|什么|多少|几)"
)
_ASK = {
    "en": "From memory, without looking it up: {key}?",
    "zh": "凭记忆回答，不要查阅：{key}是什么？",
}
_ASK_COMMAND = {
    "en": "From memory, without looking it up: the command line of {key}?",
    "zh": "凭记忆回答，不要查阅：{key} 的命令行是什么？",
}


def about(text: str, *, key: str, value: str, lang: str, part: str = "") -> Request:
    """The question for one fact or command of the project's context.

    ``part``: a question that is asked in its stead; where it speaks of a part of the
    value (the port of "MySQL 8.0, port 3307"), that part answers it.
    """
    value = without_reason(value)
    found = project_context.parse(text)
    command = any(one.name == key and one.command == value for one in found.commands)
    said = line_of(value if command else _part(value, part))
    one = Dimension("command" if command else "fact", PROJECT_CONTEXT, said, None, key)
    return _request(text, found, [one], lang)


def _request(
    text: str, found: ProjectContext, asked: Sequence[Dimension], lang: str
) -> Request:
    """The question for what is called the same; one of its values is enough."""
    key, kind = asked[0].key, asked[0].kind
    bans = tuple(
        part
        for one in found.forbidden
        for part in of_rule(one, PROJECT_CONTEXT, "prohibition")
        if part.kind == "prohibition"
    )
    others = tuple(
        Dimension("fact", PROJECT_CONTEXT, line_of(each.value), None, each.key)
        for each in found.facts
        if each.key and each.key != key
    )
    words = _ASK_COMMAND if kind == "command" else _ASK
    ask = words["zh" if lang == "zh" else "en"].format(key=line_of(key))
    enough = ((kind, 1),) if len(asked) > 1 else ()
    return Request(ask, tuple(asked), enough, (*bans, *others), text)


def _part(value: str, asked: str) -> str:
    """The part of a value that a question speaks of; else the whole."""
    if _BOTH.search(asked):
        return value
    spoken = terms(clean(asked)).words
    parts = [one for one in _PARTS.split(value) if one]
    found = [
        one
        for one in parts
        if terms(clean(one)).words & spoken and stance_of(clean(one))[0] == "plain"
    ]
    told = [one for one in parts if stance_of(clean(one))[0] != "never"]
    if len(told) < 2 or len(found) != 1:  # noqa: PLR2004 a part of nothing
        return value
    return " ".join(sorted(terms(clean(found[0])).names)) or found[0]


def probes(text: str, *, lang: str) -> Sequence[Request]:
    """A question for each name of facts or commands that have a value."""
    found = project_context.parse(text)
    rows: list[tuple[Kind, str | None, str]] = [
        ("fact", one.key, one.value) for one in found.facts
    ]
    rows += [
        ("command", one.name, one.command)
        for one in found.commands
        if "`" not in one.command  # a list of names is no command line
    ]
    named: dict[tuple[Kind, str], list[Dimension]] = {}
    for kind, key, value in rows:
        if key and value:
            one = Dimension(kind, PROJECT_CONTEXT, line_of(value), None, key)
            named.setdefault((kind, key), []).append(one)
    return [_request(text, found, asked, lang) for asked in named.values()]
