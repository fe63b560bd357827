"""Questions with a known answer, made from the facts of the project; pure."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.documents import PROJECT_CONTEXT, project_context
from gitstate.late import late
from gitstate.recall.asking import Dimension, Request
from gitstate.recall.fence import line_of
from gitstate.recall.stances import stance_of
from gitstate.recall.terms import clean, terms

if TYPE_CHECKING:
    from collections.abc import Sequence

_PARTS = late(r"[,，]\s*|\s+(?:on|in)\s+")
_ASK = {
    "en": "From memory, without looking it up: {key}?",
    "zh": "凭记忆回答，不要查阅：{key}是什么？",
}


def about(text: str, *, key: str, value: str, lang: str, part: str = "") -> Request:
    """The question for one fact or command of the project's context.

    ``part``: a question that is asked in its stead; where it speaks of a part of the
    value (the port of "MySQL 8.0, port 3307"), that part answers it.
    """
    found = project_context.parse(text)
    command = any(one.name == key and one.command == value for one in found.commands)
    bans = tuple(
        Dimension("prohibition", PROJECT_CONTEXT, line_of(one.text), one.force)
        for one in found.forbidden
    )
    others = tuple(
        Dimension("fact", PROJECT_CONTEXT, line_of(each.value), None, each.key)
        for each in found.facts
        if each.key and each.key != key
    )
    value = _part(value, part)
    one = Dimension(
        "command" if command else "fact", PROJECT_CONTEXT, line_of(value), None, key
    )
    ask = _ASK["zh" if lang == "zh" else "en"].format(key=line_of(key))
    return Request(ask, (one,), (), (*bans, *others), text)


def _part(value: str, asked: str) -> str:
    """The part of a value that a question speaks of; else the whole."""
    spoken = terms(clean(asked)).words
    parts = [one for one in _PARTS.split(value) if one]
    found = [
        one
        for one in parts
        if terms(clean(one)).words & spoken and stance_of(clean(one))[0] == "plain"
    ]
    if len(parts) < 2 or len(found) != 1:  # noqa: PLR2004 a part of nothing
        return value
    return " ".join(sorted(terms(clean(found[0])).names)) or found[0]


def probes(text: str, *, lang: str) -> Sequence[Request]:
    """A question for each fact and command that has a name and a value."""
    found = project_context.parse(text)
    pairs = [(one.key, one.value) for one in found.facts]
    pairs += [(one.name, one.command) for one in found.commands]
    return [
        about(text, key=key, value=value, lang=lang)
        for key, value in pairs
        if key and value
    ]
