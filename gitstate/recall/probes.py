"""Questions with a known answer, made from the facts of the project; pure."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.documents import PROJECT_CONTEXT, project_context
from gitstate.recall.asking import Dimension, Request
from gitstate.recall.fence import line_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_ASK = {
    "en": "From memory, without looking it up: {key}?",
    "zh": "凭记忆回答，不要查阅：{key}是什么？",
}


def about(text: str, *, key: str, value: str, lang: str) -> Request:
    """The question for one fact or command of the project's context."""
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
    one = Dimension(
        "command" if command else "fact", PROJECT_CONTEXT, line_of(value), None, key
    )
    ask = _ASK["zh" if lang == "zh" else "en"].format(key=line_of(key))
    return Request(ask, (one,), (), (*bans, *others), text)


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
