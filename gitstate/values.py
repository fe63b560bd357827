"""Dataclasses whose methods are written when they are first called.

``dataclasses`` writes and compiles up to six methods of each class while its module is
loaded: 0.4 ms, a fifth of a verb for the seventy classes that it loads, of most of which
it makes nothing. Here a class costs 0.02 ms, and a method what it costs once it is called.
For a type checker these are the real ones. What they mean is the same too, for as much
of it as is used here: ``frozen``, ``slots``, ``kw_only``, and fields with a default, a
``default_factory``, ``compare`` or ``metadata``; none inherits from another.
"""

from __future__ import annotations

from types import MappingProxyType

TYPE_CHECKING = False  # as typing's, which costs a hook 10 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

MISSING: Any = object()
_FIELDS = "__value_fields__"
__all__ = ["dataclass", "field", "fields", "replace"]


class _Field:
    """One field: what ``field`` was told of it, and then its name and annotation."""

    __slots__ = ("compare", "default", "default_factory", "metadata", "name", "type")

    def __init__(
        self,
        *,
        default: object = MISSING,
        default_factory: Callable[[], object] = MISSING,
        compare: bool = True,
        metadata: Mapping[str, object] = MappingProxyType({}),
    ) -> None:
        self.default = default
        self.default_factory = default_factory
        self.compare = compare
        self.metadata = metadata
        self.name = self.type = ""

    @property
    def has_default(self) -> bool:
        """Is there one value for all."""
        return self.default is not MISSING


class _StandardFields:
    """What ``dataclasses`` knows a class of its own by: for ``asdict``, pytest, pprint."""

    def __get__(self, value: object, cls: type) -> Mapping[str, object]:
        import dataclasses  # noqa: PLC0415 5 ms

        rows = []
        for one in _fields(cls):
            told = {"default": one.default, "default_factory": one.default_factory}
            known: dict[str, Any] = {
                key: value for key, value in told.items() if value is not MISSING
            }
            made = dataclasses.field(
                compare=one.compare, metadata=one.metadata, **known
            )
            rows.append((one.name, one.type, made))
        like = dataclasses.make_dataclass(cls.__name__, rows, kw_only=True)
        found: Mapping[str, object] = like.__dict__["__dataclass_fields__"]
        type.__setattr__(cls, "__dataclass_fields__", found)
        return found


def _dataclass(
    *, frozen: bool = False, slots: bool = False, kw_only: bool = False
) -> Callable[[type], type]:
    def made(cls: type) -> type:
        body = dict(cls.__dict__)
        found = tuple(
            _described(name, kind, body.pop(name, MISSING))
            for name, kind in body.get("__annotations__", {}).items()
        )
        names = tuple(one.name for one in found)
        body[_FIELDS] = found
        body["__dataclass_fields__"] = _StandardFields()
        body["__match_args__"] = () if kw_only else names
        body["__repr__"] = _repr
        body["__hash__"] = None
        if frozen:
            body |= {"__setattr__": _no_setting, "__delattr__": _no_deleting}
        del body["__dict__"], body["__weakref__"]
        if slots:
            body["__slots__"] = names  # they are made with the class or not at all
        else:
            body |= {one.name: one.default for one in found if one.has_default}
        body["__qualname__"] = cls.__qualname__
        new = type(cls.__name__, cls.__bases__, body)
        later = {
            "__init__": lambda: _init(new, frozen=frozen, kw_only=kw_only),
            "__eq__": lambda: _eq(new),
        }
        if frozen:
            later["__hash__"] = lambda: _hash(new)
        for name, write in later.items():
            setattr(new, name, _late(new, name, write))
        return new

    return made


def _described(name: str, kind: str, told: object) -> _Field:
    found = told if isinstance(told, _Field) else _Field(default=told)
    found.name, found.type = name, kind
    if type(found.default).__hash__ is None:
        raise ValueError(f"{name}: a default that can change is made by a factory")
    return found


def _late(cls: type, name: str, write: Callable[[], Any]) -> Callable[..., Any]:
    """A method that puts the one that is written in its place, and is that one."""

    def method(self: object, *args: object, **named: object) -> object:
        written = write()
        setattr(cls, name, written)
        return written(self, *args, **named)

    return method


def _init(cls: type, *, frozen: bool, kw_only: bool) -> object:
    """As a person would write it, but that a frozen value's slots are set from below."""
    known: dict[str, object] = {"MISSING": MISSING, "put": object.__setattr__}
    words = ["*"] if kw_only and _fields(cls) else []
    lines = ["pass"]
    for one in _fields(cls):
        word = value = one.name
        if one.default_factory is not MISSING:
            word += "=MISSING"
            known[f"new_{one.name}"] = one.default_factory
            value = f"new_{one.name}() if {value} is MISSING else {value}"
        elif one.has_default:
            word += f"=or_{one.name}"
            known[f"or_{one.name}"] = one.default
        words.append(word)
        slot = getattr(cls.__dict__.get(one.name), "__set__", None)
        if not frozen:
            lines.append(f"self.{one.name} = {value}")
        elif slot is not None:
            known[f"put_{one.name}"] = slot
            lines.append(f"put_{one.name}(self, {value})")
        else:
            lines.append(f"put(self, {one.name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    return _written(cls, "__init__", ["self", *words], lines, known)


def _eq(cls: type) -> object:
    of_self, of_other = (
        "".join(f"{whose}.{one.name}, " for one in _fields(cls) if one.compare)
        for whose in ("self", "other")
    )
    lines = [
        "if other.__class__ is not self.__class__: return NotImplemented",
        f"return ({of_self}) == ({of_other})",
    ]
    return _written(cls, "__eq__", ["self", "other"], lines, {})


def _hash(cls: type) -> object:
    same = "".join(f"self.{one.name}, " for one in _fields(cls) if one.compare)
    return _written(cls, "__hash__", ["self"], [f"return hash(({same}))"], {})


def _written(
    cls: type,
    name: str,
    words: Sequence[str],
    lines: Sequence[str],
    known: dict[str, object],
) -> object:
    text = f"def {name}({', '.join(words)}):\n " + "\n ".join(lines)
    exec(text, known)  # noqa: S102 the names are those of a class of ours
    made: Any = known[name]
    made.__qualname__ = f"{cls.__qualname__}.{name}"
    made.__module__ = cls.__module__
    return made


def _repr(self: object) -> str:
    said = (f"{one.name}={getattr(self, one.name)!r}" for one in _fields(type(self)))
    return f"{type(self).__qualname__}({', '.join(said)})"


def _no_setting(_: object, name: str, __: object) -> None:
    from dataclasses import FrozenInstanceError  # noqa: PLC0415 5 ms

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _no_deleting(_: object, name: str) -> None:
    from dataclasses import FrozenInstanceError  # noqa: PLC0415 5 ms

    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _fields(thing: object) -> tuple[_Field, ...]:
    found: tuple[_Field, ...] = getattr(thing, _FIELDS)
    return found


def _replace(value: object, /, **changes: object) -> object:
    for one in _fields(value):
        if one.name not in changes:
            changes[one.name] = getattr(value, one.name)
    return type(value)(**changes)


if TYPE_CHECKING:
    from dataclasses import dataclass, field, fields, replace
else:
    dataclass, field, fields, replace = _dataclass, _Field, _fields, _replace
