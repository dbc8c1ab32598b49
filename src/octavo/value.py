"""Frozen records that are cheap to define.

A frozen dataclass takes about a millisecond to make, which every command would pay for dozens of
them. A `Value` is used like one: its fields are the annotations of the class.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, ClassVar, Self, dataclass_transform
else:

    def dataclass_transform(**_):
        return lambda cls: cls


#: The default of a field that holds a mapping; nobody changes a value's fields.
EMPTY: Mapping[str, Any] = {}


def _annotations(cls: type) -> dict[str, str]:
    """Those of the class itself; `inspect` has a function for it, but costs too much here."""
    own: dict[str, str] = cls.__dict__.get("__annotations__", {})  # noqa: RUF063
    return own


@dataclass_transform(frozen_default=True)
class Value:
    """A frozen, comparable record. Names in `_uncompared` take no part in equality."""

    _fields: ClassVar[tuple[str, ...]] = ()
    _uncompared: ClassVar[tuple[str, ...]] = ()
    _names: ClassVar[frozenset[str]] = frozenset()
    _needs: ClassVar[frozenset[str]]

    def __init_subclass__(cls) -> None:
        own = tuple(
            name
            for name, kind in _annotations(cls).items()
            if not str(kind).startswith("ClassVar") and name not in cls._fields
        )
        cls._fields = (*cls._fields, *own)
        cls._names = frozenset(cls._fields)

    def __init__(self, *args: Any, **named: Any) -> None:
        fields, values = self._fields, self.__dict__
        if args:
            if len(args) > len(fields):
                raise TypeError(f"{type(self).__name__} takes {len(fields)} values")
            values.update(zip(fields, args, strict=False))
        if named:
            if not (named.keys() <= self._names and values.keys().isdisjoint(named)):
                wrong = next(name for name in named if name in values or name not in fields)
                raise TypeError(f"{type(self).__name__} does not take {wrong!r} (again)")
            values.update(named)
        if len(values) < len(fields) and not values.keys() >= self._required():
            missing = next(name for name in fields if name in self._required() - values.keys())
            raise TypeError(f"{type(self).__name__} needs {missing!r}")

    @classmethod
    def _required(cls) -> frozenset[str]:
        """The fields that have no default. Found out when first asked for, and then kept."""
        known: frozenset[str] | None = cls.__dict__.get("_needs")
        if known is None:
            known = frozenset(name for name in cls._fields if not hasattr(cls, name))
            cls._needs = known
        return known

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed."""
        return type(self)(**{**self.__dict__, **changes})

    def to_dict(self) -> dict[str, Any]:
        """The fields by name; values within it as dicts too."""
        return {
            name: value.to_dict() if isinstance(value := getattr(self, name), Value) else value
            for name in self._fields
        }

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self._fields if name not in self._uncompared)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        pairs = ((name, getattr(self, name)) for name in self._fields)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in pairs)})"
