"""YAML of two levels at most, read from the parser's events; pure.

A mapping whose values are scalars, lists of scalars or mappings of scalars. Nothing is
constructed and no alias is followed, so neither tags, merge keys nor nested anchors can
do anything; the caller bounds the length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from gitstate.errors import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

Value = str | list[str] | dict[str, str]


class Broken(Exception):
    """The YAML is not of that shape; ``line`` counts from 0."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.line = line


class Field(NamedTuple):
    """One pair of the outer mapping; ``line`` counts from 0."""

    key: str
    value: Value
    line: int


def fields(source: str) -> list[Field]:
    """The pairs of ``source``, in order, all scalars as the text that they are.

    Raises ``Broken`` with the line and what is wrong there.
    """
    import yaml  # noqa: PLC0415 20 ms that only a reader of headers pays

    events = yaml.parse(source, Loader=getattr(yaml, "CLoader", yaml.SafeLoader))
    try:
        return list(_pairs(_Events(yaml, events)))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or "a character that YAML does not allow"
        raise Broken(mark.line if mark else 0, printable(what)) from error
    except UnicodeEncodeError as error:
        raise Broken(source.count("\n", 0, error.start), "it is not UTF-8") from error


class _Events:
    """Events one by one, and what they may be."""

    def __init__(self, yaml: Any, events: Iterator[Any]) -> None:  # noqa: ANN401 PyYAML has no types
        self.yaml = yaml
        self.events = events
        self.line = 0

    def next(self) -> Any:  # noqa: ANN401 PyYAML has no types
        event = next(self.events)
        self.line = event.start_mark.line
        if isinstance(event, self.yaml.AliasEvent) or getattr(event, "anchor", None):
            raise Broken(self.line, "anchors and aliases are not used here")
        return event

    def scalar(self, event: Any) -> str:  # noqa: ANN401 PyYAML has no types
        if not isinstance(event, self.yaml.ScalarEvent):
            raise Broken(self.line, "it is nested too deep")
        return str(event.value)

    def until(self, end: type) -> Iterator[Any]:
        while not isinstance(event := self.next(), end):
            yield event


def _pairs(events: _Events) -> Iterator[Field]:
    yaml = events.yaml
    event = events.next()
    while isinstance(event, yaml.StreamStartEvent | yaml.DocumentStartEvent):
        event = events.next()
    if not isinstance(event, yaml.MappingStartEvent):
        raise Broken(events.line, "it is not a list of 'name: value'")
    for key in events.until(yaml.MappingEndEvent):
        name, line = events.scalar(key), events.line
        yield Field(name, _value(events), line)


def _value(events: _Events) -> Value:
    yaml = events.yaml
    event = events.next()
    if isinstance(event, yaml.SequenceStartEvent):
        return [events.scalar(item) for item in events.until(yaml.SequenceEndEvent)]
    if isinstance(event, yaml.MappingStartEvent):
        return {
            events.scalar(key): events.scalar(events.next())
            for key in events.until(yaml.MappingEndEvent)
        }
    return events.scalar(event)
