"""JSON as text: values put in and cut out, every other byte as it was; pure.

Settings of agents are written by people, some with comments and trailing commas
(``//``, ``/* */``): to load and dump them would lose both, and the order of lines.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from gitstate.errors import Refused
from gitstate.values import dataclass, field

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_SPACE = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"', re.DOTALL)
_WORD = re.compile(r"-?[0-9][0-9.eE+-]*|true|false|null")
_DEEPEST = 100


@dataclass(slots=True)
class Node:
    """A value and where it stands; an object's and an array's members, in order.

    ``key`` of a member of an object, and where its member begins.
    """

    kind: str  # object, array, string, word
    start: int
    end: int
    value: object = None
    key: str | None = None
    begin: int = 0
    members: list[Node] = field(default_factory=list)

    def get(self, key: str) -> Node | None:
        """The member of that name; the last one counts, as everywhere."""
        return next((one for one in reversed(self.members) if one.key == key), None)


def parse(text: str) -> Node:
    """The document; raises ``Refused`` with the line of what is no JSON."""
    node, position = _value(text, _skip(text, 0), 0)
    if _skip(text, position) != len(text):
        raise _bad(text, position)
    return node


def load(text: str) -> object:
    """The values alone; raises as ``parse``."""
    return _plain(parse(text)) if text.strip() else {}


def _plain(node: Node) -> object:
    if node.kind == "object":
        return {one.key: _plain(one) for one in node.members}
    if node.kind == "array":
        return [_plain(one) for one in node.members]
    return node.value


def _skip(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position


def _bad(text: str, position: int) -> Refused:
    line = text.count("\n", 0, position) + 1
    return Refused(f"it is no JSON in line {line}")


def _value(text: str, position: int, depth: int) -> tuple[Node, int]:
    if depth > _DEEPEST:
        raise _bad(text, position)
    char = text[position : position + 1]
    if char in "{[" and char:
        return _members(text, position, depth)
    found = _STRING.match(text, position)
    if found:
        try:
            value: object = json.loads(found[0])
        except ValueError:
            raise _bad(text, position) from None
        return Node("string", position, found.end(), value), found.end()
    found = _WORD.match(text, position)
    if not found:
        raise _bad(text, position)
    try:
        value = json.loads(found[0])
    except ValueError:
        raise _bad(text, position) from None
    return Node("word", position, found.end(), value), found.end()


def _members(text: str, position: int, depth: int) -> tuple[Node, int]:
    is_object = text[position] == "{"
    node = Node("object" if is_object else "array", position, position)
    last = "}" if is_object else "]"
    position = _skip(text, position + 1)
    while text[position : position + 1] != last:
        begin, key = position, None
        if is_object:
            name = _STRING.match(text, position)
            if not name:
                raise _bad(text, position)
            key = str(json.loads(name[0]))
            position = _skip(text, name.end())
            if text[position : position + 1] != ":":
                raise _bad(text, position)
            position = _skip(text, position + 1)
        member, position = _value(text, position, depth + 1)
        member.key, member.begin = key, begin
        node.members.append(member)
        position = _skip(text, position)
        if text[position : position + 1] == ",":
            position = _skip(text, position + 1)
        elif text[position : position + 1] != last:
            raise _bad(text, position)
    node.end = position + 1
    return node, node.end


def appended(text: str, path: Sequence[str], value: object) -> str:
    """The text with ``value`` as the last of the array at ``path``, made where it is not.

    Raises ``Refused`` where something else than an object or an array stands on the way.
    """
    if not text.strip():
        text = "{}\n"
    node = parse(text)
    for depth, key in enumerate(path):
        if node.kind != "object":
            raise Refused(f"{'.'.join(path[:depth]) or 'it'} is no object there")
        found = node.get(key)
        if found is None:
            rest: object = [value]
            for name in reversed(path[depth + 1 :]):
                rest = {name: rest}
            return _put(text, node, f"{json.dumps(key)}: ", rest)
        node = found
    if node.kind != "array":
        raise Refused(f"{'.'.join(path)} is no array there")
    return _put(text, node, "", value)


def _put(text: str, node: Node, name: str, value: object) -> str:
    """One more member at the end of an object or an array."""
    unit = _unit(text)
    if node.members:
        last = node.members[-1]
        indent = _indent(text, last.begin)
        one_line = "\n" not in text[node.start : last.begin]
        said = name + _dumped(value, indent if indent is not None else "", unit)
        gap = " " if one_line or indent is None else f"\n{indent}"
        if one_line or indent is None:
            said = name + json.dumps(value, ensure_ascii=False)
        return f"{text[: last.end]},{gap}{said}{text[last.end :]}"
    outer = _indent(text, node.start) or ""
    inner = f"{outer}{unit}"
    said = name + _dumped(value, inner, unit)
    close = node.end - 1
    return f"{text[: node.start + 1]}\n{inner}{said}\n{outer}{text[close:]}"


def _unit(text: str) -> str:
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else "  "


def _indent(text: str, position: int) -> str | None:
    """The white space that the line of a place begins with; of a member its own."""
    begin = text.rfind("\n", 0, position) + 1
    found = re.match(r"[ \t]*", text[begin:position])
    return found[0] if found else None


def _dumped(value: object, indent: str, unit: str) -> str:
    lines = json.dumps(value, ensure_ascii=False, indent=unit).split("\n")
    return f"\n{indent}".join(lines)


def without(text: str, path: Sequence[str], ours: Callable[[object], bool]) -> str:
    """The text without those values of the array at ``path`` that are ours.

    An array that only we had anything in goes too, and the objects around it that are
    empty then.
    """
    while True:
        node: Node | None = parse(text) if text.strip() else None
        chain = [node] if node else []
        for key in path:
            node = node.get(key) if node and node.kind == "object" else None
            if node is not None:
                chain.append(node)
        if node is None or node.kind != "array":
            return text
        found = next((one for one in node.members if ours(_plain(one))), None)
        if found is None:
            return text
        inner, outer = found, node
        up = len(chain) - 2
        while len(outer.members) == 1 and up >= 0:
            inner, outer = outer, chain[up]
            up -= 1
        text = _cut(text, outer, inner)


def _cut(text: str, outer: Node, member: Node) -> str:
    """The text without one member, and without one of the commas beside it."""
    index = next(i for i, one in enumerate(outer.members) if one is member)
    if index > 0:
        return text[: outer.members[index - 1].end] + text[member.end :]
    if len(outer.members) > 1:
        return text[: member.begin] + text[outer.members[1].begin :]
    end = text.rfind(text[outer.end - 1], member.end, outer.end)
    between = text[outer.start + 1 : member.begin] + text[member.end : end]
    kept = "" if not between.strip(" \t\r\n,") else between
    return text[: outer.start + 1] + kept + text[end:]
