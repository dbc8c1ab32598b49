"""What an object truly is, found out without calling any code of its own.

`__class__`, metaclasses, `__getattr__` and properties can say anything and do anything. What is
asked here is asked of Python's own descriptors, and classes are compared by identity only.
"""

from __future__ import annotations

import sys
from types import GetSetDescriptorType, MappingProxyType, ModuleType
from typing import Any

_NAME = type.__dict__["__name__"]
_QUALNAME = type.__dict__["__qualname__"]
_MODULE = type.__dict__["__module__"]
_MRO = type.__dict__["__mro__"]
_ITEM_SIZE = type.__dict__["__itemsize__"]
_DICT = type.__dict__["__dict__"]
_LONGEST_NAME = 200


def name_of(cls: type) -> str:
    """The name of a class, with those of the classes that it was defined in."""
    try:
        name = _QUALNAME.__get__(cls)
    except AttributeError:
        name = _NAME.__get__(cls)
    name = text(name).rpartition("<locals>.")[2]
    return name[:_LONGEST_NAME]


def module_of(cls: type) -> str:
    """The module that a class says it is from; empty where that is not a name."""
    try:
        module = _MODULE.__get__(cls)
    except AttributeError:
        return ""
    return text(module)[:_LONGEST_NAME] if is_a(module, str) else ""


def mro(cls: type) -> tuple[type, ...]:
    """The class and those that it inherits from."""
    found: tuple[type, ...] = _MRO.__get__(cls)
    return found


def is_a(value: Any, cls: type) -> bool:
    """Whether a value truly is an instance of a class or of one that inherits from it."""
    return any(each is cls for each in mro(type(value)))


def own_size(value: Any) -> int | None:
    """The bytes of an object itself; None where only a method of its class could tell."""
    is_fixed: bool = _ITEM_SIZE.__get__(type(value)) == 0
    return object.__sizeof__(value) if is_fixed else None


def attributes(value: Any) -> dict[str, Any]:
    """The attributes that an object itself holds; none where it holds none."""
    for cls in mro(type(value)):
        names: MappingProxyType[str, Any] = _DICT.__get__(cls)
        holder: Any = names.get("__dict__")
        if type(holder) is GetSetDescriptorType or cls is ModuleType:
            held = holder.__get__(value)
            return held if type(held) is dict else {}
    return {}


def library_class(library: str, *names: str) -> type | None:
    """A class of a library that has been imported; nothing is imported for it."""
    found: Any = sys.modules.get(library)
    for name in names:
        found = attributes(found).get(name) if found is not None else None
    return found if found is not None and is_a(found, type) else None


def comes_from(value: Any, library: str) -> bool:
    """Whether the class of a value is one of a library's own, not one that says so."""
    cls = type(value)
    module = module_of(cls)
    if module != library and not module.startswith(library + "."):
        return False
    found: Any = sys.modules.get(module)
    for name in text(_QUALNAME.__get__(cls)).split("."):
        found = attributes(found).get(name) if is_a(found, ModuleType) else None
    return found is cls


def text(value: Any) -> str:
    """The characters of a text, whatever its class makes of them; empty for what is no text."""
    return str.__getitem__(value, slice(None)) if is_a(value, str) else ""


def printable(value: str) -> str:
    """Text that can be sent and shown: halves of surrogate pairs are spelled out."""
    return value.encode("utf-8", "backslashreplace").decode("utf-8")
