"""A digest of what a value holds, where that is cheap and calls no code of the notebook."""

from __future__ import annotations

import datetime
import types
from hashlib import blake2b
from importlib import import_module
from typing import Any

from octavo_runtime import variables_arrays as arrays
from octavo_runtime import variables_classes as classes
from octavo_runtime.variables_spelling import is_plain, spell

_MOMENTS = (datetime.date, datetime.datetime, datetime.time, datetime.timedelta)
MOST_VALUES, MOST_BYTES, DEEPEST = 20_000, 64_000_000, 40


class _TooMuch(Exception):
    """The value has no digest that is cheap to have."""


def digest_of(value: Any) -> str | None:
    """Equal for values that hold the same; None where nobody can tell cheaply."""
    digest = _Digest()
    try:
        digest.take(value, 0)
    except (_TooMuch, RuntimeError, ValueError):  # changed meanwhile; a name not bound yet
        return None
    return digest.hash.hexdigest()


class _Digest:
    def __init__(self) -> None:
        self.hash = blake2b(digest_size=12)
        self.values = MOST_VALUES
        self.bytes = MOST_BYTES

    def take(self, value: Any, depth: int) -> None:
        self.values -= 1
        if self.values < 0 or depth > DEEPEST:
            raise _TooMuch
        cls = type(value)
        self.word(f"{classes.module_of(cls)}.{classes.name_of(cls)}")
        found = arrays.known(value)
        if found is not None:
            self.array(found, depth)
        elif not self.plain(value) and not self.container(value, depth):
            self.object(value, depth)
        elif held := classes.attributes(value):  # of a class that inherits from a plain one
            self.container(held, depth)

    def word(self, text: str) -> None:
        self.content(text.encode("utf-8", "surrogatepass"))

    def content(self, data: Any) -> None:
        self.bytes -= len(data)
        if self.bytes < 0:
            raise _TooMuch
        self.hash.update(len(data).to_bytes(8, "little"))
        self.hash.update(data)

    def plain(self, value: Any) -> bool:
        if classes.is_a(value, str):
            self.word(classes.text(value))
        elif classes.is_a(value, int):
            self.content(int.to_bytes(value, int.bit_length(value) // 8 + 1, "little", signed=True))
        elif classes.is_a(value, float):
            self.word(float.hex(value))
        elif classes.is_a(value, complex):
            self.word(complex.__repr__(value))
        elif classes.is_a(value, bytes):
            self.content(bytes.__getitem__(value, slice(None)))
        elif classes.is_a(value, bytearray):
            self.content(bytearray.__getitem__(value, slice(None)))
        else:
            return value is None or value is ...
        return True

    def container(self, value: Any, depth: int) -> bool:
        if classes.is_a(value, dict):
            items: Any = dict.items(value)
            self.word(str(dict.__len__(value)))
            for key, item in items:
                self.take(key, depth + 1)
                self.take(item, depth + 1)
            return True
        for kind in (list, tuple):
            if classes.is_a(value, kind):
                self.word(str(kind.__len__(value)))
                for item in kind.__iter__(value):
                    self.take(item, depth + 1)
                return True
        return self.members(value, depth)

    def members(self, value: Any, depth: int) -> bool:
        """A set has no order, so the digests of its members are sorted."""
        kind: Any = next((each for each in (set, frozenset) if classes.is_a(value, each)), None)
        if kind is None:
            return False
        found = []
        for item in kind.__iter__(value):
            each = _Digest()
            each.values = self.values
            each.take(item, depth + 1)
            self.values = each.values
            found.append(each.hash.hexdigest())
        self.word(",".join(sorted(found)))
        return True

    def object(self, value: Any, depth: int) -> None:
        """A function by its code, an object of a plain class by what it holds."""
        if type(value) is types.FunctionType:
            self.code(value.__code__, depth)
            cells = [cell.cell_contents for cell in value.__closure__ or ()]
            for each in (value.__defaults__, value.__kwdefaults__, cells):
                self.take(each, depth + 1)
        elif any(type(value) is each for each in _MOMENTS) or is_plain(value):
            self.word(spell(value, 1000))
        elif _is_plain_class(type(value)):
            self.container(classes.attributes(value), depth)
        else:
            raise _TooMuch

    def code(self, code: types.CodeType, depth: int) -> None:
        self.content(code.co_code)
        self.word(" ".join((*code.co_names, *code.co_varnames)))
        for constant in code.co_consts:
            if type(constant) is types.CodeType:
                self.code(constant, depth + 1)
            else:
                self.take(constant, depth + 1)

    def array(self, found: arrays.Known, depth: int) -> None:
        if (arrays.size(found) or MOST_BYTES + 1) > self.bytes:
            raise _TooMuch
        self.word(str(arrays.shape(found)))
        if found.library == "numpy":
            self.numbers(found.value, depth)
        elif found.library == "pandas":
            self.columns(found, depth)
        elif found.library == "polars" and found.kind == "table":
            self.word(str(found.value.schema))
            self.content(found.value.hash_rows().to_numpy().tobytes())
        else:
            raise _TooMuch

    def numbers(self, value: Any, depth: int) -> None:
        self.word(str(value.dtype))
        if value.dtype.hasobject:
            for item in value.reshape(-1).tolist():
                self.take(item, depth + 1)
        else:
            self.content(value.tobytes())

    def columns(self, found: arrays.Known, depth: int) -> None:
        """Column by column; those of numpy as they are, those of pandas by its own hashing."""
        value = found.value
        columns = [value]
        if found.kind == "table":
            columns = [value.iloc[:, at] for at in range(value.shape[1])]
            self.take(value.columns.tolist(), depth + 1)
        for column in columns:
            self.word(str(column.dtype))
            if column.dtype.__class__.__module__.startswith("numpy"):
                self.numbers(column.to_numpy(), depth)
            elif classes.comes_from(column.array, "pandas"):
                hash_array = import_module("pandas.util").hash_array
                self.content(hash_array(column.array).tobytes())
            else:
                raise _TooMuch
        index = getattr(value, "index", None)
        if index is not None and classes.comes_from(index, "pandas"):
            if type(index).__name__ == "RangeIndex":
                self.word(f"{index.start} {index.stop} {index.step}")
            else:
                self.take(index.tolist(), depth + 1)


def _is_plain_class(cls: type) -> bool:
    """Whether all that an object holds are its attributes: every class of it is Python's own."""
    heap = 1 << 9
    flags = type.__dict__["__flags__"]
    slots = any("__slots__" in type.__dict__["__dict__"].__get__(each) for each in classes.mro(cls))
    return not slots and all(flags.__get__(each) & heap for each in classes.mro(cls)[:-1])
