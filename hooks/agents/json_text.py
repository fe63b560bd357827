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
    from collections.abc import Callable, Iterable, Sequence

_SPACE = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"', re.DOTALL)
_WORD = re.compile(r"-?[0-9][0-9.eE+-]*|true|false|null")
_DEEPEST = 100
_BOM = "\ufeff"
_BLANK = f" \t\r\n{_BOM}"
EACH = None  # on a way: each member of an array


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
    node, position = _value(text, _skip(text, int(text.startswith(_BOM))), 0)
    if _skip(text, position) != len(text):
        raise _bad(text, position)
    return node


def load(text: str) -> object:
    """The values alone; raises as ``parse``."""
    return plain(parse(text)) if text.strip(_BLANK) else {}


def plain(node: Node) -> object:
    """The value of a node alone."""
    if node.kind == "object":
        return {one.key: plain(one) for one in node.members}
    if node.kind == "array":
        return [plain(one) for one in node.members]
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
        value = _loaded(text, position, found[0])
        return Node("string", position, found.end(), value), found.end()
    found = _WORD.match(text, position)
    if not found:
        raise _bad(text, position)
    value = _loaded(text, position, found[0])
    return Node("word", position, found.end(), value), found.end()


def _loaded(text: str, position: int, said: str) -> object:
    try:
        found: object = json.loads(said)
    except ValueError:
        raise _bad(text, position) from None
    return found


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
            key = str(_loaded(text, position, name[0]))
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
    if not text.strip(_BLANK):
        text = f"{_BOM if text.startswith(_BOM) else ''}{{}}\n"
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


def replaced(text: str, nodes: Iterable[tuple[Node, object]]) -> str:
    """The text with other values in the place of nodes of it, none inside another."""
    for node, value in sorted(nodes, key=lambda one: -one[0].start):
        said = json.dumps(value, ensure_ascii=False)
        if "\n" in text[node.start : node.end]:
            indent = _indent(text, node.start) or ""
            said = _dumped(value, indent, _unit(text), _eol(text))
        text = text[: node.start] + said + text[node.end :]
    return text


def _put(text: str, node: Node, name: str, value: object) -> str:
    """One more member at the end of an object or an array."""
    unit, eol = _unit(text), _eol(text)
    if node.members:
        last = node.members[-1]
        indent = _indent(text, last.begin)
        one_line = "\n" not in text[node.start : last.begin]
        said = name + _dumped(value, indent if indent is not None else "", unit, eol)
        gap = " " if one_line or indent is None else f"{eol}{indent}"
        if one_line or indent is None:
            said = name + json.dumps(value, ensure_ascii=False)
        return f"{text[: last.end]},{gap}{said}{text[last.end :]}"
    outer = _indent(text, node.start) or ""
    inner = f"{outer}{unit}"
    said = name + _dumped(value, inner, unit, eol)
    close = node.end - 1
    # where nothing is in it, there may be a comment
    theirs = text[node.start + 1 : close].rstrip(_BLANK)
    return (
        f"{text[: node.start + 1]}{theirs}{eol}{inner}{said}{eol}{outer}{text[close:]}"
    )


def _unit(text: str) -> str:
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else "  "


def _eol(text: str) -> str:
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def _indent(text: str, position: int) -> str | None:
    """The white space that the line of a place begins with; of a member its own."""
    begin = text.rfind("\n", 0, position) + 1
    found = re.match(r"[ \t]*", text[begin:position])
    return found[0] if found else None


def _dumped(value: object, indent: str, unit: str, eol: str) -> str:
    lines = json.dumps(value, ensure_ascii=False, indent=unit).split("\n")
    return f"{eol}{indent}".join(lines)


def without(
    text: str, path: Sequence[str | None], ours: Callable[[object], bool]
) -> str:
    """The text without those values of the array at ``path`` that are ours.

    An array that only we had anything in goes too, and the objects around it that are
    empty then. Comments stay.
    """
    while text.strip(_BLANK):
        chain = _found([parse(text)], path, ours)
        if not chain:
            return text
        inner, outer = chain.pop(), chain.pop()
        while chain and _is_alone(text, outer, inner):
            inner, outer = outer, chain.pop()
        text = _cut(text, outer, inner)
    return text


def _is_alone(text: str, outer: Node, inner: Node) -> bool:
    """Is nothing else in an object or an array, no comment either."""
    beside = text[outer.start : inner.begin] + text[inner.end : outer.end]
    return len(outer.members) == 1 and "/" not in beside


def _found(
    chain: list[Node], path: Sequence[str | None], ours: Callable[[object], bool]
) -> list[Node]:
    """The way to the first value that is ours, with that; empty where there is none."""
    node = chain[-1]
    if not path or path[0] is EACH:
        if node.kind != "array":
            return []
        if not path:
            found = next((one for one in node.members if ours(plain(one))), None)
            return [*chain, found] if found else []
        each = (_found([*chain, one], path[1:], ours) for one in node.members)
        return next(filter(None, each), [])
    below = node.get(path[0]) if node.kind == "object" else None
    return _found([*chain, below], path[1:], ours) if below else []


def _cut(text: str, outer: Node, member: Node) -> str:
    """The text without one member and one of the commas beside it; comments stay."""
    index = next(i for i, one in enumerate(outer.members) if one is member)
    before = outer.members[index - 1].end if index else outer.start + 1
    head = text[before : member.begin]
    if index and "/" not in head:
        return text[:before] + text[member.end :]
    # its own comma goes
    comma = _skip(text, member.end)
    has_comma = text[comma : comma + 1] == ","
    if index + 1 < len(outer.members):
        following = outer.members[index + 1].begin
        said = text[member.end : comma] + text[comma + 1 : following]
        return text[: member.begin] + said.lstrip(_BLANK) + text[following:]
    close = outer.end - 1
    tail = text[member.end : close]
    if has_comma:
        tail = text[member.end : comma] + text[comma + 1 : close]
    elif index:  # or the one before it, where it has none
        comma = _skip(text, before)
        head = text[before:comma] + text[comma + 1 : member.begin]
    if "/" not in head + tail:
        return text[:before] + text[close:]
    if tail.lstrip(" \t")[:1] in {"\r", "\n"}:  # it ends a comment in the head
        head = head.rstrip(_BLANK)
    return text[:before] + head + tail + text[close:]
