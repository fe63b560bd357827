"""Our hooks in a client's JSON settings: found, put in, brought up to date, cut out; text, pure.

A hook stands in a group, which may have others beside it: only the hook is ours then.
What is of another version is replaced where it stands: a client may know hooks by their
place (Codex trusts them so), and those of others stay in theirs.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from gitstate.hooks.agents import json_text, layouts
from gitstate.hooks.agents.json_text import EACH, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitstate.hooks.agents.json_text import Node

    Way = tuple[str, ...]

_FILES = ("context", "fileFiltering", "customIgnoreFilePaths")
_USERS = "additionalContextLimit"  # how much Codex lets through: a person may set it


class _Entry(NamedTuple):
    """A hook, or a text; the matcher of its group, and where it stands."""

    matcher: object
    value: Any
    node: Node | None = None

    @property
    def same(self) -> str:
        """What differs where another version of us would put in something else."""
        value = self.value
        if isinstance(value, dict):
            value = {key: one for key, one in value.items() if key != _USERS}
        return json.dumps([self.matcher, value], sort_keys=True)


def put(text: str, ways: Sequence[tuple[Way, Any]]) -> str:
    """The text with each value in the array that its way leads to, once.

    Those of ours that are there and as they are to be stay where a person moved them.
    Raises ``Refused`` where it is no such settings file.
    """
    found, wanted = _of_text(text), _wanted(ways)
    in_place: list[tuple[Node, object]] = []
    cuts, more = [], []
    for way in dict.fromkeys([*found, *wanted]):
        old, new = found.get(way, []), wanted.get(way, [])
        if sorted(one.same for one in old) == sorted(one.same for one in new):
            continue
        if pairs := _paired(old, new):
            in_place += pairs
            continue
        cuts.append(way)
        for (_, value), one in zip(_values(ways, way), new, strict=True):
            limit = next((each for each in old if each.matcher == one.matcher), None)
            more.append((way, _with_limit(value, limit)))
    text = json_text.replaced(text, in_place)
    for way in cuts:
        text = _without(text, way)
    for way, value in more:
        text = json_text.appended(text, way, value)
    return text


def cut(text: str) -> str:
    """The text without what is ours; raises ``Refused`` where it is no JSON."""
    for way in _of_text(text):
        text = _without(text, way)
    return text


def _paired(old: Sequence[_Entry], new: Sequence[_Entry]) -> list[tuple[Node, object]]:
    """What is to stand in the place of what; nothing where they are not the same in number."""
    left, pairs = list(old), []
    for one in new:
        each = next((each for each in left if each.matcher == one.matcher), None)
        if each is None or each.node is None:
            return []
        left.remove(each)
        if each.same != one.same:
            pairs.append((each.node, _limited(one.value, each)))
    return pairs if not left else []


def _limited(value: Any, old: _Entry | None) -> Any:  # noqa: ANN401 of JSON
    """A hook with what a person had set in the one before it."""
    limit = old.value.get(_USERS) if old and isinstance(old.value, dict) else None
    return value if limit is None else {**value, _USERS: limit}


def _with_limit(value: Any, old: _Entry | None) -> Any:  # noqa: ANN401 of JSON
    """The same of a group."""
    if not isinstance(value, dict):
        return value
    return {**value, "hooks": [_limited(one, old) for one in value["hooks"]]}


def _values(ways: Sequence[tuple[Way, Any]], wanted: Way) -> list[tuple[Way, Any]]:
    return [one for one in ways if one[0] == wanted]


def _wanted(ways: Sequence[tuple[Way, Any]]) -> dict[Way, list[_Entry]]:
    """As ``_of_text``, of what is to be there: each of our groups has one hook."""
    found: dict[Way, list[_Entry]] = {}
    for way, value in ways:
        entry = _Entry(None, value)
        if isinstance(value, dict):
            entry = _Entry(value.get("matcher"), *value["hooks"])
        found.setdefault(way, []).append(entry)
    return found


def _of_text(text: str) -> dict[Way, list[_Entry]]:
    """What is ours in a file, by the way to it."""
    if not json_text.load(text):
        return {}
    whole = json_text.parse(text)
    found: dict[Way, list[_Entry]] = {}
    hooks = whole.get("hooks")
    for event in dict.fromkeys(one.key for one in hooks.members) if hooks else ():
        groups = hooks.get(event) if hooks and event is not None else None
        if event is not None and groups is not None:
            mine = [entry for one in groups.members for entry in _of_group(one)]
            found |= {("hooks", event): mine} if mine else {}
    files: Node | None = whole
    for key in _FILES:
        files = files.get(key) if files else None
    texts = [
        _Entry(None, one.value, one)
        for one in (files.members if files else ())
        if layouts.is_ours(one.value)
    ]
    return {**found, _FILES: texts} if texts else found


def _of_group(group: Node) -> Iterator[_Entry]:
    matcher, hooks = group.get("matcher"), group.get("hooks")
    for one in hooks.members if hooks else ():
        if layouts.is_ours(plain(one)):
            yield _Entry(plain(matcher) if matcher else None, plain(one), one)


def _without(text: str, way: Way) -> str:
    """The text without ours at one way: groups that are all ours, then hooks, or texts."""
    if way == _FILES:
        return json_text.without(text, way, layouts.is_ours)
    text = json_text.without(text, way, _is_all_ours)
    return json_text.without(text, (*way, EACH, "hooks"), layouts.is_ours)


def _is_all_ours(group: object) -> bool:
    hooks = group.get("hooks") if isinstance(group, dict) else None
    return isinstance(hooks, list) and bool(hooks) and all(map(layouts.is_ours, hooks))
