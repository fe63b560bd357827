from __future__ import annotations

import copy
import dataclasses
import inspect
import os
import subprocess
import sys
from typing import Any

import pytest

from gitstate import values

KINDS = [
    {},
    {"frozen": True},
    {"slots": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "kw_only": True},
]
MAKERS = pytest.mark.parametrize("how", KINDS, ids=lambda how: " ".join(how) or "plain")


def pair(how: dict[str, bool]) -> list[Any]:
    """The same class, made by the standard library and by us."""
    made = []
    modules: list[Any] = [dataclasses, values]
    for of in modules:

        @of.dataclass(**how)
        class Thing:
            """A thing."""

            name: str
            count: int = 3
            parts: list[str] = of.field(default_factory=list)
            lines: tuple[int, ...] = of.field(default=(), compare=False)
            more: str | None = of.field(default=None, metadata={"key": "more"})

            def loud(self) -> str:
                return self.name.upper()

            @property
            def twice(self) -> int:
                return self.count * 2

        made.append(Thing)
    return made


def outcome(act: Any, *words: Any, **named: Any) -> Any:
    try:
        return act(*words, **named)
    except (TypeError, AttributeError) as error:
        return type(error), str(error)


@MAKERS
def test_a_value_is_what_a_dataclass_is(how: dict[str, bool]) -> None:
    theirs, ours = pair(how)
    rows: list[dict[str, Any]] = [
        {"name": "a"},
        {"name": "a", "count": 4},
        {"name": "a", "parts": ["x"], "lines": (1,), "more": "m"},
        {"name": "a", "lines": (2,)},
        {},
        {"name": "a", "other": 1},
    ]

    def seen(cls: Any) -> list[Any]:
        found: list[Any] = [cls.__doc__, cls.__name__, cls.__qualname__, cls.__module__]
        found += [cls.__match_args__, hasattr(cls, "__slots__")]
        made = [outcome(cls, **row) for row in rows]
        found += [outcome(cls, "a", 2, ["y"], (3,), "z"), outcome(cls, "a", 2)]
        for one in made[:4]:
            found += [repr(one), one.loud(), one.twice, hasattr(one, "__dict__")]
            found += [one == other for other in [*made, "a", None]]
            found += [one != other for other in made]
            found += [outcome(setattr, one, "count", 9), one.count]
            found += [outcome(setattr, one, "none", 9) is None, hasattr(one, "none")]
        for one in made[:4]:
            found += [outcome(delattr, one, "more"), hasattr(one, "more")]
        found.append(made[4:])
        return [repr(one) for one in found]

    assert seen(ours) == seen(theirs)
    assert ours("a") != theirs("a") if not how.get("kw_only") else True


@MAKERS
def test_it_is_hashed_as_a_dataclass_is(how: dict[str, bool]) -> None:
    for cls in pair(how):
        one, same = (cls(name="a", parts=(), lines=(n,)) for n in (1, 2))
        other = cls(name="b", parts=())
        if how.get("frozen"):
            assert hash(one) == hash(same) == hash(("a", 3, (), None))
            assert len({one, same, other}) == 2
        else:
            with pytest.raises(TypeError, match="unhashable"):
                hash(one)


@MAKERS
def test_what_is_made_by_a_factory_is_each_values_own(how: dict[str, bool]) -> None:
    _, ours = pair(how)
    one, other = ours(name="a"), ours(name="a")
    one.parts.append("x")
    assert (one.parts, other.parts, ours(name="a").parts) == (["x"], [], [])


@MAKERS
def test_replace_and_fields(how: dict[str, bool]) -> None:
    theirs, ours = pair(how)
    one = ours(name="a", parts=["x"], lines=(1,))
    changed = values.replace(one, name="b", more="m")
    assert changed == ours(name="b", parts=["x"], more="m")
    assert changed.lines == (1,)
    assert changed.parts is one.parts
    with pytest.raises(TypeError, match="unexpected keyword argument 'other'"):
        values.replace(one, other=1)

    def told(of: Any, cls: Any) -> list[Any]:
        return [
            (one.name, one.type, dict(one.metadata), one.compare)
            for one in of.fields(cls)
        ]

    assert told(values, ours) == told(values, one) == told(dataclasses, theirs)
    assert [one.default for one in values.fields(ours)][1:2] == [3]


@MAKERS
def test_the_standard_librarys_own_functions_take_it(how: dict[str, bool]) -> None:
    theirs, ours = pair(how)
    words = {"name": "a", "parts": ["x"], "lines": (1,)}
    is_one: Any = dataclasses.is_dataclass
    assert is_one(ours)
    assert dataclasses.asdict(ours(**words)) == dataclasses.asdict(theirs(**words))
    assert [one.default for one in dataclasses.fields(ours)] == [
        one.default for one in dataclasses.fields(theirs)
    ]
    assert dataclasses.replace(ours(**words), count=5) == ours(**words, count=5)


def test_what_comes_after_the_making_of_it() -> None:
    @values.dataclass(slots=True)
    class Thing:
        name: str
        loud: str = ""

        def __post_init__(self) -> None:
            self.loud = self.name.upper()

    assert repr(Thing("a")).endswith("Thing(name='a', loud='A')")


def test_a_default_that_can_change_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^parts: a default that can change"):

        @values.dataclass(slots=True)
        class Thing:
            parts: list[str] = []  # noqa: RUF012 the mistake


def test_a_class_has_its_methods_written_once() -> None:
    @values.dataclass(frozen=True, slots=True)
    class Thing:
        name: str

    assert list(inspect.signature(Thing.__init__).parameters) == [
        *("self", "args", "named")
    ]
    made = Thing("a")
    written = Thing.__init__
    assert list(inspect.signature(written).parameters) == ["self", "name"]
    assert made == Thing(name="a")
    assert Thing.__init__ is written
    assert written.__qualname__ == f"{Thing.__qualname__}.__init__"
    assert copy.copy([made]) == [made]


def test_it_loads_nothing() -> None:
    """What costs more than all that a small process does is not loaded for it."""
    said = subprocess.run(
        [
            sys.executable,
            *("-I", "-S", "-c"),
            (
                f"import sys; sys.path.insert(0, {os.path.dirname(os.path.dirname(values.__file__))!r})\n"  # noqa: PTH120 text
                "from gitstate.values import dataclass, field, replace\n"
                "@dataclass(frozen=True, slots=True)\n"
                "class A:\n a: int\n b: list = field(default_factory=list)\n"
                "A.__annotations__.update(a='int', b='list')\n"
                "replace(A(1), a=2) == A(2)\n"
                "print(sorted({'dataclasses', 'inspect', 'typing', 're'} & {*sys.modules}))"
            ),
        ],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert said == "[]\n"
